"""Output of commands: tables or one JSON document on stdout, messages on stderr."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Annotated, Any

import typer

from softmargin._files.json_text import text_of
from softmargin.cli._streams import to_stderr, visible

# The width of tables written to a file or a pipe.
_FILE_WIDTH = 200
# Enough for every table; a narrower terminal wraps the lines.
_MIN_WIDTH = 72


@dataclass
class Output:
    """Output options of a command."""

    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of tables.")
    ] = False
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Suppress progress and remarks.")] = (
        False
    )
    debug: Annotated[
        bool,
        typer.Option("--debug", envvar="SOFTMARGIN_DEBUG", help="Show the traceback of an error."),
    ] = False

    def document(self, facts: Mapping[str, Any]) -> None:
        """Print facts as a JSON document; non-finite numbers become null."""
        sys.stdout.write(text_of(facts, indent=2) + "\n")

    def print(self, shown: Any) -> None:
        """Print a line, or a table of :func:`table`, on stdout."""
        if isinstance(shown, str):
            sys.stdout.write(f"{visible(shown)}\n")
            return
        self.draw(lambda console: console.print(shown))

    def draw(self, on: Callable[[Any], None]) -> None:
        """Print what a function draws on a rich console."""
        console = _console(sys.stdout)
        with console.capture() as captured:
            on(console)
        lines = [line.rstrip() for line in captured.get().splitlines()]
        # Not by the console: how rich handles a closed pipe depends on its version.
        sys.stdout.write("\n".join(lines).strip("\n") + "\n")

    def remark(self, text: str) -> None:
        """Print a line on stderr, unless ``--quiet`` is set."""
        if not self.quiet:
            to_stderr(text)


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[str],
    flexible: str,
    is_cut: bool = False,
) -> Any:
    """Return a table; the columns in ``right`` are right-aligned.

    In a narrow terminal the flexible column is wrapped, or truncated if ``is_cut``.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    found = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for head in heads:
        justify: Any = "right" if head in right else "left"
        found.add_column(head, justify=justify, no_wrap=head != flexible)
    for row in rows:
        found.add_row(*(Text(visible(cell), no_wrap=is_cut, overflow="ellipsis") for cell in row))
    return found


def facts_table(facts: Mapping[str, str]) -> Any:
    """Return a two-column table of names and values."""
    from rich.table import Table
    from rich.text import Text

    found = Table.grid(padding=(0, 2))
    found.add_column(style="bold", no_wrap=True)
    found.add_column(overflow="fold")
    for name, value in facts.items():
        found.add_row(name, Text(visible(value)))
    return found


def short(value: Any) -> str:
    """Return a value as short text; None and NaN become a dash."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _console(stream: IO[str]) -> Any:
    from rich.console import Console

    console = Console(file=stream)
    is_file = not stream.isatty() and "COLUMNS" not in os.environ
    console.width = _FILE_WIDTH if is_file else max(console.width, _MIN_WIDTH)
    return console
