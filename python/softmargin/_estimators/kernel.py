"""The base class of all kernel machines: training, fitted attributes, files and pickles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softmargin import _core
from softmargin._checks import parameters, resources
from softmargin._checks.fields import Fields
from softmargin._checks.outcomes import Outcomes
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import (
    check_finite,
    check_rows,
    from_native,
    is_plain,
    native_rows,
)
from softmargin._checks.weights import positive_rows, sample_weights
from softmargin._estimators import model_state
from softmargin._estimators.base import Estimator, SingleMachine
from softmargin._estimators.certificate import Training

if TYPE_CHECKING:
    from softmargin._core import Kernel, Model, _KernelSolver, _PathValue, _Start


class KernelMachine(Estimator):
    """An estimator whose decision function is a kernel expansion trained by the Rust core.

    A subclass defines ``fit``, which calls :meth:`_fit`, and the parameters named below. It
    sets ``_takes_weights = False`` if its training has neither sample weights, nor limits, nor
    a status.
    """

    kernel: Any
    gamma: Any
    degree: Any
    coef0: Any
    cache_size: Any
    time_limit: Any = None

    _takes_weights = True

    support_: NDArray[np.int32]
    n_iter_: Any
    n_loops_: Any

    _model: Model
    # The multi_class that the model was trained with, which the parameter may differ from.
    _scheme: str
    # Training samples, if the kernel is a callable.
    _kernel_samples: Any = None
    # Columns of a precomputed kernel matrix that the model uses; None for all.
    _used_columns: NDArray[np.intp] | None = None

    def _scheme_to_train(self) -> str:
        """Return how several classes are decomposed; "single" for one machine."""
        raise NotImplementedError

    def _class_weights(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """Return the weight of each class."""
        return np.ones(1)

    def _check_feasible(
        self, outcomes: Outcomes, by_class: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> None:
        """Raise ValueError if the problem has no solution."""

    def _used_rows(
        self, weights: NDArray[np.float64], outcomes: Outcomes
    ) -> NDArray[np.intp] | None:
        """Return the indices of samples with positive weight; None if all are positive."""
        return positive_rows(weights)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None, init: Any = None) -> Self:
        """Train, starting from ``init`` or from the last fit if the method supports it."""
        deadline = self._deadline()
        with restore_on_failure(self):
            last = self._last_fit()
            X, outcomes = self._check_training_data(X, y)
            shape = X.shape
            starts = self._starts(init, last, shape, outcomes)
            weights = sample_weights(sample_weight, shape[0])
            used = None if weights is None else self._used_rows(weights, outcomes)
            if used is not None and weights is not None:
                X, weights = _take_samples(X, used, self.kernel), weights[used]
                outcomes = outcomes.take(used)
                starts = self._only_used(starts, used, shape[0])
            samples, self._kernel_samples = X, None
            if callable(self.kernel) and self._takes_weights:
                # A copy: predictions evaluate the kernel with these samples.
                X = self._kernel_samples = X.copy()
                check_finite(X)
                samples = self._kernel_values(X)
            by_class = self._class_weights(outcomes)
            self._check_feasible(outcomes, by_class, weights)
            value = self._train_value()
            solver = self._solver()  # once: it may draw a seed
            (model,) = self._train_path(
                solver, samples, outcomes, by_class, [value], weights, starts, deadline
            )
            self._set_model(model, outcomes.classes)
            if self._takes_weights:
                self._set_status(model)
                self.shape_fit_ = shape
                self._set_class_weight(by_class)
            if used is not None:
                self.support_ = used[self.support_].astype(np.int32)
            self._used_columns = used if self.kernel == "precomputed" else None
            self._fit_sigmoids(solver, samples, outcomes, by_class, weights, deadline)
            all_weights = by_class[outcomes.codes] * (1.0 if weights is None else weights)
            training = Training(samples, outcomes, all_weights, solver, *self._settings(model))
            self._store_training(last, training, y)
        if self._takes_weights:
            self._warn_if_not_converged(stacklevel=3)
        return self

    def _settings(self, model: Model) -> tuple[list[float], float]:
        """Return C of each machine that was trained, and the half-width of a tube."""
        value = self._train_value()
        c, epsilon = value if isinstance(value, tuple) else (value, 0.0)
        return [c] * len(model.intercept), epsilon

    def _train_path(
        self,
        solver: _KernelSolver,
        X: Any,
        outcomes: Outcomes,
        by_class: NDArray[np.float64],
        path: Sequence[_PathValue],
        weights: NDArray[np.float64] | None = None,
        starts: list[_Start] | None = None,
        deadline: resources.Deadline | None = None,
    ) -> list[Model]:
        """Return a model for each value of the path."""
        self._check_shape()
        data = _core.TrainingData(
            native_rows(X),
            outcomes.codes,
            by_class,
            multi_class=self._scheme_to_train(),
            sample_weights=weights,
            targets=outcomes.targets,
            starts=starts,
        )
        limits = _core.Limits(
            threads=resources.thread_count(self.n_jobs),
            memory_bytes=resources.cache_bytes(self.cache_size),
            time_limit=None if deadline is None else deadline.seconds_left(),
            progress=self._progress(),
        )
        return _core.fit(solver, list(path), data, self._core_kernel(), limits)

    def _core_kernel(self) -> Kernel:
        # Values of a callable kernel are passed to the core as a matrix.
        kernel = self.kernel if self._kernel_samples is None else "precomputed"
        return parameters.kernel(kernel, self.gamma, self.degree, self.coef0)

    def _engine_kernel(self) -> Kernel:
        kernel = "precomputed" if callable(self.kernel) else self.kernel
        return parameters.kernel(kernel, self.gamma, self.degree, self.coef0)

    def _last_fit(self) -> Self | None:
        """Return a copy of this estimator if it is fitted and training may start from it."""
        return None

    def _starts(
        self, init: Any, last: Self | None, shape: tuple[int, int], outcomes: Outcomes
    ) -> list[_Start] | None:
        """Return the starting point of each machine; None to start from zero."""
        return None

    def _only_used(
        self, starts: list[_Start] | None, used: NDArray[np.intp], n_samples: int
    ) -> list[_Start] | None:
        """Return starting points without the samples of weight 0."""
        return starts

    def _fit_sigmoids(
        self,
        solver: _KernelSolver,
        X: Any,
        outcomes: Outcomes,
        by_class: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        deadline: resources.Deadline,
    ) -> None:
        """Fit the sigmoids of probabilities, if the method has them."""

    def _store_training(self, last: Self | None, training: Training, y: Any) -> None:
        """Store what certificates and warm starts need from a successful training."""

    def _check_execution(self) -> None:
        super()._check_execution()
        self._check_shape()
        self._progress()
        resources.check_cache(self.cache_size)

    def _check_shape(self) -> None:
        """Check the shape of decision values, if the method has several."""

    def _set_model(self, model: Model, classes: NDArray[Any] | None) -> None:
        self._model = model
        self._scheme = self._scheme_to_train()
        self.support_ = model.support
        # As in scikit-learn, sparse if the support vectors are.
        dual_coef = model.dual_coef
        self.dual_coef_ = sp.csr_matrix(dual_coef) if model.is_sparse else dual_coef
        self.intercept_ = model.intercept
        self.n_support_ = model.n_support
        self.n_iter_ = model.n_iter
        self.n_kernel_evals_ = model.n_kernel_evals

    def _set_status(self, model: Model) -> None:
        self.n_loops_ = model.n_loops
        self.status_ = model.status
        # The status of a model that was read from a LIBSVM file is unknown.
        self.fit_status_ = int(not set(model.status) <= {"converged", "unknown"})

    def _set_class_weight(self, by_class: NDArray[np.float64]) -> None:
        self.class_weight_ = by_class

    def _fitted_classes(self) -> NDArray[Any] | None:
        """Return the classes of the fitted model, if it has any."""
        return None

    def _saved_state(self) -> dict[str, Any]:
        if self._kernel_samples is not None:
            raise TypeError(
                "kernel was a function when the estimator was fitted, and model files cannot "
                "contain functions; fit with kernel='precomputed', or use pickle"
            )
        state = super()._saved_state() | model_state.to_fields(self._model)
        if not self._takes_weights:
            return state
        state["shape_fit_"] = np.array(self.shape_fit_, dtype=np.int64)
        if len(self.class_weight_):
            state["class_weight_"] = self.class_weight_
        if not np.array_equal(self.support_, self._model.support):
            state["support_"] = self.support_
        if self._used_columns is not None:
            state["used_columns"] = self._used_columns.astype(np.int64)
        return state

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        self._check_shape()
        classes = self._fitted_classes()
        n_classes = 1 if classes is None else len(classes)
        self._set_model(model_state.from_fields(saved, n_classes), classes)
        self._scheme = self._saved_scheme(saved)
        self._kernel_samples = self._used_columns = None
        n_columns = self.n_features_in_
        if self._model.kernel == "precomputed" and "used_columns" in saved:
            columns = saved.indices("used_columns", "i8", None, n_columns, ascending=True)
            self._used_columns = columns.astype(np.intp)
            n_columns = len(columns)
        if model_state.n_cols(saved) != n_columns:
            raise ValueError("'model/n_cols' and 'n_features_in_' are inconsistent")
        if self._takes_weights:
            self._set_status(self._model)
            self._restore_training(saved)

    def _restore_training(self, saved: Fields) -> None:
        """Restore the attributes that describe the training data."""
        shape = saved.array("shape_fit_", "i8", (2,)).tolist()
        self.shape_fit_ = tuple(shape)
        if shape[0] < 1 or shape[1] != self.n_features_in_:
            raise ValueError("'shape_fit_' and 'n_features_in_' are inconsistent")
        if "support_" in saved:
            n_vectors = len(self.support_)
            self.support_ = saved.indices("support_", "i4", n_vectors, shape[0])
        elif len(self.support_) and int(self.support_.max()) >= shape[0]:
            raise ValueError("'model/support' and 'shape_fit_' are inconsistent")
        if self._fitted_classes() is None:
            self.class_weight_ = np.empty(0)
        else:
            shape = (len(self._model.n_support),)
            self.class_weight_ = saved.array("class_weight_", "f8", shape)

    def _saved_scheme(self, saved: Fields) -> str:
        found = model_state.scheme(saved)
        if (found == "single") != isinstance(self, SingleMachine):
            raise ValueError(f"'model/multi_class' is {found!r}, which is that of another class")
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, with the model as plain arrays that every format supports."""
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = model_state.to_dict(state["_model"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled state; the core validates the model."""
        if isinstance(state, dict) and isinstance(state.get("_model"), dict):
            model = state["_model"]
            checked = model_state.from_dict(model)
            state = state | {"_model": checked, "_scheme": model["multi_class"]}
        super().__setstate__(state)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        if not isinstance(self._model, _core.Model):
            raise ValueError("_model is not a model")
        classes = self._fitted_classes()
        if (classes is None) != (self._scheme == "single"):
            raise ValueError("_model is that of another kind of estimator")
        n_classes = 1 if classes is None else len(classes)
        if n_classes != len(self._model.n_support):
            raise ValueError(
                f"classes_ has {n_classes} labels, but the model has "
                f"{len(self._model.n_support)} classes"
            )
        columns = self._used_columns
        if columns is not None:
            columns = np.asarray(columns)
            is_index = columns.ndim == 1 and columns.dtype.kind in "iu" and len(columns) > 0
            if not is_index or not 0 <= columns.min() <= columns.max() < self.n_features_in_:
                raise ValueError("_used_columns does not contain column indices of X")
        if self._kernel_samples is not None and getattr(self._kernel_samples, "ndim", 0) != 2:
            raise ValueError("_kernel_samples is not a two-dimensional array of samples")

    def __copy__(self) -> Self:
        """Return an estimator that shares the fitted model."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether ``fit`` was called."""
        return hasattr(self, "_model")

    @property
    def support_vectors_(self) -> Any:
        """Support vectors; an empty array for a precomputed kernel."""
        check_is_fitted(self)
        if self._kernel_samples is not None:
            return self._kernel_samples[self._model.support]
        if self._model.kernel == "precomputed":
            return np.empty((0, 0), dtype=self._model.dtype)
        return from_native(self._model.support_vectors())

    def _native_samples(self, X: Any) -> Any:
        """Return checked samples, or their kernel values, in the form of the core."""
        self._check_is_fitted()
        dtype = np.dtype(self._model.dtype)
        if is_plain(X, self, [dtype]):
            samples = X
        else:
            samples = native_rows(check_rows(X, estimator=self, reset=False, dtype=dtype))
        if self._kernel_samples is not None:
            if not callable(self.kernel):
                raise ValueError(
                    f"kernel = {self.kernel!r} is not valid: the estimator was fitted with a "
                    "function, which predictions require; set kernel to that function, or fit again"
                )
            queries = from_native(samples)
            check_finite(queries)
            return np.ascontiguousarray(self._kernel_values(queries), dtype=dtype)
        if self._used_columns is None:
            return samples
        return np.ascontiguousarray(samples[:, self._used_columns])

    def _kernel_values(self, X: Any) -> NDArray[np.floating[Any]]:
        """Return the values of a callable kernel for the samples X and the training samples."""
        returned = self.kernel(X, self._kernel_samples)
        shape = (X.shape[0], self._kernel_samples.shape[0])
        found = np.shape(returned)
        if found != shape:
            raise ValueError(
                f"the kernel function returned an array of shape {found}, "
                f"but must return an array of shape {shape}"
            )
        values = check_rows(returned, name="the value of the kernel function")
        is_sparse = isinstance(values, sp.csr_matrix | sp.csr_array)
        return np.asarray(values.toarray() if is_sparse else values)

    def __sklearn_tags__(self) -> Any:
        """Return the input formats that this estimator supports."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _take_samples(X: Any, used: NDArray[np.intp], kernel: Any) -> Any:
    samples = X[used]
    return np.ascontiguousarray(samples[:, used]) if kernel == "precomputed" else samples
