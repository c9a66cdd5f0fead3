"""The lines of a model file of LIBSVM, read without trust."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

_TYPES = ("c_svc", "nu_svc")
# Kernels of LIBSVM with the numbers that each needs.
KERNELS = {
    "linear": (),
    "polynomial": ("degree", "gamma", "coef0"),
    "rbf": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
}
_MOST = 2**31 - 1
_WHOLE = re.compile(rb"[+-]?[0-9]{1,10}")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_VECTOR = re.compile(rb"[-+.:0-9eE \t\r\n]*")
# Fields with one word, and fields with a number for each class or each pair of classes.
_SINGLE = ("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv")
_SEVERAL = ("rho", "label", "nr_sv", "probA", "probB", "prob_density_marks")


class Header(NamedTuple):
    """What a file says before its support vectors; classes as the file orders them."""

    kernel: str
    # Degree, gamma and coef0, as far as the kernel has them.
    numbers: dict[str, float]
    labels: list[int]
    n_support: list[int]
    # For each pair of classes, what is taken off the sum.
    rho: list[float]
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
            raise ValueError(f"line {n_lines}: {name[:40]!r} is not known")
        if name in fields:
            raise ValueError(f"line {n_lines}: {name} is there twice")
        fields[name] = line.split()[1:]
    else:
        raise ValueError("there is no line 'SV': the file breaks off")
    return _checked(fields, n_lines)


def _checked(fields: dict[str, list[bytes]], n_lines: int) -> Header:
    kind = _one(fields, "svm_type").decode("ascii", "replace")
    if kind not in _TYPES:
        raise ValueError(f"svm_type is {kind[:40]!r}, but must be one of {', '.join(_TYPES)}")
    kernel = _one(fields, "kernel_type").decode("ascii", "replace")
    if kernel not in KERNELS:
        raise ValueError(f"kernel_type is {kernel[:40]!r}, but must be one of {', '.join(KERNELS)}")
    numbers: dict[str, float] = {}
    for name in KERNELS[kernel]:
        word = _one(fields, name)
        numbers[name] = whole(name, word, 0) if name == "degree" else number(name, word)
    k = whole("nr_class", _one(fields, "nr_class"), 2)
    labels = [whole("label", word, -_MOST - 1) for word in _many(fields, "label", k)]
    if len(set(labels)) < k:
        raise ValueError("label has a label twice")
    rho = [number("rho", word) for word in _many(fields, "rho", k * (k - 1) // 2)]
    n_support = [whole("nr_sv", word, 0) for word in _many(fields, "nr_sv", k)]
    total = whole("total_sv", _one(fields, "total_sv"), 1)
    if sum(n_support) != total:
        raise ValueError(f"total_sv is {total}, but nr_sv counts {sum(n_support)}")
    for name in ("probA", "probB"):
        for word in _many(fields, name, k * (k - 1) // 2) if name in fields else ():
            number(name, word)
    return Header(kernel, numbers, labels, n_support, rho, n_lines)


def _many(fields: dict[str, list[bytes]], name: str, count: int) -> list[bytes]:
    words = fields.get(name)
    if words is None:
        raise ValueError(f"{name} is missing")
    if len(words) != count:
        raise ValueError(f"{name} has {len(words)} values, but there must be {count}")
    return words


def _one(fields: dict[str, list[bytes]], name: str) -> bytes:
    return _many(fields, name, 1)[0]


def whole(name: str, word: bytes, low: int) -> int:
    """Return a whole number of 32 bits."""
    value = int(word) if _WHOLE.fullmatch(word) else None
    if value is None or not low <= value <= _MOST:
        raise ValueError(f"{name} is {_shown(word)}, but must be a whole number, {low} to {_MOST}")
    return value


def number(name: str, word: bytes) -> float:
    """Return a finite decimal number."""
    value = float(word) if _NUMBER.fullmatch(word) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"{name} is {_shown(word)}, but must be a finite decimal number")
    return value


def split_vector(line: bytes, n_others: int, place: int) -> tuple[list[float], bytes]:
    """Return all coefficients of a line but the last, and the rest of the line."""
    if not _VECTOR.fullmatch(line):
        raise ValueError(f"line {place}: it has a character that no number has")
    words = line.split(None, n_others)
    if not words:
        return [], b"\n"
    if len(words) <= n_others:
        raise ValueError(f"line {place}: there must be {n_others + 1} coefficients")
    return [number(f"line {place}: a coefficient", word) for word in words[:-1]], words[-1]


def _shown(word: bytes) -> str:
    return repr(word[:40].decode("ascii", "replace"))
