"""Refusal of what numpy would take for numbers, but is none."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np

_NO_NUMBERS = (str, bytes, date, timedelta, np.datetime64, np.timedelta64)


def refuse_values(name: str, values: Any) -> None:
    """Refuse an array, or what becomes one, that is not of numbers; ``name`` is whose it is."""
    refuse_masked(name, values)
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is no array of numbers: {error}") from None
    refuse_type(name, array.dtype)
    if array.dtype.kind == "O":
        for value in array.flat:
            if isinstance(value, _NO_NUMBERS):
                raise ValueError(f"{name} contains {value!r}, which is not a number")


def refuse_masked(name: str, values: Any) -> None:
    """Refuse an array with masked cells: what is under the mask is not meant."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} has masked cells; fill or drop them first")


def refuse_type(name: str, dtype: Any) -> None:
    """Refuse a type of numpy that has no numbers."""
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {dtype}")
    if dtype.kind in "mM":
        raise ValueError(f"{name} has dtype {dtype}; dates and durations are not numbers")
    if dtype.kind in "SUT":
        raise ValueError(f"{name} has dtype {dtype}; strings are not numbers")
    if dtype.names is not None:
        raise ValueError(f"{name} has dtype {dtype}; records are not numbers")
