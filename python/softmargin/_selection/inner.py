"""The inner searches of a nested cross-validation, those of all outer folds together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softmargin._selection import engine
from softmargin._selection.pattern_search import PatternSearch


@dataclass
class InnerSearch:
    """A table of all cells on the inner splits of all outer folds, to be filled.

    ``splits`` has the inner splits of the first outer fold, then those of the next.
    """

    candidates: engine.Candidates
    rows: engine.Rows
    splits: Sequence[engine.Split]
    n_outer: int
    scoring: str
    resources: Callable[[], engine.Resources]
    table: engine.Table
    # Which cells a pattern search asked for; a checkpoint may have others, too.
    asked: NDArray[np.bool_] | None = None

    @property
    def n_inner(self) -> int:
        """Inner splits of each outer fold."""
        return len(self.splits) // self.n_outer

    def scores(self) -> NDArray[np.float64]:
        """Return scores by outer fold, inner split and cell; NaN for what is not done."""
        scores = self.table.scores(self.scoring).reshape(self._shape())
        return scores if self.asked is None else np.where(self.asked, scores, np.nan)

    def search_grid(self) -> BaseException | None:
        """Evaluate all cells; return what stopped it."""
        return self._fill(np.ones(self._shape(), dtype=bool))[1]

    def search_pattern(self) -> BaseException | None:
        """Evaluate the cells that the pattern search of each outer fold asks for."""
        patterns = [PatternSearch(self.candidates.cells) for _ in range(self.n_outer)]
        self.asked = np.zeros(self._shape(), dtype=bool)
        while True:
            wanted = np.zeros(self._shape(), dtype=bool)
            for pattern, scores, own in zip(patterns, self.scores(), wanted, strict=True):
                own[:, pattern.wanted(scores.mean(axis=0))] = True
            if not wanted.any():
                return None
            self.asked |= wanted
            is_done, stopped = self._fill(wanted)
            if not is_done:
                return stopped

    def search_pruned(self) -> BaseException | None:
        """Evaluate all cells, but for the rest of those that cannot win any more."""
        wanted = np.zeros(self._shape(), dtype=bool)
        wanted[:, 0] = True
        is_done, stopped = self._fill(wanted)
        leaders = np.nan_to_num(self.scores()[:, 0]).argmax(axis=1)
        folds = np.arange(self.n_outer)
        for split in range(self.n_inner):
            if not is_done:
                return stopped
            wanted[:] = False
            if split == 0:
                wanted[folds, :, leaders] = True
            else:
                sums = np.nan_to_num(self.scores()).sum(axis=1)
                # The leader is done, the others have as many splits left. A trace more than
                # rounding, so that a tie is never left out.
                least = sums[folds, leaders] - (self.n_inner - split) - 1e-9
                wanted[:, split] = sums >= least[:, np.newaxis]
            is_done, stopped = self._fill(wanted)
        return stopped

    def _shape(self) -> tuple[int, int, int]:
        return self.n_outer, self.n_inner, len(self.candidates.cells)

    def _fill(self, wanted: NDArray[np.bool_]) -> tuple[bool, BaseException | None]:
        """Evaluate cells; tell whether all of them were reached, and what stopped it."""
        wanted = wanted.reshape(self.table.done.shape)
        _, stopped = engine.evaluate(
            self.candidates, self.rows, self.splits, self.resources(), self.table, wanted
        )
        return stopped is None and bool(self.table.done[wanted].all()), stopped
