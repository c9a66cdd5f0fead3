"""The methods of Duros and Katzman (2014) on a corpus of phrases, as records of the study.

Labels are 0 to 4; "bin" is 3 and 4 against 0 to 2, "multi" all five with ordinal classification.
Features are the words of a phrase, binary ("bin") or counted ("freq"), in lower case and without
punctuation. Each round holds out a random tenth of the phrases.

Phrases are parts of sentences, and parts of the same sentence occur in both training and test data,
as in the paper, so these accuracies do not carry over to new reviews.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

import softmargin
from softmargin import datasets
from softmargin.experiments._deadline import Deadline
from softmargin.experiments._study import Record, Settings

Parameters = dict[str, Any]

# Phrases of table 4: the first ones, because the paper does not say which it used.
N_FEW = 1_000
# Hyperparameters of Newton's method in table 2: those chosen for two labels in table 4.
NEWTON: Parameters = {"C": 10.0, "gamma": 0.1}

_WORDS = r"\S*\w\S*"
EPOCHS, EPOCHS_OF_FEW = 5, 50
_GD_STEPS = 200
# Seed of the first round in which hyperparameters are chosen.
_OTHER_ROUNDS = 10_000


class Method(NamedTuple):
    """A function that creates an estimator from a cell of a grid, and the grid."""

    make: Callable[..., Any]
    grid: dict[str, tuple[Any, ...]]

    def cells(self) -> list[Parameters]:
        """Return all candidates."""
        values = itertools.product(*self.grid.values())
        return [dict(zip(self.grid, each, strict=True)) for each in values]


class Bag(NamedTuple):
    """Phrases as bags of words, with labels starting at 0."""

    X: Any
    y: NDArray[np.int64]


def methods(is_few: bool, n_jobs: int) -> dict[str, Method]:
    """Return the methods of table 4 (few phrases), or of table 3 and a dual method."""
    shared: Parameters = {"multi_class": "ordinal", "n_jobs": n_jobs}
    # The bias is computed after training from the samples with a loss, as in the paper.
    primal: Parameters = {"fit_intercept": "violators", **shared}
    drawn: Parameters = {"project": True, "average": 0, "shuffle": "draw", "random_state": 0}
    epochs = EPOCHS_OF_FEW if is_few else EPOCHS

    def gd(**cell: Any) -> Any:
        return softmargin.GDSVC(lambda_=1e-6, max_iter=_GD_STEPS, **primal, **cell)

    def ssg(**cell: Any) -> Any:
        return softmargin.SGDSVC("pegasos", epochs=epochs, **drawn, **primal, **cell)

    def newton(**cell: Any) -> Any:
        return softmargin.NewtonSVC(kernel="rbf" if is_few else "linear", **shared, **cell)

    def linear_newton(**cell: Any) -> Any:
        return softmargin.NewtonSVC(kernel="linear", **shared, **cell)

    def full_steps(**cell: Any) -> Any:
        printed: Parameters = {"bias": False, "line_search": False, "max_iter": 5}
        return softmargin.NewtonSVC(kernel="rbf", **printed, **shared, **cell)

    def dual(**cell: Any) -> Any:
        return softmargin.LinearSVC(loss="hinge", tol=1e-2, random_state=0, **shared, **cell)

    lambdas = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    kernels = {"C": (0.1, 1.0, 10.0, 100.0), "gamma": (0.01, 0.1, 1.0)}
    found = {
        "GD": Method(gd, {"eta0": (0.1, 0.3, 1.0, 2.0, 3.0, 5.0)}),
        "SSG": Method(ssg, {"lambda_": lambdas, "batch_size": (1, 10, 100)}),
        "NM": Method(newton, kernels if is_few else {"C": (0.1, 0.3, 1.0)}),
    }
    if not is_few:
        return found | {"dual": Method(dual, {"C": (0.3, 1.0, 3.0)})}
    return found | {
        "NM5": Method(full_steps, kernels),
        "NML": Method(linear_newton, {"C": (0.1, 0.3, 1.0)}),
    }


@lru_cache(maxsize=1)
def _corpus(folder: str | None) -> tuple[list[str], NDArray[np.int64]]:
    return datasets.phrases(folder)


@lru_cache(maxsize=2)
def _words(n_rows: int | None, features: str, folder: str | None) -> Any:
    phrases = _corpus(folder)[0][:n_rows]
    is_binary = features == "bin"
    counts = CountVectorizer(binary=is_binary, token_pattern=_WORDS, dtype=np.float32)
    return counts.fit_transform(phrases)


def load_bag(n_rows: int | None, mode: str, features: str, folder: str | None) -> Bag:
    """Return the first phrases as bags of words; ``n_rows=None`` for all."""
    labels = _corpus(folder)[1][:n_rows]
    y = (labels > 2).astype(np.int64) if mode == "bin" else labels
    return Bag(_words(n_rows, features, folder), y)


def run_entry(
    name: str, mode: str, features: str, n_rows: int | None, rounds: int, settings: Settings
) -> Record:
    """Return accuracy and time of a method, with hyperparameters chosen in other rounds."""
    deadline = Deadline(settings.time_limit)
    bag = load_bag(n_rows, mode, features, settings.folder)
    is_few = n_rows is not None
    method = methods(is_few, settings.n_jobs)[name]
    record: Record = {
        "rows": bag.X.shape[0],
        "words": bag.X.shape[1],
        "largest": float(np.bincount(bag.y).max() / len(bag.y)),
    }
    cell = _choose(method, bag, 5 if is_few else 1, deadline)
    runs = [] if cell is None else list(_rounds(method, cell, bag, range(rounds), deadline))
    if not runs:
        return record | {"complete": False}
    scores, seconds = np.transpose(runs)
    return record | {
        "accuracy": float(scores.mean()),
        "deviation": float(scores.std(ddof=1)) if len(scores) > 1 else None,
        "seconds": float(seconds.mean()),
        "rounds": len(runs),
        "parameters": cell,
        "complete": len(runs) == rounds,
    }


def run_newton(n_rows: int, settings: Settings) -> Record:
    """Return the time of one training of Newton's method with an RBF kernel (table 2)."""
    deadline = Deadline(settings.time_limit)
    bag = load_bag(n_rows, "bin", "bin", settings.folder)
    model = softmargin.NewtonSVC(n_jobs=settings.n_jobs, time_limit=deadline.left, **NEWTON)
    start = time.perf_counter()
    model.fit(bag.X, bag.y)
    seconds = time.perf_counter() - start
    is_done = model.status_ == ["converged"]
    return {
        "rows": bag.X.shape[0],
        "seconds": seconds if is_done else None,
        "steps": int(model.n_iter_.sum()),
        "vectors": len(model.support_),
        "complete": is_done,
    }


def _choose(method: Method, bag: Bag, n_rounds: int, deadline: Deadline) -> Parameters | None:
    """Return the cell with the best mean accuracy in separate rounds; None if out of time."""
    seeds = range(_OTHER_ROUNDS, _OTHER_ROUNDS + n_rounds)
    means = []
    for cell in method.cells():
        runs = list(_rounds(method, cell, bag, seeds, deadline))
        if len(runs) < n_rounds:
            return None
        means.append(np.mean([accuracy for accuracy, _ in runs]))
    return method.cells()[int(np.argmax(means))]


def _rounds(
    method: Method, cell: Parameters, bag: Bag, seeds: range, deadline: Deadline
) -> Iterator[tuple[float, float]]:
    """Yield accuracy and seconds of each round that finishes in time."""
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(bag.y))
        test, train = np.split(order, [len(order) // 10])
        X, y = bag.X[train], bag.y[train]
        model = method.make(**cell, time_limit=deadline.left)
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
        if deadline.is_over:
            return
        yield float(model.score(bag.X[test], bag.y[test])), seconds
