"""The header of an untrusted LIBSVM model file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

# Problems with classes, and problems with a single machine.
_CLASSIFIERS = ("c_svc", "nu_svc")
_REGRESSORS = ("epsilon_svr", "nu_svr")
_TYPES = (*_CLASSIFIERS, "one_class", *_REGRESSORS)
# LIBSVM kernels and their parameters.
KERNELS = {
    "linear": (),
    "polynomial": ("degree", "gamma", "coef0"),
    "rbf": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
}
_MAX = 2**31 - 1
_WHOLE = re.compile(rb"[+-]?[0-9]{1,10}")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_VECTOR = re.compile(rb"[-+.:0-9eE \t\r\n]*")
# Fields with one value, and fields with a value per class or per pair of classes.
_SINGLE = ("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv")
_SEVERAL = ("rho", "label", "nr_sv", "probA", "probB", "prob_density_marks")
# Fields that only some types have.
_OF_TYPES = {
    "label": _CLASSIFIERS,
    "nr_sv": _CLASSIFIERS,
    "probA": (*_CLASSIFIERS, *_REGRESSORS),
    "probB": _CLASSIFIERS,
}


class Header(NamedTuple):
    """The fields before the support vectors; classes in the order of the file."""

    svm_type: str
    kernel: str
    # degree, gamma and coef0, as far as the kernel uses them.
    numbers: dict[str, float]
    # Empty if the type has no classes.
    labels: list[int]
    # The number of support vectors of each class, or of the single machine.
    n_support: list[int]
    # The negative intercept of each machine: one for each pair of classes.
    rho: list[float]
    # Parameters of the sigmoids of each pair of classes; empty if there are none. For regression,
    # LIBSVM estimates the scale of the noise instead, which predictions do not depend on.
    prob_a: list[float]
    prob_b: list[float]
    n_lines: int


def read(lines: Iterator[bytes]) -> Header:
    """Read the lines up to ``SV``."""
    fields: dict[str, list[bytes]] = {}
    n_lines = 0
    for line in lines:
        n_lines += 1
        name, *words = [word.decode("ascii", "replace") for word in line.split()] or [""]
        if name == "SV" and not words:
            break
        if name not in _SINGLE + _SEVERAL:
            raise ValueError(f"line {n_lines}: unknown field {name[:40]!r}")
        if name in fields:
            raise ValueError(f"line {n_lines}: duplicate field {name}")
        fields[name] = line.split()[1:]
    else:
        raise ValueError("the line 'SV' is missing: the file is truncated")
    return _checked(fields, n_lines)


def _checked(fields: dict[str, list[bytes]], n_lines: int) -> Header:
    kind = _one(fields, "svm_type").decode("ascii", "replace")
    if kind not in _TYPES:
        raise ValueError(f"svm_type is {kind[:40]!r}; expected one of {', '.join(_TYPES)}")
    kernel = _one(fields, "kernel_type").decode("ascii", "replace")
    if kernel not in KERNELS:
        raise ValueError(f"kernel_type is {kernel[:40]!r}; expected one of {', '.join(KERNELS)}")
    numbers: dict[str, float] = {}
    for name in KERNELS[kernel]:
        word = _one(fields, name)
        numbers[name] = integer(name, word, 0) if name == "degree" else number(name, word)
    for name, types in _OF_TYPES.items():
        if name in fields and kind not in types:
            raise ValueError(f"{name} is not a field of a model of type {kind}")
    if kind not in _CLASSIFIERS:
        return _of_single(kind, kernel, numbers, fields, n_lines)
    k = integer("nr_class", _one(fields, "nr_class"), 2)
    labels = [integer("label", word, -_MAX - 1) for word in _many(fields, "label", k)]
    if len(set(labels)) < k:
        raise ValueError("label has a duplicate label")
    rho = [number("rho", word) for word in _many(fields, "rho", k * (k - 1) // 2)]
    n_support = [integer("nr_sv", word, 0) for word in _many(fields, "nr_sv", k)]
    total = integer("total_sv", _one(fields, "total_sv"), 1)
    if sum(n_support) != total:
        raise ValueError(f"total_sv is {total}, but the sum of nr_sv is {sum(n_support)}")
    prob_a, prob_b = (
        [number(name, word) for word in _many(fields, name, len(rho))] if name in fields else []
        for name in ("probA", "probB")
    )
    if len(prob_a) != len(prob_b):
        raise ValueError("probA and probB must both be present")
    return Header(kind, kernel, numbers, labels, n_support, rho, prob_a, prob_b, n_lines)


def _of_single(
    kind: str,
    kernel: str,
    numbers: dict[str, float],
    fields: dict[str, list[bytes]],
    n_lines: int,
) -> Header:
    """Return the header of a model with a single machine."""
    k = integer("nr_class", _one(fields, "nr_class"), 2)
    if k != 2:
        raise ValueError(f"nr_class is {k}; expected 2 for the type {kind}")
    # A regressor is constant if the tube contains all targets.
    total = integer("total_sv", _one(fields, "total_sv"), int(kind == "one_class"))
    rho = number("rho", _one(fields, "rho"))
    if "probA" in fields:
        number("probA", _one(fields, "probA"))
    return Header(kind, kernel, numbers, [], [total], [rho], [], [], n_lines)


def _many(fields: dict[str, list[bytes]], name: str, count: int) -> list[bytes]:
    words = fields.get(name)
    if words is None:
        raise ValueError(f"{name} is missing")
    if len(words) != count:
        raise ValueError(f"{name} has {len(words)} values, expected {count}")
    return words


def _one(fields: dict[str, list[bytes]], name: str) -> bytes:
    return _many(fields, name, 1)[0]


def integer(name: str, word: bytes, low: int) -> int:
    """Return a 32-bit integer of at least ``low``."""
    value = int(word) if _WHOLE.fullmatch(word) else None
    if value is None or not low <= value <= _MAX:
        raise ValueError(f"{name} is {_quote(word)}; expected an integer from {low} to {_MAX}")
    return value


def number(name: str, word: bytes) -> float:
    """Return a finite decimal number."""
    value = float(word) if _NUMBER.fullmatch(word) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"{name} is {_quote(word)}; expected a finite decimal number")
    return value


def split_vector(line: bytes, n_others: int, line_number: int) -> tuple[list[float], bytes]:
    """Return all coefficients of a line except the last, and the rest of the line."""
    if not _VECTOR.fullmatch(line):
        raise ValueError(f"line {line_number}: invalid character; expected numbers only")
    words = line.split(None, n_others)
    if not words:
        return [], b"\n"
    if len(words) <= n_others:
        raise ValueError(f"line {line_number}: expected {n_others + 1} coefficients")
    name = f"line {line_number}: a coefficient"
    return [number(name, word) for word in words[:-1]], words[-1]


def _quote(word: bytes) -> str:
    return repr(word[:40].decode("ascii", "replace"))
