"""Progress of commands: a status line on a terminal, otherwise a new line every few seconds."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

from softmargin.cli._output import Output
from softmargin.cli._streams import to_stderr

# Interval between lines written to a file or a pipe.
_SECONDS_BETWEEN_LINES = 10


def cell_progress(output: Output) -> Literal[True] | Callable[[dict[str, Any]], None] | None:
    """Return the argument ``progress`` of a model selection."""
    if output.quiet:
        return None
    return True if sys.stderr.isatty() else _CellLines()


class _CellLines:
    def __init__(self) -> None:
        self._lines = _Lines()

    def __call__(self, facts: dict[str, Any]) -> None:
        from softmargin._selection.progress import shown_best

        self._lines.show(
            f"{facts['method']}: {facts['done']:,} of {facts['total']:,} cells, "
            f"best score {shown_best(facts)}, {facts['seconds_left']:.0f} s left"
        )


@contextlib.contextmanager
def show_steps(estimator: Any, output: Output) -> Iterator[None]:
    """Show the number of steps while an estimator is trained in this block."""
    start = time.monotonic()
    with status_line(output, "training") as show:

        def report(steps: int) -> None:
            show(f"{type(estimator).__name__}: {steps:,} steps, {time.monotonic() - start:.0f} s")

        # Replaces the output of ``verbose``.
        estimator._progress = lambda: report
        try:
            yield
        finally:
            del estimator._progress


@contextlib.contextmanager
def status_line(output: Output, first: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that replaces the text of a status line; with --quiet it does nothing."""
    if output.quiet:
        yield lambda text: None
        return
    if not sys.stderr.isatty():
        yield _Lines().show
        return
    from softmargin._selection.progress import console_on_stderr

    with console_on_stderr().status(first, spinner="line") as status:
        yield status.update


class _Lines:
    """Lines on stderr, at most one per interval."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def show(self, text: str) -> None:
        now = time.monotonic()
        if now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            to_stderr(text)
