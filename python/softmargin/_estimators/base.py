"""The base classes of all estimators: parameters, limits, progress, files and pickles."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from softmargin._checks import class_order, fields, parameters, resources
from softmargin._checks.labels import check_labels
from softmargin._checks.outcomes import Outcomes
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import check_rows
from softmargin._checks.targets import check_targets

if TYPE_CHECKING:
    from softmargin._core import Kernel, _PathValue

# The parameter whose value ended a training, by status.
_LIMITS = {"iteration limit": "max_iter", "time limit": "time_limit"}
_NOT_OPTIMAL = "The model is usable but not optimal"
_CONSEQUENCES = {"not finite": "The coefficients are 0"}


class Estimator(BaseEstimator):
    """An estimator trained by the Rust core.

    A subclass defines the parameters named below, ``_method``, and ``_solver``, which returns
    the configured solver of the core.
    """

    _method: ClassVar[str]
    # Names of the parameters of the path, such as C: the core trains all values in one run. The
    # first name is that of the core; others are alternatives to it, or vary with it.
    _path: ClassVar[tuple[str, ...]] = ("C",)
    # Whether each model of the path starts from the previous one.
    _starts_along_path: ClassVar[bool] = False
    _takes_weights: ClassVar[bool] = False
    # Whether the first working set can be drawn at random.
    _draws_first_set: ClassVar[bool] = False
    # Whether float32 kernel values change the result by no more than the tolerance, because the
    # solver refines it in float64 where necessary.
    _tolerates_rounding: ClassVar[bool] = False
    # Whether sparse input may have unsorted column indices.
    _any_order: ClassVar[bool] = False

    n_jobs: Any
    verbose: Any

    n_iter_: Any
    # How training ended: of each binary classifier, or of the only machine.
    status_: Any

    def _solver(self) -> Any:
        """Return the solver of the core; its settings include neither path nor kernel."""
        raise NotImplementedError

    def _core_kernel(self) -> Kernel:
        """Return the kernel of the core."""
        raise NotImplementedError

    def _engine_kernel(self) -> Kernel:
        """Return the kernel of the core for model selection, which evaluates kernel functions."""
        return self._core_kernel()

    @classmethod
    def _path_value(cls, params: Mapping[str, Any]) -> _PathValue:
        """Return the value on the regularization path that these parameters specify."""
        (name,) = cls._path
        return parameters.real(name, params[name])

    def _train_value(self) -> _PathValue:
        """Return the value on the regularization path that this estimator is trained with."""
        return self._path_value(vars(self))

    def _deadline(self) -> resources.Deadline:
        """Return the time limit of a fit, which starts now."""
        return resources.Deadline(getattr(self, "time_limit", None))

    def _check_execution(self) -> None:
        """Check the parameters that affect how training runs, but not its result."""
        resources.check_jobs(self.n_jobs)
        self._check_warm_start()

    def _check_warm_start(self) -> None:
        """Check ``warm_start``, if the method has this parameter."""

    def _check_y(self, y: Any) -> None:
        """Raise ValueError if y is missing."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )

    def _check_outcomes(self, X: Any, y: Any) -> Outcomes:
        """Return what the samples are trained for."""
        raise NotImplementedError

    def _check_training_data(self, X: Any, y: Any) -> tuple[Any, Outcomes]:
        """Return checked samples, and what they are trained for."""
        self._check_y(y)
        X = check_rows(X, estimator=self, any_order=self._any_order)
        return X, self._check_outcomes(X, y)

    def _progress(self) -> Callable[[int], None] | None:
        if not self.verbose:
            return None
        name = type(self).__name__
        shown = -math.inf

        def show(steps: int) -> None:
            nonlocal shown
            if sys.stderr is not None and time.monotonic() - shown >= 1:
                shown = time.monotonic()
                with contextlib.suppress(OSError, ValueError):  # stderr may be closed
                    print(f"{name}: {steps:,} steps", file=sys.stderr)

        return show

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save this fitted estimator to a file that :func:`softmargin.load` reads.

        The file contains the parameters, the fitted attributes and the state from which
        training can resume. It contains no pickle, so loading it executes no code. It is
        written atomically. Like a pickle, it contains neither the training data nor a
        ``certificate_`` of a kernel method that was not read before. Attributes that the
        estimator does not define itself are not saved.

        Parameters
        ----------
        path : str or path-like
            File to write; an existing file is replaced.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError
            If a parameter is not a number, a string, None or a dictionary of these (for
            example a callable kernel), or if the labels are not strings, numbers or bools.

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
        """Return whether training draws random numbers and thus depends on ``random_state``."""
        return False

    def _saved_state(self) -> dict[str, Any]:
        """Return all fitted attributes by name, as arrays and JSON values."""
        state: dict[str, Any] = {"n_features_in_": int(self.n_features_in_)}
        if hasattr(self, "feature_names_in_"):
            state["feature_names_in_"] = [str(name) for name in self.feature_names_in_]
        return state

    def _restore(self, saved: fields.Fields) -> None:
        """Restore the fitted attributes from a file and check them."""
        resources.thread_count(self.n_jobs)
        self.n_features_in_ = saved.integer("n_features_in_", 1)
        if "feature_names_in_" in saved:
            names = saved.texts("feature_names_in_", self.n_features_in_)
            self.feature_names_in_ = np.array(names, dtype=object)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled state; raise ValueError if a fitted state cannot predict."""
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
        """Return whether ``fit`` was called."""
        raise NotImplementedError

    def _check_is_fitted(self) -> None:
        """Do the same as ``check_is_fitted``, which takes longer than predicting one sample."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)

    def _check_fitted(self) -> None:
        """Raise an exception if fitted attributes are missing or inconsistent."""
        parameters.positive("n_features_in_", self.n_features_in_)

    def _statuses(self) -> list[str]:
        """Return how training ended: of each binary classifier, or of the only machine."""
        return [self.status_] if isinstance(self.status_, str) else list(self.status_)

    def _subject(self, count: int) -> str:
        """Return what did not converge, as the subject of a sentence."""
        return f"{count} of {len(self._statuses())} binary classifiers"

    def _warn_if_not_converged(self, stacklevel: int) -> None:
        """Warn of machines that did not converge; ``stacklevel`` is the caller's."""
        statuses = self._statuses()
        n_iter = np.broadcast_to(self.n_iter_, len(statuses))
        for status, count in Counter(statuses).items():
            if status == "converged":
                continue
            steps = int(n_iter[[own == status for own in statuses]].max())
            warnings.warn(
                f"{self._subject(count)} did not converge: status {status!r} after {steps:,} "
                f"iteration{'s' * (steps != 1)}{self._limit(status)}. "
                f"{_CONSEQUENCES.get(status, _NOT_OPTIMAL)}; {self._remedy(status)}.",
                ConvergenceWarning,
                stacklevel=stacklevel + 1,
            )

    def _limit(self, status: str) -> str:
        """Return the limit that a training with this status reached, in parentheses."""
        name = _LIMITS.get(status)
        return "" if name is None else f" ({name} = {getattr(self, name)})"

    def _remedy(self, status: str) -> str:
        """Return what the user can do about a training that ended with this status."""
        name = _LIMITS.get(status)
        if name is None:
            return "scale the features" + (", or decrease C" if hasattr(self, "C") else "")
        return f"increase {name}" + (", or scale the features" if name == "max_iter" else "")


