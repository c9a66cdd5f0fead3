"""A series of classifiers as in Nguyen and Ho (2005), trained alone and from earlier ones.

One-vs-rest classifiers of one data set, one setting after the other: linear with C 1 to 10;
polynomial ``(x z + 1)^degree`` with degree 2 to 9 and C = 1; RBF with gamma 0.01 to 0.1 and C 1 to
10. Each setting is trained four times, in rotating order:

- alone: from scratch, as our solver starts by default;
- random: from a random first working set, with which the paper compares;
- queue, as in the paper: the first working set contains the support vectors found so far;
- coefficients: from the previous solution, which the paper does not do.
"""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import softmargin
from softmargin._checks import sparse
from softmargin.experiments._deadline import Deadline
from softmargin.experiments._study import Record, Settings
from softmargin.experiments._train_test_sets import Split, facts, load_split

FAMILIES = ("linear", "poly", "rbf")
# The value of ``warm_start`` of each way.
WAYS: dict[str, Any] = {
    "alone": False,
    "random": False,
    "queue": "support_vectors",
    "coefficients": True,
}
OTHERS = ("random", "queue", "coefficients")
SEEDED = ("queue", "coefficients")
MEASURES = ("loops", "steps", "values", "seconds")

# Values of C, of 100 gamma and of the degree in a series that is thinned out. They start with the
# classifiers of figure 1 and include those for which the paper states numbers (C = 2 and 7).
_FEW_COSTS, _FEW_WIDTHS, _FEW_DEGREES = (1, 2, 7, 10), (1, 4, 7, 10), (2, 3, 5)
# A label counts as clear if its output leads by more than this: ten times the tolerance.
CLEAR_LEAD = 0.01
# Time limit in seconds for the training of one setting.
_MOST_SECONDS = 60.0


def cells_of(family: str, is_thin: bool) -> list[dict[str, float]]:
    """Return the settings of a series in the order of training."""
    costs = _FEW_COSTS if is_thin else range(1, 11)
    if family == "linear":
        return [{"C": C} for C in costs]
    if family == "poly":
        return [{"degree": degree} for degree in (_FEW_DEGREES if is_thin else range(2, 10))]
    widths = _FEW_WIDTHS if is_thin else range(1, 11)
    return [{"gamma": width / 100, "C": C} for width, C in itertools.product(widths, costs)]


def run_series(
    name: str, family: str, working_set: int | None, is_thin: bool, settings: Settings
) -> Record:
    """Return the cost of each starting point at each setting, and whether the results agree.

    Totals and savings exclude the first setting, at which nothing is seeded.
    """
    deadline = Deadline(settings.time_limit)
    split = load_split(name, settings.folder)
    cells = cells_of(family, is_thin)
    models = {
        way: softmargin.SVC(
            kernel=family,  # type: ignore[arg-type]
            gamma=1.0,
            coef0=1.0,
            multi_class="ovr",
            warm_start=warm_start,
            working_set_size=working_set,
            random_state=0,
            n_jobs=settings.n_jobs,
        )
        for way, warm_start in WAYS.items()
    }
    X = split.X if family == "rbf" else split.X.astype(np.float64)
    rows: list[Record] = []
    vectors: list[list[NDArray[np.intp]]] = []
    for number, cell in enumerate(cells):
        row = _train(models, X, split, cell, number, deadline)
        if deadline.is_over:
            break
        rows.append(row)
        if number < 2:
            vectors.append(_support(models["alone"]))
    record: Record = {
        **facts(split),
        "cells": cells[: len(rows)],
        "machines": {key: [row[key] for row in rows] for key in (rows[0] if rows else ())},
        "complete": len(rows) == len(cells),
    }
    for key in (f"{what}_{way}" for what in (*MEASURES, "unfinished") for way in WAYS):
        record[key] = sum(row[key] for row in rows[1:])
    if len(vectors) == 2:
        pairs = list(zip(*vectors, strict=True))
        record["vectors_first"] = sum(len(first) for first, _ in pairs)
        record["vectors_second"] = sum(len(second) for _, second in pairs)
        record["vectors_common"] = sum(len(np.intersect1d(*pair)) for pair in pairs)
    return record


def _train(
    models: dict[str, Any],
    X: Any,
    split: Split,
    cell: dict[str, float],
    number: int,
    deadline: Deadline,
) -> Record:
    """Return the cost of the trainings of one setting, and how much their results differ."""
    row: Record = {}
    duals, labels, is_clear = {}, {}, {}
    ways = list(WAYS)
    for way in ways[number % len(ways) :] + ways[: number % len(ways)]:
        limit = min(_MOST_SECONDS, deadline.left or _MOST_SECONDS)
        model = models[way].set_params(time_limit=limit, **cell)
        start = time.perf_counter()
        model.fit(X, split.y, init="random" if way == "random" else None)
        row[f"seconds_{way}"] = time.perf_counter() - start
        row[f"loops_{way}"] = int(np.sum(model.n_loops_))
        row[f"steps_{way}"] = int(np.sum(model.n_iter_))
        row[f"values_{way}"] = int(model.n_kernel_evals_)
        row[f"unfinished_{way}"] = sum(status != "converged" for status in model.status_)
        duals[way] = np.array([each.dual for each in model.certificate_])
        labels[way] = model.predict(split.X_test)
        is_clear[way] = _lead(model.decision_function(split.X_test)) > CLEAR_LEAD
        row[f"accuracy_{way}"] = 100 * float(np.mean(labels[way] == split.y_test))
        row[f"clear_{way}"] = 100 * float(np.mean(is_clear[way]))
    for way in OTHERS:
        apart = np.abs(duals[way] - duals["alone"]) / np.maximum(np.abs(duals["alone"]), 1e-12)
        row[f"objective_{way}"] = float(apart.max())
        both = is_clear[way] & is_clear["alone"]
        same = labels[way][both] == labels["alone"][both]
        row[f"same_{way}"] = 100 * float(np.mean(same)) if both.any() else None
    return row


def _lead(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much the largest output of each sample exceeds the next."""
    if outputs.ndim == 1:
        return 2 * np.abs(outputs)
    second, first = np.partition(outputs, -2, axis=1)[:, -2:].T
    return np.asarray(first - second)


def _support(model: Any) -> list[NDArray[np.intp]]:
    """Return the indices of the support vectors of each binary classifier."""
    rows = sparse.dense(model.dual_coef_)
    return [model.support_[coefficients != 0] for coefficients in rows]
