"""Saved models: parameters and fitted attributes of an estimator, without code.

A file (see :mod:`softmargin._files.container`) contains the arrays of the model and this header::

    {"format": "softmargin model", "version": 1, "softmargin": "0.1.0", "class": "SVC",
     "params": {"C": 10.0, …}, "fitted": {"n_features_in_": 4, …}}

A model trained on a table stores its columns as ``"schema"`` among the fitted attributes (see
:class:`softmargin.datasets.Schema`).

Every format version is supported by all later releases. Parameters that were added after a file
was written have their default values. Files with a newer format version or with unknown fields
are rejected.
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

from softmargin._checks.fields import Fields
from softmargin._core import __version__
from softmargin._estimators.base import Classifier, Regressor
from softmargin._estimators.scaling import MinMaxScaler
from softmargin._files import container
from softmargin._files.schema import Schema

if TYPE_CHECKING:
    from softmargin._estimators.base import Estimator

_FORMAT = "softmargin model"
_VERSION = 1
_NAMES = {
    "format": str,
    "version": int,
    "softmargin": str,
    "class": str,
    "params": dict,
    "fitted": dict,
}


def save(
    estimator: Estimator,
    path: str | os.PathLike[str],
    scaler: MinMaxScaler | None = None,
    names: list[str] | None = None,
    schema: Schema | None = None,
) -> None:
    """Write a fitted estimator, or a pipeline of a scaler and an estimator, to a file.

    ``names`` are the names of the pipeline steps, and ``schema`` describes the training table.
    """
    check_is_fitted(estimator)
    path, kind = Path(path), type(estimator)
    if "_method" not in vars(kind):
        raise TypeError(
            f"{kind.__name__} cannot be saved: only estimator classes of softmargin are supported"
        )
    params = {name: _to_json(name, value) for name, value in estimator.get_params(False).items()}
    state = estimator._saved_state()
    if scaler is not None:
        state |= scaler._saved_state() | {"steps": names}
    if schema is not None:
        state["schema"] = _matching(schema, estimator).to_json()
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        "softmargin": __version__,
        "class": kind.__name__,
        "params": params,
        "fitted": {name: value for name, value in state.items() if name not in arrays},
    }
    try:
        _estimator(kind, header, arrays)
    except (ValueError, TypeError) as error:  # fitted attributes were modified
        raise ValueError(f"this {kind.__name__} cannot be saved: {error}") from error
    container.write(path, header, arrays)


def restore(
    path: str | os.PathLike[str], kinds: Mapping[str, type[Estimator]]
) -> tuple[Estimator | Pipeline, Schema | None]:
    """Return the estimator of a file, in a pipeline if it was saved with a scaler.

    ``kinds`` are the supported classes by name. The second value is the schema of the training
    table, or None.
    """
    path = Path(path)
    try:
        header, arrays = container.read(path)
        _check_header(header)
        kind = kinds.get(header["class"])
        if kind is None:
            raise ValueError(f"unknown estimator class {header['class']!r}")
        return _estimator(kind, header, arrays)
    except (ValueError, TypeError) as error:
        reason = str(error)[:500]  # messages about corrupt archives can be long
        raise ValueError(f"{str(path)!r} is not a valid model file: {reason}") from error


def _estimator(
    kind: type[Estimator], header: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> tuple[Estimator | Pipeline, Schema | None]:
    """Return the estimator or pipeline and the schema from the content of a file."""
    params = {name: _from_json(value) for name, value in header["params"].items()}
    unknown = params.keys() - set(kind._get_param_names())
    if unknown:
        raise ValueError(
            f"{kind.__name__} has no parameter {min(unknown)!r}; the file was written by "
            f"softmargin {header['softmargin']}, and this is softmargin {__version__}"
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
            raise ValueError("'steps' has invalid names for the steps of a pipeline")
        pipeline = Pipeline(list(zip(names, (scaler, estimator), strict=True)))
    saved.finish()
    return pipeline, schema


def _schema(value: Mapping[str, Any], estimator: Estimator) -> Schema:
    """Return the schema of a file, which must match the features and classes of the estimator."""
    try:
        schema = Schema.from_json(value)
        if _matching(schema, estimator) != schema:
            raise ValueError("it has labels that are not classes of the model")
    except ValueError as error:
        raise ValueError(f"'schema': {error}") from error
    return schema


def _matching(schema: Schema, estimator: Estimator) -> Schema:
    """Return the part of a schema that an estimator depends on; ValueError if it is another's."""
    if isinstance(estimator, Classifier):
        return schema.of_model(estimator.classes_, estimator.n_features_in_)
    if isinstance(estimator, Regressor):
        return schema.of_regressor(estimator.n_features_in_)
    return schema.of_detector(estimator.n_features_in_)


def _check_header(header: dict[str, Any]) -> None:
    if header.get("format") != _FORMAT:
        raise ValueError(f"its format must be {_FORMAT!r}")
    for name, kind in _NAMES.items():
        if type(header.get(name)) is not kind:
            raise ValueError(f"{name!r} is missing in the header or has the wrong type")
    if header["version"] != _VERSION:
        raise ValueError(
            f"it has format version {header['version']}, written by softmargin "
            f"{header['softmargin']}, but this is softmargin {__version__}, which reads version "
            f"{_VERSION}. Upgrade softmargin to read the file."
        )
    unknown = header.keys() - _NAMES.keys()
    if unknown:
        raise ValueError(f"unknown field {min(unknown)!r} in the header")


def _to_json(name: str, value: Any) -> Any:
    """Return a parameter as a JSON value; non-finite numbers and dictionaries are tagged."""
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
        f"{name} = {value!r} cannot be saved: model files contain only numbers, strings, None and "
        "dictionaries of these. Set a different value, or use pickle."
    )


def _from_json(value: Any) -> Any:
    """Return a parameter from the result of :func:`_to_json`."""
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
    raise ValueError("parameters must be numbers, strings, None or dictionaries of these")
