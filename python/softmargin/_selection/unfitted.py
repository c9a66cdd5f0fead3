"""What the engine needs to know about a search before its first fit."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn import get_config, preprocessing
from sklearn.utils.validation import check_consistent_length

from softmargin._checks import class_order, sparse
from softmargin._checks.rows import check_rows
from softmargin._checks.weights import sample_weights
from softmargin._estimators.methods import overridden
from softmargin._estimators.scaling import MinMaxScaler
from softmargin._selection.candidates import Candidates
from softmargin._selection.kinds import NO_CLASSES, check_outcomes, check_weights, kind_of
from softmargin._selection.samples import Samples, Scaling, Split, n_samples
from softmargin._selection.steps import Steps, UnsharedError, is_pairwise


def check_shareable(estimator: Any) -> Steps:
    """Return the steps of an estimator; raise UnsharedError if the engine cannot replace them."""
    steps = Steps(estimator)
    for part in (estimator, *steps.parts()):
        # The attributes in which scikit-learn 1.9 stores and passes on callbacks.
        if hasattr(part, "_skl_callbacks") or hasattr(part, "_parent_callback_ctx"):
            raise UnsharedError(f"callbacks of {type(part).__name__} must be called for each fit")
    if reason := overridden(steps.model):
        raise UnsharedError(reason)
    return steps


def check_input(steps: Steps, X: Any, params: Any) -> None:
    """Raise an error for samples or weights that no fit accepts."""
    if sp.issparse(X):
        sparse.canonical(X, any_order=True)  # invalid indices must not be used
    # Only some splits may fail if other steps come first.
    if not steps.names or type(_first(steps)) is MinMaxScaler:
        n_rows = check_rows(X).shape[0]
        if not get_config()["enable_metadata_routing"]:
            sample_weights(params.get("sample_weight"), n_rows)


def _first(steps: Steps) -> Any:
    return steps.parts()[0] if steps.names else None


def samples_of(steps: Steps, X: Any, y: Any, fit_params: Any, score_params: Any) -> Samples:
    """Return samples with the parameters of fit and of scorers."""
    check_consistent_length(X, y)
    kind = kind_of(steps.model)
    found = check_outcomes(kind, y, n_samples(X))
    classes, codes = NO_CLASSES if found.classes is None else found.classes, found.codes
    by_step, own = steps.routed(fit_params)
    weights = sample_weights(own.pop("sample_weight", None), len(codes))
    if own:
        raise UnsharedError(f"{min(own)} is passed to fit")
    if weights is not None:
        if not steps.model._takes_weights:
            raise UnsharedError(f"{type(steps.model).__name__} does not support sample_weight")
        check_weights(kind, weights, classes, codes)
    return Samples(
        X,
        classes,
        codes,
        weights,
        found.targets,
        kind,
        order=class_order.order_of(y, classes) if kind == "classifier" else None,
        given=(X, y),
        steps=steps,
        target=steps.target,
        fit_params=by_step,
        score_params=dict(score_params),
    )


def directly(samples: Samples, candidates: Candidates, split: Split) -> Samples:
    """Return samples that are the same for all splits, if the core can do the steps itself.

    ``split`` is one of the splits.
    """
    steps, settings = samples.steps, candidates.settings
    if steps is None or samples.fit_params or any(setting.params for setting in settings):
        return samples
    scaling: Scaling | None = "none" if not steps.names else _scaling(steps, candidates)
    if scaling is None or (scaling != "none" and any(own.is_kernel for own in settings)):
        return samples
    try:
        rows = check_rows(samples.X)
    except (TypeError, ValueError):
        if not steps.names:
            raise
        return samples  # the steps may accept what the classifier does not
    functions = [own.kernel for own in settings if callable(own.kernel)]
    try:
        if not all(is_pairwise(kernel, rows, split[0]) for kernel in functions):
            return samples
    except Exception:  # of the function, which is called again for each split
        return samples
    if scaling != "none" and sp.issparse(rows) and type(_first(steps)) is not MinMaxScaler:
        return samples
    return samples._replace(X=rows, scaling=scaling, steps=None)


def _scaling(steps: Steps, candidates: Candidates) -> Scaling | None:
    """Return the scaling that the core can do instead of the steps; None for other steps."""
    if len(steps.names) != 1:
        return None
    scaler = _first(steps)
    if type(scaler) is MinMaxScaler:
        return "minmax"
    if hasattr(scaler, "_sklearn_output_config"):
        return None
    if type(scaler) is preprocessing.MinMaxScaler:
        is_plain = tuple(scaler.feature_range) == (0, 1) and not scaler.clip
        return "minmax" if is_plain else None
    if type(scaler) is preprocessing.StandardScaler and scaler.with_mean and scaler.with_std:
        # The scaled values differ by rounding, which only some methods tolerate.
        is_exact = all(group.tolerates_rounding for group in candidates.groups)
        return "standard" if is_exact else None
    return None
