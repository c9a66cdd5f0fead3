"""What linear classifiers share: training, prediction, curves."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from softmargin import _core
from softmargin._checks import parameters, resources, sparse
from softmargin._checks.fields import Fields
from softmargin._checks.labels import codes_of
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import FLOATS, check_rows, is_plain, native_rows
from softmargin._checks.weights import class_weights, sample_weights, used_rows
from softmargin._core import Kernel
from softmargin._estimators.base import Classifier
from softmargin._estimators.curve import Problem, from_fields, record_curve, to_fields
from softmargin._estimators.decomposition import n_binary
from softmargin._estimators.rule_state import State

if TYPE_CHECKING:
    from softmargin._core import LinearFit, _LinearSolver

# Outputs of machines that predictions hold at a time.
_OUTPUTS_AT_ONCE = 1 << 23
# Names of the patterns of ordinal machines in a file.
_PATTERNS = ("patterns", "pattern_counts")


class LinearClassifier(Classifier):
    """A classifier of linear machines.

    A subclass also has the parameters named below, and either a C or a lambda for each fit.
    """

    _takes_weights = True
    _any_order = True
    _loss: ClassVar[str] = "hinge"

    fit_intercept: Any
    time_limit: Any
    record_every: Any

    # Dense, or a CSR matrix after sparsify.
    coef_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None) -> Self:
        """Train on the rows of X with the labels y.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            float32 stays float32; anything else is converted to float64.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None
            Factor of the loss of each row, or of its C; a row of weight 0 is left out.
        eval_set : pair of rows and labels, or None
            Whose accuracy is part of ``curve_``.

        Returns
        -------
        self
        """
        deadline = resources.Deadline(self.time_limit)
        with restore_on_failure(self):
            self._fit(X, y, sample_weight, eval_set, deadline)
        self._warn_if_not_converged()
        return self

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        eval_set: Any,
        deadline: resources.Deadline,
    ) -> None:
        """Train all machines on all rows."""
        X, classes, codes = self._check_training_data(X, y)
        weights = sample_weights(sample_weight, len(codes))
        if weights is not None:
            used_rows(weights, classes, codes)
        by_class = self._class_weights(classes, codes, weights)
        tested = None if eval_set is None else self._check_eval_set(eval_set, classes)
        record = self._record()
        states = self._starts(X, classes)
        solver = self._solver()  # once: it draws a seed
        found = self._train(solver, X, codes, by_class, weights, states, record, deadline)
        self._set_machines(found, classes)
        self._set_patterns(X, codes, weights, None)
        self._set_curve(found, X, codes, by_class, weights, tested, record)

    def _check_work(self) -> None:
        super()._check_work()
        self._record()

    def _record(self) -> int | None:
        """Return after how many steps weights are kept for a curve; None for never."""
        return parameters.count("record_every", self.record_every, None)

    def _starts(self, X: Any, classes: NDArray[Any]) -> list[State] | None:
        """Return where the machines start; None for the beginning."""
        return None

    def _class_weights(
        self,
        classes: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        """Return the weight of each class; rows of weight 0 do not count for balance."""
        used = codes if weights is None else codes[weights > 0]
        return class_weights(self.class_weight, classes, used)

    def _train(
        self,
        solver: _LinearSolver,
        X: Any,
        codes: NDArray[np.uint32],
        by_class: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        states: list[State] | None,
        record_every: int | None,
        deadline: resources.Deadline,
    ) -> LinearFit:
        data = _core.TrainingData(
            native_rows(X),
            codes,
            by_class,
            multi_class=parameters.scheme(self.multi_class),
            sample_weights=weights,
        )
        limits = _core.Limits(
            threads=resources.thread_count(self.n_jobs),
            time_limit=deadline.seconds_left(),
            progress=self._progress(),
        )
        value = self._path_value(vars(self))
        return _core.linear_fit(solver, value, data, limits, states, record_every)

    def _intercept(self, scaling: Any = 1.0) -> float | str:
        """Return the value of the constant feature, 0 for none, or how else the bias is found."""
        if isinstance(self.fit_intercept, str):
            return parameters.choice("fit_intercept", self.fit_intercept, ("violators",))
        if not parameters.flag("fit_intercept", self.fit_intercept):
            return 0.0
        value = parameters.real("intercept_scaling", scaling)
        if not 0 < value < np.inf:
            raise ValueError(f"intercept_scaling = {value} is not valid: it must be positive")
        return value

    def _set_machines(self, found: LinearFit, classes: NDArray[Any]) -> None:
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
        """Count which labels have which signs, for classes in order."""
        self._patterns = None
        k = len(self.classes_)
        if self._scheme == "ordinal" and k > 2:
            outputs = self._outputs(native_rows(X))
            self._patterns = _core.count_patterns(outputs, codes, weights, k, before)

    def _saved_state(self) -> dict[str, Any]:
        coef, intercept = self._weights()
        state = super()._saved_state() | {
            "coef_": coef,
            "intercept_": intercept,
            "n_iter_": int(self.n_iter_),
            "status_": self.status_,
            "scheme": self._scheme,
        }
        if sp.issparse(self.coef_):
            state["has_sparse_coef"] = 1
        if self._patterns is not None:
            state |= zip(_PATTERNS, self._patterns, strict=True)
        return state | to_fields(getattr(self, "curve_", None))

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        k = len(self.classes_)
        self._scheme = self._saved_scheme(saved)
        m = n_binary(self._scheme, k)
        self.coef_ = saved.array("coef_", "f8", (m, self.n_features_in_))
        self.intercept_ = saved.array("intercept_", "f8", (m,))
        if "has_sparse_coef" in saved and saved.integer("has_sparse_coef", 0, 1):
            self.coef_ = sp.csr_matrix(self.coef_)
        self.n_iter_ = saved.integer("n_iter_")
        self.status_ = saved.texts("status_", m)
        self._patterns = None
        if self._scheme == "ordinal" and k > 2:
            signs, counts = _PATTERNS
            self._patterns = (
                saved.array(signs, "u1", (None,)),
                saved.array(counts, "f8", (None,)),
            )
            # The core checks them.
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
        coef, intercept = self._weights()
        if k < 2 or coef.shape != (m, self.n_features_in_):
            raise ValueError(
                f"coef_ has shape {coef.shape}, but {k} classes and {self.n_features_in_} "
                f"features need {(m, self.n_features_in_)}"
            )
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError("coef_ or intercept_ is not finite")
        _core.decide(np.zeros((0, m)), self._scheme, k, self._patterns)

    def _check_eval_set(
        self, eval_set: Any, classes: NDArray[Any]
    ) -> tuple[Any, NDArray[np.integer[Any]]]:
        """Return rows and class codes, -1 for labels that no training row has."""
        try:
            X, y = eval_set
        except (TypeError, ValueError):
            raise ValueError("eval_set must be a pair of rows and labels") from None
        X = check_rows(X, estimator=self, reset=False, any_order=True)
        labels = np.asarray(y)
        if labels.shape != (X.shape[0],):
            raise ValueError(f"eval_set has {X.shape[0]} rows, but labels of shape {labels.shape}")
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
                row_weights=weights,
                scheme=self._scheme,
                n_classes=len(self.classes_),
                loss=self._loss_name(),
                scaling=scaling if isinstance(scaling, float) else 0.0,
                value=self._path_value(vars(self)),
                is_lambda=self._is_lambda(),
            ),
            tested,
            resources.thread_count(self.n_jobs),
        )

    def _loss_name(self) -> str:
        return self._loss

    def _warn_if_not_converged(self) -> None:
        unfinished = Counter(status for status in self.status_ if status != "converged")
        for status, count in unfinished.items():
            warnings.warn(
                f"{count} of {len(self.status_)} machines ended with {status!r} before "
                f"{self._goal()}; increase the limit, or scale the features",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _goal(self) -> str:
        """Return what a training is meant to reach."""
        raise NotImplementedError

    def _outputs(self, rows: Any) -> NDArray[np.float64]:
        """Return the output of each machine for each row."""
        return _core.linear_decision(rows, *self._weights(), resources.thread_count(self.n_jobs))

    def _weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return weights and intercepts, which may have been set by hand."""
        coef = np.ascontiguousarray(sparse.dense(self.coef_), dtype=np.float64)
        intercept = np.ascontiguousarray(self.intercept_, dtype=np.float64)
        if intercept.shape != (coef.shape[0],):
            intercept = np.broadcast_to(intercept, coef.shape[0]).copy()
        return coef, intercept

    def _decide(self, X: Any) -> Iterator[tuple[NDArray[np.float64], NDArray[np.uint32]]]:
        """Yield scores and class codes of some rows after another.

        There may be many more machines than classes: their outputs for all rows would not fit.
        """
        self._check_is_fitted()
        is_native = is_plain(X, self, FLOATS)
        if not is_native:
            X = check_rows(X, estimator=self, reset=False, any_order=True)
        n_rows, n_at_once = (
            X.shape[0],
            max(1, _OUTPUTS_AT_ONCE // n_binary(self._scheme, len(self.classes_))),
        )
        for start in range(0, n_rows, n_at_once):
            part = X[start : start + n_at_once] if n_rows > n_at_once else X
            outputs = self._outputs(part if is_native else native_rows(part))
            yield _core.decide(outputs, self._scheme, len(self.classes_), self._patterns)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how far rows are on the side of each class.

        Two classes: shape (n_samples,), positive for ``classes_[1]``. More classes: one column
        for each, largest for the predicted one; with ``multi_class="ordinal"`` the
        probabilities of the labels.
        """
        parts = [scores for scores, _ in self._decide(X)]
        scores = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        parts = [codes for _, codes in self._decide(X)]
        codes = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return np.asarray(self.classes_[codes])

    def sparsify(self) -> Self:
        """Convert ``coef_`` to a CSR matrix, which saves memory if most of it is zero.

        Predictions do not change. Fitting again makes ``coef_`` dense.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Convert ``coef_`` back to a dense array, if :meth:`sparsify` was called.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self.coef_ = sparse.dense(self.coef_)
        return self

    def _is_lambda(self) -> bool:
        """Return whether the path consists of values of lambda instead of C."""
        return getattr(self, "C", None) is None

    def _core_kernel(self) -> Kernel:
        return Kernel("linear", 1.0, 3, 0.0)

    @classmethod
    def _path_value(cls, params: Mapping[str, Any]) -> float:
        """Return C where it is given, else lambda."""
        if "lambda_" in params and params["C"] is None:
            return parameters.real("lambda_", params["lambda_"])
        return parameters.real("C", params["C"])

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether ``fit`` was called."""
        return hasattr(self, "coef_")

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
