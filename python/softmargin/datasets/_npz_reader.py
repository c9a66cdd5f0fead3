"""Data sets in numpy's .npz files: X and y, or the arrays of a CSR matrix and y."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from softmargin._checks.rows import check_finite
from softmargin._checks.targets import check_targets
from softmargin._files.npz import Archive
from softmargin.datasets._dataset import Dataset, encode, simplest, with_targets
from softmargin.datasets._request import LabelUse

_CONTENT = "a data set has X and y, or data, indices, indptr, shape and y"
_CSR_PARTS = ("data", "indices", "indptr", "shape")


class Sizes(NamedTuple):
    """Shape of a data set; ``n_classes`` is None if the file has no array ``classes``."""

    n_rows: int
    n_features: int
    n_classes: int | None


def read_npz(path: Path, labels: LabelUse = "required", targets: bool = False) -> Dataset:
    """Read a data set: X and y, or data, indices, indptr, shape and y.

    With an array ``classes``, y contains class codes, otherwise labels or, with ``targets``, the
    targets of a regression. ``n_train`` is optional.
    """
    with Archive.opened(path, _CONTENT) as archive:
        X = _dense(archive.array("X")) if "X" in archive.names else _sparse(archive)
        if labels == "ignored" or (labels == "optional" and "y" not in archive.names):
            n_train = _n_train(archive, X.shape[0])
            return Dataset(path.stem, X, None, np.array([], dtype=np.str_), n_train)
        y = archive.array("y")
        if y.shape != (X.shape[0],):
            raise ValueError(f"X has {X.shape[0]} rows, but y has shape {y.shape}")
        classes: NDArray[Any]
        codes: NDArray[Any]
        if "classes" in archive.names:
            classes, codes = _given_classes(archive.array("classes"), y)
        elif targets and y.dtype.kind not in "US":
            classes, codes = np.array([], dtype=np.str_), check_targets(y, len(y))
        else:
            classes, codes = encode(y)
        n_train = _n_train(archive, X.shape[0])
    found = Dataset(path.stem, X, codes, classes, n_train)
    return with_targets(found) if targets else found


def read_sizes(path: Path) -> Sizes:
    """Return the shape from the headers, without reading the data."""
    with Archive.opened(path, _CONTENT) as archive:
        shape = archive.shape("X") if "X" in archive.names else _csr_shape(archive)
        if len(shape) != 2:
            raise ValueError(f"X has shape {shape}; expected 2 dimensions")
        if archive.shape("y") != shape[:1]:
            raise ValueError(f"X has {shape[0]} rows, but y has shape {archive.shape('y')}")
        n_classes = None
        if "classes" in archive.names:
            n_classes = math.prod(archive.shape("classes"))
        return Sizes(shape[0], shape[1], n_classes)


def _dense(X: NDArray[Any]) -> NDArray[Any]:
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"X has shape {X.shape}; expected a nonempty 2D array")
    X = np.ascontiguousarray(_floats(X, "X"))
    check_finite(X)
    return X


def _floats(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return numbers as float32 if it represents all values of their dtype, else as float64."""
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{name} has dtype {values.dtype}; expected a numeric dtype")
    fits = np.can_cast(values.dtype, np.float32, "safe")
    with np.errstate(over="ignore"):  # a long double beyond float64: the infinity is rejected later
        return values.astype(np.float32 if fits else np.float64, copy=False)


def _csr_shape(archive: Archive) -> tuple[int, ...]:
    if "shape" not in archive.names:
        archive.shape("X")  # raises an error that lists the arrays
    shape = archive.array("shape")
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or not (shape > 0).all():
        raise ValueError(f"shape = {shape.tolist()} is not valid: it must be two positive integers")
    if shape[1] > 2**31 - 1:
        raise ValueError(f"shape = {shape.tolist()} is not valid: at most 2147483647 columns")
    if archive.shape("indptr") != (int(shape[0]) + 1,):
        raise ValueError(
            f"shape has {shape[0]} rows, but indptr has shape {archive.shape('indptr')}"
        )
    return int(shape[0]), int(shape[1])


def _sparse(archive: Archive) -> sp.csr_matrix:
    n_rows, n_columns = _csr_shape(archive)
    data, indices, indptr = (archive.array(name) for name in _CSR_PARTS[:3])
    for name, part in (("indices", indices), ("indptr", indptr)):
        if part.dtype.kind not in "iu" or part.ndim != 1:
            raise ValueError(f"{name} must be a 1D array of integers")
    data = _floats(data, "data")
    if not data.shape == indices.shape:
        raise ValueError(f"data has shape {data.shape}, but indices has shape {indices.shape}")
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any() or indptr[-1] != len(data):
        raise ValueError(f"indptr must ascend from 0 to {len(data)}, the number of values")
    outside = np.flatnonzero((indices < 0) | (indices >= n_columns))
    if len(outside):
        row = int(np.searchsorted(indptr, outside[0], side="right")) - 1
        raise ValueError(
            f"row {row} has a value in column {indices[outside[0]]}, outside 0 to {n_columns - 1}"
        )
    X = sp.csr_matrix((data, indices, indptr), shape=(n_rows, n_columns))
    X.sort_indices()
    duplicates = np.flatnonzero(X.indices[1:] == X.indices[:-1]) + 1
    duplicates = duplicates[~np.isin(duplicates, X.indptr)]
    if len(duplicates):
        row = int(np.searchsorted(X.indptr, duplicates[0], side="right")) - 1
        raise ValueError(f"row {row} has two values in column {X.indices[duplicates[0]]}")
    check_finite(X)
    return X


def _given_classes(
    classes: NDArray[Any], y: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the classes in the order of the file, and y, which must contain their codes."""
    if classes.ndim != 1 or not len(classes):
        raise ValueError(f"classes has shape {classes.shape}; expected a nonempty 1D array")
    classes = simplest(classes)
    if len(np.unique(classes)) != len(classes):
        raise ValueError(f"classes has a duplicate label: {classes.tolist()[:10]}")
    if y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= len(classes):
        raise ValueError(f"y must be integers from 0 to {len(classes) - 1}, the indices of classes")
    return classes, y.astype(np.int64)


def _n_train(archive: Archive, n_rows: int) -> int | None:
    if "n_train" not in archive.names:
        return None
    n_train = archive.array("n_train")
    if n_train.size != 1 or n_train.dtype.kind not in "iu" or not 0 < n_train.item() < n_rows:
        raise ValueError(
            f"n_train = {n_train.tolist()} is not valid: it must be from 1 to {n_rows - 1}"
        )
    return int(n_train.item())
