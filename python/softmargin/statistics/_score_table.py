"""Scores of several methods on several data sets, in the forms in which users hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def score_table(scores: Any, names: Any = None) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the names of the methods and their scores, a row for each set.

    ``scores`` is a mapping of methods to their scores, a table whose columns have names, or an
    array of shape (n_sets, n_methods), whose columns ``names`` tells.
    """
    columns = scores if isinstance(scores, Mapping) else getattr(scores, "columns", None)
    if columns is not None and names is not None:
        raise ValueError("names is for an array; these scores name their methods themselves")
    table = _stacked(scores) if isinstance(scores, Mapping) else np.asarray(scores, np.float64)
    if table.ndim != 2:
        raise ValueError(
            f"scores has {table.ndim} dimensions, but two are needed: a row for each set, "
            "a column for each method"
        )
    if table.size == 0:
        raise ValueError(f"scores is empty: {table.shape[0]} sets and {table.shape[1]} methods")
    if columns is None:
        columns = names if names is not None else [f"method {k + 1}" for k in range(table.shape[1])]
    found = tuple(str(name) for name in columns)
    if len(found) != table.shape[1]:
        raise ValueError(f"scores has {table.shape[1]} columns, but there are {len(found)} names")
    twice = [name for name, count in Counter(found).items() if count > 1]
    if twice:
        raise ValueError(f"two methods have the name {twice[0]!r}")
    return found, table


def _stacked(scores: Mapping[Any, Any]) -> NDArray[np.float64]:
    """Return the values of a mapping as columns."""
    columns = {name: np.asarray(of, np.float64).reshape(-1) for name, of in scores.items()}
    if not columns:
        raise ValueError("scores is empty: it has no methods")
    first, *others = columns
    for name in others:
        if len(columns[name]) != len(columns[first]):
            raise ValueError(
                f"scores has {len(columns[first])} values of {first!r}, "
                f"but {len(columns[name])} of {name!r}"
            )
    return np.column_stack(list(columns.values()))
