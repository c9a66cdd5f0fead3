"""Functions for scripts: train by method name, predict, save and load."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from softmargin._estimators.base import Estimator
from softmargin._estimators.methods import METHODS, class_of
from softmargin._estimators.scaling import split_scaler
from softmargin._files import model as model_file
from softmargin._files.schema import Schema


def fit(X: Any, y: Any, method: str = "ollawv", **params: Any) -> Estimator:
    """Train a classifier, selected by method name, and return the fitted estimator.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Training samples.
    y : array-like of shape (n_samples,)
        Labels of the samples.
    method : str, default="ollawv"
        Name of the method, one of :func:`softmargin.methods`.
    **params
        Parameters of the estimator, such as ``C`` or ``gamma``.

    Returns
    -------
    estimator
        The fitted estimator.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> softmargin.fit(X, y, method="ollawv", margin=0.5).n_features_in_
    13
    """
    model: Estimator = class_of(method)(**params).fit(X, y)
    return model


def predict(model: Estimator, X: Any) -> NDArray[Any]:
    """Predict the labels of samples with a fitted model.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted model, for example from :func:`fit` or :func:`load`.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    ndarray of shape (n_samples,)
        Predicted labels.
    """
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise TypeError(f"model = {model!r} is not valid: it must be a fitted estimator")
    labels: NDArray[Any] = model.predict(X)
    return labels


def save(
    model: Estimator | Pipeline,
    path: str | os.PathLike[str],
    *,
    schema: Schema | None = None,
) -> None:
    """Save a fitted estimator, alone or in a pipeline with a scaler, to a file for :func:`load`.

    Parameters
    ----------
    model : estimator or Pipeline
        A softmargin estimator, or a pipeline of a :class:`MinMaxScaler` and such an estimator, as
        returned by ``nested_cv(...).refit()``.
    path : path
        File to write. An existing file is replaced atomically.
    schema : Schema or None, default=None
        Columns of the training table: ``data.schema`` of :func:`softmargin.datasets.read`. Used by
        ``softmargin predict`` and :func:`softmargin.datasets.load_schema` to read other tables in
        the same way. The model must have been fitted with ``data.X`` and ``data.labels``.

    Examples
    --------
    >>> import os, tempfile
    >>> import softmargin
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(softmargin.MinMaxScaler(), softmargin.OLLAWV(gamma=1)).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "wine.softmargin")
    ...     softmargin.save(model, path)
    ...     again = softmargin.load(path)
    >>> bool((again.decision_function(X) == model.decision_function(X)).all())
    True
    """
    scaler, estimator = split_scaler(model)
    if not isinstance(estimator, Estimator):
        raise TypeError(
            f"model is a {type(model).__name__}; expected a softmargin estimator, or a pipeline of "
            "a softmargin.MinMaxScaler and a softmargin estimator"
        )
    names = [name for name, _ in model.steps] if isinstance(model, Pipeline) else None
    if schema is not None and not isinstance(schema, Schema):
        raise TypeError(
            f"schema = {schema!r} is not valid: it must be a softmargin.datasets.Schema"
        )
    model_file.save(estimator, path, scaler, names, schema)


def load(path: str | os.PathLike[str]) -> Estimator | Pipeline:
    """Load a fitted estimator that was written by :func:`save` or its own ``save`` method.

    The estimator has the same class, parameters, fitted attributes and bitwise equal predictions,
    and continues ``partial_fit`` or ``warm_start`` from the saved state. The file need not be
    trusted: it contains no code, and every size, type, number and index is validated.

    Parameters
    ----------
    path : path
        A file written by :func:`save` or by the ``save`` method of an estimator, for example
        :meth:`SVC.save <softmargin.SVC.save>`.

    Returns
    -------
    estimator or Pipeline
        The estimator, in a pipeline if it was saved with a scaler. Use
        :func:`softmargin.datasets.load_schema` to load the columns of the training table, if any,
        and pass them to :func:`save` when you save the model again.

    Raises
    ------
    ValueError
        If the file is not a model file, truncated, modified, or has a newer format version. The
        message has the path and the reason.

    Examples
    --------
    >>> import os, tempfile
    >>> import softmargin
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "wine.softmargin")
    ...     softmargin.fit(X, y, method="newton", gamma=1e-5).save(path)
    ...     softmargin.load(path)
    NewtonSVC(gamma=1e-05)
    """
    return load_with_schema(path)[0]


def load_with_schema(
    path: str | os.PathLike[str],
) -> tuple[Estimator | Pipeline, Schema | None]:
    """Return the model of a file, and the schema of its training table, or None."""
    return model_file.restore(path, {kind.__name__: kind for kind in METHODS.values()})
