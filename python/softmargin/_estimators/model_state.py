"""The state of a model as a dictionary for pickles and as fields of a file."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks.fields import Fields
from softmargin._checks.parameters import ALL_SCHEMES


class PlainState(TypedDict):
    """The values of a :class:`_core.ModelState` in types that every format supports."""

    version: int
    dtype: str
    kernel: str
    gamma: float
    degree: int
    coef0: float
    multi_class: str
    rows: Any
    n_cols: int
    support: NDArray[np.uint32]
    n_support: NDArray[np.uint64]
    dual_coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    n_iter: NDArray[np.uint64]
    n_loops: NDArray[np.uint64]
    status: list[str]
    n_kernel_evals: int
    patterns: NotRequired[NDArray[np.uint8]]
    pattern_counts: NotRequired[NDArray[np.float64]]


_KERNEL = ("kernel", "gamma", "degree", "coef0")
_PATTERNS = {"patterns": "u1", "pattern_counts": "f8"}
_REQUIRED = tuple(PlainState.__required_keys__)
_PLAIN = tuple(name for name in _REQUIRED if name not in _KERNEL)

_FOLDER = "model/"
# The fields of a state by type.
_INTEGERS = ("version", "degree", "n_cols", "n_kernel_evals")
_NUMBERS = ("gamma", "coef0")
_WORDS = {
    "kernel": ("linear", "rbf", "poly", "sigmoid", "precomputed"),
    "multi_class": ALL_SCHEMES,
    "dtype": ("float32", "float64"),
}
_ARRAYS = {
    "n_support": "u8",
    "dual_coef": "f8",
    "intercept": "f8",
    "n_iter": "u8",
    "n_loops": "u8",
}
_SPARSE = ("rows/indptr", "rows/indices", "rows/data")


def to_dict(model: _core.Model) -> PlainState:
    """Return the state of a model as plain arrays, numbers and strings."""
    state = model.state()
    plain = {name: getattr(state.kernel, name) for name in _KERNEL}
    plain |= {name: getattr(state, name) for name in sorted(_PLAIN)}
    if state.patterns is not None:
        plain |= {name: getattr(state, name) for name in _PATTERNS}
    return cast(PlainState, plain)


def from_dict(state: Mapping[str, Any]) -> _core.Model:
    """Return the model of a state from an untrusted source.

    Types are checked here, sizes and numbers by the core.
    """
    patterns = _patterns(state)
    for name in _REQUIRED:
        if name not in state:
            raise ValueError(f"this is not a model: {name} is missing")
        if not _has_type(name, state[name]):
            raise ValueError(f"this is not a model: {name} has the wrong type")
    kernel = _core.Kernel(*(state[name] for name in _KERNEL))
    plain = {name: state[name] for name in _PLAIN}
    return _core.Model.from_state(_core.ModelState(kernel=kernel, **plain, **patterns))


def _has_type(name: str, value: Any) -> bool:
    if name in _INTEGERS:
        return isinstance(value, int) and 0 <= value < 2 ** (32 if name == "version" else 63)
    if name in _NUMBERS:
        return isinstance(value, float)
    if name in _WORDS:
        return isinstance(value, str)
    if name == "status":
        return isinstance(value, list) and all(isinstance(word, str) for word in value)
    kind = "u4" if name == "support" else (_ARRAYS | _PATTERNS).get(name)
    if kind is None:  # rows, which the core checks
        return True
    return isinstance(value, np.ndarray) and value.dtype == kind and value.ndim == 1


def _patterns(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sign patterns of a state, which contains both of their fields or neither."""
    found = {name: state.get(name) for name in _PATTERNS}
    if all(value is None for value in found.values()):
        return found
    for name, value in found.items():
        if name not in state:
            raise ValueError(f"this is not a model: {name} is missing")
        if not _has_type(name, value):
            raise ValueError(f"this is not a model: {name} has the wrong type")
    return found


def to_fields(model: _core.Model) -> dict[str, Any]:
    """Return the state of a model as fields of a file."""
    return named(to_dict(model))


def named(state: PlainState) -> dict[str, Any]:
    """Return a state as fields of a file."""
    parts: dict[str, Any] = dict(state)
    rows = parts["rows"]
    if isinstance(rows, tuple):
        dtypes = (np.int64, np.int32, state["dtype"])
        sparse = zip(_SPARSE, rows[:3], dtypes, strict=True)
        parts |= {name: part.astype(dtype, copy=False) for name, part, dtype in sparse}
    if not isinstance(rows, np.ndarray):
        del parts["rows"]
    return {_FOLDER + name: value for name, value in parts.items()}


def n_cols(saved: Fields) -> int:
    """Return the number of features of a saved model."""
    return saved.integer(_FOLDER + "n_cols")


def scheme(saved: Fields) -> str:
    """Return the multiclass decomposition of a saved model."""
    return saved.word(_FOLDER + "multi_class", ALL_SCHEMES)


def from_fields(saved: Fields, n_classes: int) -> _core.Model:
    """Return a saved model."""
    state: dict[str, Any] = {name: saved.integer(_FOLDER + name) for name in _INTEGERS}
    state |= {name: saved.number(_FOLDER + name) for name in _NUMBERS}
    state |= {name: saved.word(_FOLDER + name, words) for name, words in _WORDS.items()}
    arrays = _ARRAYS | (_PATTERNS if _FOLDER + "patterns" in saved else {})
    state |= {name: saved.array(_FOLDER + name, kind, (None,)) for name, kind in arrays.items()}
    if len(state["n_support"]) != n_classes:
        raise ValueError(
            f"{_FOLDER + 'n_support'!r} has {len(state['n_support'])} values, but there are "
            f"{n_classes} classes"
        )
    for name in ("n_iter", "n_loops"):
        if (state[name] > np.iinfo(np.int64).max).any():
            raise ValueError(f"{_FOLDER + name!r} contains a number above 2**63 - 1")
    state["status"] = saved.texts(_FOLDER + "status", len(state["intercept"]))
    state["support"] = saved.indices(_FOLDER + "support", "u4", None, 2**31)
    state["rows"] = _rows(saved, state)
    return from_dict(state)


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
