"""Validation of scipy sparse matrices, whose conversions do not check indices or lengths."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from softmargin._checks.numbers import check_numeric_dtype


def dense(values: Any) -> Any:
    """Return a sparse matrix as an array, and any other object unchanged."""
    is_sparse = bool(sp.issparse(values))
    return values.toarray() if is_sparse else values


def canonical(X: Any, any_order: bool = False) -> Any:
    """Return a CSR matrix with sorted, unique columns; X itself is not modified.

    Every index and length is checked before use. ``any_order`` keeps the column order within
    rows, which the core then sorts.
    """
    if len(X.shape) != 2:
        raise ValueError(f"sparse X has shape {X.shape}; expected a 2D matrix")
    check_numeric_dtype("X", X.dtype)
    if X.dtype.kind == "O":
        raise ValueError("sparse X has dtype object; expected a numeric dtype")
    X = copy.copy(X)
    if X.format not in ("lil", "dok"):
        X.data = X.data.astype(X.data.dtype.newbyteorder("="), copy=False)
    csr = _TO_CSR[X.format](X)
    if not any_order and not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr


def _from_compressed(X: Any) -> Any:
    """Convert CSR, CSC and BSR; scipy's format check may change the index dtype."""
    for name in ("indptr", "indices"):
        _check_integers(name, getattr(X, name))
    nnz = min(len(X.indices), len(X.data))
    if len(X.indptr) == 0 or X.indptr[0] != 0:
        raise ValueError("the indptr of sparse X must start at 0")
    if np.any(np.diff(X.indptr) < 0):
        raise ValueError("the indptr of sparse X must not decrease")
    if X.indptr[-1] != len(X.indices) or X.indptr[-1] > nnz:
        raise ValueError(
            f"the indptr of sparse X ends at {X.indptr[-1]}, but there are "
            f"{len(X.indices)} indices and {len(X.data)} values"
        )
    X.check_format(full_check=True)
    return X.tocsr()


def _from_blocks(X: Any) -> Any:
    blocks = X.data.shape[1:]
    fits = X.data.ndim == 3 and 0 not in blocks
    if not fits or any(size % part for size, part in zip(X.shape, blocks, strict=True)):
        raise ValueError(
            f"sparse X of shape {X.shape} has data of shape {X.data.shape}, which do not match"
        )
    return _from_compressed(X)


def _from_coordinates(X: Any) -> Any:
    for name, indices, size in zip(("row", "col"), (X.row, X.col), X.shape, strict=True):
        _check_integers(name, indices)
        if indices.shape != X.data.shape:
            raise ValueError(
                f"the {name} of sparse X has {len(indices)} indices, but data has shape "
                f"{X.data.shape}"
            )
        if len(indices) and not 0 <= indices.min() <= indices.max() < size:
            raise ValueError(f"sparse X has an index outside 0 to {size - 1} in {name}")
    return X.tocsr()


def _from_diagonals(X: Any) -> Any:
    _check_integers("offsets", X.offsets)
    if X.data.ndim != 2 or len(X.data) != len(X.offsets):
        raise ValueError(f"sparse X has {len(X.offsets)} offsets, but data of shape {X.data.shape}")
    if len(np.unique(X.offsets)) != len(X.offsets):
        raise ValueError("the offsets of sparse X contain a duplicate diagonal")
    return _from_coordinates(X.tocoo())


def _from_lists(X: Any) -> Any:
    n_rows = X.shape[0]
    if not X.rows.shape == X.data.shape == (n_rows,):
        raise ValueError(
            f"sparse X with {n_rows} rows has rows of shape {X.rows.shape} and data of shape "
            f"{X.data.shape}; expected ({n_rows},)"
        )
    for number, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        are_lists = isinstance(columns, list) and isinstance(values, list)
        if not are_lists or len(columns) != len(values):
            raise ValueError(
                f"row {number} of sparse X must have lists of columns and data of equal length"
            )
        if columns and np.asarray(columns).dtype.kind not in "iu":
            raise ValueError(f"row {number} of sparse X must have integer columns")
    return _from_compressed(X.tocsr())


_TO_CSR: dict[str, Callable[[Any], Any]] = {
    "csr": _from_compressed,
    "csc": _from_compressed,
    "bsr": _from_blocks,
    "coo": _from_coordinates,
    "dia": _from_diagonals,
    "lil": _from_lists,
    "dok": lambda X: _from_coordinates(X.tocoo()),
}


def _check_integers(name: str, numbers: Any) -> None:
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise ValueError(
            f"the {name} of sparse X has shape {numbers.shape} and dtype {numbers.dtype}; expected "
            "a 1D array of integers"
        )
