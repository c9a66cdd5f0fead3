"""Data frames of pandas, polars and compatible libraries; errors name the column."""

from __future__ import annotations

import reprlib
from typing import Any, NoReturn

import numpy as np

from softmargin._checks import numbers


def names_of(X: Any) -> list[Any] | None:
    """Return the column names of a data frame, or None for any other object."""
    return list(X.columns) if hasattr(X, "columns") and hasattr(X, "dtypes") else None


def column(X: Any, index: int) -> Any:
    """Return a column of a data frame by position, as names may be duplicated."""
    return X.iloc[:, index] if hasattr(X, "iloc") else X[X.columns[index]]


def format_name(name: Any) -> str:
    """Return a column name as text for a message."""
    return reprlib.repr(str(name) if isinstance(name, str) else name)


def check_numeric_columns(frame: str, X: Any) -> None:
    """Raise ValueError for the first column with text, dates or other non-numeric values."""
    for index, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        if _is_numeric(dtype):
            continue
        array = np.asarray(column(X, index))
        kind = array.dtype.kind
        if kind == "c":
            raise ValueError(
                f"Complex data not supported: {frame} has complex numbers in column "
                f"{format_name(name)}"
            )
        if array.ndim != 1 and len(array):
            _raise_not_numeric(frame, name, array[0], 0)
        if kind in "mM" and len(array):
            row = int(np.argmin(np.isnat(array)))
            _raise_not_numeric(frame, name, array[row], row)
        for row, value in enumerate(array if kind not in "biuf" else ()):
            if not numbers.is_number(value) and not numbers.is_missing(value):
                _raise_not_numeric(frame, name, value, row)


def _is_numeric(dtype: Any) -> bool:
    """Return whether the dtype of a column is numeric; False means that its values decide."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "biuf"
    return bool(getattr(dtype, "is_numeric", bool)())


def _raise_not_numeric(frame: str, name: Any, value: Any, row: int) -> NoReturn:
    """Raise an error that names the column, its first bad value, and a remedy."""
    if isinstance(value, numbers.TEXTS):
        found, text = "text", reprlib.repr(str(value) if isinstance(value, str) else value)
        advice = (
            "Encode text columns (for example with OneHotEncoder), convert them to numbers, or "
            "drop them."
        )
    elif isinstance(value, numbers.DATES):
        found, text = "dates or durations", str(value)
        advice = (
            "Convert them to numbers (for example to days since a reference date), or drop the "
            "column."
        )
    else:
        found, text = f"values of type {type(value).__name__}", reprlib.repr(value)
        advice = "Convert them to numbers, or drop the column."
    raise ValueError(
        f"{frame} has {found} in column {format_name(name)}: first {text} at row {row}. {advice}"
    )
