"""What a page and a terminal show alike: header groups, numbered notes, verdicts on claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from softmargin.experiments._findings import Cell, Claim, Column, Findings, Table

OFF = "≠"


@dataclass(frozen=True)
class Verdict:
    """What can be said of a claim, and how many of them say it."""

    name: str
    symbol: str
    text: str
    of_many: str

    def counted(self, count: int) -> str:
        """Return "1 holds", "2 hold"."""
        return f"{count} {self.text if count == 1 else self.of_many}"


_VERDICTS: dict[bool | None, Verdict] = {
    True: Verdict("holds", "✓", "holds", "hold"),
    False: Verdict("fails", "✗", "does not hold", "do not hold"),
    None: Verdict("open", "?", "cannot be told", "cannot be told"),
}


def verdict(claim: Claim) -> Verdict:
    """Return whether a claim holds, in words."""
    return _VERDICTS[None if claim.holds is None else bool(claim.holds)]


def all_claims(findings: Findings) -> list[Claim]:
    """Return the claims of all sections."""
    return [claim for section in findings.sections for claim in section.claims]


def counted_claims(claims: Sequence[Claim]) -> str:
    """Return "1 claim", "2 claims"."""
    return f"{len(claims)} claim" if len(claims) == 1 else f"{len(claims)} claims"


def tally(claims: Sequence[Claim]) -> list[tuple[Verdict, int]]:
    """Return each verdict that was given, and how often."""
    given = [verdict(claim) for claim in claims]
    return [(each, given.count(each)) for each in _VERDICTS.values() if each in given]


@dataclass(frozen=True)
class Group:
    """Columns side by side under one name, or one column without a group."""

    name: str
    columns: range


def header_groups(columns: Sequence[Column]) -> list[Group]:
    """Return the columns in runs of the same group.

    >>> from softmargin.experiments._findings import Column
    >>> columns = [Column("set"), Column("ours", "SVC"), Column("paper", "SVC")]
    >>> [(group.name, list(group.columns)) for group in header_groups(columns)]
    [('', [0]), ('SVC', [1, 2])]
    """
    groups: list[Group] = []
    for number, column in enumerate(columns):
        if groups and column.group and groups[-1].name == column.group:
            groups[-1] = Group(column.group, range(groups[-1].columns.start, number + 1))
        else:
            groups.append(Group(column.group, range(number, number + 1)))
    return groups


def cells(table: Table) -> Iterator[Cell]:
    """Go through all cells in the order of reading."""
    for row in (*table.rows, *table.foot):
        yield from row


def meaning_of_off(table: Table) -> str:
    """Return what the sign of cells that are off means: their note, if all have the same."""
    notes = {cell.note for cell in cells(table) if cell.is_off}
    return notes.pop() if len(notes) == 1 and all(notes) else "does not agree with the paper"


def numbered_notes(table: Table) -> dict[str, int]:
    """Return the notes of a table with their numbers; cells with the same note share one.

    What the sign of cells that are off means has no number.
    """
    told = meaning_of_off(table)
    texts = dict.fromkeys(
        cell.note for cell in cells(table) if cell.note and not (cell.is_off and cell.note == told)
    )
    return {text: number for number, text in enumerate(texts, 1)}


def check_rows(table: Table) -> None:
    """Raise a ValueError for a row that does not fit the columns."""
    for row in (*table.rows, *table.foot):
        if len(row) != len(table.columns):
            raise ValueError(
                f"a row of the table {table.title!r} has {len(row)} cells, "
                f"but there are {len(table.columns)} columns"
            )
