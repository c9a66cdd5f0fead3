"""Pattern search: a five-point cross on the grid that moves and shrinks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class PatternSearch:
    """Asks for cells until the centre of a cross of step 1 beats its neighbours.

    Each parameter with several values is a direction; its values are taken in the order of
    the grid. The cross starts in the middle with a quarter of the longest direction as its
    step; it moves to a better point, or halves its step when there is none. No cell is
    asked for twice.
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
        self._centre = self._nearest([(size - 1) // 2 for size in self._sizes])
        self._step = max(1, max(self._sizes, default=1) // 4)

    def wanted(self, means: NDArray[np.float64]) -> list[int]:
        """Return the cells to evaluate next; ``means`` has NaN for those that were not."""
        while True:
            cross = [self._centre, *self._neighbours()]
            missing = [self._places[p] for p in cross if np.isnan(means[self._places[p]])]
            if missing:
                return missing
            best = max(cross, key=lambda p: (means[self._places[p]], p == self._centre))
            if best != self._centre:
                self._centre = best
            elif self._step > 1:
                self._step //= 2
            else:
                return []

    def _neighbours(self) -> list[tuple[int, ...]]:
        found = []
        for axis, size in enumerate(self._sizes):
            for step in (-self._step, self._step):
                point = list(self._centre)
                point[axis] = min(max(point[axis] + step, 0), size - 1)
                if tuple(point) != self._centre and tuple(point) in self._places:
                    found.append(tuple(point))
        return found

    def _nearest(self, wanted: list[int]) -> tuple[int, ...]:
        def distance(point: tuple[int, ...]) -> int:
            return sum(abs(a - b) for a, b in zip(point, wanted, strict=True))

        return min(self._places, key=lambda point: (distance(point), point))


def _key(value: Any) -> Any:
    return value if isinstance(value, float | int | str | bool | None) else repr(value)
