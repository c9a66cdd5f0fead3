"""LinearSVR: linear support vector regression, solved exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from softmargin._checks import parameters, resources
from softmargin._checks.fields import Fields
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import FLOATS, check_rows, is_plain, native_rows
from softmargin._checks.weights import positive_rows, sample_weights
from softmargin._core import ExactLinearSolver
from softmargin._estimators.base import Regressor
from softmargin._estimators.certificate import Certificate, from_table, to_table
from softmargin._estimators.linear_machine import LinearMachine

if TYPE_CHECKING:
    from softmargin._core import _PathValue

_LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


class LinearSVR(LinearMachine, Regressor):
    """Linear support vector regression, solved exactly.

    Minimizes ``1/2 ||w||^2 + C * sum(loss)`` with the epsilon-insensitive loss
    ``max(0, |y - f(x)| - epsilon)`` or its square (Ho and Lin 2012). Names, defaults and
    attributes are those of scikit-learn's ``LinearSVR``, in which the intercept is regularized
    as well. The training time grows with the number of stored values, not with its square as
    that of :class:`SVR` does.

    The solver is dual coordinate descent with shrinking, followed by an augmented Lagrangian
    method (Yan and Li 2020) where it converges slowly, or, for the squared loss, Newton's method
    in the primal. Targets are divided internally by a power of two near their mean absolute
    deviation, so the accuracy does not depend on their unit. A certificate bounds the distance
    from the optimum.

    ``epsilon`` and, for the loss without a square, ``C`` are in the units of the targets.
    Targets should be near 0 on average, or ``intercept_scaling`` large, because the intercept is
    regularized; see ``sklearn.compose.TransformedTargetRegressor``.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half-width of the tube: errors of at most epsilon cost nothing.
    tol : float, default=1e-4
        Tolerance of the stopping criterion: the range of the projected gradients of the dual
        relative to the mean absolute deviation of the targets (up to a factor of 2), or the
        norm of the primal gradient relative to its initial value. The duality gap must be small
        as well: at most 0.2 % of the objective, or ``tol`` with Newton's method.
    C : float, default=1.0
        Regularization parameter. Larger values penalize errors more.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, \
default="epsilon_insensitive"
        Loss function.
    fit_intercept : bool, default=True
        Whether to fit an intercept. It is the weight of a constant feature of value
        ``intercept_scaling`` and is therefore regularized.
    intercept_scaling : float, default=1.0
        Value of the constant feature. Larger values regularize the intercept less.
    dual : bool or "auto", default="auto"
        Whether to solve the dual problem by coordinate descent (True) or the primal problem by
        Newton's method (False, for the squared loss only). "auto" chooses the faster one:
        Newton's method for the squared loss, unless there are more features than samples, or
        sparse samples with more than 256 features. In these cases it starts with coordinate
        descent and continues with Newton's method if convergence is slow. For the loss without
        a square it also starts with coordinate descent, and continues with an augmented
        Lagrangian method, whose Newton steps use all threads.
    verbose : int, default=0
        If nonzero, print the number of visited samples to standard error during training.
    random_state : int, RandomState or None, default=None
        Seed of the order in which coordinate descent visits the samples.
    max_iter : int, default=1000
        Maximum number of passes over the data, or of Newton steps; -1 for no limit. Reaching
        the limit emits a ``ConvergenceWarning`` and leaves a usable model.
    time_limit : float or None, default=None
        Time limit of ``fit`` in seconds. Reaching it emits a ``ConvergenceWarning`` and leaves
        a usable model.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores. The result does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features; a CSR matrix of shape (1, n_features) after :meth:`sparsify`.
    intercept_ : ndarray of shape (1,)
        Constant term of the prediction.
    n_iter_ : int
        Number of passes or Newton steps.
    certificate_ : Certificate
        Primal and dual objective, duality gap and largest violation of the optimality
        conditions, computed in float64.
    status_ : str
        How training ended: "converged", "iteration limit", "time limit", "stalled" (rounding
        errors prevent progress) or "not finite".
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

    Examples
    --------
    >>> from softmargin import LinearSVR
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LinearSVR(C=100, epsilon=10).fit(X, y)
    >>> model.score(X, y) > 0.4
    True
    >>> model.certificate_.gap < 0.01 * model.certificate_.primal
    True
    """

    __module__ = "softmargin"  # keeps pickles independent of file names

    _method = "linear-svr"
    _path = ("C", "epsilon")

    certificate_: Certificate

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | Literal["auto"] = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to the training data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. float32 is kept, any other type is converted to float64.
        y : array-like of shape (n_samples,)
            Targets: finite numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply C. Samples of weight 0 are ignored.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        deadline = self._deadline()
        with restore_on_failure(self):
            self._fit(X, y, sample_weight, deadline)
        self._warn_if_not_converged(stacklevel=2)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, deadline: resources.Deadline) -> None:
        X, outcomes = self._check_training_data(X, y)
        weights = sample_weights(sample_weight, len(outcomes.codes))
        if weights is not None:
            positive_rows(weights)
        solver = self._solver()  # once: it draws a seed
        found = self._train(solver, X, outcomes, np.ones(1), weights, deadline)
        self.coef_ = found.coef[0]
        self.intercept_ = found.intercept
        self.n_iter_ = int(found.n_iter[0])
        (self.status_,) = found.status
        self.certificate_ = Certificate(*found.certificates[0])

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the targets of samples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted targets.
        """
        self._check_is_fitted()
        if not is_plain(X, self, FLOATS):
            X = native_rows(check_rows(X, estimator=self, reset=False, any_order=True))
        return self._outputs(X).ravel()

    def _scheme_to_train(self) -> str:
        return "single"

    def _solver(self) -> ExactLinearSolver:
        loss = parameters.choice("loss", self.loss, _LOSSES)
        is_dual = self._is_dual(loss)
        # With the defaults, training is deterministic.
        is_fixed = is_dual is None and self.random_state is None
        return ExactLinearSolver(
            loss=loss,
            dual=is_dual,
            tol=parameters.real("tol", self.tol),
            max_iter=parameters.count("max_iter", self.max_iter, -1),
            seed=parameters.seed(0 if is_fixed else self.random_state),
            intercept=self._intercept(self.intercept_scaling),
        )

    def _is_random(self) -> bool:
        return self._is_dual(self.loss) is not False

    def _is_dual(self, loss: str) -> bool | None:
        """Return whether the dual problem is solved; None leaves the choice to the core."""
        if isinstance(self.dual, str):
            parameters.choice("dual", self.dual, ("auto",))
            return None
        is_dual = parameters.flag("dual", self.dual)
        if loss == "epsilon_insensitive" and not is_dual:
            raise ValueError(
                "dual = False is not valid with loss = 'epsilon_insensitive', which is not "
                "differentiable; use dual = True, or loss = 'squared_epsilon_insensitive'"
            )
        return is_dual

    @classmethod
    def _path_value(cls, params: Mapping[str, Any]) -> _PathValue:
        return (
            parameters.real("C", params["C"]),
            parameters.real("epsilon", params["epsilon"]),
        )

    def _saved_state(self) -> dict[str, Any]:
        return super()._saved_state() | {"certificate_": to_table([self.certificate_])}

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        (self.status_,) = self._restore_weights(saved, 1)
        if isinstance(self.coef_, np.ndarray):
            self.coef_ = self.coef_[0]
        (self.certificate_,) = from_table(saved, 1)

    def _coef_shape(self, shape: tuple[int, int]) -> tuple[int, ...]:
        return (shape[1],)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        self._check_weights(1, "")
