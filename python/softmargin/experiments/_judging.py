"""Nested cross-validation of one method on one set, as a record of a study.

All methods, ours and others, see the same rows, scaled to [0, 1] on all rows as in papers 000
and 003, and the same outer and inner folds. Deviations are those of the outer folds (n - 1).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

import softmargin
from softmargin.datasets import Dataset
from softmargin.experiments._study import Record, Settings

FOLDS = 5
SEED = 0
CS = [4.0**power for power in range(-2, 6)]
GAMMAS = [4.0**power for power in range(-5, 3)]

# Rows below which starting processes costs more than they save.
_ROWS_FOR_PROCESSES = 3_000

Grid = Mapping[str, Sequence[Any]]


@lru_cache(maxsize=1)
def load(name: str, folder: str | None) -> Dataset:
    """Return a set; the last one is kept for the methods that follow."""
    return softmargin.datasets.load(name, folder)


def judge(data: Dataset, method: Any, settings: Settings, grid: Grid | None = None) -> Record:
    """Return what pattern search over a grid finds for one of our methods."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small classes; the record says what did not converge
        found = softmargin.nested_cv(
            data.X,
            data.y,
            method=method,
            grid=grid,
            outer=FOLDS,
            inner=FOLDS,
            search="pattern",
            scale="global",
            n_jobs=settings.n_jobs,
            random_state=SEED,
            time_limit=settings.time_limit,
        )
    took = time.perf_counter() - start
    if not found.complete and not (settings.time_limit and took >= settings.time_limit):
        raise KeyboardInterrupt  # nested_cv has returned what was done
    scores = found.outer_scores[~np.isnan(found.outer_scores)]
    return _record(data, scores, took, found.best_params) | {
        "support_vectors": 100 * float(np.mean(found.support_fraction)) if len(scores) else None,
        "trainings": found.counts["trainings"],
        "complete": found.complete,
    }


def judge_other(data: Dataset, estimator: Any, grid: Grid, settings: Settings) -> Record:
    """Return what a grid search finds for an estimator of scikit-learn's kind."""
    from sklearn.model_selection import GridSearchCV

    start = time.perf_counter()
    X = softmargin.MinMaxScaler().fit_transform(data.X)
    n_jobs = settings.n_jobs if X.shape[0] >= _ROWS_FOR_PROCESSES else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outer, inner = softmargin.nested_fold_labels(data.y, FOLDS, FOLDS, random_state=SEED)
        scores, chosen = [], []
        for fold, inside in enumerate(inner):
            train, test = np.flatnonzero(outer != fold), np.flatnonzero(outer == fold)
            folds = inside[train]
            splits = [
                (np.flatnonzero(folds != i), np.flatnonzero(folds == i)) for i in range(FOLDS)
            ]
            search = GridSearchCV(estimator, dict(grid), cv=splits, n_jobs=n_jobs)
            search.fit(X[train], data.y[train])
            scores.append(search.score(X[test], data.y[test]))
            chosen.append(search.best_params_)
    return _record(data, np.array(scores), time.perf_counter() - start, chosen)


def _record(
    data: Dataset, scores: Any, seconds: float, chosen: Sequence[Mapping[str, Any]]
) -> Record:
    return {
        "set": data.name,
        "rows": data.X.shape[0],
        "features": data.X.shape[1],
        "classes": len(data.classes),
        "accuracy": 100 * float(np.mean(scores)) if len(scores) else None,
        "deviation": 100 * float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
        "seconds": seconds,
        "folds": [100 * float(score) for score in scores],
        "chosen": [dict(cell) for cell in chosen],
    }
