"""What a study found, to be shown: sections of tables, pictures and claims.

A study turns its records into these; the report and the command line turn them into a page and
into text. Nothing here knows how it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cell:
    """One entry of a table.

    ``value`` sorts it, ``text`` shows it. ``is_best`` makes it bold, ``is_off`` marks a number
    that does not agree with the paper, ``note`` says what is to be known about it (in a tooltip
    and under the table). A note that all cells that are off share explains their mark.
    """

    value: float | int | str | None
    text: str
    is_best: bool = False
    is_off: bool = False
    note: str = ""


@dataclass(frozen=True)
class Column:
    """A column: its name, the group that it stands under, and whose numbers it holds."""

    name: str
    group: str = ""
    is_paper: bool = False
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    """Rows under columns; ``foot`` rows (means, ranks) stay at the end when it is sorted."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    foot: Sequence[Sequence[Cell]] = ()
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawing by matplotlib, made when it is needed; ``caption`` says what it shows."""

    name: str
    title: str
    caption: str
    draw: Callable[[], Any]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, whether it holds here (None: cannot be told), and the evidence."""

    text: str
    holds: bool | None
    evidence: str


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    claims: Sequence[Claim] = ()


@dataclass(frozen=True)
class Findings:
    """All that a study found.

    ``paper`` cites the paper, ``protocol`` says how the numbers were made, ``missing`` what was
    left out because it was not at hand, ``facts`` the machine and the versions, by name.
    """

    title: str
    paper: str
    command: str
    protocol: str
    sections: Sequence[Section]
    missing: Sequence[str] = ()
    facts: dict[str, str] = field(default_factory=dict)


def number(value: float | None, digits: int = 2, **marks: Any) -> Cell:
    """Return the cell of a number, or a dash where there is none."""
    if value is None or value != value:
        return Cell(None, "–", **marks)
    text = "∞" if value == float("inf") else f"{value:,.{digits}f}"
    return Cell(value, text, **marks)


def seconds(value: float | None, **marks: Any) -> Cell:
    """Return the cell of a time, with three digits that count."""
    if value is None or value != value:
        return Cell(None, "–", **marks)
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return Cell(value, f"{value:,.{digits}f}", **marks)


def word(text: str, **marks: Any) -> Cell:
    """Return the cell of a name."""
    return Cell(text, text, **marks)
