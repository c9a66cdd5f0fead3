"""Training and test indices from a number of folds, a splitter, or pairs of indices."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, column_or_1d

from softmargin._selection.folds import (
    fold_labels,
    nested_fold_labels,
    nested_shuffled_folds,
    shuffled_folds,
)
from softmargin._selection.samples import Split

Folds = list[tuple[Split, list[Split]]]


def nested(
    X: Any,
    y: Any,
    outer: Any,
    inner: Any,
    random_state: Any,
    groups: Any = None,
    has_classes: bool = True,
) -> Folds:
    """Return the outer splits with their inner splits, as indices.

    Splitters get the groups of their samples. Numbers of folds mean folds that are stratified if y
    contains classes.
    """
    for name, folds in (("outer", outer), ("inner", inner)):
        is_known = isinstance(folds, Integral | Iterable) or hasattr(folds, "split")
        if not is_known or isinstance(folds, str):
            raise ValueError(
                f"{name} = {folds!r} is not valid: it must be a number of folds, a splitter, or an "
                "iterable of pairs of training and test indices"
            )
    if isinstance(outer, Integral) and isinstance(inner, Integral) and groups is None:
        counts = int(outer), int(inner), random_state
        if has_classes:
            labels, inner_labels = nested_fold_labels(y, *counts)
        else:
            labels, inner_labels = nested_shuffled_folds(_num_samples(y), *counts)
        return [
            (
                (np.flatnonzero(labels != o), np.flatnonzero(labels == o)),
                [
                    (
                        np.flatnonzero((inside != i) & (labels != o)),
                        np.flatnonzero(inside == i),
                    )
                    for i in range(int(inner))
                ],
            )
            for o, inside in enumerate(inner_labels)
        ]
    labelled = np.asarray(y)
    found: Folds = []
    for train, test in plain("outer", X, labelled, outer, random_state, groups, has_classes):
        own_groups = None if groups is None else groups[train]
        own_X = _safe_indexing(X, train)
        inside = plain(
            "inner", own_X, labelled[train], inner, random_state, own_groups, has_classes
        )
        if found and len(inside) != len(found[0][1]):
            raise ValueError(
                f"outer fold {len(found)} has {len(inside)} inner splits, but outer fold 0 has "
                f"{len(found[0][1])}; all outer folds must have the same number of inner splits"
            )
        found.append(((train, test), [(train[a], train[b]) for a, b in inside]))
    return found


def check_repeatable(outer: Any, inner: Any, random_state: Any) -> None:
    """Raise ValueError if the same call would draw different folds."""
    for name, folds in (("outer", outer), ("inner", inner)):
        reason = ""
        if isinstance(folds, Integral):
            if not isinstance(random_state, Integral):
                reason = f"is shuffled with random_state = {random_state!r}; set it to an int"
        elif hasattr(folds, "split"):
            seed = getattr(folds, "random_state", 0)
            if getattr(folds, "shuffle", True) and not isinstance(seed, Integral):
                reason = f"has random_state = {seed!r}; set its random_state to an int"
        elif isinstance(folds, Iterator):
            reason = "yields its splits only once; pass a list or a splitter"
        if reason:
            raise ValueError(f"{_NEEDED}, but {name} = {folds!r} {reason}")


def check_repeated(
    X: Any,
    y: Any,
    outer: Any,
    inner: Any,
    random_state: Any,
    groups: Any,
    found: Folds,
    has_classes: bool = True,
) -> None:
    """Raise ValueError if splitters give different splits when called again."""
    if not (hasattr(outer, "split") or hasattr(inner, "split")):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # already shown by the first call
        again = nested(X, y, outer, inner, random_state, groups, has_classes)
    first, second = _all_rows(found), _all_rows(again)
    if len(first) != len(second) or not all(map(np.array_equal, first, second)):
        raise ValueError(
            f"{_NEEDED}, but outer = {outer!r} with inner = {inner!r} gave different splits when "
            "called again; use splitters with a fixed seed"
        )


_NEEDED = "a run can resume from a checkpoint only if the same call draws the same folds"


def _all_rows(folds: Folds) -> list[NDArray[Any]]:
    return [rows for outer, inside in folds for split in (outer, *inside) for rows in split]


def plain(
    name: str,
    X: Any,
    y: Any,
    folds: Any,
    random_state: Any,
    groups: Any = None,
    has_classes: bool = True,
) -> list[Split]:
    """Return the splits of a single cross-validation as indices.

    A number of folds means folds that are stratified if y contains classes, and that with groups
    do not divide a group.
    """
    if isinstance(folds, Integral) and groups is not None:
        folds = _grouped(name, int(folds), groups, random_state, has_classes)
    if isinstance(folds, Integral):
        if has_classes:
            labels = fold_labels(y, int(folds), random_state)
        else:
            labels = shuffled_folds(_num_samples(y), int(folds), random_state)
        return [
            (np.flatnonzero(labels != fold), np.flatnonzero(labels == fold))
            for fold in range(int(folds))
        ]
    if hasattr(folds, "split"):
        folds = folds.split(X, y) if groups is None else folds.split(X, y, groups)
    return as_indices(name, folds, _num_samples(X))


def _grouped(name: str, n_folds: int, groups: Any, random_state: Any, has_classes: bool) -> Any:
    """Return a splitter into shuffled folds of whole groups, stratified by classes."""
    n_groups = len(np.unique(groups))
    if not 2 <= n_folds <= n_groups:
        raise ValueError(
            f"{name} = {n_folds} is not valid: it must be at least 2 and at most the number of "
            f"groups, {n_groups}"
        )
    if not has_classes:
        return GroupKFold(n_folds, shuffle=True, random_state=random_state)
    return StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state)


def check_groups(groups: Any, n_samples: int) -> NDArray[Any] | None:
    """Return the group of each sample as an array."""
    if groups is None:
        return None
    found = column_or_1d(groups, warn=False)
    if len(found) != n_samples:
        raise ValueError(
            f"groups has {len(found)} values, but X has {n_samples} samples; they must have the "
            "same length"
        )
    return np.asarray(found)


def as_indices(name: str, splits: Iterable[Any], n_rows: int) -> list[Split]:
    """Return pairs of indices or of boolean masks as pairs of indices, in the given order."""
    found = []
    for number, split in enumerate(splits):
        place = f"split {number} of {name}"
        try:
            train, test = split
        except (TypeError, ValueError):
            raise ValueError(f"{place} is not a pair of training and test indices") from None
        found.append((_indices(place, train, n_rows), _indices(place, test, n_rows)))
    if not found:
        raise ValueError(f"{name} contains no splits")
    return found


def _indices(place: str, given: Any, n_rows: int) -> NDArray[Any]:
    """Return indices of samples, at least one."""
    rows = np.asarray(given)
    if rows.dtype == bool and rows.shape == (n_rows,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or len(rows) == 0 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"{place} contains an array of shape {rows.shape} and dtype {rows.dtype}; training and "
            f"test samples must be non-empty arrays of indices, or masks of length {n_rows}"
        )
    lowest, highest = int(rows.min()), int(rows.max())
    if lowest < 0 or highest >= n_rows:
        wrong = lowest if lowest < 0 else highest
        raise ValueError(
            f"{place} contains index {wrong}, but there are {n_rows} samples; indices must be "
            f"from 0 to {n_rows - 1}"
        )
    return rows
