"""What several commands tell about data and machines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from softmargin.cli._output import short
from softmargin.cli._values import text_of

if TYPE_CHECKING:
    from softmargin._estimators.base import Classifier
    from softmargin.cli._estimator_options import Machine
    from softmargin.datasets import Dataset


def facts_of_run(data: Dataset, machine: Machine, estimator: Classifier) -> dict[str, Any]:
    """Return what a JSON document tells about a machine and its data."""
    return {
        "data": facts_of_data(data),
        "method": machine.method,
        "parameters": _parameters_of(estimator),
        "scaled": machine.scale,
        "seed": machine.seed,
    }


def facts_of_data(data: Dataset) -> dict[str, Any]:
    """Return what a JSON document tells about the data."""
    return {
        "name": data.name,
        "rows": data.n_rows,
        "features": data.n_features,
        "classes": data.classes,
    }


def headline_of_data(data: Dataset) -> str:
    """Return the data in a line."""
    return (
        f"{data.name}: {data.n_rows:,} rows, {data.n_features:,} features, {data.n_classes} classes"
    )


def _parameters_of(estimator: Classifier) -> dict[str, Any]:
    """Return all parameters of an estimator; weights of classes by the names of these."""
    params = dict(estimator.get_params(deep=False))
    weights = params.get("class_weight")
    if isinstance(weights, dict):
        params["class_weight"] = {text_of(label): weight for label, weight in weights.items()}
    return params


def headline_of_machine(estimator: Classifier, scaled: bool) -> str:
    """Return a method in a line: its main parameters, and those that are not as usual."""
    params, usual = _parameters_of(estimator), type(estimator)().get_params(deep=False)
    main = ("kernel", "gamma", *type(estimator)._path)
    hidden = ("n_jobs", "random_state", "verbose")
    shown = [
        f"{name}={short(params[name])}"
        for name in dict.fromkeys((*main, *params))
        if name in params
        and name not in hidden
        and (name in main or params[name] != usual[name])
        and params[name] is not None
    ]
    return ", ".join([estimator._method, *shown] + (["scaled to [0, 1]"] if scaled else []))


def share(fraction: float) -> str:
    """Return a share of rows in percent; nothing where there is none."""
    return "-" if math.isnan(fraction) else f"{100 * fraction:.1f} %"
