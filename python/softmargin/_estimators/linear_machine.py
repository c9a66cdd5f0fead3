"""The base class of all linear machines: training, weights, decision values and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softmargin import _core
from softmargin._checks import parameters, resources, sparse
from softmargin._checks.fields import Fields
from softmargin._checks.outcomes import Outcomes
from softmargin._checks.rows import native_rows
from softmargin._core import Kernel
from softmargin._estimators.base import Estimator

if TYPE_CHECKING:
    from softmargin._core import LinearFit, _LinearSolver
    from softmargin._estimators.rule_state import State


class LinearMachine(Estimator):
    """An estimator with one weight per feature for each machine.

    A subclass defines ``fit``, which calls :meth:`_train`, and the parameters named below.
    """

    _takes_weights = True
    _any_order = True

    fit_intercept: Any
    time_limit: Any

    # An array, or a CSR matrix after sparsify.
    coef_: Any
    intercept_: NDArray[np.float64]

    def _scheme_to_train(self) -> str:
        """Return how several classes are decomposed; "single" for one machine."""
        raise NotImplementedError

    def _train(
        self,
        solver: _LinearSolver,
        X: Any,
        outcomes: Outcomes,
        by_class: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        deadline: resources.Deadline,
        states: list[State] | None = None,
        record_every: int | None = None,
    ) -> LinearFit:
        """Train all machines, from ``states`` if these are given."""
        data = _core.TrainingData(
            native_rows(X),
            outcomes.codes,
            by_class,
            multi_class=self._scheme_to_train(),
            sample_weights=weights,
            targets=outcomes.targets,
        )
        limits = _core.Limits(
            threads=resources.thread_count(self.n_jobs),
            time_limit=deadline.seconds_left(),
            progress=self._progress(),
        )
        return _core.linear_fit(solver, self._train_value(), data, limits, states, record_every)

    def _intercept(self, scaling: Any = 1.0) -> float | str:
        """Return the value of the constant feature, or 0 for no bias."""
        if not parameters.flag("fit_intercept", self.fit_intercept):
            return 0.0
        value = parameters.real("intercept_scaling", scaling)
        if not 0 < value < np.inf:
            raise ValueError(f"intercept_scaling = {value} is not valid: it must be positive")
        return value

    def _saved_state(self) -> dict[str, Any]:
        coef, intercept = self._weights()
        state = super()._saved_state() | {
            "coef_": coef,
            "intercept_": intercept,
            "n_iter_": int(self.n_iter_),
            "status_": self._statuses(),
        }
        if sp.issparse(self.coef_):
            state["has_sparse_coef"] = 1
        return state

    def _restore_weights(self, saved: Fields, n_machines: int) -> list[str]:
        """Restore weights and intercepts of all machines; return how their training ended."""
        self.coef_ = saved.array("coef_", "f8", (n_machines, self.n_features_in_))
        self.intercept_ = saved.array("intercept_", "f8", (n_machines,))
        if "has_sparse_coef" in saved and saved.integer("has_sparse_coef", 0, 1):
            self.coef_ = sp.csr_matrix(self.coef_)
        self.n_iter_ = saved.integer("n_iter_")
        return saved.texts("status_", n_machines)

    def _check_weights(self, n_machines: int, needs: str) -> None:
        """Raise ValueError unless there are finite weights for each machine and feature."""
        coef, intercept = self._weights()
        shape = (n_machines, self.n_features_in_)
        if coef.shape != shape:
            raise ValueError(
                f"coef_ has shape {np.shape(self.coef_)}, but {needs}{self.n_features_in_} "
                f"features need {self._coef_shape(shape)}"
            )
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError("coef_ or intercept_ is not finite")

    def _coef_shape(self, shape: tuple[int, int]) -> tuple[int, ...]:
        """Return the shape of a dense ``coef_``, which has one row for each machine."""
        return shape

    def _outputs(self, rows: Any) -> NDArray[np.float64]:
        """Return the decision value of each machine for each sample."""
        return _core.linear_decision(rows, *self._weights(), resources.thread_count(self.n_jobs))

    def _weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return weights, one row per machine, and intercepts, which the user may have set."""
        coef = np.ascontiguousarray(sparse.dense(self.coef_), dtype=np.float64)
        coef = np.atleast_2d(coef)
        intercept = np.ascontiguousarray(self.intercept_, dtype=np.float64)
        if intercept.shape != (coef.shape[0],):
            intercept = np.broadcast_to(intercept, coef.shape[0]).copy()
        return coef, intercept

    def sparsify(self) -> Self:
        """Convert ``coef_`` to a CSR matrix, which saves memory if most weights are zero.

        Predictions do not change. The next ``fit`` makes ``coef_`` dense again.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Convert ``coef_`` back to a dense array after :meth:`sparsify`.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_is_fitted(self)
        coef = sparse.dense(self.coef_)
        self.coef_ = coef.reshape(self._coef_shape(coef.shape)) if coef.ndim == 2 else coef
        return self

    def _core_kernel(self) -> Kernel:
        return Kernel("linear", 1.0, 3, 0.0)

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether ``fit`` was called."""
        return hasattr(self, "coef_")

    def __sklearn_tags__(self) -> Any:
        """Return the input formats that this estimator supports."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
