"""Stratified, shuffled folds as arrays of labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks import parameters
from softmargin._checks.labels import check_labels


def fold_labels(y: Any, n_folds: int = 5, random_state: Any = None) -> NDArray[np.uint32]:
    """Return the fold, 0 to ``n_folds - 1``, of each row.

    Counts of a class, and sizes of the folds, differ by at most one. Warns if a
    class has fewer rows than folds; raises if all have.

    Examples
    --------
    >>> import softmargin
    >>> sorted(softmargin.fold_labels([0, 0, 1, 1], n_folds=2, random_state=0).tolist())
    [0, 0, 1, 1]
    """
    classes, codes = check_labels(y)
    n_folds = _count("n_folds", n_folds)
    _warn_of_small_classes(codes, n_folds)
    return _core.fold_labels(codes, len(classes), n_folds, parameters.seed(random_state))


def nested_fold_labels(
    y: Any, outer: int = 5, inner: int = 5, random_state: Any = None
) -> tuple[NDArray[np.uint32], list[NDArray[np.uint32]]]:
    """Return the outer fold of each row, and for each outer fold the inner folds.

    ``inner_labels[o][i]`` is the inner fold of row i while outer fold o is held
    out; it is 2**32 - 1 for the rows of o itself.
    """
    classes, codes = check_labels(y)
    outer, inner = _count("outer", outer), _count("inner", inner)
    _warn_of_small_classes(codes, outer, inner)
    return _core.nested_fold_labels(
        codes, len(classes), outer, inner, parameters.seed(random_state)
    )


def _count(name: str, value: Any) -> int:
    count = parameters.integer(name, value)
    if count < 2:
        raise ValueError(f"{name} = {count} is not valid: it must be at least 2")
    return count


def _warn_of_small_classes(codes: NDArray[np.uint32], n_folds: int, inner: int = 0) -> None:
    """Warn where a class cannot be in every fold; where none can, the core refuses."""
    counts = np.bincount(codes)
    smallest, largest = int(counts.min()), int(counts.max())
    if smallest < n_folds <= largest:
        warnings.warn(
            f"the smallest class has {smallest} rows, fewer than the {n_folds} folds",
            UserWarning,
            stacklevel=3,
        )
    elif smallest - -(-smallest // n_folds) < inner <= largest:
        warnings.warn(
            f"the smallest class has {smallest} rows, too few for {inner} inner folds",
            UserWarning,
            stacklevel=3,
        )
