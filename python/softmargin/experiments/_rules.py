"""An update rule of Lu and Jin (2017) on one data set, as a record of the study.

As in the paper, linear classifiers have no bias, each step uses one sample, drawn with replacement,
the result is the last iterate, gamma is 0.9, and eta of RMSprop is 0.01. The paper does not state
the number of steps, lambda, and eta of momentum and NAG. We choose the latter two by the final
accuracy on a held-out tenth of the training samples, averaged over three seeds. All rules use the
same samples in the same order.

"rmsprop as printed" and "nag as printed" follow the listings of the paper, which differ from its
equations.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

import softmargin
from softmargin._checks import resources
from softmargin.experiments._deadline import Deadline
from softmargin.experiments._study import Record, Settings
from softmargin.experiments._train_test_sets import facts, load_split

STEPS = 100_000
N_SEEDS = 5
LAMBDAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
MOMENTUM_ETAS = (1e-5, 1e-4, 1e-3, 1e-2)

# Steps at which a curve is evaluated: each 10 % after the previous one.
POINTS = np.unique(np.geomspace(10, STEPS, 97).round().astype(int))
# Samples that are drawn at once if only the final accuracy is needed.
_BLOCK = 20_000
_CHOOSING_SEEDS = range(100, 103)


class Halves(NamedTuple):
    """A problem with two classes: the first half of the classes of a data set is 1, the rest 0."""

    X: Any
    y: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]


class Cell(NamedTuple):
    """The hyperparameters of a rule; ``eta=None`` for the step lengths of Pegasos."""

    lambda_: float
    eta: float | None


def run_rule(name: str, rule: str, lower: float, settings: Settings) -> Record:
    """Return the curves of test accuracy of one rule on one data set, a list for each seed."""
    deadline = Deadline(settings.time_limit)
    split = load_split(name, settings.folder, lower)
    is_first = (part < split.n_classes // 2 for part in (split.y, split.y_test))
    y, y_test = (part.astype(np.int64) for part in is_first)
    data = Halves(split.X, y, split.X_test, y_test)
    record = facts(split)
    cell = choose(data, rule, deadline, settings)
    if cell is None:
        return record | {"complete": False}
    run = delayed(accuracies)
    seeds = range(N_SEEDS)
    runs = _in_threads([run(data, rule, cell, POINTS, each, deadline) for each in seeds], settings)
    done = [found for found in runs if found is not None]
    ends = [found[-1] for found in done]
    record |= {
        "lambda": cell.lambda_,
        "eta": cell.eta,
        "steps": POINTS.tolist(),
        "accuracies": done,
        "accuracy": float(np.mean(ends)) if ends else None,
        "deviation": float(np.std(ends, ddof=1)) if len(ends) > 1 else None,
    }
    if rule == "pegasos":
        record["optimum"] = _optimum(data, cell.lambda_, deadline)
    return record | {"complete": len(done) == N_SEEDS and not deadline.is_over}


def accuracies(
    data: Halves, rule: str, cell: Cell, points: NDArray[Any], seed: int, deadline: Deadline
) -> list[float] | None:
    """Return the test accuracy (%) after each number of steps; None if out of time.

    The steps are those of ``fit`` with ``shuffle="draw"``. The samples are drawn here so that the
    curve can have more points at the beginning.
    """
    draw = np.random.default_rng(seed)
    optimizer = rule.removesuffix(" as printed")
    model = softmargin.SGDSVC(
        optimizer,  # type: ignore[arg-type]
        cell.lambda_,
        eta0=cell.eta,
        average=0,
        shuffle=False,
        fit_intercept=False,
        momentum=0.9,
        as_printed=optimizer != rule,
    )
    found, done = [], 0
    for point in points:
        if deadline.is_over:
            return None
        rows = draw.integers(len(data.y), size=point - done)
        model.partial_fit(data.X[rows], data.y[rows], classes=[0, 1])
        found.append(100 * float(model.score(data.X_test, data.y_test)))
        done = point
    return found


def choose(data: Halves, rule: str, deadline: Deadline, settings: Settings) -> Cell | None:
    """Return the cell with the best accuracy on held-out samples; None if out of time."""
    X, X_held, y, y_held = train_test_split(
        data.X, data.y, test_size=0.1, stratify=data.y, random_state=0
    )
    inner = Halves(X, y, X_held, y_held)
    points = np.linspace(0, STEPS, 1 + -(-STEPS // _BLOCK)).astype(int)[1:]
    tried = list(itertools.product(_cells(X, rule), [points], _CHOOSING_SEEDS))
    run = delayed(accuracies)
    runs = _in_threads([run(inner, rule, *each, deadline) for each in tried], settings)
    ends: dict[Cell, list[float]] = {}
    for (cell, _, _), found in zip(tried, runs, strict=True):
        if found is None:
            return None
        ends.setdefault(cell, []).append(found[-1])
    return max(ends, key=lambda cell: float(np.mean(ends[cell])))


def _cells(X: Any, rule: str) -> list[Cell]:
    """Return the candidates of a rule."""
    if rule in ("momentum", "nag", "nag as printed"):
        return [Cell(*each) for each in itertools.product(LAMBDAS, MOMENTUM_ETAS)]
    if rule in ("rmsprop", "rmsprop as printed"):
        return [Cell(lambda_, 0.01) for lambda_ in LAMBDAS]
    if rule == "pegasos":
        return [Cell(lambda_, None) for lambda_ in LAMBDAS]
    # The default of SGDSVC, from all samples instead of those of the first call.
    mean_square = float(np.einsum("ij,ij->", X, X, dtype=np.float64)) / len(X)
    return [Cell(lambda_, 0.3 / (mean_square + lambda_)) for lambda_ in LAMBDAS]


def _in_threads(calls: Iterable[Any], settings: Settings) -> list[Any]:
    """Return the results of delayed calls, which run concurrently."""
    threads = resources.thread_count(settings.n_jobs)
    return list(Parallel(n_jobs=threads, prefer="threads")(calls))


def _optimum(data: Halves, lambda_: float, deadline: Deadline) -> float | None:
    """Return the test accuracy (%) of the exact solution; None if out of time."""
    exact = softmargin.LinearSVC(
        loss="hinge",
        C=1 / (lambda_ * len(data.y)),
        tol=1e-2,
        max_iter=100,
        fit_intercept=False,
        random_state=0,
        time_limit=deadline.left,
    ).fit(data.X, data.y)
    return None if deadline.is_over else 100 * float(exact.score(data.X_test, data.y_test))
