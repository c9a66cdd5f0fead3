"""Validation of the fitted state of an estimator that was read from an untrusted file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MAX = 2**63 - 1
# dtype kinds of label arrays.
_KINDS = "biufU"
# The largest Unicode code point.
_MAX_CODE_POINT = 0x10FFFF


class Fields:
    """Named values and arrays, each validated on access; errors name the field."""

    def __init__(self, values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        both = set(values) & set(arrays)
        if both:
            raise ValueError(f"{min(both)!r} occurs twice")
        self._fields = {**values, **arrays}
        self._accessed: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def _take(self, name: str) -> Any:
        if name not in self._fields:
            raise ValueError(f"{name!r} is missing")
        self._accessed.add(name)
        return self._fields[name]

    def finish(self) -> None:
        """Raise ValueError if a field was never accessed."""
        unknown = self._fields.keys() - self._accessed
        if unknown:
            raise ValueError(f"{min(unknown)!r} is an unknown field")

    def integer(self, name: str, low: int = 0, high: int = _MAX) -> int:
        """Return an integer between ``low`` and ``high``, inclusive."""
        value = self._take(name)
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{name!r} must be an integer between {low} and {high}")
        return value

    def number(self, name: str) -> float:
        """Return a finite float."""
        value = self._take(name)
        if type(value) is not float or not math.isfinite(value):
            raise ValueError(f"{name!r} must be a finite float")
        return value

    def word(self, name: str, options: tuple[str, ...]) -> str:
        """Return one of several strings."""
        value = self._take(name)
        if not isinstance(value, str) or value not in options:
            raise ValueError(f"{name!r} must be one of {', '.join(map(repr, options))}")
        return value

    def texts(self, name: str, length: int) -> list[str]:
        """Return a list of ``length`` strings."""
        value = self._take(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{name!r} must be a list of strings")
        if len(value) != length:
            raise ValueError(f"{name!r} has {len(value)} strings, expected {length}")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """Return a dictionary whose items are not validated."""
        value = self._take(name)
        if not isinstance(value, dict):
            raise ValueError(f"{name!r} must be a JSON object")
        return value

    def array(
        self,
        name: str,
        dtype: str,
        shape: tuple[int | None, ...],
        *,
        is_finite: bool = True,
    ) -> NDArray[Any]:
        """Return an array of this dtype and shape; None matches any length."""
        value = self._take(name)
        if not isinstance(value, np.ndarray) or value.dtype != np.dtype(dtype):
            raise ValueError(f"{name!r} must be an array of dtype {np.dtype(dtype)}")
        fits = value.ndim == len(shape) and all(
            wanted in (None, size) for wanted, size in zip(shape, value.shape, strict=True)
        )
        if not fits:
            raise ValueError(
                f"{name!r} has shape {value.shape}, which is inconsistent with the other fields"
            )
        if is_finite and not np.isfinite(value).all():
            raise ValueError(f"{name!r} contains NaN or infinity")
        return value

    def indices(
        self, name: str, dtype: str, length: int | None, end: int, *, ascending: bool = False
    ) -> NDArray[Any]:
        """Return distinct row or column indices, all below ``end``."""
        value = self.array(name, dtype, (length,))
        ordered = value if ascending else np.sort(value)
        if len(ordered) and not (int(ordered[0]) >= 0 and int(ordered[-1]) < end):
            raise ValueError(f"{name!r} has an index outside 0 to {end - 1}")
        if (ordered[1:] <= ordered[:-1]).any():
            raise ValueError(f"{name!r} has duplicate or unsorted indices")
        return value

    def labels(self, name: str, *, any_order: bool = False) -> NDArray[Any]:
        """Return at least two distinct labels, in ascending order unless ``any_order``."""
        value = self._take(name)
        if isinstance(value, list):
            labels = np.array(self.texts(name, len(value)), dtype=object)
        elif isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in _KINDS:
            labels = value
        else:
            raise ValueError(f"{name!r} must be a list of labels")
        kind = labels.dtype.kind
        is_bad = (
            (kind == "f" and not np.isfinite(labels).all())
            or (kind == "b" and (labels.view(np.uint8) > 1).any())
            or (kind == "U" and (labels.view(np.uint32) > _MAX_CODE_POINT).any())
        )
        ordered = np.sort(labels) if any_order else labels
        if is_bad or len(labels) < 2 or not (ordered[1:] > ordered[:-1]).all():
            raise ValueError(f"{name!r} must have two or more distinct labels in ascending order")
        return labels


def from_labels(labels: NDArray[Any]) -> NDArray[Any] | list[str]:
    """Return labels in the form stored in a file: an array, or a list for string objects."""
    kind = labels.dtype.kind
    if kind in _KINDS and (kind == "U" or labels.dtype.itemsize <= 8):
        return labels
    if kind == "O" and all(isinstance(label, str) for label in labels):
        return [str(label) for label in labels]
    raise TypeError(
        f"classes_ of dtype {labels.dtype} cannot be saved: labels must be strings, integers, "
        "floats or bools. Use pickle for other label types."
    )
