"""The class order of ordinal classifiers: the order of an ordered type, or the sorted order.

An ordered pandas ``Categorical`` and a polars ``Enum`` define the order of their categories. All
other labels are sorted, which for text means alphabetical order and is rarely intended.
"""

from __future__ import annotations

import contextlib
import contextvars
import reprlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin._checks.frame import column, names_of
from softmargin._checks.labels import codes_of
from softmargin._checks.stack import level_of_caller

# The largest number of classes listed in a message.
_MAX_LISTED = 8
_is_warning_suppressed = contextvars.ContextVar("_is_warning_suppressed", default=False)


def order_of(y: Any, classes: NDArray[Any]) -> NDArray[np.intp] | None:
    """Return the positions of the classes in the order defined by y, or None without an order.

    Categories that are not among the classes are skipped. Two classes always have their sorted
    order: they form a single binary problem, and scikit-learn's scorers take the larger label as
    the positive one.
    """
    if len(classes) < 3:
        return None
    if len(names_of(y) or ()) == 1:
        y = column(y, 0)
    dtype = getattr(y, "dtype", None)
    is_enum = type(dtype).__name__ == "Enum" and type(dtype).__module__.startswith("polars.")
    if not is_enum and getattr(dtype, "ordered", None) is not True:
        return None
    categories = np.asarray(dtype.categories)  # type: ignore[union-attr]
    codes = codes_of(categories, classes, "the categories of y")
    return codes[codes >= 0]


def with_order(labels: NDArray[Any], classes: NDArray[Any]) -> Any:
    """Return labels of an ordered type whose categories are the classes in this order."""
    try:
        import pandas as pd  # type: ignore[import-untyped]
    except ImportError:  # the order came from a polars Enum
        import polars as pl

        return pl.Series(labels.tolist(), dtype=pl.Enum(classes.tolist()))
    return pd.Categorical(labels, categories=classes, ordered=True)


def apply_order(
    y: Any, classes: NDArray[Any], codes: NDArray[np.uint32]
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the classes, and the class codes of the samples, in the order defined by y.

    Warns if text labels have no defined order.
    """
    order = order_of(y, classes)
    if order is None:
        warn_if_text(classes)
        return classes, codes
    return classes[order], ranks(order)[codes]


def ranks(order: NDArray[np.intp]) -> NDArray[np.uint32]:
    """Return the position of each sorted class in an order."""
    return np.argsort(order).astype(np.uint32)


def check_same_order(y: Any, classes: NDArray[Any], name: str = "y") -> None:
    """Raise ValueError if the labels define a different order than that of the classes."""
    order = order_of(y, classes)
    if order is not None and (np.diff(order) <= 0).any():
        raise ValueError(
            f"{name} has the ordered categories {format_order(classes[order])}, but the previous "
            f"order is {format_order(classes)}. Use the same order in every call."
        )


def warn_if_text(classes: NDArray[Any]) -> None:
    """Warn that text labels without a defined order are sorted alphabetically."""
    is_text = all(isinstance(label, str) for label in classes)
    if len(classes) < 3 or not is_text or _is_warning_suppressed.get():
        return
    warnings.warn(
        'multi_class="ordinal" uses the alphabetical order of the text labels: '
        f"{format_order(classes)}. To set a different order, pass an ordered pandas Categorical, "
        "a polars Enum, or integer labels.",
        UserWarning,
        stacklevel=level_of_caller(),
    )


@contextlib.contextmanager
def suppress_warning() -> Iterator[None]:
    """Suppress the warning about text labels in this block; the caller has issued it already."""
    token = _is_warning_suppressed.set(True)
    try:
        yield
    finally:
        _is_warning_suppressed.reset(token)


def format_order(classes: NDArray[Any]) -> str:
    """Return ordered classes as text for a message."""
    labels = [reprlib.repr(label) for label in classes[:_MAX_LISTED].tolist()]
    return " < ".join(labels) + (" < …" if len(classes) > _MAX_LISTED else "")
