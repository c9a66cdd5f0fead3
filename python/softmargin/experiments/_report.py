"""The report of a study: a single self-contained HTML file.

A content security policy forbids the page to load anything or to run scripts other than its own,
so it can be archived, sent and opened from disk. Requires jinja2 (``pip install jinja2``).
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softmargin._files.atomic_file import write_text
from softmargin.experiments import _page_layout, _svg
from softmargin.experiments._findings import Cell, Column, Findings, Picture, Table

if TYPE_CHECKING:
    from jinja2 import Environment

# Pictures are shown at 96 pixels per inch, and never below 72, where a letter of 8 points has 8
# pixels. On narrow screens they scroll.
_PIXELS_A_POINT = 96 / 72


def write_report(findings: Findings, path: str | os.PathLike[str]) -> None:
    """Write the report to a file, atomically."""
    write_text(Path(path), render(findings))


def render(findings: Findings) -> str:
    """Return the report as HTML; the same findings give the same text.

    Raises
    ------
    ImportError
        If jinja2 is not installed. Without matplotlib, a message replaces each picture.
    """
    environment = environment_of_pages()
    script = _asset("report.js")
    all_claims = _page_layout.all_claims(findings)
    tables, figures, claims = itertools.count(1), itertools.count(1), itertools.count(1)
    return environment.get_template("report.html.j2").render(
        findings=findings,
        sections=[
            {
                "title": section.title,
                "text": section.text,
                "tables": [_table_view(table, next(tables)) for table in section.tables],
                "figures": [_figure_view(each, next(figures)) for each in section.pictures],
                "claims": [(next(claims), claim) for claim in section.claims],
            }
            for section in findings.sections
        ],
        claims=list(enumerate(all_claims, 1)),
        counted_claims=_page_layout.counted_claims(all_claims),
        tally=_page_layout.tally(all_claims),
        style=_asset("report.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


@cache
def environment_of_pages() -> Environment:
    """Return the jinja2 environment; raise ImportError if jinja2 is not installed."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("the report requires jinja2: pip install jinja2") from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("softmargin.experiments"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "paragraphs": _page_layout.paragraphs,
        "verdict": _page_layout.verdict,
        "OFF": _page_layout.OFF,
    }
    return environment


def _asset(name: str) -> Any:
    """Return one of our files, to be inserted verbatim."""
    from markupsafe import Markup

    folder = resources.files("softmargin.experiments") / "templates"
    return Markup((folder / name).read_text(encoding="utf-8"))


@dataclass(frozen=True)
class _CellView:
    """A cell with its position-dependent attributes."""

    cell: Cell
    classes: str
    sort_value: str | None
    note: int | None
    note_id: str | None  # target of the link back from the note: its first cell


def _table_view(table: Table, number: int) -> dict[str, Any]:
    _page_layout.check_rows(table)
    notes = _page_layout.numbered_notes(table)
    groups = _page_layout.header_groups(table.columns)
    starts = {group.columns.start for group in groups[1:] if group.name} | {
        group.columns.stop for group in groups[:-1] if group.name
    }
    marked = {
        k
        for row in (*table.rows, *table.foot)
        for k, cell in enumerate(row)
        if cell.is_off or cell.note
    }
    classes = [
        _classes(column, is_first=k == 0, starts_group=k in starts, is_marked=k in marked)
        for k, column in enumerate(table.columns)
    ]
    new_notes = set(notes)

    def views(rows: Sequence[Sequence[Cell]]) -> Iterator[list[_CellView]]:
        for row in rows:
            yield [
                _cell_view(cell, of_column, number, notes, new_notes)
                for cell, of_column in zip(row, classes, strict=True)
            ]

    return {
        "number": number,
        "table": table,
        "groups": groups,
        "has_groups": any(group.name for group in groups),
        "classes": classes,
        "rows": list(views(table.rows)),
        "foot": list(views(table.foot)),
        "notes": notes,
        "meaning_of_off": _page_layout.meaning_of_off(table),
        "has_best": any(cell.is_best for cell in _page_layout.cells(table)),
        "has_paper": any(column.is_paper for column in table.columns),
        "has_off": any(cell.is_off for cell in _page_layout.cells(table)),
    }


def _classes(column: Column, is_first: bool, starts_group: bool, is_marked: bool) -> str:
    of = {
        "first": is_first,
        "number": column.is_number,
        "paper": column.is_paper,
        "start": starts_group,
        "marked": is_marked,
    }
    return " ".join(name for name, holds in of.items() if holds)


def _cell_view(
    cell: Cell, classes: str, table: int, notes: dict[str, int], new_notes: set[str]
) -> _CellView:
    note_id = None
    if cell.note in new_notes:
        new_notes.remove(cell.note)
        note_id = f"table-{table}-mark-{notes[cell.note]}"
    return _CellView(cell, classes, _sort_value(cell.value), notes.get(cell.note), note_id)


def _sort_value(value: Any) -> str | None:
    """Return the value by which the page sorts; None for a missing value."""
    if value is None or isinstance(value, str):
        return value
    number = float(value)
    if math.isnan(number):
        return None
    return repr(number) if math.isfinite(number) else "Infinity" if number > 0 else "-Infinity"


def _figure_view(picture: Picture, number: int) -> dict[str, Any]:
    from markupsafe import Markup

    view = {"number": number, "picture": picture}
    try:
        drawing = _svg.draw(picture, f"figure-{number}")
    except ImportError as error:
        return view | {"svg": None, "error": str(error)}
    return view | {
        "svg": Markup(drawing.text),
        "width": round(drawing.width * _PIXELS_A_POINT),
        "least": round(drawing.width),
    }
