"""The fitted state of an estimator by names, on its way back from a file: nothing is trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST = 2**63 - 1
# Kinds of arrays of labels.
_KINDS = "biufU"
# The largest code point of a character.
_LAST_CHARACTER = 0x10FFFF


class Fields:
    """Plain values and arrays; each is checked as it is asked for, and the error names it."""

    def __init__(self, values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        both = set(values) & set(arrays)
        if both:
            raise ValueError(f"it has {min(both)!r} twice")
        self._fields = {**values, **arrays}
        self._asked: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def _take(self, name: str) -> Any:
        if name not in self._fields:
            raise ValueError(f"{name!r} is missing")
        self._asked.add(name)
        return self._fields[name]

    def finish(self) -> None:
        """Refuse fields that nobody asked for."""
        unknown = self._fields.keys() - self._asked
        if unknown:
            raise ValueError(f"{min(unknown)!r} is not known")

    def integer(self, name: str, low: int = 0, high: int = _MOST) -> int:
        """Return a whole number from ``low`` to ``high``."""
        value = self._take(name)
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{name!r} is not a whole number from {low} to {high}")
        return value

    def number(self, name: str) -> float:
        """Return a number that is finite."""
        value = self._take(name)
        if type(value) is not float or not math.isfinite(value):
            raise ValueError(f"{name!r} is not a finite number with a decimal point")
        return value

    def word(self, name: str, options: tuple[str, ...]) -> str:
        """Return one of several words."""
        value = self._take(name)
        if not isinstance(value, str) or value not in options:
            raise ValueError(f"{name!r} is not one of {', '.join(map(repr, options))}")
        return value

    def texts(self, name: str, length: int) -> list[str]:
        """Return so many strings."""
        value = self._take(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{name!r} is not a list of strings")
        if len(value) != length:
            raise ValueError(f"{name!r} has {len(value)} strings, but there must be {length}")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """Return values by names, which are not checked."""
        value = self._take(name)
        if not isinstance(value, dict):
            raise ValueError(f"{name!r} is not an object with names")
        return value

    def array(
        self,
        name: str,
        dtype: str,
        shape: tuple[int | None, ...],
        *,
        is_finite: bool = True,
    ) -> NDArray[Any]:
        """Return an array of this type and shape; None is any length."""
        value = self._take(name)
        if not isinstance(value, np.ndarray) or value.dtype != np.dtype(dtype):
            raise ValueError(f"{name!r} is not an array of {np.dtype(dtype)}")
        fits = value.ndim == len(shape) and all(
            wanted in (None, size) for wanted, size in zip(shape, value.shape, strict=True)
        )
        if not fits:
            raise ValueError(f"{name!r} has the shape {value.shape}, which does not fit the rest")
        if is_finite and not np.isfinite(value).all():
            raise ValueError(f"{name!r} has a number that is not finite")
        return value

    def indices(
        self, name: str, dtype: str, length: int | None, end: int, *, ascending: bool = False
    ) -> NDArray[Any]:
        """Return different numbers of rows or columns, all below ``end``."""
        value = self.array(name, dtype, (length,))
        ordered = value if ascending else np.sort(value)
        if len(ordered) and not (int(ordered[0]) >= 0 and int(ordered[-1]) < end):
            raise ValueError(f"{name!r} has a number outside 0 to {end - 1}")
        if (ordered[1:] <= ordered[:-1]).any():
            raise ValueError(f"{name!r} has a number twice, or in the wrong order")
        return value

    def labels(self, name: str, *, any_order: bool = False) -> NDArray[Any]:
        """Return at least two different labels, ascending unless they may have any order."""
        value = self._take(name)
        if isinstance(value, list):
            labels = np.array(self.texts(name, len(value)), dtype=object)
        elif isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in _KINDS:
            labels = value
        else:
            raise ValueError(f"{name!r} is not a list of labels")
        kind = labels.dtype.kind
        is_bad = (
            (kind == "f" and not np.isfinite(labels).all())
            or (kind == "b" and (labels.view(np.uint8) > 1).any())
            or (kind == "U" and (labels.view(np.uint32) > _LAST_CHARACTER).any())
        )
        ordered = np.sort(labels) if any_order else labels
        if is_bad or len(labels) < 2 or not (ordered[1:] > ordered[:-1]).all():
            raise ValueError(f"{name!r} is not two or more different labels in their order")
        return labels


def from_labels(labels: NDArray[Any]) -> NDArray[Any] | list[str]:
    """Return labels as a file holds them: an array, or a list of strings that are objects."""
    kind = labels.dtype.kind
    if kind in _KINDS and (kind == "U" or labels.dtype.itemsize <= 8):
        return labels
    if kind == "O" and all(isinstance(label, str) for label in labels):
        return [str(label) for label in labels]
    raise TypeError(
        f"classes_ of type {labels.dtype} cannot be saved: labels must be strings, whole numbers, "
        "floats or bools; use pickle for others"
    )
