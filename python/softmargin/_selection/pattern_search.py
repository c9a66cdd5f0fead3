"""Pattern search: a cross of grid points that moves to better points and shrinks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class PatternSearch:
    """Requests candidates until the center of a cross with step 1 beats its neighbors.

    Each parameter with several values is an axis, with the values in the order of the grid. The
    cross starts in the middle of the grid; its step is a quarter of the longest axis. It moves to
    the best of its points, or halves its step if the center is the best. No candidate is
    requested twice.
    """

    def __init__(self, cells: Sequence[dict[str, Any]]) -> None:
        names = sorted({name for cell in cells for name in cell})
        values = {
            name: list(dict.fromkeys(_key(cell.get(name)) for cell in cells)) for name in names
        }
        self._axes = [name for name in names if len(values[name]) > 1]
        self._sizes = [len(values[name]) for name in self._axes]
        self._places = {
            tuple(values[name].index(_key(cell.get(name))) for name in self._axes): number
            for number, cell in enumerate(cells)
        }
        self._center = self._nearest([(size - 1) // 2 for size in self._sizes])
        self._step = max(1, max(self._sizes, default=1) // 4)

    def wanted(self, means: NDArray[np.float64]) -> list[int]:
        """Return the candidates to evaluate next; ``means`` is NaN for those not evaluated."""
        while True:
            cross = [self._center, *self._neighbors()]
            missing = [self._places[p] for p in cross if np.isnan(means[self._places[p]])]
            if missing:
                return missing
            best = max(cross, key=lambda p: (means[self._places[p]], p == self._center))
            if best != self._center:
                self._center = best
            elif self._step > 1:
                self._step //= 2
            else:
                return []

    def _neighbors(self) -> list[tuple[int, ...]]:
        found = []
        for axis, size in enumerate(self._sizes):
            for step in (-self._step, self._step):
                point = list(self._center)
                point[axis] = min(max(point[axis] + step, 0), size - 1)
                if tuple(point) != self._center and tuple(point) in self._places:
                    found.append(tuple(point))
        return found

    def _nearest(self, wanted: list[int]) -> tuple[int, ...]:
        def distance(point: tuple[int, ...]) -> int:
            return sum(abs(a - b) for a, b in zip(point, wanted, strict=True))

        return min(self._places, key=lambda point: (distance(point), point))


def _key(value: Any) -> Any:
    return value if isinstance(value, float | int | str | bool | None) else repr(value)
