"""Rejection of values that numpy would convert to numbers although they are not numeric."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

TEXTS = (str, bytes)
DATES = (date, time, timedelta, np.datetime64, np.timedelta64)


def is_number(value: Any) -> bool:
    """Return whether a value is a real number or a bool."""
    return isinstance(value, Real | np.bool_ | Decimal)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, or, like NaN and pandas.NA, not equal to itself."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True
    except ValueError:  # an array, which is rejected elsewhere
        return False


def check_numeric(name: str, values: Any) -> None:
    """Raise ValueError unless an array-like is numeric; ``name`` is used in messages."""
    check_not_masked(name, values)
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is not an array of numbers: {error}") from None
    check_numeric_dtype(name, array.dtype)
    if array.dtype.kind == "O":
        for index, value in np.ndenumerate(array):
            if isinstance(value, TEXTS + DATES):
                where = ", ".join(
                    f"{axis} {at}" for axis, at in zip(("row", "column"), index, strict=False)
                )
                raise ValueError(
                    f"{name} contains {value!r} at {where}. Every value must be a number."
                )


def check_not_masked(name: str, values: Any) -> None:
    """Raise ValueError if a masked array has masked values."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values. Fill or drop them before fitting.")


def check_numeric_dtype(name: str, dtype: Any) -> None:
    """Raise ValueError if a dtype is not numeric."""
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {dtype}")
    if dtype.kind in "mM":
        raise ValueError(f"{name} has dtype {dtype}. Convert dates and durations to numbers.")
    if dtype.kind in "SUT":
        raise ValueError(f"{name} has dtype {dtype}. Convert strings to numbers.")
    if dtype.names is not None:
        raise ValueError(
            f"{name} has dtype {dtype}. Structured arrays are not supported; pass numbers."
        )
