"""What estimators are trained for: the classes of samples, their targets, or neither."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softmargin._checks.labels import check_labels
from softmargin._checks.outcomes import Outcomes
from softmargin._checks.targets import check_targets
from softmargin._checks.weights import positive_rows, used_rows
from softmargin._estimators.base import Classifier, Regressor

# A detector of outliers uses labels for scores only.
Kind = Literal["classifier", "regressor", "detector"]

# The classes of samples without classes.
NO_CLASSES = np.zeros(1, dtype=np.int64)


def kind_of(model: Any) -> Kind:
    """Return the kind of an estimator of softmargin."""
    if isinstance(model, Classifier):
        return "classifier"
    return "regressor" if isinstance(model, Regressor) else "detector"


def check_outcomes(kind: Kind, y: Any, n_samples: int) -> Outcomes:
    """Return what the samples are trained for; the classes are sorted."""
    if kind == "classifier":
        classes, codes = check_labels(y)
        return Outcomes(codes, classes)
    targets = check_targets(y, n_samples) if kind == "regressor" else None
    return Outcomes.without_classes(n_samples, targets)


def check_weights(
    kind: Kind, weights: NDArray[np.float64], classes: NDArray[Any], codes: NDArray[np.uint32]
) -> NDArray[np.intp] | None:
    """Return the samples of positive weight, or None for all; raise ValueError if too few."""
    if kind == "classifier":
        return used_rows(weights, classes, codes)
    return positive_rows(weights)


def predictions(kind: Kind, decisions: NDArray[np.float64]) -> NDArray[Any]:
    """Return what ``predict`` of a regressor or a detector returns for these decision values."""
    return decisions if kind == "regressor" else np.where(decisions >= 0, 1, -1)


def subject(kind: Kind, n_unfinished: int, n_trainings: int) -> str:
    """Return what did not converge, as the subject of a sentence."""
    if kind == "classifier":
        return f"{n_unfinished} binary classifiers in {n_trainings} trainings"
    return f"{n_unfinished} of {n_trainings} trainings"
