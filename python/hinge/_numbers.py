"""Refusal of what numpy would take for numbers, but is none."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

TEXTS = (str, bytes)
DATES = (date, time, timedelta, np.datetime64, np.timedelta64)


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number or a bool."""
    return isinstance(value, Real | np.bool_ | Decimal)


def is_missing(value: Any) -> bool:
    """Tell whether a value is None, or not equal to itself as NaN and pandas.NA are."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # the truth of pandas.NA is unknown
        return True
    except ValueError:  # an array: refused elsewhere
        return False


def refuse_values(name: str, values: Any) -> None:
    """Refuse an array, or what becomes one, that is not of numbers; ``name`` is whose it is."""
    refuse_masked(name, values)
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is no array of numbers: {error}") from None
    refuse_type(name, array.dtype)
    if array.dtype.kind == "O":
        for place, value in np.ndenumerate(array):
            if isinstance(value, TEXTS + DATES):
                where = ", ".join(
                    f"{axis} {at}" for axis, at in zip(("row", "column"), place, strict=False)
                )
                raise ValueError(f"{name} contains {value!r} at {where}, which is not a number")


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
