"""Labels of any type: their classes, and the class code of each sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from softmargin._checks.numbers import check_not_masked, is_missing

# Above this many labels, classes are found by hashing in blocks of this size instead of sorting.
_MANY_LABELS = 1 << 16


def check_labels(y: Any, name: str = "y") -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the sorted classes, in the type of the labels, and the class code of each sample."""
    check_no_missing_labels(y, name)
    if not (type(y) is np.ndarray and y.ndim == 1):
        y = column_or_1d(y, warn=True)
    if not y.dtype.isnative:
        y = y.astype(y.dtype.newbyteorder("="))
    try:
        classes, codes = _unique_integers(y) or _unique_labels(y)
    except TypeError as error:
        raise TypeError(f"{name} has unsupported labels: {error}") from None
    if len(classes) < 2:
        found = f"only one class, {classes[0]!r}" if len(classes) else "no labels"
        raise ValueError(f"{name} has {found}. A classifier needs samples of at least 2 classes.")
    return classes, codes.astype(np.uint32)


def _unique_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    if y.dtype.kind not in "OU" or len(y) < _MANY_LABELS:
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes
    # Sorting this many objects or strings takes seconds, during which Ctrl-C has no effect.
    found: dict[Any, int] = {}
    numbers = np.empty(len(y), dtype=np.intp)
    for start in range(0, len(y), _MANY_LABELS):
        block = y[start : start + _MANY_LABELS].tolist()
        numbers[start : start + len(block)] = [
            found.setdefault(label, len(found)) for label in block
        ]
    distinct = np.empty(len(found), dtype=y.dtype)
    for index, label in enumerate(found):
        distinct[index] = label
    is_rare = len(found) <= len(y) // 3
    # Each label three times, to avoid the warning about many classes with few samples.
    check_classification_targets(np.repeat(distinct, 3) if is_rare else y)
    classes, codes = np.unique(distinct, return_inverse=True)
    return classes, codes[numbers]


def _unique_integers(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Equivalent to ``_unique_labels`` without sorting, for integers in a narrow range."""
    if y.dtype.kind not in "iu" or not len(y):
        return None
    low, high = int(y.min()), int(y.max())
    if high - low >= max(256, len(y) // 8) or high >= 2**63:
        return None
    offsets = y.astype(np.int64) - low
    counts = np.bincount(offsets)
    present = np.flatnonzero(counts)
    numbers = np.zeros(len(counts), dtype=np.uint32)
    numbers[present] = np.arange(len(present))
    classes = (present + low).astype(y.dtype)
    return classes, numbers[offsets]


def check_no_missing_labels(y: Any, name: str = "y") -> None:
    """Raise an error for the first label that is NaN, NaT, infinite, None, masked or pandas.NA.

    Bytes and numpy's StringDType, which also has missing values, are not supported.
    """
    check_not_masked(name, y)
    labels = np.asarray(y)
    if labels.dtype.kind == "f":
        missing = ~np.isfinite(labels)
    elif labels.dtype.kind in "mM":
        missing = np.isnat(labels)
    elif labels.dtype.kind in "ST":
        raise TypeError(
            f"{name} has labels of dtype {labels.dtype}, which is not supported. Convert them, for "
            "example with astype(str)."
        )
    elif labels.dtype.kind == "O":
        missing = np.array([is_missing(label) for label in labels.flat], dtype=bool)
    else:
        return
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(
            f"{name} contains {labels.flat[row]} (first at row {row}). Drop unlabelled samples."
        )


def codes_of(y: Any, classes: NDArray[Any], name: str = "y") -> NDArray[np.intp]:
    """Return the class code of each label, -1 for labels that are not among the classes."""
    check_no_missing_labels(y, name)
    labels = column_or_1d(y, warn=True)
    try:
        order = np.argsort(classes)  # classes of ordinal classifiers need not be sorted
        positions = np.searchsorted(classes, labels, sorter=order).clip(max=len(classes) - 1)
        codes = order[positions]
        is_known = np.asarray(classes[codes] == labels, dtype=bool)
    except TypeError:
        raise TypeError(
            f"{name} has labels of dtype {labels.dtype}, which cannot be compared with classes of "
            f"dtype {classes.dtype}"
        ) from None
    return np.where(is_known, codes, -1)
