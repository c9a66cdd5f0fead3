"""Targets that a ``TransformedTargetRegressor`` transforms for each split."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import TransformedTargetRegressor

from softmargin._checks.targets import check_targets


class Transformed(NamedTuple):
    """Targets for training, and the function that maps predictions back."""

    targets: NDArray[np.float64]
    inverse: Callable[[NDArray[np.float64]], NDArray[Any]]


class _Passive(RegressorMixin, BaseEstimator):
    """Records the targets that it is fitted to, and predicts the first feature."""

    def fit(self, X: Any, y: Any) -> Self:
        """Record the targets."""
        self.targets_ = y
        return self

    def predict(self, X: Any) -> Any:
        """Return the first feature."""
        return X[:, 0]


def transform_targets(
    regressor: TransformedTargetRegressor, y: NDArray[np.float64], train: NDArray[Any]
) -> Transformed:
    """Fit the transformer to the targets of the training samples.

    The targets of other samples are 0. Scikit-learn's own class fits and inverts the transformer.
    """
    own = y[train]
    passive = clone(regressor).set_params(regressor=_Passive())
    passive.fit(np.zeros((len(own), 1)), own)
    targets = np.zeros(len(y))
    targets[train] = check_targets(passive.regressor_.targets_, len(own))

    def inverse(predicted: NDArray[np.float64]) -> NDArray[Any]:
        found = passive.predict(np.asarray(predicted).reshape(-1, 1))
        return np.asarray(found).reshape(predicted.shape)

    return Transformed(targets, inverse)
