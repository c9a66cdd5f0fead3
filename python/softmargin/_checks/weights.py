"""Sample weights and class weights."""

from __future__ import annotations

import reprlib
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin._checks.numbers import check_numeric


def sample_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return the weight of each sample, or None; negative and non-finite weights raise."""
    if sample_weight is None:
        return None
    check_numeric("sample_weight", sample_weight)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight is not valid: it must be numeric ({error})") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but X has {n_rows} samples: "
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}"
        )
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight[{row}] = {weights[row]} is not valid: it must be finite and "
            "not negative"
        )
    return np.ascontiguousarray(weights)


def class_weights(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[np.uint32]
) -> NDArray[np.float64]:
    """Return the weight of each class: 1, balanced, or from a dictionary."""
    weights = np.ones(len(classes))
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f"class_weight = {class_weight!r} is not valid: "
                "it must be None, 'balanced' or a dictionary of class weights"
            )
        counts = np.bincount(codes, minlength=len(classes))
        return np.asarray(len(codes) / (len(classes) * counts), dtype=np.float64)
    if not hasattr(class_weight, "items"):
        raise ValueError(
            f"class_weight = {class_weight!r} is not valid: "
            "it must be None, 'balanced' or a dictionary of class weights"
        )
    codes_by_label = {label: code for code, label in enumerate(classes.tolist())}
    # numpy dates are not equal to Python dates.
    codes_by_label |= {label: code for code, label in enumerate(classes)}
    for label, weight in class_weight.items():
        code = codes_by_label.get(label)
        if code is None:
            raise ValueError(f"class_weight has the class {label!r}, which is not in y")
        value = _as_float(weight)
        if not 0 <= value < np.inf:
            raise ValueError(
                f"class_weight[{label!r}] = {reprlib.repr(weight)} is not valid: "
                "it must be finite and positive"
            )
        if value == 0:
            raise ValueError(f"class {label!r} has no remaining samples: its class_weight is 0")
        weights[code] = value
    return weights


def _as_float(weight: Any) -> float:
    """Return a number as a float (infinity if too large) and anything else as NaN."""
    try:
        return float(weight) if isinstance(weight, Real) else np.nan
    except OverflowError:
        return np.inf


def used_rows(
    weights: NDArray[np.float64], classes: NDArray[Any], codes: NDArray[np.uint32]
) -> NDArray[np.intp] | None:
    """Return the indices of samples with positive weight, or None if all are positive.

    Raises ValueError if a class has no remaining samples.
    """
    used = positive_rows(weights)
    if used is not None:
        counts = np.bincount(codes[used], minlength=len(classes))
        if not counts.all():
            label = classes.tolist()[int(np.argmin(counts > 0))]
            raise ValueError(
                f"class {label!r} has no remaining samples: all of its samples have sample_weight 0"
            )
    return used


def positive_rows(weights: NDArray[np.float64]) -> NDArray[np.intp] | None:
    """Return the indices of samples with positive weight, or None if all are positive.

    Raises ValueError if no sample remains.
    """
    used = np.flatnonzero(weights > 0)
    if not len(used):
        raise ValueError(
            "every sample_weight is zero. At least one sample must have a positive weight."
        )
    return None if len(used) == len(weights) else used
