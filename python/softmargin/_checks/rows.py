"""Conversion of training and test samples to the arrays of the core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from softmargin._checks import frame, sparse
from softmargin._checks.numbers import check_numeric

FLOATS: list[np.dtype[Any]] = [np.dtype(np.float64), np.dtype(np.float32)]


def native_rows(X: Any) -> Any:
    """Return samples as the core expects them; the core validates indices and values."""
    if isinstance(X, sp.csr_matrix | sp.csr_array):
        indptr, indices, data = (
            np.require(part, requirements=["C", "A"]) for part in (X.indptr, X.indices, X.data)
        )
        return indptr, indices, data, X.shape[1]
    return np.require(X, requirements=["C", "A"])


def from_native(rows: Any) -> Any:
    """Return samples of the core as an array or a CSR matrix."""
    if isinstance(rows, tuple):
        indptr, indices, data, n_cols = rows
        return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, n_cols))
    return rows


def check_rows(
    X: Any,
    *,
    estimator: Any = None,
    reset: bool = True,
    dtype: Any = None,
    any_order: bool = False,
    name: str = "X",
) -> Any:
    """Return X as a C-ordered float array or a canonical CSR matrix.

    float32 and float64 are kept, all other types are converted to float64. ``any_order`` keeps
    the column order within sparse rows, which the core then sorts. With an estimator, the number
    and names of features are recorded (``reset``) or compared, after the values have been checked.
    ``name`` is the argument's name in error messages.
    """
    if dtype is None and (estimator is None or reset) and _is_ready(X):
        # For a hundred samples, scikit-learn's checks take longer than training.
        check_finite(X, name)
        if estimator is not None:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
        return X
    given, columns = X, frame.names_of(X)
    if columns is not None:
        frame.check_numeric_columns(name, X)
    elif sp.issparse(X):
        X = sparse.canonical(X, any_order)
    else:
        check_numeric(name, X)
        X = native_bytes(X)
    with np.errstate(over="ignore"):  # float64 to float32: infinities are detected below
        X = check_array(
            X,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=FLOATS if dtype is None else dtype,
            order="C",
            ensure_all_finite=False,
            estimator=estimator,
            input_name=name,
        )
    is_fit = estimator is None or reset
    check_finite(X, name, columns, is_fit)
    if estimator is not None:
        validate_data(estimator, given, reset=reset, skip_check_array=True)
    return X


def _is_ready(X: Any) -> bool:
    """Return whether X is an array of samples that the core accepts unchanged."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in FLOATS
        and X.size > 0
        and X.flags.c_contiguous
        and X.flags.aligned
    )


def is_plain(X: Any, estimator: Any, dtypes: Sequence[np.dtype[Any]]) -> bool:
    """Return whether X is an array that the core accepts unchanged, with the fitted features.

    :func:`check_rows` would then return X itself, or raise for a non-finite value, for which the
    core raises the same message. For a single sample these checks take longer than the
    prediction.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in dtypes
        and X.shape[0] > 0
        and X.shape[1] == estimator.n_features_in_
        and X.flags.c_contiguous
        and X.flags.aligned
        and not hasattr(estimator, "feature_names_in_")
    )


def native_bytes(X: Any) -> Any:
    """Return a float array in native byte order."""
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and not X.dtype.isnative:
        return X.astype(X.dtype.newbyteorder("="))
    return X


def check_finite(
    X: Any, name: str = "X", columns: list[Any] | None = None, is_fit: bool = True
) -> None:
    """Raise ValueError for the first NaN or infinite value, with its row and column."""
    is_sparse = bool(sp.issparse(X))
    values = X.data if is_sparse else X
    with np.errstate(over="ignore", invalid="ignore"):
        # A float32 sum rarely overflows; only then is the slower float64 sum needed.
        if np.isfinite(np.sum(values)) or np.isfinite(np.sum(values, dtype=np.float64)):
            return
    if is_sparse:
        found = np.flatnonzero(~np.isfinite(values))
        if len(found):
            row = int(np.searchsorted(X.indptr, found[0], side="right")) - 1
            column, value = int(X.indices[found[0]]), values[found[0]]
            _raise_not_finite(name, value, row, columns[column] if columns else column, is_fit)
    else:
        for row, cells in enumerate(X):
            if not np.isfinite(cells).all():
                column = int(np.argmin(np.isfinite(cells)))
                value = cells[column]
                _raise_not_finite(name, value, row, columns[column] if columns else column, is_fit)


def _raise_not_finite(name: str, value: Any, row: int, column: Any, is_fit: bool) -> NoReturn:
    place = f"at row {row}, column {frame.format_name(column)}"
    if np.isnan(value):
        when = " before fitting" if is_fit else ""
        raise ValueError(f"{name} contains NaN {place}. Impute or drop missing values{when}.")
    raise ValueError(f"{name} contains {value} {place}; every value must be finite")
