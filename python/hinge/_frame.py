"""Data frames of pandas, polars, and others that look like them: errors name their columns."""

from __future__ import annotations

import reprlib
from typing import Any, NoReturn

import numpy as np

from hinge import _numbers


def names_of(X: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame; None for anything else."""
    return list(X.columns) if hasattr(X, "columns") and hasattr(X, "dtypes") else None


def column(X: Any, place: int) -> Any:
    """Return a column of a data frame by its place; names may be there twice."""
    return X.iloc[:, place] if hasattr(X, "iloc") else X[X.columns[place]]


def shown_name(name: Any) -> str:
    """Return the name of a column for a message."""
    return reprlib.repr(str(name) if isinstance(name, str) else name)


def refuse_columns(frame: str, X: Any) -> None:
    """Name the first column of a frame that has text, dates or anything else but numbers."""
    for place, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        if _is_numeric(dtype):
            continue
        array = np.asarray(column(X, place))
        kind = array.dtype.kind
        if kind == "c":
            raise ValueError(
                f"Complex data not supported: {frame} has complex numbers in column "
                f"{shown_name(name)}"
            )
        if array.ndim != 1 and len(array):
            _refuse(frame, name, array[0], 0)
        if kind in "mM" and len(array):
            row = int(np.argmin(np.isnat(array)))
            _refuse(frame, name, array[row], row)
        for row, value in enumerate(array if kind not in "biuf" else ()):
            if not _numbers.is_number(value) and not _numbers.is_missing(value):
                _refuse(frame, name, value, row)


def _is_numeric(dtype: Any) -> bool:
    """Tell whether a column has numbers by its type; if not, its values tell."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "biuf"
    return bool(getattr(dtype, "is_numeric", bool)())


def _refuse(frame: str, name: Any, value: Any, row: int) -> NoReturn:
    """Say what a column has, and what to do about it."""
    if isinstance(value, _numbers.TEXTS):
        found, shown = "text", reprlib.repr(str(value) if isinstance(value, str) else value)
        advice = (
            "Encode text columns (for instance with OneHotEncoder), convert them to numbers, or "
            "drop them."
        )
    elif isinstance(value, _numbers.DATES):
        found, shown = "dates or durations", str(value)
        advice = (
            "Convert them to numbers (for instance to days since a reference date), or drop the "
            "column."
        )
    else:
        found, shown = f"values of type {type(value).__name__}", reprlib.repr(value)
        advice = "Convert them to numbers, or drop the column."
    raise ValueError(
        f"{frame} has {found} in column {shown_name(name)}: first {shown} at row {row}. {advice}"
    )
