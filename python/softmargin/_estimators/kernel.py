"""The base class of all kernel classifiers: training, fitted attributes, prediction."""

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
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import (
    check_finite,
    check_rows,
    from_native,
    is_plain,
    native_rows,
)
from softmargin._checks.weights import class_weights, sample_weights, used_rows
from softmargin._estimators import model_state
from softmargin._estimators.base import Classifier
from softmargin._estimators.certificate import Training

if TYPE_CHECKING:
    from softmargin._core import Kernel, Model, _KernelSolver, _Start


class KernelClassifier(Classifier):
    """A classifier whose decision function is a kernel expansion trained by the Rust core.

    A subclass defines ``fit``, which calls :meth:`_fit`, and the parameters named below. It
    sets ``_takes_weights = False`` if its training has neither sample weights, nor limits, nor
    a status.
    """

    kernel: Any
    gamma: Any
    degree: Any
    coef0: Any
    decision_function_shape: Any
    cache_size: Any
    time_limit: Any = None

    _takes_weights = True

    support_: NDArray[np.int32]

    _model: Model
    # The multi_class that the model was trained with, which the parameter may differ from.
    _scheme: str
    # Training samples, if the kernel is a callable.
    _kernel_samples: Any = None
    # Columns of a precomputed kernel matrix that the model uses; None for all.
    _used_columns: NDArray[np.intp] | None = None

    def _fit(self, X: Any, y: Any, sample_weight: Any = None, init: Any = None) -> Self:
        """Train, starting from ``init`` or from the last fit if the method supports it."""
        deadline = self._deadline()
        with restore_on_failure(self):
            last = self._last_fit()
            X, classes, codes = self._check_training_data(X, y)
            shape = X.shape
            starts = self._starts(init, last, shape, classes, codes)
            weights = sample_weights(sample_weight, len(codes))
            used = None if weights is None else used_rows(weights, classes, codes)
            if used is not None and weights is not None:
                X, codes, weights = _take_samples(X, used, self.kernel), codes[used], weights[used]
                starts = self._only_used(starts, used, shape[0])
            samples, self._kernel_samples = X, None
            if callable(self.kernel) and self._takes_weights:
                # A copy: predictions evaluate the kernel with these samples.
                X = self._kernel_samples = X.copy()
                check_finite(X)
                samples = self._kernel_values(X)
            by_class = class_weights(self.class_weight, classes, codes)
            path = [self._train_value()]
            solver = self._solver()  # once: it may draw a seed
            (model,) = self._train_path(
                solver, samples, codes, by_class, path, weights, starts, deadline
            )
            self._set_model(model, classes)
            if self._takes_weights:
                self._set_status(model)
                self.shape_fit_ = shape
                self.class_weight_ = by_class
            if used is not None:
                self.support_ = used[self.support_].astype(np.int32)
            self._used_columns = used if self.kernel == "precomputed" else None
            self._fit_sigmoids(solver, samples, codes, by_class, weights, deadline)
            bounds = path[0] * by_class[codes] * (1.0 if weights is None else weights)
            self._store_training(last, Training(samples, codes, bounds, solver), y)
        if self._takes_weights:
            self._warn_if_not_converged(stacklevel=3)
        return self

    def _train_path(
        self,
        solver: _KernelSolver,
        X: Any,
        codes: NDArray[np.uint32],
        by_class: NDArray[np.float64],
        path: Sequence[float],
        weights: NDArray[np.float64] | None = None,
        starts: list[_Start] | None = None,
        deadline: resources.Deadline | None = None,
    ) -> list[Model]:
        """Return a model for each value of the regularization path."""
        self._check_shape()
        data = _core.TrainingData(
            native_rows(X),
            codes,
            by_class,
            multi_class=parameters.scheme(self.multi_class),
            sample_weights=weights,
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
        self,
        init: Any,
        last: Self | None,
        shape: tuple[int, int],
        classes: NDArray[Any],
        codes: NDArray[np.uint32],
    ) -> list[_Start] | None:
        """Return the starting point of each binary classifier; None to start from zero."""
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
        codes: NDArray[np.uint32],
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
        parameters.choice("decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))

    def _set_model(self, model: Model, classes: NDArray[Any]) -> None:
        self._model = model
        self._scheme = parameters.scheme(self.multi_class)
        self.classes_ = classes
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
        state["class_weight_"] = self.class_weight_
        if not np.array_equal(self.support_, self._model.support):
            state["support_"] = self.support_
        if self._used_columns is not None:
            state["used_columns"] = self._used_columns.astype(np.int64)
        return state

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        self._check_shape()
        self._set_model(model_state.from_fields(saved, len(self.classes_)), self.classes_)
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
        self.class_weight_ = saved.array("class_weight_", "f8", (len(self.classes_),))

    def _saved_scheme(self, saved: Fields) -> str:
        return model_state.scheme(saved)

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
        if len(self.classes_) != len(self._model.n_support):
            raise ValueError(
                f"classes_ has {len(self.classes_)} labels, but the model has "
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

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of samples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples. With ``kernel="precomputed"``, the kernel values of samples and training
            samples.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_binary)
            For two classes, one value per sample, positive for ``classes_[1]``. For more
            classes, one column per class, largest for the predicted class; with
            ``multi_class="ordinal"``, the share of each class among the training samples for
            which all binary classifiers have the same signs. With
            ``decision_function_shape="ovo"`` and one-vs-one or ordinal classifiers, one column
            per binary classifier, positive for the first class of the pair.
        """
        samples = self._native_samples(X)
        threads = resources.thread_count(self.n_jobs)
        pairs = self.decision_function_shape == "ovo" and self._scheme != "ovr"
        if pairs or len(self.classes_) == 2:
            values = self._model.decision_values(samples, threads)
            return values.ravel() if len(self.classes_) == 2 else values
        return self._model.class_scores(samples, threads)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of samples.

        - One-vs-one: the class with the most votes. Ties go to the larger sum of decision
          values, then to the class that comes first in ``classes_``; ``SVC`` without
          ``break_ties`` resolves ties by the order of ``classes_`` only.
        - One-vs-rest: the class with the largest decision value.
        - Ordinal: the most frequent class (by sample weight) among the training samples for
          which all binary classifiers have the same signs, or among all training samples if
          there are none. Ties go to the class that comes first. The order of ``classes_`` is
          that of an ordered pandas Categorical or a polars Enum, otherwise the sorted order.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples. With ``kernel="precomputed"``, the kernel values of samples and training
            samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        samples = self._native_samples(X)
        threads = resources.thread_count(self.n_jobs)
        codes = self._model.predict(samples, threads, self._breaks_ties())
        return np.asarray(self.classes_[codes])

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
