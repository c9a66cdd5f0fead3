"""OneClassSVM: novelty detection with a kernel, solved exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from softmargin._checks.outcomes import Outcomes
from softmargin._estimators.certified import CertifiedMachine
from softmargin._estimators.exact import ExactMachine
from softmargin._estimators.kernel_single import SingleKernelMachine

if TYPE_CHECKING:
    from softmargin._core import Model


class OneClassSVM(CertifiedMachine, ExactMachine, OutlierMixin, SingleKernelMachine):
    """Novelty detection with a kernel, solved exactly on multiple cores.

    Estimates a region that contains most samples of the training distribution (Schölkopf et al.
    2001): minimizes ``1/2 ||w||^2 + sum(max(0, rho - w x)) - nu n rho`` over w and the offset
    rho. At most the share ``nu`` of the training samples lies outside of the region, and at
    least this share are support vectors. This is the problem of scikit-learn's ``OneClassSVM``,
    solved to the same tolerance; parameters and attributes have the same names, shapes and signs.

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
        conditions.
    nu : float, default=0.5
        Upper bound on the share of training samples outside of the region, and lower bound on
        the share of support vectors; above 0 and at most 1.
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
    offset_ : ndarray of shape (1,)
        The offset rho, ``-intercept_``: ``decision_function`` is ``score_samples`` minus this.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Support vectors; empty for a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or CSR matrix of shape (1, n_SV)
        Coefficients of the support vectors in the decision function; a CSR matrix if X is sparse.
    intercept_ : ndarray of shape (1,)
        Constant term of the decision function.
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
    >>> from softmargin import OneClassSVM
    >>> X = [[0], [0.44], [0.45], [0.46], [1]]
    >>> OneClassSVM(gamma="auto").fit_predict(X)
    array([-1,  1,  1,  1, -1])
    """

    __module__ = "softmargin"

    _method = "one-class"
    _formulation = "one_class"
    _path = ("nu",)

    def __init__(
        self,
        kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"]
        | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
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
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.working_set_size = working_set_size
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, init: Any = None) -> Self:
        """Fit the model to the training data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. float32 is kept, unless its kernel values are not precise enough
            for the tolerance; any other type is converted to float64. With
            ``kernel="precomputed"``, the kernel matrix of shape (n_samples, n_samples).
        y : ignored
            For compatibility with other estimators.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights. Samples of weight 0 are ignored.
        init : fitted OneClassSVM, array-like of int, or None, default=None
            Starting point. An estimator that was fitted to the same samples, with any
            parameters, provides initial coefficients, which are adapted to the constraints.
            Sample indices specify the first working set. The starting point affects the
            training time, and the result only within ``tol``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight, init)

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> NDArray[np.intp]:
        """Fit the model to samples, and tell which of them are outliers.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.
        y : ignored
            For compatibility with other estimators.
        **kwargs
            Arguments of :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            1 for inliers, -1 for outliers.
        """
        return self.fit(X, **kwargs).predict(X)

    def _check_y(self, y: Any) -> None:
        """Accept any y, which is ignored."""

    def _check_outcomes(self, X: Any, y: Any) -> Outcomes:
        return Outcomes.without_classes(X.shape[0])

    def _settings(self, model: Model) -> tuple[list[float], float]:
        return [1.0], 0.0

    @property
    def offset_(self) -> NDArray[np.float64]:
        """The offset, as in scikit-learn."""
        return -self.intercept_

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how far samples are inside of the region.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples. With ``kernel="precomputed"``, the kernel values of samples and training
            samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive for inliers, negative for outliers.
        """
        return self._decision_values(X)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values without the offset.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples, as for :meth:`decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores; larger for samples that are more like the training samples.
        """
        return self._decision_values(X) + self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Tell which samples are outliers.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples, as for :meth:`decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            1 for inliers, -1 for outliers.
        """
        return np.where(self._decision_values(X) >= 0, 1, -1).astype(np.intp)
