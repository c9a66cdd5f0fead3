"""Curves of test accuracy of the update rules of Lu and Jin (2017), read from the records."""

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

# Rules whose listing differs from the equations, and their keys if the listing is followed.
AS_PRINTED = {"rmsprop": "rmsprop as printed", "nag": "nag as printed"}

_WINDOW = 5


class Outcome(NamedTuple):
    """The result of a rule: accuracies (%) with a row for each seed, a column for each point."""

    lambda_: float
    eta: float | None
    points: NDArray[np.int64]
    accuracies: NDArray[np.float64]

    @property
    def end(self) -> float:
        """Return the accuracy after the last step, averaged over the seeds."""
        return float(self.accuracies[:, -1].mean())

    @property
    def spread(self) -> float:
        """Return the standard deviation of the final accuracy (n - 1); NaN for a single seed."""
        ends = self.accuracies[:, -1]
        return float(ends.std(ddof=1)) if len(ends) > 1 else math.nan

    @property
    def error(self) -> float:
        """Return the standard error of the final accuracy."""
        return self.spread / math.sqrt(len(self.accuracies))

    @property
    def shown(self) -> str:
        """Return the final accuracy with its standard deviation as text."""
        return f"{self.end:.2f}" + ("" if math.isnan(self.spread) else f" ± {self.spread:.2f}")

    @property
    def curve(self) -> NDArray[np.float64]:
        """Return the mean over the seeds and over five points, fewer at both ends.

        The accuracy of single iterates fluctuates by several points.
        """
        mean = self.accuracies.mean(axis=0)
        window = np.ones(_WINDOW)
        near = np.convolve(np.ones_like(mean), window, "same")
        return np.convolve(mean, window, "same") / near

    def at(self, step: int) -> float:
        """Return the accuracy of the curve after this many steps."""
        return float(np.interp(step, self.points, self.curve))

    def steps_to(self, level: float) -> int | None:
        """Return the number of steps after which the curve first reaches a level, or None."""
        reached = np.flatnonzero(self.curve >= level)
        return int(self.points[reached[0]]) if len(reached) else None


def outcome(record: Record | None) -> Outcome | None:
    """Return the result in a record if at least one seed is finished."""
    if record is None or not record.get("accuracies"):
        return None
    points, found = np.array(record["steps"]), np.array(record["accuracies"], dtype=np.float64)
    return Outcome(record["lambda"], record["eta"], points, found)


def outcomes(records: Records, name: str) -> Mapping[str, Outcome]:
    """Return the results of the rules on a data set."""
    found = {rule: outcome(records.get(f"{name}/{rule}")) for rule in RULES}
    return {rule: reached for rule, reached in found.items() if reached is not None}
