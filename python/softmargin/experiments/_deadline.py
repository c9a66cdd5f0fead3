"""Time limits of tasks."""

from __future__ import annotations

import time

from softmargin.experiments._study import Record

# The smallest time limit that estimators accept, used when no time is left.
_LEAST = 1e-3


class Deadline:
    """A point in time this many seconds from now; None for never."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Tell whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end

    @property
    def left(self) -> float | None:
        """Return the remaining seconds, as the time limit of an estimator."""
        return None if self._end is None else max(_LEAST, self._end - time.monotonic())


def stopped(record: Record) -> str:
    """Return a note for a record that reached the time limit."""
    return "" if record.get("complete", True) else "stopped by the time limit"
