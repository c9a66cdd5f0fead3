"""The decomposition of several classes into binary problems, in the order of the core."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sides(NamedTuple):
    """The classes of a binary problem; ``negative`` is None for all classes but one."""

    positive: int
    negative: int | None


def binary_problems(scheme: str, n_classes: int) -> list[Sides]:
    """Return the sides of each binary problem.

    Two classes make one problem, in which the second class is positive. One-vs-one problems
    follow in the order (0, 1), (0, 2), ..., (1, 2), ... and their first class is positive. The
    only machine of regression has all samples on its positive side.
    """
    if scheme == "single":
        return [Sides(0, None)]
    if n_classes == 2:
        return [Sides(1, 0)]
    if scheme == "ovr":
        return [Sides(positive, None) for positive in range(n_classes)]
    if scheme == "ordinal":
        return [Sides(positive, positive + 1) for positive in range(n_classes - 1)]
    return list(itertools.starmap(Sides, itertools.combinations(range(n_classes), 2)))


def n_binary(scheme: str, n_classes: int) -> int:
    """Return the number of binary problems."""
    if n_classes <= 2:
        return 1
    pairs = n_classes * (n_classes - 1) // 2
    return {"ovr": n_classes, "ordinal": n_classes - 1}.get(scheme, pairs)


def labels(codes: NDArray[np.uint32], sides: Sides) -> NDArray[np.float64]:
    """Return +1 or -1 for each sample, and 0 for samples that are not part of the problem."""
    others = -1.0 if sides.negative is None else np.where(codes == sides.negative, -1.0, 0.0)
    return np.where(codes == sides.positive, 1.0, others)


def coefficients(
    beta: NDArray[np.float64], codes: NDArray[np.uint32], scheme: str, n_classes: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the coefficient of each sample in each binary problem.

    ``beta`` are the coefficients of a model, laid out as in ``dual_coef_``, with a column for
    each training sample.
    """
    for number, sides in enumerate(binary_problems(scheme, n_classes)):
        if n_classes == 2 or scheme != "ovo" or sides.negative is None:
            yield np.where(labels(codes, sides) == 0, 0.0, beta[number])
        else:
            first, second = sides.positive, sides.negative
            own = np.where(codes == first, beta[second - 1], beta[first])
            yield np.where(labels(codes, sides) == 0, 0.0, own)
