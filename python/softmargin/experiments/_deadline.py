"""The time that a task may take."""

from __future__ import annotations

import time

from softmargin.experiments._study import Record

# A limit that estimators take, where no time is left.
_LEAST = 1e-3


class Deadline:
    """A moment that is so many seconds from now; None for never."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Tell whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end

    @property
    def left(self) -> float | None:
        """Return the seconds that are left, as a time limit of an estimator."""
        return None if self._end is None else max(_LEAST, self._end - time.monotonic())


def stopped(record: Record) -> str:
    """Return a note for a record that a time limit cut short."""
    return "" if record.get("complete", True) else "stopped by the time limit"
