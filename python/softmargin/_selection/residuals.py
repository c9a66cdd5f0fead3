"""Scores of regression, computed without the checks of scikit-learn's functions.

The arithmetic is that of scikit-learn, operation by operation, so that scores are equal to the bit.
Only a fraction of the time of scikit-learn's functions is spent on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

_Loss = Callable[[NDArray[np.float64], NDArray[np.float64]], float]


class ResidualScore(NamedTuple):
    """A score of predictions, with the sign of its scorer."""

    loss: _Loss
    sign: int

    def __call__(
        self, targets: NDArray[np.float64], predicted: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the score of each candidate; NaN where scikit-learn's function must decide."""
        column = targets.reshape(-1, 1)
        return np.array([self.sign * self.loss(column, own.reshape(-1, 1)) for own in predicted])


def residual_score(function: Any, sign: int, kwargs: Mapping[str, Any]) -> ResidualScore | None:
    """Return the fast version of a score; None if there is none."""
    loss = None if kwargs else _LOSSES.get(function)
    return None if loss is None else ResidualScore(loss, sign)


def _squared(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    return float(np.average((y - predicted) ** 2, axis=0)[0])


def _root_squared(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    return float(np.sqrt(_squared(y, predicted)))


def _absolute(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    return float(np.average(np.abs(predicted - y), axis=0)[0])


def _r2(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    numerator = ((y - predicted) ** 2).sum(axis=0)[0]
    denominator = ((y - np.average(y, axis=0)) ** 2).sum(axis=0)[0]
    # Constant targets and fewer than two samples are left to scikit-learn.
    return float(1 - numerator / denominator) if denominator else np.nan


_LOSSES: dict[Any, _Loss] = {
    metrics.r2_score: _r2,
    metrics.mean_squared_error: _squared,
    metrics.root_mean_squared_error: _root_squared,
    metrics.mean_absolute_error: _absolute,
}
