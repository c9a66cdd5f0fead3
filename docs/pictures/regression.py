"""Regression and novelty detection with a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from drawing import panels, picture
from softmargin import SVR, OneClassSVM, plots


@picture("plot-tube")
def svr_tube() -> Any:
    """Draw the function of SVR on one feature, with its tube."""
    rng = np.random.default_rng(4)
    X = np.sort(rng.uniform(0, 10, size=(70, 1)), axis=0)
    y = np.sin(X.ravel()) + 0.15 * X.ravel() + rng.normal(scale=0.25, size=70)
    _, ax = panels(1, 1, 3.6)
    return plots.tube(SVR(C=10, gamma=0.3, epsilon=0.3).fit(X, y), X, y, ax)


@picture("svr-errors")
def svr_errors() -> Any:
    """Draw the cross-validated predictions of SVR against the targets, and their errors."""
    X, y = load_diabetes(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVR(C=30, gamma=0.01, epsilon=10))
    predictions = cross_val_predict(model, X, y, cv=5)
    _, axes = panels(1, 2, 3.3)
    plots.predicted(y, predictions, axes[0])
    plots.residuals(y, predictions, axes[1])
    return axes[0]


@picture("one-class-boundary")
def one_class_boundary() -> Any:
    """Draw the region of OneClassSVM that contains most samples."""
    rng = np.random.default_rng(2)
    groups = [rng.normal(scale=0.6, size=(70, 2)) + center for center in ([-1.6, -1], [1.6, 1])]
    X = np.concatenate([*groups, rng.uniform(-4, 4, size=(12, 2))])
    _, ax = panels(1, 1, 3.9)
    return plots.decision_boundary(OneClassSVM(nu=0.1, gamma=0.2).fit(X), X, ax=ax)
