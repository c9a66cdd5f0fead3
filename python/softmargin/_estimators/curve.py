"""Learning curves: objective, loss and accuracy by steps and seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from softmargin import _core
from softmargin._checks.fields import Fields
from softmargin._checks.rows import from_native, native_rows
from softmargin._estimators.decomposition import binary_problems, labels

# Steps, seconds, weights and biases of the snapshots of a binary classifier.
Snapshots = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

# Names and types of the arrays of a curve.
_PARTS = {"step": "i8", "seconds": "f8", "objective": "f8", "loss": "f8", "accuracy": "f8"}

# Number of samples whose decision values are computed at a time.
_BLOCK = 8192


class Problem(NamedTuple):
    """The training problem of all binary classifiers."""

    rows: Any
    codes: NDArray[np.uint32]
    weights: NDArray[np.float64]
    sample_weights: NDArray[np.float64] | None
    scheme: str
    n_classes: int
    loss: str
    penalty: str
    scaling: float
    value: float
    is_lambda: bool

    def labels(self) -> Iterator[NDArray[np.float64]]:
        """Yield the labels of each binary problem; 0 for samples that are not part of it."""
        for sides in binary_problems(self.scheme, self.n_classes):
            yield labels(self.codes, sides)


def record_curve(
    snapshots: list[Snapshots],
    problem: Problem,
    tested: tuple[Any, NDArray[np.integer[Any]]] | None,
    threads: int,
) -> dict[str, NDArray[Any]]:
    """Return the learning curve, the mean over all binary classifiers.

    The objective is ``lambda / 2 |w|^2 + mean loss``, or ``lambda |w|_1 + mean loss`` with an L1
    penalty, for every method. All snapshots are evaluated in one pass over the samples. A
    classifier that finished earlier than others keeps its last value.
    """
    longest = max(snapshots, key=lambda shots: len(shots[0]))
    n_points = len(longest[0])
    places = [np.minimum(np.arange(n_points), len(shots[0]) - 1) for shots in snapshots]
    losses = np.zeros((len(snapshots), n_points))
    norms = np.zeros_like(losses)
    for number, (shots, signs) in enumerate(zip(snapshots, problem.labels(), strict=True)):
        used = (signs != 0) & (problem.weights > 0)
        own = _losses(shots, problem, np.where(used, signs, 0.0), threads)
        n_samples = max(1, int(used.sum()))
        lam = problem.value if problem.is_lambda else 1 / (problem.value * n_samples)
        losses[number] = (own / n_samples)[places[number]]
        norms[number] = (lam * _penalties(shots, problem))[places[number]]
    seconds = np.max([shots[1][place] for shots, place in zip(snapshots, places, strict=True)], 0)
    found = {
        "step": longest[0],
        "seconds": seconds,
        "objective": (losses + norms).mean(axis=0),
        "loss": losses.mean(axis=0),
    }
    if tested is not None:
        found["accuracy"] = _accuracies(snapshots, places, problem, tested, threads)
    return found


def to_fields(found: dict[str, NDArray[Any]] | None) -> dict[str, NDArray[Any]]:
    """Return a curve as fields of a file; no fields for None."""
    return {} if found is None else {f"curve_/{name}": part for name, part in found.items()}


def from_fields(saved: Fields) -> dict[str, NDArray[Any]] | None:
    """Return the curve in a file, or None; its values are not finite if training diverged."""
    found: dict[str, NDArray[Any]] = {}
    length = None
    for name, dtype in _PARTS.items():
        if f"curve_/{name}" in saved:
            part = saved.array(f"curve_/{name}", dtype, (length,), is_finite=False)
            found[name], length = part, len(part)
    if found and not found.keys() >= _PARTS.keys() - {"accuracy"}:
        raise ValueError("'curve_' is incomplete")
    return found or None


def _penalties(shots: Snapshots, problem: Problem) -> NDArray[np.float64]:
    """Return the regularization term of each snapshot: ``1/2 |w|^2``, or ``|w|_1``."""
    weights = shots[2]
    bias = shots[3] / problem.scaling if problem.scaling else np.zeros(len(shots[3]))
    if problem.penalty == "l1":
        return np.asarray(np.abs(weights).sum(axis=1) + np.abs(bias))
    with np.errstate(over="ignore"):
        return np.asarray(0.5 * ((weights**2).sum(axis=1) + bias**2))


def _losses(
    shots: Snapshots, problem: Problem, signs: NDArray[np.float64], threads: int
) -> NDArray[np.float64]:
    """Return the weighted sum of the losses for each snapshot."""
    total = np.zeros(len(shots[0]))
    weights = problem.weights * np.abs(signs)
    with np.errstate(over="ignore", invalid="ignore"):  # training may diverge
        for block, outputs in _blocks(problem.rows, shots[2], shots[3], threads):
            loss = np.maximum(0.0, 1.0 - signs[block, None] * outputs)
            if problem.loss == "squared_hinge":
                loss *= loss
            total += weights[block] @ loss
    return total


def _accuracies(
    snapshots: list[Snapshots],
    places: list[NDArray[np.intp]],
    problem: Problem,
    tested: tuple[Any, NDArray[np.integer[Any]]],
    threads: int,
) -> NDArray[np.float64]:
    """Return the accuracy on the evaluation set at each point."""
    X, codes = tested
    rows = native_rows(X)
    found = np.zeros(len(places[0]))
    for point in range(len(found)):
        now = [(shots, place[point]) for shots, place in zip(snapshots, places, strict=True)]
        coef = np.stack([shots[2][at] for shots, at in now])
        bias = np.array([shots[3][at] for shots, at in now])
        outputs = _core.linear_decision(rows, coef, bias, threads)
        patterns = None
        if problem.scheme == "ordinal" and problem.n_classes > 2:
            own = _core.linear_decision(problem.rows, coef, bias, threads)
            patterns = _core.count_patterns(
                own, problem.codes, problem.sample_weights, problem.n_classes, None
            )
        _, predicted = _core.decide(outputs, problem.scheme, problem.n_classes, patterns)
        found[point] = np.mean(predicted == codes)
    return found


def _blocks(
    rows: Any, coef: NDArray[np.float64], bias: NDArray[np.float64], threads: int
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the decision values of all snapshots for one block of samples at a time."""
    X = from_native(rows)
    weights = coef.T
    with threadpool_limits(limits=threads, user_api="blas"):
        for start in range(0, X.shape[0], _BLOCK):
            block = slice(start, min(start + _BLOCK, X.shape[0]))
            yield block, np.asarray(X[block].astype(np.float64) @ weights) + bias
