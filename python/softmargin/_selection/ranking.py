"""The area under the ROC curve of two classes, for many candidates at once.

The areas are those of scikit-learn to the last bit: its operations are done in its order. Where
scikit-learn would warn, the area is NaN, and its own function must be called.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.metrics._scorer import _BaseScorer

# Its name before numpy 2.
_trapezoid: Any = getattr(np, "trapezoid", None) or getattr(np, "trapz", None)


def is_area(scorer: Any) -> bool:
    """Return whether a scorer is scikit-learn's "roc_auc" with its default arguments."""
    if not isinstance(scorer, _BaseScorer) or scorer._score_func is not roc_auc_score:
        return False
    wanted = scorer._response_method
    first = wanted if isinstance(wanted, str) else wanted[0]
    return first == "decision_function" and not scorer._kwargs and scorer._sign == 1


def roc_areas(
    codes: NDArray[np.uint32], decisions: NDArray[np.float64], classes: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the area of each candidate; ``decisions`` has shape (n_candidates, n_samples, 1)."""
    areas = np.full(len(decisions), math.nan)
    n_positive = int((codes == 1).sum())
    if len(classes) != 2 or decisions.shape[2] != 1 or n_positive in (0, len(codes)):
        return areas
    is_positive = codes == 1
    for number, values in enumerate(decisions[:, :, 0]):
        if np.isfinite(values).all():
            areas[number] = _area(is_positive, values)
    return areas


def _area(is_positive: NDArray[np.bool_], values: NDArray[np.float64]) -> float:
    """Return the area by the trapezoidal rule over the corners of the curve."""
    order = np.argsort(values, kind="mergesort")[::-1]
    ends = np.r_[np.flatnonzero(np.diff(values[order])), len(values) - 1]
    true = np.cumsum(is_positive[order], dtype=np.float64)[ends]
    false = 1.0 + ends - true
    if len(ends) > 2:
        # Points on a straight line have no effect.
        bends = (np.diff(false, 2) != 0) | (np.diff(true, 2) != 0)
        corners = np.flatnonzero(np.r_[True, bends, True])
        true, false = true[corners], false[corners]
    true, false = np.r_[0.0, true], np.r_[0.0, false]
    return float(_trapezoid(true / true[-1], false / false[-1]))
