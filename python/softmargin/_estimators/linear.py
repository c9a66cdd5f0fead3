"""The base class of all linear classifiers: training, prediction, learning curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks import parameters, resources
from softmargin._checks.fields import Fields
from softmargin._checks.labels import codes_of
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import FLOATS, check_rows, is_plain, native_rows
from softmargin._checks.weights import class_weights, sample_weights, used_rows
from softmargin._estimators.base import Classifier
from softmargin._estimators.curve import Problem, from_fields, record_curve, to_fields
from softmargin._estimators.decomposition import n_binary
from softmargin._estimators.linear_machine import LinearMachine
from softmargin._estimators.rule_state import State

if TYPE_CHECKING:
    from softmargin._core import LinearFit

# Maximum number of decision values that a prediction holds in memory.
_MAX_OUTPUTS = 1 << 23
# Names of the sign patterns of ordinal classifiers in a file.
_PATTERNS = ("patterns", "pattern_counts")


class LinearClassifier(LinearMachine, Classifier):
    """A classifier with one weight per feature.

    A subclass also defines the parameters named below, and C or lambda.
    """

    _loss: ClassVar[str] = "hinge"

    record_every: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None) -> Self:
        """Fit the model to the training data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. float32 is kept, any other type is converted to float64.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply the loss. Samples of weight 0 are ignored.
        eval_set : tuple (X, y) or None, default=None
            Held-out samples and labels. With ``record_every``, ``curve_`` contains the
            accuracy on them.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        deadline = self._deadline()
        with restore_on_failure(self):
            self._fit(X, y, sample_weight, eval_set, deadline)
        self._warn_if_not_converged(stacklevel=2)
        return self

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        eval_set: Any,
        deadline: resources.Deadline,
    ) -> None:
        """Train all binary classifiers."""
        X, outcomes = self._check_training_data(X, y)
        codes = outcomes.codes
        classes: Any = outcomes.classes
        weights = sample_weights(sample_weight, len(codes))
        if weights is not None:
            used_rows(weights, classes, codes)
        by_class = self._class_weights(classes, codes, weights)
        tested = None if eval_set is None else self._check_eval_set(eval_set, classes)
        record = self._record()
        states = self._starts(X, classes)
        solver = self._solver()  # once: it draws a seed
        found = self._train(solver, X, outcomes, by_class, weights, deadline, states, record)
        self._set_fitted(found, classes)
        self._set_patterns(X, codes, weights, None)
        self._set_curve(found, X, codes, by_class, weights, tested, record)

    def _check_execution(self) -> None:
        super()._check_execution()
        self._record()

    def _record(self) -> int | None:
        """Return the number of steps between the points of a curve; None for no curve."""
        return parameters.count("record_every", self.record_every, None)

    def _starts(self, X: Any, classes: NDArray[Any]) -> list[State] | None:
        """Return the states from which training resumes; None to start from zero."""
        return None

    def _class_weights(
        self,
        classes: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """Return the weight of each class; "balanced" ignores samples of weight 0."""
        used = codes if weights is None else codes[weights > 0]
        return class_weights(self.class_weight, classes, used)

    def _scheme_to_train(self) -> str:
        return parameters.scheme(self.multi_class)

    def _intercept(self, scaling: Any = 1.0) -> float | str:
        """Return the value of the constant feature, 0 for no bias, or "violators"."""
        if isinstance(self.fit_intercept, str):
            return parameters.choice("fit_intercept", self.fit_intercept, ("violators",))
        return super()._intercept(scaling)

    def _set_fitted(self, found: LinearFit, classes: NDArray[Any]) -> None:
        self.classes_ = classes
        self.coef_ = found.coef
        self.intercept_ = found.intercept
        self.n_iter_ = int(found.n_iter.max())
        self.status_ = found.status
        self._scheme = self.multi_class

    def _set_patterns(
        self,
        X: Any,
        codes: NDArray[np.uint32],
        weights: NDArray[np.float64] | None,
        before: Any,
    ) -> None:
        """Count the labels of each pattern of signs, for ordinal classes."""
        self._patterns = None
        k = len(self.classes_)
        if self._scheme == "ordinal" and k > 2:
            outputs = self._outputs(native_rows(X))
            self._patterns = _core.count_patterns(outputs, codes, weights, k, before)

    def _saved_state(self) -> dict[str, Any]:
        state = super()._saved_state() | {"scheme": self._scheme}
        if self._patterns is not None:
            state |= zip(_PATTERNS, self._patterns, strict=True)
        return state | to_fields(getattr(self, "curve_", None))

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        k = len(self.classes_)
        self._scheme = self._saved_scheme(saved)
        m = n_binary(self._scheme, k)
        self.status_ = self._restore_weights(saved, m)
        self._patterns = None
        if self._scheme == "ordinal" and k > 2:
            signs, counts = _PATTERNS
            self._patterns = (
                saved.array(signs, "u1", (None,)),
                saved.array(counts, "f8", (None,)),
            )
            # The core validates the patterns.
            _core.decide(np.zeros((0, m)), self._scheme, k, self._patterns)
        curve = from_fields(saved)
        if curve is not None:
            self.curve_ = curve

    def _saved_scheme(self, saved: Fields) -> str:
        return saved.word("scheme", parameters.SCHEMES)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        k = len(self.classes_)
        m = n_binary(parameters.scheme(self._scheme), k)
        if k < 2:
            raise ValueError(f"classes_ has {k} class(es), but a classifier has at least 2")
        self._check_weights(m, f"{k} classes and ")
        _core.decide(np.zeros((0, m)), self._scheme, k, self._patterns)

    def _check_eval_set(
        self, eval_set: Any, classes: NDArray[Any]
    ) -> tuple[Any, NDArray[np.integer[Any]]]:
        """Return samples and class codes; -1 for labels that do not occur in the training data."""
        try:
            X, y = eval_set
        except (TypeError, ValueError):
            raise ValueError("eval_set must be a pair (X, y) of samples and labels") from None
        X = check_rows(X, estimator=self, reset=False, any_order=True)
        labels = np.asarray(y)
        if labels.shape != (X.shape[0],):
            raise ValueError(
                f"eval_set has {X.shape[0]} samples, but labels of shape {labels.shape}; expected "
                f"{(X.shape[0],)}"
            )
        return X, codes_of(y, classes, "the y of eval_set")

    def _set_curve(
        self,
        found: LinearFit,
        X: Any,
        codes: NDArray[np.uint32],
        by_class: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        tested: tuple[Any, NDArray[np.integer[Any]]] | None,
        record: int | None,
    ) -> None:
        self.__dict__.pop("curve_", None)
        if record is None:
            return
        scaling = self._intercept(getattr(self, "intercept_scaling", 1.0))
        self.curve_ = record_curve(
            found.snapshots,
            Problem(
                rows=native_rows(X),
                codes=codes,
                weights=by_class[codes] * (1.0 if weights is None else weights),
                sample_weights=weights,
                scheme=self._scheme,
                n_classes=len(self.classes_),
                loss=self._loss_name(),
                penalty=getattr(self, "penalty", "l2"),
                scaling=scaling if isinstance(scaling, float) else 0.0,
                value=self._train_value(),
                is_lambda=self._is_lambda(),
            ),
            tested,
            resources.thread_count(self.n_jobs),
        )

    def _loss_name(self) -> str:
        return self._loss

    def _decide(self, X: Any) -> Iterator[tuple[NDArray[np.float64], NDArray[np.uint32]]]:
        """Yield the scores and class codes of one block of samples at a time.

        The decision values of all binary classifiers for all samples may not fit into memory.
        """
        self._check_is_fitted()
        is_native = is_plain(X, self, FLOATS)
        if not is_native:
            X = check_rows(X, estimator=self, reset=False, any_order=True)
        n_samples = X.shape[0]
        size = max(1, _MAX_OUTPUTS // n_binary(self._scheme, len(self.classes_)))
        for start in range(0, n_samples, size):
            part = X[start : start + size] if n_samples > size else X
            outputs = self._outputs(part if is_native else native_rows(part))
            yield _core.decide(outputs, self._scheme, len(self.classes_), self._patterns)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of samples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, one value per sample, positive for ``classes_[1]``. For more
            classes, one column per class, largest for the predicted class; with
            ``multi_class="ordinal"``, the estimated probability of each class.
        """
        parts = [scores for scores, _ in self._decide(X)]
        scores = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of samples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        parts = [codes for _, codes in self._decide(X)]
        codes = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return np.asarray(self.classes_[codes])

    def _is_lambda(self) -> bool:
        """Return whether the regularization path consists of values of lambda instead of C."""
        return getattr(self, "C", None) is None

    @classmethod
    def _path_value(cls, params: Mapping[str, Any]) -> float:
        """Return C, or lambda if C is None."""
        if "lambda_" in params and params["C"] is None:
            return parameters.real("lambda_", params["lambda_"])
        return parameters.real("C", params["C"])

    def _train_value(self) -> float:
        return self._path_value(vars(self))
