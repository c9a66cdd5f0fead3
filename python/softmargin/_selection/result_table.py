"""Tables of results: text with at most 80 columns, and HTML for notebooks."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence

WIDTH = 80
_GAP = 2

# Colors and fonts are inherited from the page, light or dark.
_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"
_CAPTION = "text-align:left;white-space:nowrap;padding:0.4em 0.8em"
_CELL = "padding:0.2em 0.8em;text-align:right"
_NAME = "padding:0.2em 0.8em;text-align:left"
_LINE = ";border-top:1px solid currentColor"

Row = Sequence[str]


def text_table(head: Row, rows: Sequence[Row]) -> str:
    """Return a table with names in its first column; columns that do not fit are put below."""
    lines = [head, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    parts, part, used = [], list[int](), widths[0]
    for place in range(1, len(head)):
        if part and used + _GAP + widths[place] > WIDTH:
            parts.append(part)
            part, used = [], widths[0]
        part.append(place)
        used += _GAP + widths[place]
    parts.append(part)
    return "\n\n".join(
        "\n".join(
            (" " * _GAP)
            .join([line[0].ljust(widths[0]), *(line[place].rjust(widths[place]) for place in part)])
            .rstrip()
            for line in lines
        )
        for part in parts
    )


def text_lines(lines: Sequence[str], indent: str = "") -> str:
    """Return lines, wrapped to the width of the table."""
    return "\n".join(
        textwrap.fill(
            line,
            WIDTH,
            initial_indent=indent,
            subsequent_indent=indent + "  ",
            break_on_hyphens=False,
        )
        for line in lines
    )


def html_table(caption: str, head: Row, body: Sequence[Row], foot: Sequence[Row]) -> str:
    """Return a table with names in its first column and a summary in its last rows."""
    return (
        f'<table style="{_TABLE}"><caption style="{_CAPTION}">{html.escape(caption)}</caption>'
        f"<thead>{_row(head, 'col')}</thead>"
        f"<tbody>{_rows(body)}</tbody><tfoot>{_rows(foot)}</tfoot>"
        "</table>"
    )


def html_lines(lines: Sequence[str]) -> str:
    """Return lines as a paragraph."""
    return f"<p>{'<br/>'.join(map(html.escape, lines))}</p>" if lines else ""


def _rows(rows: Sequence[Row]) -> str:
    """Return rows with a line above the first one."""
    return "".join(_row(row, line=not place) for place, row in enumerate(rows))


def _row(row: Row, scope: str = "row", line: bool = False) -> str:
    border = _LINE if line else ""
    first, *rest = (html.escape(cell) for cell in row)
    tag = "th" if scope == "col" else "td"
    kind = ' scope="col"' if scope == "col" else ""
    cells = "".join(f'<{tag}{kind} style="{_CELL}{border}">{cell}</{tag}>' for cell in rest)
    return f'<tr><th scope="{scope}" style="{_NAME}{border}">{first}</th>{cells}</tr>'
