"""Fitted estimators in files: parameters and fitted attributes, no code.

A file (see :mod:`hinge._container`) has the arrays of the model and this header::

    {"format": "hinge model", "version": 1, "hinge": "0.1.0", "class": "SVC",
     "params": {"C": 10.0, …}, "fitted": {"n_features_in_": 4, …}}

A model that was trained on a table has its columns as ``"schema"`` among the fitted attributes
(see :class:`hinge.datasets.Schema`).

A version is read by all later packages; what a file does not say of a parameter, because it is
older than that parameter, is its default. A package refuses files with a newer version, and
names that it does not know.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from hinge import _container
from hinge._core import __version__
from hinge._fields import Fields
from hinge._scaling import MinMaxScaler
from hinge._schema import Schema

if TYPE_CHECKING:
    from hinge._classifier import Classifier

_FORMAT = "hinge model"
_VERSION = 1
_NAMES = {"format": str, "version": int, "hinge": str, "class": str, "params": dict, "fitted": dict}


def save(
    estimator: Classifier,
    path: str | os.PathLike[str],
    scaler: MinMaxScaler | None = None,
    names: list[str] | None = None,
    schema: Schema | None = None,
) -> None:
    """Write a fitted estimator, or a scaler and it as steps with names, in place of a file.

    ``schema`` has the columns of the table that it was trained on.
    """
    check_is_fitted(estimator)
    path, kind = Path(path), type(estimator)
    if "_method" not in vars(kind):
        raise TypeError(f"{kind.__name__} cannot be saved: only the estimators of hinge itself can")
    params = {name: _to_json(name, value) for name, value in estimator.get_params(False).items()}
    state = estimator._saved_state()
    if scaler is not None:
        state |= scaler._saved_state() | {"steps": names}
    if schema is not None:
        fitting = schema.of_model(estimator.classes_, estimator.n_features_in_)
        state["schema"] = fitting.to_json()
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "hinge": __version__,
        "class": kind.__name__,
        "params": params,
        "fitted": {name: value for name, value in state.items() if name not in arrays},
    }
    try:
        _estimator(kind, header, arrays)
    except (ValueError, TypeError) as error:  # fitted attributes were set by hand
        raise ValueError(f"this {kind.__name__} cannot be saved: {error}") from error
    _container.write(path, header, arrays)


def restore(
    path: str | os.PathLike[str], kinds: Mapping[str, type[Classifier]]
) -> tuple[Classifier | Pipeline, Schema | None]:
    """Return the estimator of a file, if it is one of some kinds, after its scaler if any.

    The second value is the schema of the table that it was trained on, if there is one.
    """
    path = Path(path)
    try:
        header, arrays = _container.read(path)
        _check_header(header)
        kind = kinds.get(header["class"])
        if kind is None:
            raise ValueError(f"there is no estimator {header['class']!r}")
        return _estimator(kind, header, arrays)
    except (ValueError, TypeError) as error:
        reason = str(error)[:500]  # a broken archive may quote all of itself
        raise ValueError(f"{str(path)!r} is not a model that can be read: {reason}") from error


def _estimator(
    kind: type[Classifier], header: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> tuple[Classifier | Pipeline, Schema | None]:
    """Return an estimator from the content of a file, after its scaler, and its schema if any."""
    params = {name: _from_json(value) for name, value in header["params"].items()}
    unknown = params.keys() - set(kind._get_param_names())
    if unknown:
        raise ValueError(
            f"{kind.__name__} has no parameter {min(unknown)!r}; hinge {header['hinge']} wrote the "
            f"file, and this is hinge {__version__}"
        )
    estimator = kind(**params)
    saved = Fields(header["fitted"], arrays)
    estimator._restore(saved)
    schema = None
    if "schema" in saved:
        schema = _schema(saved.mapping("schema"), estimator)
    if "scaler.data_min_" not in saved:
        saved.finish()
        return estimator, schema
    scaler = MinMaxScaler()
    scaler._restore(saved, estimator.n_features_in_)
    pipeline = make_pipeline(scaler, estimator)
    if "steps" in saved:
        names = saved.texts("steps", 2)
        if names[0] == names[1] or any("__" in name for name in names):
            raise ValueError("'steps' has names that a pipeline cannot have")
        pipeline = Pipeline(list(zip(names, (scaler, estimator), strict=True)))
    saved.finish()
    return pipeline, schema


def _schema(value: Mapping[str, Any], estimator: Classifier) -> Schema:
    """Return the schema of a file, whose features and labels must be those of the estimator."""
    try:
        schema = Schema.from_json(value)
        fitting = schema.of_model(estimator.classes_, estimator.n_features_in_)
        if fitting != schema:
            raise ValueError("it has labels that are no classes of the model")
    except ValueError as error:
        raise ValueError(f"'schema': {error}") from error
    return schema


def _check_header(header: dict[str, Any]) -> None:
    if header.get("format") != _FORMAT:
        raise ValueError(f"its format is not {_FORMAT!r}")
    for name, kind in _NAMES.items():
        if type(header.get(name)) is not kind:
            raise ValueError(f"{name!r} is missing in its header, or of the wrong type")
    if header["version"] != _VERSION:
        raise ValueError(
            f"hinge {header['hinge']} wrote it in version {header['version']} of the format, and "
            f"this is hinge {__version__}, which reads version {_VERSION}"
        )
    unknown = header.keys() - _NAMES.keys()
    if unknown:
        raise ValueError(f"{min(unknown)!r} in its header is not known")


def _to_json(name: str, value: Any) -> Any:
    """Return a parameter as JSON has it; numbers that are not finite, and dictionaries, by name."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        return number if math.isfinite(number) else {"float": str(number)}
    if isinstance(value, Mapping) and not any(isinstance(v, Mapping) for v in value.values()):
        pairs = value.items()
        return {"dict": [[_to_json(name, key), _to_json(name, item)] for key, item in pairs]}
    raise TypeError(
        f"{name} = {value!r} cannot be saved: a file without code holds numbers, strings, None and "
        "dictionaries of these; set another value, or use pickle"
    )


def _from_json(value: Any) -> Any:
    """Return a parameter from what :func:`_to_json` made of it."""
    match value:
        case {"dict": list(pairs), **rest} if not rest:
            if all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
                return {_plain(key): _plain(item) for key, item in pairs}
    return _plain(value)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    match value:
        case {"float": "inf" | "-inf" | "nan" as word, **rest} if not rest:
            return float(word)
    raise ValueError("a parameter is neither a number, a string, nor a dictionary of these")
