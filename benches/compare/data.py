"""Real data sets, split and scaled to [0, 1] on the training part."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

import softmargin


class Split(NamedTuple):
    """Training and test rows, scaled; ``official`` tells whether the split is the published one."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    official: bool


def raw(name: str) -> tuple[Any, Any, int | None]:
    """Return float32 rows, codes of classes and the number of training rows, where known."""
    try:
        found = softmargin.datasets.load(name)
    except softmargin.datasets.DatasetNotFound as error:
        raise SystemExit(str(error)) from None
    return found.X.astype(np.float32, copy=False), found.y, found.n_train


def load(name: str) -> Split:
    """Return a set, split and scaled."""
    X, y, n_train = raw(name)
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
