"""The results of all candidates on all splits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

# Totals over the binary classifiers of a training.
COUNTS = ("n_support", "n_iter", "n_loops", "n_kernel_evals", "n_unfinished")


class Table:
    """Results of each candidate on each split; ``done`` marks the available ones.

    All arrays have shape (n_splits, n_candidates). ``test`` and ``train`` contain the scores by
    name. A failed fit is done, with NaN scores and the exception in ``errors``.
    """

    def __init__(self, n_splits: int, n_cells: int, names: Sequence[str] = ()) -> None:
        shape = (n_splits, n_cells)
        self.done = np.zeros(shape, dtype=bool)
        self.counts = {name: np.zeros(shape, dtype=np.int64) for name in COUNTS}
        self.test: dict[str, NDArray[np.float64]] = {}
        self.train: dict[str, NDArray[np.float64]] = {}
        self.errors: dict[tuple[int, int], Exception] = {}
        # Why the test samples, or the training samples, could not be scored.
        self.score_errors: dict[tuple[int, int], Exception] = {}
        self.train_errors: dict[tuple[int, int], Exception] = {}
        for name in names:
            self.column(name)

    def column(self, name: str, is_train: bool = False) -> NDArray[np.float64]:
        """Return the scores of a name; new scores are NaN."""
        scores = self.train if is_train else self.test
        if name not in scores:
            scores[name] = np.full(self.done.shape, math.nan)
        return scores[name]

    def scores(self, name: str) -> NDArray[np.float64]:
        """Return the test scores of all candidates; NaN where they are not available."""
        return np.where(self.done, self.column(name), math.nan)

    def set_scores(
        self, split: int, cell: int, scores: Mapping[str, float], is_train: bool = False
    ) -> None:
        """Set the scores of a candidate on a split."""
        for name, score in scores.items():
            self.column(name, is_train)[split, cell] = score

    def set_counts(self, split: Any, cell: Any, counts: Mapping[str, Any]) -> None:
        """Set the counts of candidates on splits."""
        for name, count in counts.items():
            self.counts[name][split, cell] = count

    def fail(self, split: int, cell: int, error: Exception) -> None:
        """Mark a training that failed."""
        self.errors[split, cell] = error
        self.done[split, cell] = True

    def fill(self, other: Table, splits: Sequence[int], cells: Sequence[int]) -> None:
        """Copy the results of a table for some of the splits and candidates."""
        rows, columns = np.nonzero(other.done)
        place = np.array(splits)[rows], np.array(cells)[columns]
        for name, own in self.counts.items():
            own[place] = other.counts[name][rows, columns]
        for is_train, scores in ((False, other.test), (True, other.train)):
            for name, values in scores.items():
                self.column(name, is_train)[place] = values[rows, columns]
        for own_errors, errors in (
            (self.errors, other.errors),
            (self.score_errors, other.score_errors),
            (self.train_errors, other.train_errors),
        ):
            for (split, cell), error in errors.items():
                own_errors[splits[split], cells[cell]] = error
        self.done[place] = True

    def total(self, name: str) -> int:
        """Return the sum of a count over all trainings."""
        return int(self.counts[name].sum())


class Watcher(Protocol):
    """Observer of a run."""

    def update(self, table: Table) -> None:
        """Receive the results so far; called from time to time, and at the end."""


class Watchers:
    """Notifies several watchers."""

    def __init__(self, *watchers: Any) -> None:
        self.watchers = [watcher for watcher in watchers if watcher is not None]

    def update(self, table: Table) -> None:
        """Notify all watchers."""
        for watcher in self.watchers:
            watcher.update(table)