class Classifier(ClassifierMixin, Estimator):
    """A classifier trained by the Rust core.

    A subclass defines the parameters named below.
    """

    multi_class: Any
    class_weight: Any

    classes_: NDArray[Any]

    def _breaks_ties(self) -> bool:
        return True

    def _check_outcomes(self, X: Any, y: Any) -> Outcomes:
        if not (type(y) is np.ndarray and y.shape == X.shape[:1]):
            check_consistent_length(X, y)
        classes, codes = check_labels(y)
        if parameters.scheme(self.multi_class) == "ordinal":
            classes, codes = class_order.apply_order(y, classes, codes)
        return Outcomes(codes, classes)

    def _saved_state(self) -> dict[str, Any]:
        return super()._saved_state() | {"classes_": fields.from_labels(self.classes_)}

    def _restore(self, saved: fields.Fields) -> None:
        parameters.scheme(self.multi_class)
        super()._restore(saved)
        is_ordinal = self._saved_scheme(saved) == "ordinal"
        self.classes_ = saved.labels("classes_", any_order=is_ordinal)

    def _saved_scheme(self, saved: fields.Fields) -> str:
        """Return the multiclass decomposition of the model in a file."""
        raise NotImplementedError

    def _check_fitted(self) -> None:
        if not (isinstance(self.classes_, np.ndarray) and self.classes_.ndim == 1):
            raise ValueError("classes_ is not a one-dimensional array of labels")
        super()._check_fitted()

    def __sklearn_tags__(self) -> Any:
        """Return the tags; ordinal classifiers score poorly on classes without an order."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.multi_class == "ordinal"
        return tags


class SingleMachine(Estimator):
    """An estimator that trains a single machine, whose attributes are not arrays."""

    n_iter_: int
    status_: str

    def _subject(self, count: int) -> str:
        return type(self).__name__


class Regressor(RegressorMixin, SingleMachine):
    """A regressor trained by the Rust core."""

    def _check_outcomes(self, X: Any, y: Any) -> Outcomes:
        n_samples = X.shape[0]
        return Outcomes.without_classes(n_samples, check_targets(y, n_samples))


def check_standard_predictions(model: Estimator, base: type[Estimator]) -> None:
    """Raise TypeError if a subclass overrides predictions, which an export would not contain."""
    for name in ("predict", "decision_function"):
        if getattr(type(model), name, None) is not getattr(base, name, None):
            raise TypeError(
                f"model is a {type(model).__name__}, whose own {name} cannot be exported; pass an "
                "estimator of softmargin that does not override it"
            )
