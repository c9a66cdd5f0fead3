"""Curves of test accuracy of the stochastic rules of paper 001, read from their records."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softmargin.experiments._study import Record, Records

RULES = {
    "pegasos": "Pegasos",
    "momentum": "Momentum",
    "rmsprop": "RMSprop",
    "nag": "NAG",
    "sgd": "SGD",
}

_WINDOW = 5


class Outcome(NamedTuple):
    """What a rule reached: accuracies (%) with a row for each seed, a column for each point."""

    lambda_: float
    eta: float | None
    points: NDArray[np.int64]
    accuracies: NDArray[np.float64]

    @property
    def end(self) -> float:
        """Return the accuracy after the last step, the mean of the seeds."""
        return float(self.accuracies[:, -1].mean())

    @property
    def spread(self) -> float:
        """Return the standard deviation of the seeds at the end (n - 1), NaN of a single one."""
        ends = self.accuracies[:, -1]
        return float(ends.std(ddof=1)) if len(ends) > 1 else math.nan

    @property
    def error(self) -> float:
        """Return the standard error of the end."""
        return self.spread / math.sqrt(len(self.accuracies))

    @property
    def shown(self) -> str:
        """Return the end with the deviation of its seeds."""
        return f"{self.end:.2f}" + ("" if math.isnan(self.spread) else f" ± {self.spread:.2f}")

    @property
    def curve(self) -> NDArray[np.float64]:
        """Return the mean of the seeds and of five points, fewer at both ends.

        Single iterates jump by several points of accuracy.
        """
        mean = self.accuracies.mean(axis=0)
        window = np.ones(_WINDOW)
        near = np.convolve(np.ones_like(mean), window, "same")
        return np.convolve(mean, window, "same") / near

    def at(self, step: int) -> float:
        """Return the accuracy of the curve after so many steps."""
        return float(np.interp(step, self.points, self.curve))

    def steps_to(self, level: float) -> int | None:
        """Return after how many steps the curve first reaches a level; None for never."""
        reached = np.flatnonzero(self.curve >= level)
        return int(self.points[reached[0]]) if len(reached) else None


def outcome(record: Record | None) -> Outcome | None:
    """Return what a record says, if a seed of it is done."""
    if record is None or not record.get("accuracies"):
        return None
    points, found = np.array(record["steps"]), np.array(record["accuracies"], dtype=np.float64)
    return Outcome(record["lambda"], record["eta"], points, found)


def outcomes(records: Records, name: str) -> Mapping[str, Outcome]:
    """Return the rules that were run on a set."""
    found = {rule: outcome(records.get(f"{name}/{rule}")) for rule in RULES}
    return {rule: reached for rule, reached in found.items() if reached is not None}
