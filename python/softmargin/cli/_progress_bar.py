"""How far a command is: a line that changes on a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

from softmargin.cli._output import Output
from softmargin.cli._streams import to_stderr

# Between lines that go to a file or another program.
_SECONDS_BETWEEN_LINES = 10


def cells_shown(output: Output) -> Literal[True] | Callable[[dict[str, Any]], None] | None:
    """Return how a model selection shows its cells, as the argument ``progress``."""
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
def steps_shown(estimator: Any, output: Output) -> Iterator[None]:
    """Show the steps of an estimator that is trained in this block."""
    start = time.monotonic()
    with text_shown(output, "training") as show:

        def report(steps: int) -> None:
            show(f"{type(estimator).__name__}: {steps:,} steps, {time.monotonic() - start:.0f} s")

        # In place of the lines that ``verbose`` writes.
        estimator._progress = lambda: report
        try:
            yield
        finally:
            del estimator._progress


@contextlib.contextmanager
def text_shown(output: Output, first: str) -> Iterator[Callable[[str], None]]:
    """Give a function that shows a text in place of the last one, unless it shall be quiet."""
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
    """Lines on stderr, some seconds apart."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def show(self, text: str) -> None:
        now = time.monotonic()
        if now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            to_stderr(text)
