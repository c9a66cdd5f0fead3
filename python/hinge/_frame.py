"""Data frames of pandas, polars, and others that look like them."""

from __future__ import annotations

from typing import Any


def columns(X: Any) -> list[tuple[Any, Any]] | None:
    """Return the names and values of the columns of a data frame; None for anything else."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return None
    if hasattr(X, "iloc"):  # names may be there twice
        return [(name, X.iloc[:, place]) for place, name in enumerate(X.columns)]
    return [(name, X[name]) for name in X.columns]
