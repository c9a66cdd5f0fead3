"""How far a model selection is, on stderr."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable
from typing import Any

from softmargin._selection import engine

# What a stream raises that is full, broken or closed, or None.
_NO_STREAM = (OSError, ValueError, AttributeError)


class Progress:
    """Shows cells done, the best score so far and the time left; a watcher of the engine.

    With the package ``rich`` a bar, else a line now and then. A function gets a dictionary of
    these numbers instead.
    """

    def __init__(
        self, name: str, scoring: str, n_inner: int, call: Callable[[dict[str, Any]], None] | None
    ) -> None:
        self._name = name
        self._scoring = scoring
        self._n_inner = n_inner
        self._call = call
        self._start = self._shown = time.monotonic()
        self._bar: Any = None
        if call is None:
            with contextlib.suppress(ImportError):
                self._bar = _bar()

    def update(self, table: engine.Table) -> None:
        """Show what is done so far."""
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
        with contextlib.suppress(OSError, ValueError):  # closed: no reason to stop
            if self._bar is not None:
                self._bar.show(text, done, total, is_last)
            elif sys.stderr is not None:
                print(
                    f"{text}, {done:,} of {total:,} cells, {facts['seconds_left']:.0f} s left",
                    file=sys.stderr,
                )

    def close(self) -> None:
        """Leave the screen as it is."""
        if self._bar is not None:
            with contextlib.suppress(OSError, ValueError):
                self._bar.close()

    def _best(self, table: engine.Table) -> float:
        """Return the best mean of a cell that is done on all inner splits of an outer fold.

        Such a mean does not change any more, so the best of them never falls. NaN if there is
        none yet.
        """
        shape = (-1, self._n_inner, table.done.shape[1])
        scores = table.scores(self._scoring).reshape(shape)
        is_done = table.done.reshape(shape).all(axis=1)
        return float(scores.mean(axis=1)[is_done].max()) if is_done.any() else math.nan


def shown_best(facts: dict[str, Any]) -> str:
    """Return the best score so far; a dash before there is one."""
    return "-" if math.isnan(facts["best"]) else f"{facts['best']:.4f}"


class _Stderr:
    """The stream stderr, without the writes that fail."""

    @property
    def _stream(self) -> Any:
        # While rich shows something, stderr is a stream that leads back to here.
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
    """Return a console of rich that leaves out what cannot be written.

    One that meets a closed pipe ends the program, and others end its thread that draws.
    """
    from rich.console import Console

    stream: Any = _Stderr()
    return Console(file=stream)


def _bar() -> Any:
    """Return a bar of rich, which opens itself when it is first shown."""
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


def watcher_of(progress: Any, name: str, scoring: str, n_inner: int) -> Progress | None:
    """Return who is told: nobody, a bar, or a function of the caller.

    The table has ``n_inner`` splits for each outer fold, one fold after the other.
    """
    if progress is None or progress is False:
        return None
    if progress is not True and not callable(progress):
        raise TypeError("progress must be True, False, None or a function")
    return Progress(name, scoring, n_inner, None if progress is True else progress)
