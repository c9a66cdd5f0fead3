"""SVR: support vector regression with a kernel, solved exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from softmargin._checks import parameters
from softmargin._estimators.exact import ExactRegressor

if TYPE_CHECKING:
    from softmargin._core import _PathValue


class SVR(ExactRegressor):
    """Epsilon-support vector regression with a kernel, solved exactly on multiple cores.

    Minimizes ``1/2 ||w||^2 + C * sum(max(0, |y - f(x)| - epsilon))`` with an unregularized
    intercept (Drucker et al. 1997; Smola and Schölkopf 2004): errors of at most epsilon cost
    nothing. This is the problem of scikit-learn's ``SVR``, solved to the same tolerance;
    parameters and attributes have the same names, shapes and signs.

    The solver is that of :class:`SVC`. Each sample has one coefficient between -C and C, not one
    for each side of the tube. Threads share the work of a large problem.

    Features should be scaled, and targets should have a spread of about 1, because ``epsilon``,
    ``C`` and ``tol`` are in the units of the targets; see
    ``sklearn.compose.TransformedTargetRegressor``.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel function. A callable takes two arrays of samples and returns their kernel
        matrix. With "precomputed", X is the kernel matrix.
    degree : int, default=3
        Degree of the polynomial kernel. Ignored by other kernels.
    gamma : float, "scale" or "auto", default="scale"
        Kernel coefficient of "rbf", "poly" and "sigmoid". "scale" uses
        ``1 / (n_features * X.var())``, "auto" uses 1 / n_features.
    coef0 : float, default=0.0
        Independent term of "poly" and "sigmoid".
    tol : float, default=1e-3
        Tolerance of the stopping criterion: the largest violation of the optimality (KKT)
        conditions, in the units of the targets.
    C : float, default=1.0
        Regularization parameter. Larger values penalize errors more.
    epsilon : float, default=0.1
        Half-width of the tube: errors of at most epsilon cost nothing.
    shrinking : bool, default=True
        Whether to temporarily remove variables at their bounds from large problems. It affects
        the training time, and the result only within ``tol``.
    cache_size : float, default=1000
        Size of the kernel cache in megabytes. It affects the result only within ``tol``.
        Training needs up to 67 megabytes more for the kernel matrix of its working set, which
        has at most 4,096 samples unless ``working_set_size`` is larger.
    working_set_size : int or None, default=None
        Number of samples in the working set; None adapts it to the problem.
    warm_start : bool, default=False
        Whether to start from the solution of the previous ``fit``, if it had the same number of
        samples. All parameters may differ.
    max_iter : int, default=-1
        Maximum number of steps; -1 for no limit. Reaching the limit emits a
        ``ConvergenceWarning`` and leaves a usable model.
    time_limit : float or None, default=None
        Time limit of ``fit`` in seconds. Reaching it emits a ``ConvergenceWarning`` and leaves
        a usable model.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores.
    verbose : int, default=0
        If nonzero, print the number of loops of the decomposition to standard error during
        training.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Support vectors; empty for a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or CSR matrix of shape (1, n_SV)
        Coefficients of the support vectors in the prediction; a CSR matrix if X is sparse.
    intercept_ : ndarray of shape (1,)
        Constant term of the prediction.
    coef_ : ndarray or CSR matrix of shape (1, n_features)
        Weights of the features, for a linear kernel only; a CSR matrix if X is sparse.
    n_iter_ : int
        Number of steps.
    n_loops_ : int
        Number of loops of the decomposition.
    n_kernel_evals_ : int
        Number of kernel values computed during training.
    certificate_ : Certificate
        Primal and dual objective, duality gap and largest violation of the optimality
        conditions, computed in float64 when first read.
    status_ : str
        How training ended: "converged", "iteration limit", "time limit", "stalled" (rounding
        errors prevent progress) or "not finite".
    fit_status_ : int
        0 if training converged, otherwise 1.
    shape_fit_ : tuple of int
        Shape of the training data X.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

    Examples
    --------
    >>> from softmargin import SVR
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SVR(C=100, epsilon=10, gamma=0.01))
    >>> model.fit(X, y).score(X, y) > 0.5
    True
    """

    __module__ = "softmargin"

    _method = "svr"
    _formulation = "epsilon_svr"
    _path = ("C", "epsilon")

    def __init__(
        self,
        kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"]
        | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 1000,
        working_set_size: int | None = None,
        warm_start: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.working_set_size = working_set_size
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def _path_value(cls, params: Mapping[str, Any]) -> _PathValue:
        return (
            parameters.real("C", params["C"]),
            parameters.real("epsilon", params["epsilon"]),
        )
