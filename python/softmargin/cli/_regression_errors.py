"""Errors of predicted targets, as svm-predict prints them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RegressionErrors(NamedTuple):
    """Errors of predictions; the correlation is NaN if predictions or targets are constant."""

    mean_squared_error: float
    squared_correlation: float
    mean_absolute_error: float

    @classmethod
    def of(cls, predicted: NDArray[np.float64], targets: NDArray[np.float64]) -> RegressionErrors:
        """Return the errors of predictions of these targets."""
        import numpy as np

        is_constant = np.ptp(predicted) == 0 or np.ptp(targets) == 0
        with np.errstate(all="ignore"):  # huge targets overflow
            errors = predicted - targets
            p, t = predicted - predicted.mean(), targets - targets.mean()
            share = (p @ t) ** 2 / ((p @ p) * (t @ t))
            return cls(
                float(np.mean(errors**2)),
                math.nan if is_constant else float(share),
                float(np.abs(errors).mean()),
            )

    def lines(self) -> list[str]:
        """Return the lines of svm-predict, and one with the mean absolute error."""
        return [
            f"Mean squared error = {self.mean_squared_error:g} (regression)",
            f"Squared correlation coefficient = {self.squared_correlation:g} (regression)",
            f"Mean absolute error = {self.mean_absolute_error:g} (regression)",
        ]
