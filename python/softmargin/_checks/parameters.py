"""Parameter types, checked before the core checks the values."""

from __future__ import annotations

import functools
import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from softmargin._core import Kernel

# Multiclass decompositions: one-vs-one, one-vs-rest, adjacent classes.
SCHEMES = ("ovo", "ovr", "ordinal")
# And a single machine, for regression and novelty detection.
ALL_SCHEMES = (*SCHEMES, "single")


def real(name: str, value: Any) -> float:
    """Return a real number as a float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} = {value!r} is not valid: it must be a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is not valid: it is too large for a float") from None


def integer(name: str, value: Any) -> int:
    """Return an integer as an int."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} = {value!r} is not valid: it must be an integer")
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{name} = {number} is not valid: it must fit in 64 bits")
    return number


def count(name: str, value: Any, unlimited: int | None) -> int | None:
    """Return a positive integer, or None for the value that means no limit."""
    if value is None and unlimited is None:
        return None
    number = integer(name, value)
    if number == unlimited:
        return None
    if number < 1:
        raise ValueError(f"{name} = {number} is not valid: it must be positive, or {unlimited}")
    return number


def positive(name: str, value: Any) -> int:
    """Return an integer of at least 1."""
    number = integer(name, value)
    if number < 1:
        raise ValueError(f"{name} = {number} is not valid: it must be at least 1")
    return number


def flag(name: str, value: Any) -> bool:
    """Return a bool."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} = {value!r} is not valid: it must be True or False")
    return bool(value)


def choice(name: str, value: Any, options: tuple[str, ...]) -> str:
    """Return one of several strings."""
    if not isinstance(value, str) or value not in options:
        names = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} = {value!r} is not valid: it must be one of {names}")
    return value


def scheme(value: Any) -> str:
    """Return the multiclass decomposition."""
    return choice("multi_class", value, SCHEMES)


def gamma(value: Any) -> float | str:
    """Return a number, "scale" or "auto"."""
    if isinstance(value, str):
        return choice("gamma", value, ("scale", "auto"))
    return real("gamma", value)


def gamma_scale(X: Any) -> float:
    """Return the value of gamma="scale" for samples: 1 / (n_features * variance of all values)."""
    if hasattr(X, "indptr"):
        mean = X.sum(dtype=np.float64) / (X.shape[0] * X.shape[1])
        square = X.multiply(X).sum(dtype=np.float64) / (X.shape[0] * X.shape[1])
        variance = float(square - mean**2)
    else:
        variance = float(np.var(X, dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def kernel(kind: Any, width: Any, degree: Any, coef0: Any) -> Kernel:
    """Return a kernel of the core with these parameters."""
    kinds = ("linear", "rbf", "poly", "sigmoid", "precomputed")
    return Kernel(
        choice("kernel", kind, kinds),
        gamma(width),
        integer("degree", degree),
        real("coef0", coef0),
    )


@functools.lru_cache(1024)
def _seed_of_integer(number: int) -> int:
    """Return the seed for an integer; starting a generator takes longer than a small fit."""
    return int(np.random.RandomState(number).randint(2**63 - 1, dtype=np.int64))


def seed(random_state: Any) -> int:
    """Return a seed for the core from an integer, a RandomState, or None for a random seed."""
    if type(random_state) is int and 0 <= random_state < 2**32:
        return _seed_of_integer(random_state)
    try:
        generator = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            f"random_state = {random_state!r} is not valid: it must be an integer from 0 to "
            "2**32 - 1, a RandomState or None"
        ) from None
    if not isinstance(random_state, numbers.Integral):
        # The same draw as in scikit-learn's estimators, so that a shared generator advances
        # equally.
        return int(generator.randint(np.iinfo(np.int32).max))
    return int(generator.randint(2**63 - 1, dtype=np.int64))
