"""Nested cross-validation of one method on one data set, as a record of a study.

All methods, ours and others, use the same samples, scaled to [0, 1] over all samples as in Melki
and Kecman (2016) and Melki (2018), and the same outer and inner folds. Standard deviations are
over the outer folds (n - 1).
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

# With fewer samples, starting processes takes longer than they save.
_ROWS_FOR_PROCESSES = 3_000

Grid = Mapping[str, Sequence[Any]]


@lru_cache(maxsize=1)
def load(name: str, folder: str | None) -> Dataset:
    """Return a data set; the last one is cached for the next methods."""
    return softmargin.datasets.load(name, folder)


def scaled_part(data: Dataset) -> tuple[Any, Any]:
    """Return at most 2,000 samples, scaled to [0, 1], and their labels."""
    rows = np.random.default_rng(0).permutation(data.X.shape[0])[:2_000]
    return softmargin.MinMaxScaler().fit_transform(data.X[rows]), data.y[rows]


def evaluate(data: Dataset, method: Any, settings: Settings, grid: Grid | None = None) -> Record:
    """Evaluate one of our methods with pattern search over a grid."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # about small classes; the record counts trainings that did not converge
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
        raise KeyboardInterrupt  # nested_cv has returned a partial result
    scores = found.outer_scores[~np.isnan(found.outer_scores)]
    return _record(data, scores, took, found.best_params) | {
        "support_vectors": 100 * float(np.mean(found.support_fraction)) if len(scores) else None,
        "trainings": found.counts["trainings"],
        "complete": found.complete,
    }


def evaluate_other(data: Dataset, estimator: Any, grid: Grid, settings: Settings) -> Record:
    """Evaluate an estimator with scikit-learn's interface by grid search."""
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
