"""Findings in a terminal (by rich), and as plain values.

A table that is too wide is shown in parts, its first column in each. What stands at the end is
what a reader sees first: what was left out, and which claims hold.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from hinge.experiments import _layout
from hinge.experiments._findings import Cell, Claim, Findings, Section, Table
from hinge.experiments._layout import Group
from hinge.experiments._store import plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_COLOURS = {"holds": "green", "fails": "red", "open": "yellow"}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_GAP = 2  # blanks between columns


def to_json(findings: Findings) -> dict[str, Any]:
    """Return findings as dictionaries, lists and plain values; of pictures what is said of them."""
    return dict(plain(_fields(findings)))


def _fields(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.name != "draw"]
        return {name: _fields(getattr(value, name)) for name in names}
    return [_fields(each) for each in value] if isinstance(value, list | tuple) else value


def show(findings: Findings, console: Console) -> None:
    """Print findings to a console of rich."""
    from rich.text import Text

    console.print(Text(findings.title, "bold"))
    for text in (findings.paper, findings.protocol):
        if text:
            console.print(Text(text, "dim"))
    for section in findings.sections:
        _show_section(section, console)
    if findings.missing:
        _head("Left out", console)
        for each in findings.missing:
            _item("-", Text(each), console)
    claims = _layout.all_claims(findings)
    if claims:
        _head("What holds", console)
        for claim in claims:
            _item(_symbol(claim), Text(claim.text), console)
        counts = [each.counted(count) for each, count in _layout.tally(claims)]
        console.print(Text(f"Of {_layout.counted_claims(claims)}: {', '.join(counts)}", "bold"))
    facts = [f"{name} {fact}" for name, fact in findings.facts.items()]
    console.print()
    console.print(Text("  ".join([findings.command, *facts]), "dim"))


def _show_section(section: Section, console: Console) -> None:
    from rich.text import Text

    _head(section.title, console)
    if section.text:
        console.print(Text(section.text))
    for claim in section.claims:
        of = _layout.verdict(claim)
        said = Text.assemble(
            (f"{of.text[:1].upper()}{of.text[1:]}: ", f"bold {_COLOURS[of.name]}"),
            f"{claim.text} ",
            (claim.evidence, "dim"),
        )
        _item(_symbol(claim), said, console)
    for table in section.tables:
        console.print()
        _show_table(table, console)
    if section.pictures:
        titles = "; ".join(picture.title for picture in section.pictures)
        console.print()
        console.print(Text(f"Pictures, in the report page: {titles}", "dim"))


def _show_table(table: Table, console: Console) -> None:
    from rich.text import Text

    _layout.check_rows(table)
    console.print(Text(table.title, "bold"))
    if table.caption:
        console.print(Text(table.caption, "dim"))
    notes = _layout.numbered_notes(table)
    columns = _columns(table, notes, has_bold=console.is_terminal)
    widths = _widths(table, columns, console.width)
    for number, part in enumerate(_parts(table, widths, console.width)):
        if number > 0:
            console.print()
        if any(group.name for group in part):
            console.print(_group_line(part, widths))
        console.print(_grid(table, columns, widths, [k for group in part for k in group.columns]))
    if any(cell.is_best for cell in _layout.cells(table)):
        console.print(Text("bold: best" if console.is_terminal else "*: best", "dim"))
    if any(cell.is_off for cell in _layout.cells(table)):
        console.print(Text(f"{_layout.OFF} {_layout.meaning_of_off(table)}", "dim"))
    for text, number in notes.items():
        _item(str(number).translate(_RAISED), Text(text, "dim"), console)


def _columns(table: Table, notes: dict[str, int], has_bold: bool) -> list[list[Text]]:
    """Return the cells of each column; marks stand after the numbers, all equally wide."""
    from rich.text import Text

    def marks(cell: Cell) -> str:
        star = "*" if cell.is_best and not has_bold else ""
        number = str(notes.get(cell.note, "")).translate(_RAISED)
        return star + (_layout.OFF if cell.is_off else "") + number

    columns = []
    for k, column in enumerate(table.columns):
        cells = [row[k] for row in (*table.rows, *table.foot)]
        room = max((len(marks(cell)) for cell in cells), default=0)
        style = "dim" if column.is_paper else ""
        columns.append(
            [
                Text.assemble(
                    (cell.text, f"bold {style}" if cell.is_best else style),
                    (marks(cell).ljust(room), "red" if cell.is_off else "dim"),
                )
                for cell in cells
            ]
        )
    return columns


def _widths(table: Table, columns: list[list[Text]], room: int) -> list[int]:
    """Return the width of each column; the first takes a third at the most, to leave room."""
    from rich.cells import cell_len

    first = max(min(12, room // 2), room // 3)
    widths: list[int] = []
    for column, cells in zip(table.columns, columns, strict=True):
        words = (cell_len(word) for word in column.name.split())
        width = max([*words, *(cell.cell_len for cell in cells), 1])
        widths.append(min(width, room - widths[0] - _GAP if widths else first))
    for group in _layout.header_groups(table.columns):
        if group.name and group.columns.start:
            last = group.columns[-1]
            lacking = cell_len(group.name) - _span(group, widths)
            widths[last] = min(widths[last] + max(lacking, 0), room - widths[0] - _GAP)
    return widths


def _span(group: Group, widths: list[int]) -> int:
    return sum(widths[k] + _GAP for k in group.columns) - _GAP


def _parts(table: Table, widths: list[int], room: int) -> list[list[Group]]:
    """Return groups of columns side by side, as many as there is room for, in parts."""
    first = Group("", range(1))
    left = room - widths[0]
    units: list[Group] = []
    for group in _layout.header_groups(table.columns[1:]):
        moved = Group(group.name, range(group.columns.start + 1, group.columns.stop + 1))
        if _span(moved, widths) + _GAP <= left:
            units.append(moved)
        else:
            units += [Group(group.name, range(k, k + 1)) for k in moved.columns]
    parts, used = [[first]], 0
    for unit in units:
        used += _span(unit, widths) + _GAP
        if used > left and len(parts[-1]) > 1:
            parts.append([first])
            used = _span(unit, widths) + _GAP
        parts[-1].append(unit)
    return parts


def _group_line(part: list[Group], widths: list[int]) -> Text:
    """Return the names of groups, each over its columns."""
    from rich.text import Text

    line = Text()
    for group in part:
        name = Text(group.name, "bold")
        span = _span(group, widths)
        name.truncate(span, overflow="ellipsis")
        if group.name and span - name.cell_len > 3:
            name = Text.assemble(" ", name, " ")
            name.align("center", span, "─")
        name.pad_right(span - name.cell_len + _GAP)
        line += name
    line.rstrip()
    return line


def _grid(table: Table, columns: list[list[Text]], widths: list[int], shown: list[int]) -> Any:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    rules = ["    ", "    ", " ── ", "    ", " ── ", "    ", "    ", "    "]
    lines = box.Box("\n".join(rules) + "\n")
    grid = Grid(box=lines, show_edge=False, padding=(0, _GAP - 1, 0, 0), pad_edge=False)
    for k in shown:
        column = table.columns[k]
        justify: Any = "right" if column.is_number else "left"
        style = "dim" if column.is_paper else ""
        name = Text(column.name, style)
        grid.add_column(name, width=widths[k], justify=justify, overflow="fold")
    for number in range(len(table.rows) + len(table.foot)):
        if number == len(table.rows) > 0:
            grid.add_section()
        grid.add_row(*(columns[k][number] for k in shown))
    return grid


def _symbol(claim: Claim) -> Text:
    from rich.text import Text

    of = _layout.verdict(claim)
    return Text(of.symbol, f"bold {_COLOURS[of.name]}")


def _head(title: str, console: Console) -> None:
    from rich.rule import Rule
    from rich.text import Text

    console.print()
    console.print(Rule(Text(title, "bold"), align="left", style="dim"))


def _item(mark: str | Text, text: Text, console: Console) -> None:
    """Print a line that begins with a mark and goes on under itself."""
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_row(mark, text)
    console.print(grid)
