"""From what users pass to what the core takes: rows, labels, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d, validate_data


def native_rows(X: Any) -> Any:
    """Return rows in the form of the core; its checks name the first bad place."""
    if isinstance(X, sp.csr_matrix | sp.csr_array):
        return X.indptr, X.indices, np.require(X.data, requirements=["C", "A"]), X.shape[1]
    return np.require(X, requirements=["C", "A"])


def check_rows(X: Any, *, estimator: Any = None, reset: bool = True, dtype: Any = None) -> Any:
    """Return X as a C-ordered float array or a canonical CSR matrix.

    float32 and float64 stay what they are, everything else becomes float64.
    With an estimator, the number and names of features are recorded (``reset``)
    or compared. Whether values are finite is left to the core.
    """
    refuse_unusable(X)
    X = check_sparse_structure(X)
    options: dict[str, Any] = {
        "accept_sparse": "csr",
        "accept_large_sparse": True,
        "dtype": [np.float64, np.float32] if dtype is None else dtype,
        "order": "C",
        "ensure_all_finite": False,
    }
    with np.errstate(over="ignore"):  # float64 to float32: the core refuses the infinity
        if estimator is None:
            X = check_array(X, input_name="X", **options)
        else:
            X = validate_data(estimator, X, reset=reset, **options)
    return X


def refuse_unusable(X: Any) -> None:
    """Refuse what numpy would convert without a word."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError("X has masked cells; fill or drop them first")
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    if kind == "c":
        raise ValueError(f"Complex data not supported: X has dtype {X.dtype}")
    if kind in ("m", "M"):
        raise ValueError(f"X has dtype {X.dtype}; dates and durations are not numbers")


def check_sparse_structure(X: Any) -> Any:
    """Return sparse X with sorted, unique indices, after a check that no index is wild."""
    if not sp.issparse(X):
        return X
    return canonical(X)


def canonical(X: Any) -> Any:
    """Return a sparse matrix as CSR with sorted, unique indices; never touch a wild index."""
    if X.format not in ("csr", "csc", "bsr"):
        return X.tocsr()
    nnz = min(len(X.indices), len(X.data))
    if len(X.indptr) == 0 or X.indptr[0] != 0:
        raise ValueError("the indptr of sparse X must start with 0")
    if np.any(np.diff(X.indptr) < 0):
        raise ValueError("the indptr of sparse X decreases")
    if X.indptr[-1] != len(X.indices) or X.indptr[-1] > nnz:
        raise ValueError(
            f"the indptr of sparse X ends at {X.indptr[-1]}, but there are "
            f"{len(X.indices)} indices and {len(X.data)} values"
        )
    X.check_format(full_check=True)
    csr = X.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr


def check_labels(y: Any) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the sorted classes and the code of each row. Any label type keeps its identity."""
    y = column_or_1d(y, warn=True)
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise ValueError("y has masked cells; fill or drop them first")
    refuse_missing_labels(y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has only one class, {classes[0]!r}; a classifier needs at least 2 classes"
        )
    return classes, codes.astype(np.uint32)


def refuse_missing_labels(y: NDArray[Any]) -> None:
    """Name the first label that is NaN or None."""
    if y.dtype.kind == "f":
        missing = ~np.isfinite(y)
    elif y.dtype.kind == "O":
        missing = np.array([v is None or v != v for v in y], dtype=bool)
    else:
        return
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(f"y contains {y[row]} (first at row {row}); every label must be known")


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
    for label, weight in class_weight.items():
        place = places.get(label)
        if place is None:
            raise ValueError(f"class_weight names the class {label!r}, which is not in y")
        if not (np.isfinite(weight) and weight >= 0):
            raise ValueError(
                f"class_weight[{label!r}] = {weight} is not valid: it must be finite and positive"
            )
        if weight == 0:
            raise ValueError(f"class {label!r} is lost: its class_weight is 0")
        weights[place] = weight
    return weights
