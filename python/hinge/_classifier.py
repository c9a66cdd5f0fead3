"""What all classifiers share, whatever their model."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length

from hinge import _input, _parameters


class Classifier(ClassifierMixin, BaseEstimator):
    """A classifier that the core trains.

    A subclass has the parameters named below as attributes, names its method in the core,
    and returns the parameters of the method in ``_settings``.
    """

    _method: ClassVar[str]
    # The parameters of which many values cost little more than one, the first as in the core.
    _path: ClassVar[tuple[str, ...]] = ("C",)
    _takes_weights: ClassVar[bool] = False
    # Whether the columns of sparse rows need not be sorted.
    _any_order: ClassVar[bool] = False

    multi_class: Any
    class_weight: Any
    n_jobs: Any
    verbose: Any

    def _settings(self) -> dict[str, Any]:
        """Return the parameters of the method besides its path and the kernel."""
        raise NotImplementedError

    def _kernel_arguments(self) -> tuple[str, float | str, int, float]:
        """Return the kernel in the form of the core."""
        raise NotImplementedError

    @classmethod
    def _path_value(cls, params: Mapping[str, Any]) -> float:
        """Return the place on the path of these parameters."""
        (name,) = cls._path
        return _parameters.real(name, params[name])

    def _breaks_ties(self) -> bool:
        return True

    def _check_training_data(self, X: Any, y: Any) -> tuple[Any, NDArray[Any], NDArray[np.uint32]]:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        X = _input.check_rows(X, estimator=self, any_order=self._any_order)
        check_consistent_length(X, y)
        classes, codes = _input.check_labels(y)
        return X, classes, codes

    def _progress(self) -> Callable[[int], None] | None:
        if not self.verbose:
            return None
        name = type(self).__name__
        shown = -math.inf

        def show(steps: int) -> None:
            nonlocal shown
            if sys.stderr is not None and time.monotonic() - shown >= 1:
                shown = time.monotonic()
                with contextlib.suppress(OSError, ValueError):  # closed: no reason to stop
                    print(f"{name}: {steps:,} steps", file=sys.stderr)

        return show

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that neighbours are not enough for clouds without an order."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.multi_class == "ordinal"
        return tags
