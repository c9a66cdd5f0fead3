"""The model of the core as fields of a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks.fields import Fields
from softmargin._checks.parameters import SCHEMES

_FOLDER = "model/"
# Parts of a state by their types.
_INTEGERS = ("version", "degree", "n_cols", "n_kernel_evals")
_NUMBERS = ("gamma", "coef0")
_WORDS = {
    "kernel": ("linear", "rbf", "poly", "sigmoid", "precomputed"),
    "multi_class": SCHEMES,
    "dtype": ("float32", "float64"),
}
_ARRAYS = {"dual_coef": "f8", "intercept": "f8", "n_support": "u8", "n_iter": "u8", "n_loops": "u8"}
_PATTERNS = {"patterns": "u1", "pattern_counts": "f8"}
_SPARSE = ("rows/indptr", "rows/indices", "rows/data")


def named(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a model by the names of a file."""
    rows = state["rows"]
    if isinstance(rows, tuple):
        parts = zip(_SPARSE, rows[:3], (np.int64, np.int32, state["dtype"]), strict=True)
        state = state | {name: part.astype(dtype, copy=False) for name, part, dtype in parts}
    return {
        _FOLDER + name: value
        for name, value in state.items()
        if name != "rows" or isinstance(rows, np.ndarray)
    }


def n_cols(saved: Fields) -> int:
    """Return the number of columns of the rows that a model takes."""
    return saved.integer(_FOLDER + "n_cols")


def scheme(saved: Fields) -> str:
    """Return how a model splits classes into machines."""
    return saved.word(_FOLDER + "multi_class", SCHEMES)


def from_fields(saved: Fields, n_classes: int) -> _core.Model:
    """Return a model; types are checked here, sizes and numbers by the core."""
    state: dict[str, Any] = {name: saved.integer(_FOLDER + name) for name in _INTEGERS}
    state |= {name: saved.number(_FOLDER + name) for name in _NUMBERS}
    state |= {name: saved.word(_FOLDER + name, words) for name, words in _WORDS.items()}
    arrays = _ARRAYS | (_PATTERNS if _FOLDER + "patterns" in saved else {})
    state |= {name: saved.array(_FOLDER + name, kind, (None,)) for name, kind in arrays.items()}
    if len(state["n_support"]) != n_classes:
        raise ValueError(f"{_FOLDER + 'n_support'!r} does not fit {n_classes} classes")
    for name in ("n_iter", "n_loops"):
        if (state[name] > np.iinfo(np.int64).max).any():
            raise ValueError(f"{_FOLDER + name!r} has a number that is too large")
    state["status"] = saved.texts(_FOLDER + "status", len(state["intercept"]))
    state["support"] = saved.indices(_FOLDER + "support", "u4", None, 2**31)
    state["rows"] = _rows(saved, state)
    return _core.Model.from_state(state)


def _rows(
    saved: Fields, state: dict[str, Any]
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any], NDArray[Any], int] | None:
    if state["kernel"] == "precomputed":
        return None
    n_cols, dtype = state["n_cols"], state["dtype"]
    if _FOLDER + "rows" in saved:
        return saved.array(_FOLDER + "rows", dtype, (None, n_cols))
    indptr, indices, data = (_FOLDER + name for name in _SPARSE)
    return (
        saved.array(indptr, "i8", (None,)),
        saved.array(indices, "i4", (None,)),
        saved.array(data, dtype, (None,)),
        n_cols,
    )
