"""Progress of a model selection, on stderr or for a function of the caller."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from softmargin._selection.table import Table

# Exceptions of a stream that is full, broken, closed or None.
_NO_STREAM = (OSError, ValueError, AttributeError)


class Progress:
    """Shows finished trainings, the best score so far and the remaining time.

    A watcher of the engine. With the package ``rich`` it draws a progress bar, otherwise it
    prints occasional lines. A function of the caller gets a dictionary of these numbers instead.
    """

    def __init__(
        self,
        name: str,
        scoring: str,
        guide: str,
        n_inner: int,
        call: Callable[[dict[str, Any]], None] | None,
    ) -> None:
        self._name = name
        self._scoring = scoring
        self._guide = guide
        self._n_inner = n_inner
        self._call = call
        self._start = self._shown = time.monotonic()
        self._bar: Any = None
        if call is None:
            with contextlib.suppress(ImportError):
                self._bar = _bar()

    def update(self, table: Table) -> None:
        """Show the progress so far."""
        total = table.done.size
        done = int(table.done.sum())
        now = time.monotonic()
        is_last = done == total
        if now - self._shown < 0.2 and not is_last:
            return
        self._shown = now
        facts = {
            "method": self._name,
            "done": done,
            "total": total,
            "best": self._best(table),
            "seconds": now - self._start,
            "seconds_left": (now - self._start) * (total - done) / max(done, 1),
        }
        if self._call is not None:
            self._call(facts)
            return
        text = f"{self._name}: best {self._scoring} {shown_best(facts)}"
        with contextlib.suppress(OSError, ValueError):  # a closed stream must not stop the run
            if self._bar is not None:
                self._bar.show(text, done, total, is_last)
            elif sys.stderr is not None:
                print(
                    f"{text}, {done:,} of {total:,} trainings, "
                    f"{facts['seconds_left']:.0f} s remaining",
                    file=sys.stderr,
                )

    def close(self) -> None:
        """Stop drawing, and leave the last state on the screen."""
        if self._bar is not None:
            with contextlib.suppress(OSError, ValueError):
                self._bar.close()

    def _best(self, table: Table) -> float:
        """Return the best mean score of a candidate over all inner splits of an outer fold.

        Such means are final, so the best of them never decreases. NaN if there is none yet.
        """
        shape = (-1, self._n_inner, table.done.shape[1])
        scores = table.scores(self._guide).reshape(shape)
        is_done = table.done.reshape(shape).all(axis=1)
        means = scores.mean(axis=1)[is_done]
        means = means[~np.isnan(means)]  # without failed fits
        return float(means.max()) if len(means) else math.nan


def shown_best(facts: dict[str, Any]) -> str:
    """Return the best score so far; a dash if there is none yet."""
    return "-" if math.isnan(facts["best"]) else f"{facts['best']:.4f}"


class _Stderr:
    """The stream stderr; failing writes are ignored."""

    @property
    def _stream(self) -> Any:
        # While rich draws, sys.stderr is a proxy that writes to this object.
        return getattr(sys.stderr, "rich_proxied_file", sys.stderr)

    @property
    def encoding(self) -> str | None:
        return getattr(self._stream, "encoding", None)

    def write(self, text: str) -> int:
        with contextlib.suppress(*_NO_STREAM):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(*_NO_STREAM):
            self._stream.flush()

    def isatty(self) -> bool:
        with contextlib.suppress(*_NO_STREAM):
            return bool(self._stream.isatty())
        return False

    def fileno(self) -> int:
        return int(self._stream.fileno())


def console_on_stderr() -> Any:
    """Return a console of rich that ignores failing writes.

    Otherwise, rich exits the program on a closed pipe, and other errors end its drawing thread.
    """
    from rich.console import Console

    stream: Any = _Stderr()
    return Console(file=stream)


def _bar() -> Any:
    """Return a progress bar of rich, which starts when it is first shown."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    class Bar:
        def __init__(self) -> None:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._rich = RichProgress(*columns, console=console_on_stderr())
            self._task: Any = None

        def show(self, text: str, done: int, total: int, is_last: bool) -> None:
            if self._task is None:
                self._rich.start()
                self._task = self._rich.add_task(text, total=total)
            self._rich.update(self._task, description=text, completed=done, total=total)
            if is_last:
                self.close()

        def close(self) -> None:
            self._rich.stop()
            self._task = None

    return Bar()


def watcher_of(progress: Any, name: str, scoring: str, guide: str, n_inner: int) -> Progress | None:
    """Return the watcher for the parameter ``progress``: None, a bar, or a function's caller.

    ``scoring`` is shown as the name of the score ``guide``. The table has ``n_inner`` splits for
    each outer fold, one fold after the other.
    """
    if progress is None or progress is False:
        return None
    if progress is not True and not callable(progress):
        raise TypeError(
            f"progress = {progress!r} is not valid: it must be True, False, None or a function"
        )
    return Progress(name, scoring, guide, n_inner, None if progress is True else progress)
