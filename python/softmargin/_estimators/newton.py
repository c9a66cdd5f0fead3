"""Primal Newton with kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from softmargin._checks import parameters
from softmargin._core import NewtonSolver
from softmargin._estimators.certified import Certified
from softmargin._estimators.kernel import KernelClassifier


class NewtonSVC(Certified, KernelClassifier):
    """Support vector machine with squared hinge loss, solved in the primal by Newton steps.

    Minimises ``lambda |w|^2 + sum of max(0, 1 - y f(x))^2``, lambda = 1 / C. While the set of
    rows with a loss stays the same, the optimum is one system of linear equations: a Newton
    step. The first set comes from the solution on half of the rows, and that from a quarter,
    down to about a thousand; a line search makes every step gain. Cost: O(n n_sv + n_sv^3)
    for each of a few steps, memory 8 n_sv^2 bytes: for up to some ten thousand support
    vectors. (O. Chapelle, Training a Support Vector Machine in the Primal, 2007.)

    The bias is free as in scikit-learn's ``SVC``, but the loss is squared. With
    ``bias="penalized"`` the problem is that of :class:`NNISDA` and :class:`MNSVM`.

    Parameters
    ----------
    C : float, default=1.0
        The price of a squared error.
    lambda_ : float or None, default=None
        1 / C, where it is given: the weight of the norm, as in paper and literature.
    kernel : str or callable, default="rbf"
        "rbf", "linear", "poly", "sigmoid" or "precomputed"; positive semi-definite. A callable
        takes two matrices of rows and returns the kernel values of all pairs.
    gamma : float, "scale" or "auto", default="scale"
        Of the RBF, polynomial and sigmoid kernels. "scale" is
        1 / (n_features * X.var()), "auto" is 1 / n_features.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Of the polynomial and sigmoid kernels.
    bias : bool or "penalized", default=True
        Whether there is a constant, and whether it is part of the norm.
    max_iter : int, default=100
        The most Newton steps of a machine; -1 for no limit.
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
        Megabytes for kernel rows. The result does not depend on it. Each machine in training
        also holds the kernel matrix of its support vectors, 8 bytes for each pair of them.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class.
    random_state : any, default=None
        Without effect: training draws no random numbers. For a common signature.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores. The result does not depend on it.
    verbose : int, default=0
        Reports the number of steps on stderr while training.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, intercept_, n_support_
        As in scikit-learn's ``SVC``.
    n_iter_ : ndarray of shape (n_machines,)
        Newton steps of each machine.
    n_kernel_evals_ : int
        Kernel values computed.
    certificate_ : list of Certificate
        For each machine primal and dual objective, their gap, and the largest KKT
        violation, recomputed in f64 from the rows when first asked for.
    status_ : list of str
        How the training of each machine ended: "converged", or why not.

    Examples
    --------
    >>> from softmargin import NewtonSVC
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> NewtonSVC(C=10).fit(X, y).score(X, y) > 0.97
    True
    """

    __module__ = "softmargin"

    _method = "newton"
    _starts_along_path = True
    _path = ("C", "lambda_")

    def __init__(
        self,
        C: float = 1.0,
        lambda_: float | None = None,
        kernel: Any = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        bias: bool | Literal["penalized"] = True,
        warm_start: bool = False,
        max_iter: int = 100,
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
        self.lambda_ = lambda_
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
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

    @classmethod
    def _path_value(cls, params: Mapping[str, Any]) -> float:
        if params["lambda_"] is None:
            return parameters.real("C", params["C"])
        value = parameters.real("lambda_", params["lambda_"])
        if not 1e-300 <= value <= 1e300:
            raise ValueError(f"lambda_ = {value} is not valid: it must be a positive number")
        return 1 / value

    def _solver(self) -> NewtonSolver:
        return NewtonSolver(
            bias=self._bias(),
            max_iter=parameters.count("max_iter", self.max_iter, -1),
        )

    def _bias(self) -> str:
        if isinstance(self.bias, str):
            return parameters.choice("bias", self.bias, ("penalized",))
        return "free" if parameters.flag("bias", self.bias) else "none"

    def _goal(self) -> str:
        return "the set of support vectors stayed the same"
