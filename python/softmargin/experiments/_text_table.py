"""A table of findings in a terminal, with rich.

A table that is too wide is split into parts, each of which starts with the first column. Groups of
columns stay together if they fit.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from softmargin.experiments import _page_layout
from softmargin.experiments._findings import Cell, Table
from softmargin.experiments._page_layout import Group

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_GAP = 2  # blanks between columns


def show_table(table: Table, console: Console) -> None:
    """Print a table with its title, legend and notes."""
    from rich.text import Text

    _page_layout.check_rows(table)
    console.print(Text(table.title, "bold"))
    if table.caption:
        console.print(Text(table.caption, "dim"))
    notes = _page_layout.numbered_notes(table)
    columns = _columns(table, notes, has_bold=console.is_terminal)
    widths = _widths(table, columns, console.width)
    for number, part in enumerate(_parts(table, widths, console.width)):
        if number > 0:
            console.print()
        if any(group.name for group in part):
            console.print(_group_line(part, widths))
        console.print(_grid(table, columns, widths, [k for group in part for k in group.columns]))
    if any(cell.is_best for cell in _page_layout.cells(table)):
        console.print(Text("bold: best" if console.is_terminal else "*: best", "dim"))
    if any(cell.is_off for cell in _page_layout.cells(table)):
        console.print(Text(f"{_page_layout.OFF} {_page_layout.meaning_of_off(table)}", "dim"))
    for text, number in notes.items():
        item(str(number).translate(_RAISED), Text(text, "dim"), console)


def _columns(table: Table, notes: dict[str, int], has_bold: bool) -> list[list[Text]]:
    """Return the cells of each column; marks follow the numbers and are padded to one width."""
    from rich.text import Text

    def marks(cell: Cell) -> str:
        star = "*" if cell.is_best and not has_bold else ""
        number = str(notes.get(cell.note, "")).translate(_RAISED)
        return star + (_page_layout.OFF if cell.is_off else "") + number

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
    """Return the width of each column, with header lines added until all columns fit."""
    for n_lines in (1, 2, 3):
        widths = _widths_for(table, columns, room, n_lines)
        if sum(widths) + _GAP * (len(widths) - 1) <= room:
            return widths
    return _widths_for(table, columns, room, None)


def _widths_for(
    table: Table, columns: list[list[Text]], room: int, n_lines: int | None
) -> list[int]:
    from rich.cells import cell_len

    first = max(min(12, room // 2), room // 3)  # at most, to leave room for the others
    widths: list[int] = []
    for column, cells in zip(table.columns, columns, strict=True):
        width = max([_name_width(column.name, n_lines), *(cell.cell_len for cell in cells)])
        widths.append(min(width, room - widths[0] - _GAP if widths else first))
    for group in _page_layout.header_groups(table.columns):
        if group.name and group.columns.start:
            last = group.columns[-1]
            lacking = cell_len(group.name) - _span(group, widths)
            widths[last] = min(widths[last] + max(lacking, 0), room - widths[0] - _GAP)
    return widths


def _name_width(name: str, n_lines: int | None) -> int:
    """Return the minimum width of a name on this many lines, or without splitting words."""
    least = max([len(word) for word in name.split()], default=1)
    if n_lines is None:
        return least
    wide = range(least, max(len(name), least) + 1)
    return next(width for width in wide if len(textwrap.wrap(name, width)) <= n_lines)


def _span(group: Group, widths: list[int]) -> int:
    return sum(widths[k] + _GAP for k in group.columns) - _GAP


def _parts(table: Table, widths: list[int], room: int) -> list[list[Group]]:
    """Return parts of the table, each with as many groups of columns as fit."""
    first = Group("", range(1))
    left = room - widths[0]
    units: list[Group] = []
    for group in _page_layout.header_groups(table.columns[1:]):
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
    """Return the line with the names of groups, each above its columns."""
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


def item(mark: str | Text, text: Text, console: Console) -> None:
    """Print a mark and a text, whose further lines are indented."""
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_row(mark, text)
    console.print(grid)
