"""The results of a study: sections of tables, pictures and claims.

A study creates these from its records; the report and the command line render them. This module
is independent of the rendering.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cell:
    """One entry of a table.

    Rows are sorted by ``value``, and ``text`` is displayed. ``is_best`` makes it bold, ``is_off``
    marks a number that does not agree with the paper, and ``note`` is shown in a tooltip and below
    the table. If all marked cells have the same note, it explains the mark.
    """

    value: float | int | str | None
    text: str
    is_best: bool = False
    is_off: bool = False
    note: str = ""


@dataclass(frozen=True)
class Column:
    """A column: its name, its group, and whether it contains published numbers."""

    name: str
    group: str = ""
    is_paper: bool = False
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    """A table; ``foot`` rows (means, ranks) stay at the end when it is sorted."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    foot: Sequence[Sequence[Cell]] = ()
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """A matplotlib figure, drawn when it is needed; ``caption`` describes it."""

    name: str
    title: str
    caption: str
    draw: Callable[[], Any]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, whether it holds here (None: undecided), and the evidence."""

    text: str
    holds: bool | None
    evidence: str


@dataclass(frozen=True)
class Section:
    """A section of the report."""

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    claims: Sequence[Claim] = ()


@dataclass(frozen=True)
class Findings:
    """All results of a study.

    ``paper`` cites the paper, ``protocol`` describes the experiments (blank lines separate
    paragraphs), ``missing`` lists the data sets and packages that were not found, and ``facts``
    contains the date, the machine and the versions, by name.
    """

    title: str
    paper: str
    command: str
    protocol: str
    sections: Sequence[Section]
    missing: Sequence[str] = ()
    facts: dict[str, str] = field(default_factory=dict)


def number(value: float | None, digits: int = 2, **marks: Any) -> Cell:
    """Return the cell of a number; a dash if it is None or NaN."""
    if value is None or value != value:
        return Cell(None, "–", **marks)
    text = "∞" if value == float("inf") else f"{value:,.{digits}f}"
    return Cell(value, text, **marks)


def seconds(value: float | None, **marks: Any) -> Cell:
    """Return the cell of a time, with three significant digits."""
    if value is None or value != value:
        return Cell(None, "–", **marks)
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return Cell(value, f"{value:,.{digits}f}", **marks)


def word(text: str, **marks: Any) -> Cell:
    """Return the cell of a text."""
    return Cell(text, text, **marks)
