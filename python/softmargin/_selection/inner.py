"""The inner searches of nested cross-validation, for all outer folds together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softmargin._selection import engine
from softmargin._selection.candidates import Candidates
from softmargin._selection.pattern_search import PatternSearch
from softmargin._selection.samples import Samples, Split
from softmargin._selection.scoring import Scoring
from softmargin._selection.table import Table


@dataclass
class InnerSearch:
    """Fills a table with the scores of all candidates on the inner splits of all outer folds.

    ``splits`` contains the inner splits of the first outer fold, then those of the next.
    """

    candidates: Candidates
    rows: Samples
    splits: Sequence[Split]
    n_outer: int
    scoring: Scoring
    # The name of the score that guides the search.
    guide: str
    resources: Callable[[], engine.Resources]
    table: Table
    # Candidates that a pattern search requested; a checkpoint may contain others as well.
    requested: NDArray[np.bool_] | None = None

    @property
    def n_inner(self) -> int:
        """Number of inner splits of each outer fold."""
        return len(self.splits) // self.n_outer

    def scores(self) -> NDArray[np.float64]:
        """Return scores by outer fold, inner split and candidate; NaN if not evaluated."""
        scores = self.table.scores(self.guide).reshape(self._shape())
        return scores if self.requested is None else np.where(self.requested, scores, np.nan)

    def search_grid(self) -> BaseException | None:
        """Evaluate all candidates; return the exception that stopped the search, if any."""
        return self._fill(np.ones(self._shape(), dtype=bool))[1]

    def search_pattern(self) -> BaseException | None:
        """Evaluate the candidates that the pattern search of each outer fold requests."""
        patterns = [PatternSearch(self.candidates.cells) for _ in range(self.n_outer)]
        self.requested = np.zeros(self._shape(), dtype=bool)
        while True:
            wanted = np.zeros(self._shape(), dtype=bool)
            for pattern, scores, own in zip(patterns, self.scores(), wanted, strict=True):
                own[:, pattern.wanted(scores.mean(axis=0))] = True
            if not wanted.any():
                return None
            self.requested |= wanted
            is_done, stopped = self._fill(wanted)
            if not is_done:
                return stopped

    def search_pruned(self) -> BaseException | None:
        """Evaluate all candidates, but drop those that can no longer win."""
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
                # The leader is evaluated on all splits, the others gain at most 1, the largest
                # possible score, on each remaining split. The tolerance exceeds rounding errors,
                # so that ties are kept.
                least = sums[folds, leaders] - (self.n_inner - split) - 1e-9
                wanted[:, split] = sums >= least[:, np.newaxis]
            is_done, stopped = self._fill(wanted)
        return stopped

    def _shape(self) -> tuple[int, int, int]:
        return self.n_outer, self.n_inner, len(self.candidates.cells)

    def _fill(self, wanted: NDArray[np.bool_]) -> tuple[bool, BaseException | None]:
        """Evaluate candidates; return whether all were reached, and what stopped the run."""
        wanted = wanted.reshape(self.table.done.shape)
        _, stopped = engine.evaluate(
            self.candidates,
            self.rows,
            self.splits,
            self.scoring,
            self.resources(),
            self.table,
            wanted,
        )
        return stopped is None and bool(self.table.done[wanted].all()), stopped
