"""What classifiers share that take weights of rows, kernels of any kind, and limits."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from hinge import _input, _parameters, _resources, _starts
from hinge._base import KernelClassifier
from hinge._certificate import Training
from hinge._fields import Fields
from hinge._state import kept_on_failure

if TYPE_CHECKING:
    from hinge._core import Model, _Start


class WeightedClassifier(KernelClassifier):
    """A classifier with weights of rows, callable kernels, a time limit, and a status.

    A subclass also has the parameters named below.
    """

    C: Any
    time_limit: Any

    _takes_weights = True

    # Training rows, for a callable kernel.
    _kernel_rows: Any

    def _fit(self, X: Any, y: Any, sample_weight: Any = None, init: Any = None) -> Self:
        """Train, from a start if there is one."""
        deadline = _resources.Deadline(self.time_limit)
        with kept_on_failure(self):
            last = self._last_fit()
            X, classes, codes = self._check_training_data(X, y)
            shape = X.shape
            starts = self._starts(init, last, shape, classes, codes)
            weights = _input.sample_weights(sample_weight, len(codes))
            used = None if weights is None else _input.used_rows(weights, classes, codes)
            if used is not None and weights is not None:
                X, codes, weights = _take_rows(X, used, self.kernel), codes[used], weights[used]
                starts = None if starts is None else _starts.only(starts, used, shape[0])
            rows, self._kernel_rows = X, None
            if callable(self.kernel):
                # A copy: predictions need it as it is now.
                X = self._kernel_rows = X.copy()
                _input.refuse_not_finite(X)
                rows = self._kernel_values(X)
            by_class = _input.class_weights(self.class_weight, classes, codes)
            path = [self._path_value(vars(self))]
            (model,) = self._train_path(rows, codes, by_class, path, weights, starts, deadline)
            self._set_model(model, classes)
            self.shape_fit_ = shape
            bounds = path[0] * by_class[codes] * (1.0 if weights is None else weights)
            if used is not None:
                self.support_ = used[self.support_].astype(np.int32)
            # The columns of a kernel matrix that the model knows.
            self._used_columns = used if self.kernel == "precomputed" else None
            self.class_weight_ = by_class
            self._keep(last, Training(rows, codes, bounds), y)
        self._warn_if_not_converged()
        return self

    def _set_model(self, model: Model, classes: NDArray[Any]) -> None:
        super()._set_model(model, classes)
        self.n_loops_ = model.n_loops
        self.status_ = model.status
        # That of a machine from a file of LIBSVM is unknown.
        self.fit_status_ = int(not set(model.status) <= {"converged", "unknown"})

    def _saved_state(self) -> dict[str, Any]:
        if self._kernel_rows is not None:
            raise TypeError(
                "kernel was a function when the estimator was fitted, which a file without code "
                "cannot hold; fit with kernel='precomputed', or use pickle"
            )
        state = super()._saved_state() | {
            "shape_fit_": np.array(self.shape_fit_, dtype=np.int64),
            "class_weight_": self.class_weight_,
        }
        if not np.array_equal(self.support_, self._model.support):
            state["support_"] = self.support_
        if self._used_columns is not None:
            state["used_columns"] = self._used_columns.astype(np.int64)
        return state

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        shape = saved.array("shape_fit_", "i8", (2,)).tolist()
        self.shape_fit_ = tuple(shape)
        if shape[0] < 1 or shape[1] != self.n_features_in_:
            raise ValueError("'shape_fit_' and 'n_features_in_' do not fit")
        if "support_" in saved:
            n_vectors = len(self.support_)
            self.support_ = saved.indices("support_", "i4", n_vectors, shape[0])
        elif len(self.support_) and int(self.support_.max()) >= shape[0]:
            raise ValueError("'model/support' and 'shape_fit_' do not fit")
        self.class_weight_ = saved.array("class_weight_", "f8", (len(self.classes_),))
        self._kernel_rows = None

    def _n_columns(self, saved: Fields) -> int:
        self._used_columns = None
        if self._model.kernel != "precomputed" or "used_columns" not in saved:
            return super()._n_columns(saved)
        end = int(self.n_features_in_)
        columns = saved.indices("used_columns", "i8", None, end, ascending=True)
        self._used_columns = columns.astype(np.intp)
        return len(columns)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        columns = self._used_columns
        if columns is not None:
            columns = np.asarray(columns)
            is_index = columns.ndim == 1 and columns.dtype.kind in "iu" and len(columns) > 0
            if not is_index or not 0 <= columns.min() <= columns.max() < self.n_features_in_:
                raise ValueError("_used_columns are not columns of X")
        if self._kernel_rows is not None and getattr(self._kernel_rows, "ndim", 0) != 2:
            raise ValueError("_kernel_rows are not rows")

    def _last_fit(self) -> Self | None:
        """Return this estimator as it is now, if it is fitted and training may build on it."""
        return None

    def _starts(
        self,
        init: Any,
        last: Self | None,
        shape: tuple[int, int],
        classes: NDArray[Any],
        codes: NDArray[np.uint32],
    ) -> list[_Start] | None:
        """Return where the machines start; None for the beginning."""
        return None

    def _keep(self, last: Self | None, training: Training, y: Any) -> None:
        """Keep what is asked for later."""

    def _kernel_values(self, X: Any) -> NDArray[np.floating[Any]]:
        """Return the values of a callable kernel for rows X and the training rows."""
        returned = self.kernel(X, self._kernel_rows)
        shape = (X.shape[0], self._kernel_rows.shape[0])
        found = np.shape(returned)
        if found != shape:
            raise ValueError(
                f"the kernel function returned an array of shape {found}, "
                f"but should have returned one of shape {shape}"
            )
        values = _input.check_rows(returned, name="the value of the kernel function")
        is_sparse = isinstance(values, sp.csr_matrix | sp.csr_array)
        return np.asarray(values.toarray() if is_sparse else values)

    def _kernel_arguments(self) -> tuple[str, float | str, int, float]:
        kernel = "precomputed" if callable(self.kernel) else self.kernel
        return _parameters.kernel(kernel, self.gamma, self.degree, self.coef0)

    def _native_rows(self, X: Any) -> Any:
        rows = super()._native_rows(X)
        if self._kernel_rows is not None:
            if not callable(self.kernel):
                raise ValueError(
                    f"kernel = {self.kernel!r} is not valid: the estimator was fitted with a "
                    "function, which is needed to predict; set it again, or fit"
                )
            queries = _input.from_native(rows)
            _input.refuse_not_finite(queries)
            values = self._kernel_values(queries)
            return np.ascontiguousarray(values, dtype=self._model.dtype)
        if self._used_columns is None:
            return rows
        return np.ascontiguousarray(rows[:, self._used_columns])

    def _warn_if_not_converged(self) -> None:
        ends = Counter(status for status in self.status_ if status != "converged")
        for status, count in ends.items():
            warnings.warn(
                f"{count} of {len(self.status_)} machines ended with status {status!r} after "
                f"{int(np.max(self.n_iter_))} steps ({self._limits()}), before {self._goal()}; "
                "the model can be used, but is not what it could be",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _limits(self) -> str:
        """Say what may have ended the training."""
        limits = {
            name: getattr(self, name) for name in ("max_iter", "time_limit") if hasattr(self, name)
        }
        return ", ".join(f"{name} = {value}" for name, value in limits.items())

    def _goal(self) -> str:
        """Say when training would have ended."""
        raise NotImplementedError

    @property
    def support_vectors_(self) -> Any:
        """Return the support vectors; an empty array for a precomputed kernel."""
        check_is_fitted(self)
        if self._kernel_rows is not None:
            return self._kernel_rows[self._model.support]
        return super().support_vectors_


def _take_rows(X: Any, used: NDArray[np.intp], kernel: Any) -> Any:
    rows = X[used]
    return np.ascontiguousarray(rows[:, used]) if kernel == "precomputed" else rows
