"""Functions for scripts: any method by name, any model by its file."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from hinge import _model_file
from hinge._classifier import Classifier
from hinge._methods import METHODS, class_of
from hinge._scaling import split_scaler
from hinge._schema import Schema


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
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise TypeError(f"model = {model!r} is not valid: it must be a fitted estimator")
    labels: NDArray[Any] = model.predict(X)
    return labels


def save(
    model: Classifier | Pipeline,
    path: str | os.PathLike[str],
    *,
    schema: Schema | None = None,
) -> None:
    """Write a fitted estimator, alone or after a scaler, to a file that :func:`load` reads.

    Parameters
    ----------
    model : estimator or Pipeline
        An estimator of hinge, or a pipeline of a :class:`MinMaxScaler` and such an estimator,
        as ``nested_cv(...).refit()`` returns it.
    path : path
        Any name; a file that is there is replaced.
    schema : Schema or None
        Columns of the table that the model was trained on, ``data.schema`` of
        :func:`hinge.datasets.read`, by which ``hinge predict`` and
        :func:`hinge.datasets.load_schema` read other tables. The model must have been fitted to
        ``data.X`` and ``data.labels``.

    Examples
    --------
    >>> import os, tempfile
    >>> import hinge
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(hinge.MinMaxScaler(), hinge.OLLAWV(gamma=1)).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "wine.hinge")
    ...     hinge.save(model, path)
    ...     again = hinge.load(path)
    >>> bool((again.decision_function(X) == model.decision_function(X)).all())
    True
    """
    scaler, estimator = split_scaler(model)
    if not isinstance(estimator, Classifier):
        raise TypeError(
            "model must be an estimator of hinge, or a pipeline of a hinge.MinMaxScaler and an "
            "estimator of hinge"
        )
    names = [name for name, _ in model.steps] if isinstance(model, Pipeline) else None
    if schema is not None and not isinstance(schema, Schema):
        raise TypeError(f"schema = {schema!r} is not valid: it must be the schema of a data set")
    _model_file.save(estimator, path, scaler, names, schema)


def load(path: str | os.PathLike[str]) -> Classifier | Pipeline:
    """Read a fitted estimator that :func:`save` or its own ``save`` wrote.

    It is what it was: class, parameters, fitted attributes, predictions to the bit, and the
    state from which ``partial_fit`` or ``warm_start`` go on. The file need not be trusted:
    nothing in it is run, and every size, type, number and index is checked.

    Parameters
    ----------
    path : path
        A file of :func:`save`, or of :meth:`SVC.save <hinge.SVC.save>`, which all estimators
        have.

    Returns
    -------
    estimator or Pipeline
        Of the class that was saved; after its scaler if one was saved with it. The columns of the
        table that it was trained on, if any, are returned by :func:`hinge.datasets.load_schema`,
        and are to be given to :func:`save` again.

    Raises
    ------
    ValueError
        With the name of the file and what is wrong, if it is anything else: another kind of
        file, cut off, changed, or of a newer version of the format.

    Examples
    --------
    >>> import os, tempfile
    >>> import hinge
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "wine.hinge")
    ...     hinge.fit(X, y, method="newton", gamma=1e-5).save(path)
    ...     hinge.load(path)
    NewtonSVC(gamma=1e-05)
    """
    return load_with_schema(path)[0]


def load_with_schema(
    path: str | os.PathLike[str],
) -> tuple[Classifier | Pipeline, Schema | None]:
    """Read a model, and the schema of the table that it was trained on, if there is one."""
    return _model_file.restore(path, {kind.__name__: kind for kind in METHODS.values()})
