"""The order of classes for ordinal machines: the one that labels state, or the sorted one.

An ordered pandas ``Categorical`` and a polars ``Enum`` state an order of their categories. All
other labels have none but their sorted order, which for text is alphabetical and rarely meant.
"""

from __future__ import annotations

import contextlib
import contextvars
import reprlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinge import _frame, _input

# The most classes that a message shows.
_SHOWN = 8
_PACKAGE = str(Path(__file__).parent)
_is_told = contextvars.ContextVar("_is_told", default=False)


def order_of(y: Any, classes: NDArray[Any]) -> NDArray[np.intp] | None:
    """Return the places of the classes in the order that y states; None if it states none.

    Categories that are none of the classes are left out. Two classes have no order but the
    sorted one: they are one machine, and scikit-learn's scorers take the larger label as the
    positive one.
    """
    if len(classes) < 3:
        return None
    if len(_frame.names_of(y) or ()) == 1:
        y = _frame.column(y, 0)
    dtype = getattr(y, "dtype", None)
    is_enum = type(dtype).__name__ == "Enum" and type(dtype).__module__.startswith("polars.")
    if not is_enum and getattr(dtype, "ordered", None) is not True:
        return None
    categories = np.asarray(dtype.categories)  # type: ignore[union-attr]
    places = _input.codes_of(categories, classes, "the categories of y")
    return places[places >= 0]


def stated(labels: NDArray[Any], classes: NDArray[Any]) -> Any:
    """Return labels that state the order of these classes."""
    try:
        import pandas as pd  # type: ignore[import-untyped]
    except ImportError:  # then the order came from a polars Enum
        import polars as pl

        return pl.Series(labels.tolist(), dtype=pl.Enum(classes.tolist()))
    return pd.Categorical(labels, categories=classes, ordered=True)


def in_order(
    y: Any, classes: NDArray[Any], codes: NDArray[np.uint32]
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return sorted classes, and the codes of rows, in the order that y states.

    Warns of text without a stated order.
    """
    order = order_of(y, classes)
    if order is None:
        warn_if_text(classes)
        return classes, codes
    return classes[order], ranks(order)[codes]


def ranks(order: NDArray[np.intp]) -> NDArray[np.uint32]:
    """Return for each sorted class its place in an order."""
    return np.argsort(order).astype(np.uint32)


def refuse_another(y: Any, classes: NDArray[Any], name: str = "y") -> None:
    """Refuse labels that state another order than that of the classes."""
    order = order_of(y, classes)
    if order is not None and (np.diff(order) <= 0).any():
        raise ValueError(
            f"{name} has the ordered categories {shown(classes[order])}, but the order of the "
            f"classes so far is {shown(classes)}; use the same order in every call"
        )


def warn_if_text(classes: NDArray[Any]) -> None:
    """Warn that text labels, of which no order is stated, are sorted alphabetically."""
    is_text = all(isinstance(label, str) for label in classes)
    if len(classes) < 3 or not is_text or _is_told.get():
        return
    warnings.warn(
        'multi_class="ordinal" takes the text labels in alphabetical order, '
        f"{shown(classes)}; to state another order, pass the labels as an ordered pandas "
        "Categorical, as a polars Enum, or as integers",
        UserWarning,
        stacklevel=_level_of_caller(),
    )


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Do not repeat the warning in this block: the caller has seen it."""
    token = _is_told.set(True)
    try:
        yield
    finally:
        _is_told.reset(token)


def shown(classes: NDArray[Any]) -> str:
    """Return classes in their order for a message."""
    labels = [reprlib.repr(label) for label in classes[:_SHOWN].tolist()]
    return " < ".join(labels) + (" < …" if len(classes) > _SHOWN else "")


def _level_of_caller() -> int:
    """Return the level of the first frame outside of the package, seen from who calls this."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
