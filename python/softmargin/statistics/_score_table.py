"""Scores of several methods on several data sets, from mappings, data frames or arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def score_table(scores: Any, names: Any = None) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the names of the methods and their scores, one row per data set.

    ``scores`` is a mapping from methods to scores, a data frame with one column per method, or an
    array of shape (n_sets, n_methods), whose columns are named by ``names``.
    """
    columns = scores if isinstance(scores, Mapping) else getattr(scores, "columns", None)
    if columns is not None and names is not None:
        raise ValueError("names must be None, because the scores already name their methods")
    table = _stacked(scores) if isinstance(scores, Mapping) else np.asarray(scores, np.float64)
    if table.ndim != 2:
        raise ValueError(
            f"scores has {table.ndim} dimensions; expected 2: one row per data set and one column "
            "per method"
        )
    if table.size == 0:
        raise ValueError(
            f"scores is empty: it has {table.shape[0]} data sets and {table.shape[1]} methods"
        )
    if columns is None:
        columns = names if names is not None else [f"method {k + 1}" for k in range(table.shape[1])]
    found = tuple(str(name) for name in columns)
    if len(found) != table.shape[1]:
        raise ValueError(f"scores has {table.shape[1]} columns, but names has {len(found)}")
    duplicates = [name for name, count in Counter(found).items() if count > 1]
    if duplicates:
        raise ValueError(f"two methods have the name {duplicates[0]!r}; names must be unique")
    return found, table


def _stacked(scores: Mapping[Any, Any]) -> NDArray[np.float64]:
    """Return the values of a mapping as columns."""
    columns = {name: np.asarray(values, np.float64).reshape(-1) for name, values in scores.items()}
    if not columns:
        raise ValueError("scores is empty: it has no methods")
    first, *others = columns
    for name in others:
        if len(columns[name]) != len(columns[first]):
            raise ValueError(
                f"scores has {len(columns[first])} values for {first!r}, but {len(columns[name])} "
                f"for {name!r}; every method needs one score per data set"
            )
    return np.column_stack(list(columns.values()))
