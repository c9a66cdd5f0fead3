"""Targets of regression: one finite number per sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from softmargin._checks.numbers import (
    DATES,
    check_not_masked,
    check_numeric_dtype,
    is_missing,
)


def check_targets(y: Any, n_samples: int) -> NDArray[np.float64]:
    """Return the targets of ``n_samples`` samples as a contiguous float64 array.

    Numbers of any type are accepted, and so are strings that spell numbers in an array of
    objects, which scikit-learn converts as well. A column vector is raveled with a warning.
    """
    check_not_masked("y", y)
    if sp.issparse(y):
        raise ValueError("y is a sparse matrix. Convert it with y.toarray().ravel().")
    try:
        array = np.asarray(y)
    except ValueError as error:
        raise ValueError(f"y is not an array of numbers: {error}") from None
    check_numeric_dtype("y", array.dtype)
    _check_shape(array, n_samples)
    if array.ndim == 2:
        array = column_or_1d(array, warn=True)
    if array.dtype.kind == "O":
        array = _from_objects(array)
    with np.errstate(over="ignore"):  # infinities are rejected below
        targets = np.ascontiguousarray(array, dtype=np.float64)
    _check_finite(targets)
    return targets


def _check_shape(array: NDArray[Any], n_samples: int) -> None:
    """Raise ValueError unless there is one target for each sample."""
    if array.ndim == 2 and array.shape[1] > 1:
        raise ValueError(
            f"y has shape {array.shape}: {array.shape[1]} targets per sample. Only one target is "
            "supported. Use sklearn.multioutput.MultiOutputRegressor to fit one model per target."
        )
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] != 1):
        raise ValueError(
            f"y has shape {array.shape}; expected ({n_samples},), one target for each sample"
        )
    if not len(array):
        raise ValueError("y is empty. A regressor needs at least one sample.")
    if len(array) != n_samples:
        raise ValueError(f"y has {len(array)} targets, but X has {n_samples} samples")


def _from_objects(array: NDArray[Any]) -> NDArray[np.float64]:
    """Convert objects to numbers one by one; missing values become NaN."""
    targets = np.empty(len(array))
    for row, value in enumerate(array):
        try:
            if isinstance(value, DATES):
                raise TypeError
            targets[row] = np.nan if is_missing(value) else float(value)
        except OverflowError:
            raise ValueError(f"y contains an integer at row {row} that exceeds float64") from None
        except (TypeError, ValueError):
            raise ValueError(
                f"y contains {value!r} at row {row}. Every target must be a number."
            ) from None
    return targets


def _check_finite(targets: NDArray[np.float64]) -> None:
    """Raise ValueError for the first NaN or infinite target."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(targets)):
            return
    is_bad = ~np.isfinite(targets)
    if not is_bad.any():  # only the sum overflows
        return
    row = int(np.argmax(is_bad))
    if np.isnan(targets[row]):
        raise ValueError(
            f"y contains NaN at row {row}. Impute or drop samples with missing targets before "
            "fitting."
        )
    raise ValueError(f"y contains {targets[row]} at row {row}; every target must be finite")
