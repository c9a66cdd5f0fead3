"""From what users pass to what the core takes: rows, labels, weights."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from numbers import Real
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from hinge import _frame, _numbers, _sparse

# From so many labels on they are counted and not sorted, so many at a time.
_MANY_LABELS = 1 << 16
FLOATS: list[np.dtype[Any]] = [np.dtype(np.float64), np.dtype(np.float32)]


def native_rows(X: Any) -> Any:
    """Return rows in the form of the core; its checks name the first bad place."""
    if isinstance(X, sp.csr_matrix | sp.csr_array):
        indptr, indices, data = (
            np.require(part, requirements=["C", "A"]) for part in (X.indptr, X.indices, X.data)
        )
        return indptr, indices, data, X.shape[1]
    return np.require(X, requirements=["C", "A"])


def from_native(rows: Any) -> Any:
    """Return rows of the core as an array or a CSR matrix."""
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
    """Return X as a C-ordered float array or a canonical CSR matrix; ``name`` is for errors.

    ``any_order`` leaves the columns inside a sparse row as they are, for the core to sort.
    float32 and float64 stay what they are, everything else becomes float64.
    With an estimator, the number and names of features are recorded (``reset``)
    or compared, after the values were found to be finite.
    """
    given, columns = X, _frame.names_of(X)
    if columns is not None:
        _frame.refuse_columns(name, X)
    elif sp.issparse(X):
        X = _sparse.canonical(X, any_order)
    else:
        _numbers.refuse_values(name, X)
        X = native_bytes(X)
    with np.errstate(over="ignore"):  # float64 to float32: the infinity is found below
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
    refuse_not_finite(X, name, columns, is_fit)
    if estimator is not None:
        validate_data(estimator, given, reset=reset, skip_check_array=True)
    return X


def is_plain(X: Any, estimator: Any, dtypes: Sequence[np.dtype[Any]]) -> bool:
    """Tell whether X is an array that the core takes as it is, with the features of a fit.

    Then :func:`check_rows` would return X itself, or refuse a value that is not finite, which
    the core refuses with the same sentence. For a single row its checks take longer than the
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
    """Return a float array of the other byte order in that of the machine."""
    if isinstance(X, np.ndarray) and X.dtype.kind == "f" and not X.dtype.isnative:
        return X.astype(X.dtype.newbyteorder("="))
    return X


def refuse_not_finite(
    X: Any, name: str = "X", columns: list[Any] | None = None, is_fit: bool = True
) -> None:
    """Name the first value that is NaN or infinite, by the name of its column if there is one."""
    is_sparse = bool(sp.issparse(X))
    values = X.data if is_sparse else X
    with np.errstate(over="ignore", invalid="ignore"):
        # Of float32 the sum may overflow, which is rare, and is slow in float64.
        if np.isfinite(np.sum(values)) or np.isfinite(np.sum(values, dtype=np.float64)):
            return
    if is_sparse:
        places = np.flatnonzero(~np.isfinite(values))
        if len(places):
            row = int(np.searchsorted(X.indptr, places[0], side="right")) - 1
            column, value = int(X.indices[places[0]]), values[places[0]]
            _raise_not_finite(name, value, row, columns[column] if columns else column, is_fit)
    else:
        for row, cells in enumerate(X):
            if not np.isfinite(cells).all():
                column = int(np.argmin(np.isfinite(cells)))
                value = cells[column]
                _raise_not_finite(name, value, row, columns[column] if columns else column, is_fit)


def _raise_not_finite(name: str, value: Any, row: int, column: Any, is_fit: bool) -> NoReturn:
    place = f"at row {row}, column {_frame.shown_name(column)}"
    if np.isnan(value):
        when = " before fitting" if is_fit else ""
        raise ValueError(f"{name} contains NaN {place}. Impute or drop missing values{when}.")
    raise ValueError(f"{name} contains {value} {place}; every value must be finite")


