"""Stratified and shuffled folds as arrays of fold numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks import parameters
from softmargin._checks.labels import check_labels


def fold_labels(y: Any, n_folds: int = 5, random_state: Any = None) -> NDArray[np.uint32]:
    """Assign each sample to one of ``n_folds`` stratified, shuffled folds.

    The number of samples of a class, and the total number of samples, differ by at most one
    between folds.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    n_folds : int, default=5
        Number of folds, at least 2.
    random_state : int, RandomState or None, default=None
        Seed of the shuffling.

    Returns
    -------
    ndarray of shape (n_samples,), dtype uint32
        The fold of each sample, from 0 to ``n_folds - 1``.

    Raises
    ------
    ValueError
        If every class has fewer samples than folds.

    Warns
    -----
    UserWarning
        If a class has fewer samples than folds.

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
    """Assign each sample to an outer fold, and to an inner fold for each outer fold.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    outer, inner : int, default=5
        Number of outer folds, and of inner folds within each outer training part; at least 2.
    random_state : int, RandomState or None, default=None
        Seed of the shuffling.

    Returns
    -------
    outer_labels : ndarray of shape (n_samples,), dtype uint32
        The outer fold of each sample.
    inner_labels : list of ndarray
        ``inner_labels[o][i]`` is the inner fold of sample i while outer fold o is held out;
        2**32 - 1 if the sample belongs to outer fold o.

    Raises
    ------
    ValueError
        If every class has fewer samples than folds.

    Warns
    -----
    UserWarning
        If a class has too few samples for the folds.
    """
    classes, codes = check_labels(y)
    outer, inner = _count("outer", outer), _count("inner", inner)
    _warn_of_small_classes(codes, outer, inner)
    return _core.nested_fold_labels(
        codes, len(classes), outer, inner, parameters.seed(random_state)
    )


def shuffled_folds(n_samples: int, n_folds: int, random_state: Any) -> NDArray[np.uint32]:
    """Return the fold of each sample, without strata."""
    n_folds = _count("n_folds", n_folds)
    _check_enough(n_samples, n_folds)
    codes = np.zeros(n_samples, dtype=np.uint32)
    return _core.fold_labels(codes, 1, n_folds, parameters.seed(random_state))


def nested_shuffled_folds(
    n_samples: int, outer: int, inner: int, random_state: Any
) -> tuple[NDArray[np.uint32], list[NDArray[np.uint32]]]:
    """Return the outer fold of each sample, and its inner folds, without strata."""
    outer, inner = _count("outer", outer), _count("inner", inner)
    _check_enough(n_samples, outer)
    _check_enough(n_samples - -(-n_samples // outer), inner)
    codes = np.zeros(n_samples, dtype=np.uint32)
    return _core.nested_fold_labels(codes, 1, outer, inner, parameters.seed(random_state))


def _check_enough(n_samples: int, n_folds: int) -> None:
    if n_samples < n_folds:
        raise ValueError(f"{n_samples} samples cannot be divided into {n_folds} folds")


def _count(name: str, value: Any) -> int:
    count = parameters.integer(name, value)
    if count < 2:
        raise ValueError(f"{name} = {count} is not valid: it must be at least 2")
    return count


def _warn_of_small_classes(codes: NDArray[np.uint32], n_folds: int, inner: int = 0) -> None:
    """Warn if a class is too small for all folds; if every class is, the core raises."""
    counts = np.bincount(codes)
    smallest, largest = int(counts.min()), int(counts.max())
    if smallest < n_folds <= largest:
        warnings.warn(
            f"the smallest class has {smallest} samples, fewer than the {n_folds} folds",
            UserWarning,
            stacklevel=3,
        )
    elif smallest - -(-smallest // n_folds) < inner <= largest:
        warnings.warn(
            f"the smallest class has {smallest} samples, too few for {inner} inner folds",
            UserWarning,
            stacklevel=3,
        )
