"""What the report and the terminal share: header groups, numbered notes, verdicts on claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from softmargin.experiments._findings import Cell, Claim, Column, Findings, Table

OFF = "≠"


@dataclass(frozen=True)
class Verdict:
    """A verdict on a claim, with its plural."""

    name: str
    symbol: str
    text: str
    plural: str

    @property
    def sentence(self) -> str:
        """Return "Holds."."""
        return f"{self.text[:1].upper()}{self.text[1:]}."

    def counted(self, count: int) -> str:
        """Return "1 holds", "2 hold"."""
        return f"{count} {self.text if count == 1 else self.plural}"


_VERDICTS: dict[bool | None, Verdict] = {
    True: Verdict("holds", "✓", "holds", "hold"),
    False: Verdict("fails", "✗", "does not hold", "do not hold"),
    None: Verdict("open", "?", "undecided", "undecided"),
}


def verdict(claim: Claim) -> Verdict:
    """Return the verdict on a claim."""
    return _VERDICTS[None if claim.holds is None else bool(claim.holds)]


def all_claims(findings: Findings) -> list[Claim]:
    """Return the claims of all sections."""
    return [claim for section in findings.sections for claim in section.claims]


def counted_claims(claims: Sequence[Claim]) -> str:
    """Return "1 claim", "2 claims"."""
    return f"{len(claims)} claim" if len(claims) == 1 else f"{len(claims)} claims"


def tally(claims: Sequence[Claim]) -> list[tuple[Verdict, int]]:
    """Return the verdicts that occur, with their counts."""
    given = [verdict(claim) for claim in claims]
    return [(each, given.count(each)) for each in _VERDICTS.values() if each in given]


@dataclass(frozen=True)
class Group:
    """Adjacent columns with a common header, or one column without a group."""

    name: str
    columns: range


def header_groups(columns: Sequence[Column]) -> list[Group]:
    """Return runs of columns with the same group.

    >>> from softmargin.experiments._findings import Column
    >>> columns = [Column("data set"), Column("ours", "SVC"), Column("paper", "SVC")]
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
    """Iterate over all cells, row by row."""
    for row in (*table.rows, *table.foot):
        yield from row


def meaning_of_off(table: Table) -> str:
    """Return the meaning of the mark of cells that are off: their note, if all share one."""
    notes = {cell.note for cell in cells(table) if cell.is_off}
    return notes.pop() if len(notes) == 1 and all(notes) else "does not agree with the paper"


def numbered_notes(table: Table) -> dict[str, int]:
    """Return the notes of a table with their numbers; cells with the same note share a number.

    The note that explains the mark of cells that are off has no number.
    """
    explained = meaning_of_off(table)
    texts = dict.fromkeys(
        cell.note
        for cell in cells(table)
        if cell.note and not (cell.is_off and cell.note == explained)
    )
    return {text: number for number, text in enumerate(texts, 1)}


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which are separated by blank lines."""
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def check_rows(table: Table) -> None:
    """Raise ValueError if a row has another number of cells than there are columns."""
    for row in (*table.rows, *table.foot):
        if len(row) != len(table.columns):
            raise ValueError(
                f"a row of the table {table.title!r} has {len(row)} cells, "
                f"but there are {len(table.columns)} columns"
            )
