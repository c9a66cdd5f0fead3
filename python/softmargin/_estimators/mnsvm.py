"""MN-SVM: the L2 SVM as a minimal norm."""

from __future__ import annotations

from typing import Any, Literal

from softmargin._checks import parameters
from softmargin._core import MnSvmSolver
from softmargin._estimators.certified import Certified
from softmargin._estimators.kernel import KernelClassifier


class MNSVM(Certified, KernelClassifier):
    """L2 support vector machine as the point of smallest norm in a simplex.

    Each step moves weight from a support vector to a row that violates the optimality
    conditions by more than a share eps, which shrinks from 0.5 to its final value. It solves
    the L2 problem

    ``1/2 (|w|^2 + b^2) + C/2 sum of max(0, 1 - y f(x))^2``,

    that is squared hinge loss, and a bias that is part of the norm (scikit-learn's ``SVC`` has the
    hinge loss and a free bias; solutions differ). The kernel must be positive semi-definite.
    The weights are scaled so that support vectors have a margin of 1: the optimum is that of
    :class:`NNISDA`. (R. Strack, V. Kecman and others, Sphere Support Vector Machines for Large
    Classification Tasks, 2013.)

    Parameters
    ----------
    C : float, default=1.0
        The price of a squared error.
    kernel : str or callable, default="rbf"
        "rbf", "linear", "poly", "sigmoid" or "precomputed". A callable takes two matrices of
        rows and returns the kernel values of all pairs.
    gamma : float, "scale" or "auto", default="scale"
        Of the RBF, polynomial and sigmoid kernels. "scale" is
        1 / (n_features * X.var()), "auto" is 1 / n_features.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Of the polynomial and sigmoid kernels.
    eps : float, default=1e-3
        The final violation, as a share of the norm.
    selection : {"worst", "random"}, default="worst"
        Take the worst violator of all rows; or, as the original, of 600 rows drawn at random,
        first the class and then the row. Same optimum.
    max_iter : int, default=-1
        The most steps of a machine; -1 for no limit.
    warm_start : bool, default=False
        Start from the solution of the last ``fit``, whatever its parameters were, if that had
        as many rows and the same classes.
    time_limit : float or None, default=None
        Seconds after which training stops where it is, with a warning.
    multi_class : {"ovo", "ovr", "ordinal"}, default="ovo"
        A machine for each pair of classes, for each class against the rest, or, where classes
        have an order, for each class and the next (see :meth:`predict`).
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of :meth:`decision_function` for one-vs-one and ordinal machines.
    cache_size : float, default=1000
        Megabytes for kernel rows. The result does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class.
    random_state : int, RandomState or None, default=None
        Of the draws.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores. The result does not depend on it.
    verbose : int, default=0
        Reports the number of steps on stderr while training.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, intercept_, n_support_
        As in scikit-learn's ``SVC``.
    n_iter_ : ndarray of shape (n_machines,)
        Steps of each machine.
    n_kernel_evals_ : int
        Kernel values computed.
    certificate_ : list of Certificate
        For each machine primal and dual objective, their gap, and the largest KKT
        violation, recomputed in f64 from the rows when first asked for.
    status_ : list of str
        How the training of each machine ended: "converged", or why not.

    Examples
    --------
    >>> from softmargin import MNSVM
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MNSVM(C=10).fit(X, y).score(X, y) > 0.97
    True
    """

    __module__ = "softmargin"

    _method = "mnsvm"

    def __init__(
        self,
        C: float = 1.0,
        kernel: Any = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        eps: float = 1e-3,
        selection: Literal["worst", "random"] = "worst",
        warm_start: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        multi_class: Literal["ovo", "ovr", "ordinal"] = "ovo",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        cache_size: float = 1000,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.eps = eps
        self.selection = selection
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _solver(self) -> MnSvmSolver:
        return MnSvmSolver(
            eps=parameters.real("eps", self.eps),
            selection=parameters.choice("selection", self.selection, ("worst", "random")),
            seed=parameters.seed(self.random_state),
            max_iter=parameters.count("max_iter", self.max_iter, -1),
        )

    def _is_random(self) -> bool:
        return bool(self.selection == "random")

    def _goal(self) -> str:
        return f"the violation was below eps = {self.eps}"
