"""Conversion of label text to numbers.

A label is an identity, not a quantity: ``001``, ``1`` and ``1.0`` are three different labels.
Labels are converted to numbers only without loss: each must be written as Python writes the
number, and no two of them may be equal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# 18 digits fit into an int64.
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_EXACT = 2**53


def number_of(text: str) -> int | float | None:
    """Return the number of which this text is the canonical form, or None.

    >>> [number_of(text) for text in ("1", "-2", "1.5", "1.0", "001", "+1", "1.50", "inf", "one")]
    [1, -2, 1.5, 1.0, None, None, None, None, None]
    """
    if _INTEGER.fullmatch(text):
        return int(text)
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and repr(value) == text else None


def numbers_of(texts: Sequence[str]) -> NDArray[Any] | None:
    """Return labels as int64 or float64, or None if only text distinguishes them.

    >>> numbers_of(["2", "10"]), numbers_of(["1.0", "2.0"]), numbers_of(["1", "1.5"])
    (array([ 2, 10]), array([1, 2]), array([1. , 1.5]))
    >>> numbers_of(["1", "001"]), numbers_of(["1", "1.0"])
    (None, None)
    """
    values = [number for text in texts if (number := number_of(text)) is not None]
    if len(values) < len(texts) or len(set(values)) < len(values):
        return None
    if all(isinstance(value, int) for value in values):
        return np.array(values, dtype=np.int64)
    if any(abs(value) >= _EXACT for value in values):  # not exact in float64
        return None
    return whole(np.array(values, dtype=np.float64))


def whole(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return finite numbers as int64 if all are integers that float64 represents exactly."""
    is_whole = bool((values == np.rint(values)).all() and (abs(values) < _EXACT).all())
    return values.astype(np.int64) if is_whole else values
