"""What all classifiers share, whatever their model."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from softmargin._checks import class_order, fields, parameters, resources
from softmargin._checks.labels import check_labels
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import check_rows

if TYPE_CHECKING:
    from softmargin._core import Kernel


class Classifier(ClassifierMixin, BaseEstimator):
    """A classifier that the core trains.

    A subclass has the parameters named below as attributes, names its method, and returns the
    solver of the core with its settings in ``_solver``.
    """

    _method: ClassVar[str]
    # The parameters of which many values cost little more than one, the first as in the core.
    _path: ClassVar[tuple[str, ...]] = ("C",)
    # Whether trainings along the path start from each other.
    _starts_along_path: ClassVar[bool] = False
    _takes_weights: ClassVar[bool] = False
    # Whether the columns of sparse rows need not be sorted.
    _any_order: ClassVar[bool] = False

    multi_class: Any
    class_weight: Any
    n_jobs: Any
    verbose: Any

    def _solver(self) -> Any:
        """Return the solver of the core, with all settings but the path and the kernel."""
        raise NotImplementedError

    def _core_kernel(self) -> Kernel:
        """Return the kernel of the core."""
        raise NotImplementedError

    @classmethod
    def _path_value(cls, params: Mapping[str, Any]) -> float:
        """Return the place on the path of these parameters."""
        (name,) = cls._path
        return parameters.real(name, params[name])

    def _breaks_ties(self) -> bool:
        return True

    def _check_work(self) -> None:
        """Check the parameters that change how training works, but not what it finds."""
        resources.check_jobs(self.n_jobs)
        self._check_warm_start()

    def _check_warm_start(self) -> None:
        """Check ``warm_start``, of methods that have it."""

    def _check_training_data(self, X: Any, y: Any) -> tuple[Any, NDArray[Any], NDArray[np.uint32]]:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        X = check_rows(X, estimator=self, any_order=self._any_order)
        check_consistent_length(X, y)
        classes, codes = check_labels(y)
        if parameters.scheme(self.multi_class) == "ordinal":
            classes, codes = class_order.apply_order(y, classes, codes)
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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write this fitted estimator to a file that :func:`softmargin.load` reads.

        The file holds parameters, fitted attributes and what training needs to go on, and no
        pickle: reading it runs no code. It is written as a whole or not at all. What a pickle
        would not keep is not in it either (training rows; ``certificate_`` of a kernel method
        unless it was asked for), nor are attributes that are not the estimator's own.

        Parameters
        ----------
        path : path
            Any name; a file that is there is replaced.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        TypeError
            If a parameter is no number, string, None or dictionary of these, such as a
            callable kernel; or if labels are none of strings, numbers and bools.

        Examples
        --------
        >>> import os, tempfile
        >>> import softmargin
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = softmargin.SVC(C=10).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "iris.softmargin")
        ...     model.save(path)
        ...     again = softmargin.load(path)
        >>> bool((again.decision_function(X) == model.decision_function(X)).all())
        True
        """
        from softmargin._files import model

        model.save(self, path)

    def _is_random(self) -> bool:
        """Tell whether a training draws random numbers, so that ``random_state`` matters."""
        return False

    def _saved_state(self) -> dict[str, Any]:
        """Return all fitted attributes as arrays and values of JSON, by names."""
        state = {
            "n_features_in_": int(self.n_features_in_),
            "classes_": fields.from_labels(self.classes_),
        }
        if hasattr(self, "feature_names_in_"):
            state["feature_names_in_"] = [str(name) for name in self.feature_names_in_]
        return state

    def _restore(self, saved: fields.Fields) -> None:
        """Take the fitted attributes from a file, and check them."""
        resources.thread_count(self.n_jobs)
        parameters.scheme(self.multi_class)
        self.n_features_in_ = saved.integer("n_features_in_", 1)
        is_ordinal = self._saved_scheme(saved) == "ordinal"
        self.classes_ = saved.labels("classes_", any_order=is_ordinal)
        if "feature_names_in_" in saved:
            names = saved.texts("feature_names_in_", self.n_features_in_)
            self.feature_names_in_ = np.array(names, dtype=object)

    def _saved_scheme(self, saved: fields.Fields) -> str:
        """Return how the model of a file splits classes into machines."""
        raise NotImplementedError

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled, and refuse a fitted state that cannot predict."""
        if not isinstance(state, dict):
            raise ValueError(
                f"this is not the state of a {type(self).__name__}: it is a "
                f"{type(state).__name__}, not a dictionary"
            )
        with restore_on_failure(self):
            super().__setstate__(state)
            if not self.__sklearn_is_fitted__():
                return
            try:
                self._check_fitted()
            except (AttributeError, TypeError, ValueError) as error:
                raise ValueError(
                    f"this is not the state of a fitted {type(self).__name__}: {error}"
                ) from None

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether ``fit`` was called."""
        raise NotImplementedError

    def _check_is_fitted(self) -> None:
        """Do as ``check_is_fitted``, which takes longer than to predict a row."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)

    def _check_fitted(self) -> None:
        """Raise if fitted attributes do not go together; one that is missing raises by itself."""
        if not (isinstance(self.classes_, np.ndarray) and self.classes_.ndim == 1):
            raise ValueError("classes_ is not a list of labels")
        parameters.positive("n_features_in_", self.n_features_in_)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that neighbours are not enough for clouds without an order."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.multi_class == "ordinal"
        return tags


def refuse_own_predictions(model: Classifier, base: type[Classifier]) -> None:
    """Refuse a class derived from ours whose predictions an export of the model would not have."""
    for name in ("predict", "decision_function"):
        if getattr(type(model), name) is not getattr(base, name):
            raise TypeError(
                f"model is a {type(model).__name__}, whose own {name} cannot be exported; pass an "
                "estimator of softmargin"
            )