def check_labels(y: Any, name: str = "y") -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the sorted classes and the code of each row. Any label type keeps its identity."""
    refuse_missing_labels(y, name)
    y = column_or_1d(y, warn=True)
    if not y.dtype.isnative:
        y = y.astype(y.dtype.newbyteorder("="))
    try:
        classes, codes = _unique_integers(y) or _unique_labels(y)
    except TypeError as error:
        raise TypeError(f"{name} has labels that cannot be used: {error}") from None
    if len(classes) < 2:
        found = f"only one class, {classes[0]!r}" if len(classes) else "no labels"
        raise ValueError(f"{name} has {found}; a classifier needs at least 2 classes")
    return classes, codes.astype(np.uint32)


def _unique_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    if y.dtype.kind not in "OU" or len(y) < _MANY_LABELS:
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes
    # To sort so many objects or strings takes seconds, in which nobody hears Ctrl-C.
    found: dict[Any, int] = {}
    numbers = np.empty(len(y), dtype=np.intp)
    for start in range(0, len(y), _MANY_LABELS):
        block = y[start : start + _MANY_LABELS].tolist()
        numbers[start : start + len(block)] = [
            found.setdefault(label, len(found)) for label in block
        ]
    distinct = np.empty(len(found), dtype=y.dtype)
    for place, label in enumerate(found):
        distinct[place] = label
    is_rare = len(found) <= len(y) // 3
    # Three times each: that there are few of each kind is not what is asked.
    check_classification_targets(np.repeat(distinct, 3) if is_rare else y)
    classes, codes = np.unique(distinct, return_inverse=True)
    return classes, codes[numbers]


def _unique_integers(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Do as ``_unique_labels`` without sorting, for whole numbers that lie close together."""
    if y.dtype.kind not in "iu" or not len(y):
        return None
    low, high = int(y.min()), int(y.max())
    if high - low >= max(256, len(y) // 8) or high >= 2**63:
        return None
    offsets = y.astype(np.int64) - low
    counts = np.bincount(offsets)
    there = np.flatnonzero(counts)
    numbers = np.zeros(len(counts), dtype=np.uint32)
    numbers[there] = np.arange(len(there))
    classes = (there + low).astype(y.dtype)
    return classes, numbers[offsets]


def refuse_missing_labels(y: Any, name: str = "y") -> None:
    """Name the first label that is NaN, NaT, infinite, None, masked or missing in pandas.

    Bytes and strings of numpy's own type, which may be missing, too, are refused altogether.
    """
    _numbers.refuse_masked(name, y)
    labels = np.asarray(y)
    if labels.dtype.kind == "f":
        missing = ~np.isfinite(labels)
    elif labels.dtype.kind in "mM":
        missing = np.isnat(labels)
    elif labels.dtype.kind in "ST":
        raise TypeError(
            f"{name} has labels of dtype {labels.dtype}, which are not supported; convert them, "
            "for instance by astype(str)"
        )
    elif labels.dtype.kind == "O":
        missing = np.array([_numbers.is_missing(label) for label in labels.flat], dtype=bool)
    else:
        return
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(
            f"{name} contains {labels.flat[row]} (first at row {row}); every label must be known"
        )


def codes_of(y: Any, classes: NDArray[Any], name: str = "y") -> NDArray[np.intp]:
    """Return the code of each label, -1 for one that is none of the classes."""
    refuse_missing_labels(y, name)
    labels = column_or_1d(y, warn=True)
    try:
        order = np.argsort(classes)  # classes of ordinal machines need not be sorted
        places = np.searchsorted(classes, labels, sorter=order).clip(max=len(classes) - 1)
        codes = order[places]
        is_known = np.asarray(classes[codes] == labels, dtype=bool)
    except TypeError:
        raise TypeError(
            f"{name} has labels of type {labels.dtype}, which cannot be compared with the classes "
            f"of type {classes.dtype}"
        ) from None
    return np.where(is_known, codes, -1)


def sample_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return the weight of each row, or None; negative and unknown weights are named."""
    if sample_weight is None:
        return None
    _numbers.refuse_values("sample_weight", sample_weight)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight is not valid: it must be numbers ({error})") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, but X has {n_rows} rows: "
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}"
        )
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight[{row}] = {weights[row]} is not valid: it must be finite, not negative"
        )
    return np.ascontiguousarray(weights)


def class_weights(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[np.uint32]
) -> NDArray[np.float64]:
    """Return the weight of each class: all 1, balanced, or from a dictionary."""
    weights = np.ones(len(classes))
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f"class_weight = {class_weight!r} is not valid: "
                "it must be None, 'balanced' or a dictionary from class to weight"
            )
        counts = np.bincount(codes, minlength=len(classes))
        return np.asarray(len(codes) / (len(classes) * counts), dtype=np.float64)
    if not hasattr(class_weight, "items"):
        raise ValueError(
            f"class_weight = {class_weight!r} is not valid: "
            "it must be None, 'balanced' or a dictionary from class to weight"
        )
    places = {label: place for place, label in enumerate(classes.tolist())}
    # Dates of numpy are no dates of Python.
    places |= {label: place for place, label in enumerate(classes)}
    for label, weight in class_weight.items():
        place = places.get(label)
        if place is None:
            raise ValueError(f"class_weight names the class {label!r}, which is not in y")
        value = _as_float(weight)
        if not 0 <= value < np.inf:
            raise ValueError(
                f"class_weight[{label!r}] = {reprlib.repr(weight)} is not valid: "
                "it must be finite and positive"
            )
        if value == 0:
            raise ValueError(f"class {label!r} is lost: its class_weight is 0")
        weights[place] = value
    return weights


def _as_float(weight: Any) -> float:
    """Return a number as a float, anything else as NaN; infinity if it is too large."""
    try:
        return float(weight) if isinstance(weight, Real) else np.nan
    except OverflowError:
        return np.inf


def used_rows(
    weights: NDArray[np.float64], classes: NDArray[Any], codes: NDArray[np.uint32]
) -> NDArray[np.intp] | None:
    """Return the rows with a positive weight, or None if all have; refuse to lose a class."""
    used = np.flatnonzero(weights > 0)
    left = np.bincount(codes[used], minlength=len(classes))
    if not left.any():
        raise ValueError(
            "every sample_weight is zero; at least one row must have a positive weight"
        )
    if not left.all():
        lost = classes.tolist()[int(np.argmin(left > 0))]
        raise ValueError(f"class {lost!r} is lost: the sample_weight of all its rows is 0")
    return None if len(used) == len(weights) else used
