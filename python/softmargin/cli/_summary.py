"""Descriptions of data and estimators, shared by several commands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from softmargin.cli._output import short
from softmargin.cli._values import text_of

if TYPE_CHECKING:
    from softmargin._estimators.base import Estimator
    from softmargin.cli._estimator_options import EstimatorOptions
    from softmargin.datasets import Dataset


def facts_of_run(data: Dataset, options: EstimatorOptions, estimator: Estimator) -> dict[str, Any]:
    """Return the JSON description of an estimator and its data."""
    return {
        "data": facts_of_data(data),
        "method": options.method,
        "parameters": _parameters_of(estimator),
        "scaled": options.scale,
        "seed": options.seed,
    }


def facts_of_data(data: Dataset) -> dict[str, Any]:
    """Return the JSON description of the data."""
    facts = {"name": data.name, "rows": data.n_rows, "features": data.n_features}
    if data.has_targets:
        return facts | {"targets": {"min": float(data.y.min()), "max": float(data.y.max())}}
    return facts | {"classes": data.classes}


def headline_of_data(data: Dataset) -> str:
    """Return a one-line description of the data."""
    if data.has_targets:
        labels = f"targets from {short(float(data.y.min()))} to {short(float(data.y.max()))}"
    else:
        labels = "no labels" if data.y is None else f"{data.n_classes} classes"
    return f"{data.name}: {data.n_rows:,} samples, {data.n_features:,} features, {labels}"


def _parameters_of(estimator: Estimator) -> dict[str, Any]:
    """Return all parameters of an estimator, with class names as keys of the class weights."""
    params = dict(estimator.get_params(deep=False))
    weights = params.get("class_weight")
    if isinstance(weights, dict):
        params["class_weight"] = {text_of(label): weight for label, weight in weights.items()}
    return params


def headline_of_estimator(estimator: Estimator, scaled: bool) -> str:
    """Return the method, its main parameters, and all others that differ from the default."""
    params, defaults = _parameters_of(estimator), type(estimator)().get_params(deep=False)
    main = ("kernel", "gamma", *type(estimator)._path)
    hidden = ("n_jobs", "random_state", "verbose")
    shown = [
        f"{name}={short(params[name])}"
        for name in dict.fromkeys((*main, *params))
        if name in params
        and name not in hidden
        and (name in main or params[name] != defaults[name])
        and params[name] is not None
    ]
    return ", ".join([estimator._method, *shown] + (["scaled to [0, 1]"] if scaled else []))


def share(fraction: float) -> str:
    """Return a fraction in percent; NaN becomes a dash."""
    return "-" if math.isnan(fraction) else f"{100 * fraction:.1f} %"
