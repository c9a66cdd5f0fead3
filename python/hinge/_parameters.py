"""Types of parameters, checked before the core checks their values."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

# How several classes are split into machines: pairs, each against the rest, neighbours.
SCHEMES = ("ovo", "ovr", "ordinal")


def real(name: str, value: Any) -> float:
    """Return a number as a float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} = {value!r} is not valid: it must be a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is not valid: it is too large for a float") from None


def integer(name: str, value: Any) -> int:
    """Return a whole number as an int."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} = {value!r} is not valid: it must be a whole number")
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{name} = {number} is not valid: it does not fit 64 bits")
    return number


def count(name: str, value: Any, nothing: int | None) -> int | None:
    """Return a positive whole number, or None where the value stands for no limit."""
    if value is None and nothing is None:
        return None
    number = integer(name, value)
    if number == nothing:
        return None
    if number < 1:
        raise ValueError(f"{name} = {number} is not valid: it must be positive, or {nothing}")
    return number


def positive(name: str, value: Any) -> int:
    """Return a whole number, at least 1."""
    number = integer(name, value)
    if number < 1:
        raise ValueError(f"{name} = {number} is not valid: it must be at least 1")
    return number


def flag(name: str, value: Any) -> bool:
    """Return a truth value."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} = {value!r} is not valid: it must be True or False")
    return bool(value)


def choice(name: str, value: Any, options: tuple[str, ...]) -> str:
    """Return one of several words."""
    if not isinstance(value, str) or value not in options:
        words = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} = {value!r} is not valid: it must be one of {words}")
    return value


def scheme(value: Any) -> str:
    """Return how several classes are split into machines."""
    return choice("multi_class", value, SCHEMES)


def gamma(value: Any) -> float | str:
    """Return a number, "scale" or "auto"."""
    if isinstance(value, str):
        return choice("gamma", value, ("scale", "auto"))
    return real("gamma", value)


def kernel(kind: Any, width: Any, degree: Any, coef0: Any) -> tuple[str, float | str, int, float]:
    """Return the parameters of a kernel in the form of the core."""
    kinds = ("linear", "rbf", "poly", "sigmoid", "precomputed")
    return (
        choice("kernel", kind, kinds),
        gamma(width),
        integer("degree", degree),
        real("coef0", coef0),
    )


def seed(random_state: Any) -> int:
    """Return a seed of the core for a number, a generator, or None for a new one each time."""
    try:
        generator = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            f"random_state = {random_state!r} is not valid: it must be a whole number below 2**32, "
            "a RandomState or None"
        ) from None
    if not isinstance(random_state, numbers.Integral):
        # What an estimator of scikit-learn draws in a fit, so that a generator that several
        # estimators share goes on in the same way.
        return int(generator.randint(np.iinfo(np.int32).max))
    return int(generator.randint(2**63 - 1, dtype=np.int64))
