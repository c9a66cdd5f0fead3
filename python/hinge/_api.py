"""Two functions for scripts: any method by name."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from hinge._classifier import Classifier
from hinge._methods import class_of


def fit(X: Any, y: Any, method: str = "ollawv", **params: Any) -> Classifier:
    """Train a classifier by the name of its method and return the fitted estimator.

    Parameters
    ----------
    X, y
        Rows and labels, as for the estimator's ``fit``.
    method : str
        One of :func:`hinge.methods`.
    **params
        Parameters of the estimator.

    Examples
    --------
    >>> import hinge
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> hinge.fit(X, y, method="ollawv", margin=0.5).n_features_in_
    13
    """
    model: Classifier = class_of(method)(**params).fit(X, y)
    return model


def predict(model: Classifier, X: Any) -> NDArray[Any]:
    """Return the labels that a model of :func:`fit` gives to the rows of X."""
    labels: NDArray[Any] = model.predict(X)
    return labels
