"""Scores that depend on three counts per class only, for many predictions at once.

The counts are the numbers of true samples, of predicted samples, and of correct predictions. The
scores are those of scikit-learn to the last bit: its formulas are evaluated in its order. Where
scikit-learn would warn or raise an error, the score is NaN, and its own function must be called.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

_Floats = NDArray[np.float64]


class Counts(NamedTuple):
    """Counts per class: arrays of shape (n_predictions, n_classes), or (1, n_classes)."""

    n_true: _Floats
    n_predicted: _Floats
    n_right: _Floats
    n_samples: int

    @classmethod
    def of(cls, true: NDArray[Any], predicted: NDArray[Any], n_classes: int) -> Counts:
        """Count classes, given as numbers; each row of ``predicted`` is one prediction."""
        n_rows, n_samples = predicted.shape
        first = (np.arange(n_rows) * n_classes)[:, np.newaxis]
        numbers = predicted.astype(np.int64) + first

        def count(values: NDArray[Any]) -> _Floats:
            counts = np.bincount(values.ravel(), minlength=n_rows * n_classes)
            return counts.reshape(n_rows, n_classes).astype(np.float64)

        n_true = np.bincount(true, minlength=n_classes).astype(np.float64)[np.newaxis]
        return cls(n_true, count(numbers), count(numbers[predicted == true]), n_samples)

    def map(self, change: Callable[[_Floats], _Floats]) -> Counts:
        """Return counts with changed arrays."""
        return Counts(
            change(self.n_true), change(self.n_predicted), change(self.n_right), self.n_samples
        )


def _accuracy(counts: Counts) -> _Floats:
    return np.asarray(counts.n_right.sum(axis=1) / counts.n_samples)


def _unless_single(score: Callable[[Counts], _Floats]) -> Callable[[Counts], _Floats]:
    """Return a score of which scikit-learn warns if all labels and predictions are equal."""

    def checked(counts: Counts) -> _Floats:
        n_labels = (counts.n_true + counts.n_predicted > 0).sum(axis=1)
        return np.asarray(np.where(n_labels == 1, math.nan, score(counts)))

    return checked


def _balanced_accuracy(counts: Counts) -> _Floats:
    if not counts.n_true.all():
        present = np.flatnonzero(counts.n_true[0])
        is_lost = counts.n_predicted.sum(axis=1) != counts.n_predicted[:, present].sum(axis=1)
        # Scikit-learn warns of predicted classes that do not occur.
        counts = counts.map(lambda part: part[:, present])
        means = _row_means(counts.n_right / counts.n_true)
        return np.asarray(np.where(is_lost, math.nan, means))
    return _row_means(counts.n_right / counts.n_true)


def _row_means(values: _Floats) -> _Floats:
    return np.asarray(np.ascontiguousarray(values).mean(axis=1))


def _ratios(
    above: Callable[[Counts], _Floats], below: Callable[[Counts], _Floats]
) -> Callable[..., _Floats]:
    """Return a score that averages a ratio over classes."""

    def score(counts: Counts, average: str | None, positive: int | None) -> _Floats:
        if average == "micro":
            sums = counts.map(lambda part: part.sum(axis=1, keepdims=True))
            return np.asarray(_divide(above(sums), below(sums))[:, 0])
        values = _divide(above(counts), below(counts))
        if average == "binary":
            return np.asarray(values[:, positive])
        is_present = (counts.n_true + counts.n_predicted) > 0
        if not is_present.all():
            return np.array(
                [
                    _average(own[here], counts.n_true[0, here], average)
                    for own, here in zip(values, is_present, strict=True)
                ]
            )
        if average == "macro":
            return _row_means(values)
        return np.array([_average(own, counts.n_true[0], average) for own in values])

    return score


def _average(values: _Floats, n_true: _Floats, average: str | None) -> float:
    return float(np.average(values, weights=None if average == "macro" else n_true))


def _divide(above: _Floats, below: _Floats) -> _Floats:
    above, below = np.broadcast_arrays(above, below)
    ratios = np.full(above.shape, math.nan)
    np.divide(above, below, out=ratios, where=below != 0)
    return ratios


_precision = _ratios(lambda c: c.n_right, lambda c: c.n_predicted)
_recall = _ratios(lambda c: c.n_right, lambda c: c.n_true)
_jaccard = _ratios(lambda c: c.n_right, lambda c: c.n_true + c.n_predicted - c.n_right)


def _f_score(beta: float) -> Callable[..., _Floats]:
    square = beta**2
    return _ratios(lambda c: (1 + square) * c.n_right, lambda c: square * c.n_true + c.n_predicted)


def _matthews(counts: Counts) -> _Floats:
    n, n_right = counts.n_samples, counts.n_right.sum(axis=1)
    products = (counts.n_true * counts.n_predicted).sum(axis=1)
    squares = (counts.n_predicted**2).sum(axis=1)
    spread = (n**2 - (counts.n_true**2).sum(axis=1)) * (n**2 - squares)
    covariance = n_right * n - products
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(spread == 0, 0.0, covariance / np.sqrt(spread)))


class ConfusionScore(NamedTuple):
    """A score that :class:`Counts` determine."""

    sign: int
    function: Callable[[Counts], _Floats]

    def __call__(self, counts: Counts) -> _Floats:
        """Return the score of each prediction; NaN where scikit-learn must decide."""
        scores = self.function(counts)
        return scores if self.sign == 1 else self.sign * scores


# The functions of scikit-learn, and the parameters with which they are supported.
_AVERAGED: dict[Any, Callable[[Mapping[str, Any]], Callable[..., _Floats]]] = {
    metrics.f1_score: lambda _: _f_score(1.0),
    metrics.fbeta_score: lambda own: _f_score(float(own["beta"])),
    metrics.precision_score: lambda _: _precision,
    metrics.recall_score: lambda _: _recall,
    metrics.jaccard_score: lambda _: _jaccard,
}
_PLAIN: dict[Any, Callable[[Counts], _Floats]] = {
    metrics.accuracy_score: _accuracy,
    metrics.balanced_accuracy_score: _unless_single(_balanced_accuracy),
    metrics.matthews_corrcoef: _unless_single(_matthews),
}


def confusion_score(
    function: Any, sign: int, kwargs: Mapping[str, Any], classes: NDArray[Any]
) -> ConfusionScore | None:
    """Return the fast version of a scoring function with these arguments; None if there is none."""
    if function in _PLAIN and not kwargs:
        return ConfusionScore(sign, _PLAIN[function])
    if function not in _AVERAGED or not kwargs.keys() <= {"average", "pos_label", "beta"}:
        return None
    defaults = inspect.signature(function).parameters
    own = {name: defaults[name].default for name in ("average", "pos_label")} | dict(kwargs)
    average, positive = own["average"], None
    if average not in ("binary", "micro", "macro", "weighted"):
        return None
    if average == "binary":
        labels = classes.tolist()
        if len(labels) != 2 or own["pos_label"] not in labels:
            return None
        positive = labels.index(own["pos_label"])
    elif own["pos_label"] not in (None, 1):
        return None  # scikit-learn warns that it is ignored
    score = _AVERAGED[function](own)
    return ConfusionScore(sign, lambda counts: score(counts, average, positive))
