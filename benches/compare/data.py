"""Real data sets, split and scaled to [0, 1] on the training part."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

import softmargin


class Split(NamedTuple):
    """Scaled training and test samples; ``official`` is True for the published split."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    official: bool


def raw(name: str, dtype: str = "float64") -> tuple[Any, Any, int | None]:
    """Return samples, class codes and the number of training samples, None where unknown."""
    try:
        found = softmargin.datasets.load(name)
    except softmargin.datasets.DatasetNotFound as error:
        raise SystemExit(str(error)) from None
    return found.X.astype(np.dtype(dtype), copy=False), found.y, found.n_train


def load(name: str, dtype: str = "float64") -> Split:
    """Return a data set, split and scaled."""
    X, y, n_train = raw(name, dtype)
    if n_train is None:
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=0.25, stratify=y, random_state=0
        )
    else:
        X_train, X_test, y_train, y_test = X[:n_train], X[n_train:], y[:n_train], y[n_train:]
    scaler = softmargin.MinMaxScaler().fit(X_train)
    return Split(
        scaler.transform(X_train), y_train, scaler.transform(X_test), y_test, n_train is not None
    )
