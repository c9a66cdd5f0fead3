"""Sparse rows in any layout of scipy, whose conversions trust every index and length."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from hinge import _numbers


def dense(values: Any) -> Any:
    """Return a sparse matrix as an array, and anything else as it is."""
    is_sparse = bool(sp.issparse(values))
    return values.toarray() if is_sparse else values


def canonical(X: Any, any_order: bool = False) -> Any:
    """Return sparse rows as CSR with sorted, unique columns; X itself stays as it is.

    Every index and length is checked before it is used. ``any_order`` leaves the columns inside
    a row as they are, for the core to sort.
    """
    if len(X.shape) != 2:
        raise ValueError(f"sparse X has shape {X.shape}; it must have rows and columns")
    _numbers.refuse_type("X", X.dtype)
    if X.dtype.kind == "O":
        raise ValueError("sparse X has dtype object; it must be of numbers")
    X = copy.copy(X)
    if X.format not in ("lil", "dok"):
        X.data = X.data.astype(X.data.dtype.newbyteorder("="), copy=False)
    csr = _TO_CSR[X.format](X)
    if not any_order and not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr


def _from_compressed(X: Any) -> Any:
    """Convert CSR, CSC and BSR; the check of scipy may change the types of indices."""
    for name in ("indptr", "indices"):
        _refuse_no_integers(name, getattr(X, name))
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
    return X.tocsr()


def _from_blocks(X: Any) -> Any:
    blocks = X.data.shape[1:]
    fits = X.data.ndim == 3 and 0 not in blocks
    if not fits or any(size % part for size, part in zip(X.shape, blocks, strict=True)):
        raise ValueError(f"sparse X of shape {X.shape} has data of shape {X.data.shape}")
    return _from_compressed(X)


def _from_coordinates(X: Any) -> Any:
    for name, places, size in zip(("row", "col"), (X.row, X.col), X.shape, strict=True):
        _refuse_no_integers(name, places)
        if places.shape != X.data.shape:
            raise ValueError(
                f"the {name} of sparse X has {len(places)} indices, but data is of shape "
                f"{X.data.shape}"
            )
        if len(places) and not 0 <= places.min() <= places.max() < size:
            raise ValueError(f"sparse X has an index outside 0 to {size - 1} in {name}")
    return X.tocsr()


def _from_diagonals(X: Any) -> Any:
    _refuse_no_integers("offsets", X.offsets)
    if X.data.ndim != 2 or len(X.data) != len(X.offsets):
        raise ValueError(f"sparse X has {len(X.offsets)} offsets, but data of shape {X.data.shape}")
    if len(np.unique(X.offsets)) != len(X.offsets):
        raise ValueError("the offsets of sparse X have a diagonal twice")
    return _from_coordinates(X.tocoo())


def _from_lists(X: Any) -> Any:
    n_rows = X.shape[0]
    if not X.rows.shape == X.data.shape == (n_rows,):
        raise ValueError(
            f"sparse X of {n_rows} rows has rows of shape {X.rows.shape} and data of shape "
            f"{X.data.shape}"
        )
    for number, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        are_lists = isinstance(columns, list) and isinstance(values, list)
        if not are_lists or len(columns) != len(values):
            raise ValueError(f"row {number} of sparse X has no list of as many columns as data")
        if columns and np.asarray(columns).dtype.kind not in "iu":
            raise ValueError(f"row {number} of sparse X has columns that are no whole numbers")
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


def _refuse_no_integers(name: str, numbers: Any) -> None:
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise ValueError(
            f"the {name} of sparse X has shape {numbers.shape} and dtype {numbers.dtype}; it must "
            "be a vector of whole numbers"
        )
