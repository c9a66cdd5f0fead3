"""NewtonSVC: Newton's method in the primal with kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from softmargin._checks import parameters
from softmargin._core import NewtonSolver
from softmargin._estimators.certified import CertifiedClassifier
from softmargin._estimators.kernel_classifier import KernelClassifier


class NewtonSVC(CertifiedClassifier, KernelClassifier):
    """Support vector machine with squared hinge loss, solved in the primal by Newton's method.

    Minimizes ``lambda ||w||^2 + sum(max(0, 1 - y * f(x))^2)`` with lambda = 1 / C. As long as the
    set of samples with a loss does not change, the optimum is the solution of one linear system,
    and a Newton step finds it (Chapelle 2007, *Training a Support Vector Machine in the Primal*;
    Duros and Katzman 2014). The initial set comes from the solution on half of the samples,
    recursively, down to about a thousand. With the line search, every step decreases the
    objective; with ``bias=False``, ``line_search=False`` and ``max_iter=5``, the method is
    that of Duros and Katzman.

    A step takes ``O(n_samples * n_SV + n_SV^3)`` operations and ``8 * n_SV^2`` bytes, which is
    feasible for up to some ten thousand support vectors.

    The bias is not regularized, as in ``SVC``, but the loss is squared. With
    ``bias="penalized"``, the problem is that of :class:`NNISDA` and :class:`MNSVM`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter. Larger values penalize the squared hinge loss more.
    lambda_ : float or None, default=None
        Regularization parameter of the paper, 1 / C. If it is given, C is ignored.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel function, which must be positive semi-definite. A callable takes two arrays of
        samples and returns their kernel matrix. With "precomputed", X is the kernel matrix.
    gamma : float, "scale" or "auto", default="scale"
        Kernel coefficient of "rbf", "poly" and "sigmoid". "scale" uses
        ``1 / (n_features * X.var())``, "auto" uses 1 / n_features.
    degree : int, default=3
        Degree of the polynomial kernel. Ignored by other kernels.
    coef0 : float, default=0.0
        Independent term of "poly" and "sigmoid".
    bias : bool or "penalized", default=True
        Whether to fit a bias; "penalized" includes it in the regularization term.
    max_iter : int, default=100
        Maximum number of Newton steps per binary classifier; -1 for no limit. Reaching the
        limit emits a ``ConvergenceWarning`` and leaves a usable model.
    line_search : bool, default=True
        Whether a step ends where the objective is smallest along it. Without it, every step is
        a full one: training may not converge, and then ends as "stalled" or at ``max_iter``.
    warm_start : bool, default=False
        Whether to start from the solution of the previous ``fit``, if it had the same number
        of samples and the same classes. Its other parameters may differ.
    time_limit : float or None, default=None
        Time limit of ``fit`` in seconds. Reaching it emits a ``ConvergenceWarning`` and leaves
        a usable model.
    multi_class : {"ovo", "ovr", "ordinal"}, default="ovo"
        Strategy for more than two classes: one binary classifier per pair of classes ("ovo"),
        per class against the rest ("ovr"), or per pair of neighboring classes ("ordinal", see
        :meth:`predict`). The number of binary classifiers ``n_binary`` is
        ``n_classes * (n_classes - 1) // 2``, n_classes or n_classes - 1; it is 1 for two
        classes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of :meth:`decision_function` for more than two classes: one column per class
        ("ovr") or per binary classifier ("ovo"). Ignored with ``multi_class="ovr"``.
    cache_size : float, default=1000
        Size of the kernel cache in megabytes. The result does not depend on it. Each binary
        classifier being trained also needs ``8 * n_SV^2`` bytes for a kernel matrix.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply C. "balanced" uses
        ``n_samples / (n_classes * n_samples_of_class)``; None gives all classes weight 1.
    random_state : int, RandomState or None, default=None
        Ignored, because training is deterministic. Present for API consistency.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores. The result does not depend on it.
    verbose : int, default=0
        If nonzero, print the number of steps to standard error during training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted, or in their own order with ``multi_class="ordinal"``.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, grouped by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Support vectors; empty for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray or CSR matrix of shape (n_classes - 1, n_SV)
        Coefficients of the support vectors in the decision function, in the layout of
        scikit-learn's ``SVC``; a CSR matrix if X is sparse. Of shape (n_classes, n_SV) with
        ``multi_class="ovr"``; with "ordinal", row i belongs to binary classifier i.
    intercept_ : ndarray of shape (n_binary,)
        Bias of each binary classifier.
    n_iter_ : ndarray of shape (n_binary,)
        Number of Newton steps of each binary classifier.
    n_kernel_evals_ : int
        Number of kernel values computed during training.
    certificate_ : list of Certificate, of length n_binary
        Primal and dual objective, duality gap and largest violation of the optimality
        conditions of each binary classifier, computed in float64 when first read.
    status_ : list of str, of length n_binary
        How training of each binary classifier ended: "converged", "iteration limit",
        "time limit", "stalled" (rounding errors prevent progress, or steps without line search
        repeat themselves) or "not finite".
    fit_status_ : int
        0 if all binary classifiers converged, otherwise 1.
    shape_fit_ : tuple of int
        Shape of the training data X.
    class_weight_ : ndarray of shape (n_classes,)
        Weight of each class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

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
        line_search: bool = True,
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
        self.line_search = line_search
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
            line_search=parameters.flag("line_search", self.line_search),
        )

    def _remedy(self, status: str) -> str:
        if status == "stalled" and not self.line_search:
            return "set line_search=True"
        return super()._remedy(status)

    def _bias(self) -> str:
        if isinstance(self.bias, str):
            return parameters.choice("bias", self.bias, ("penalized",))
        return "free" if parameters.flag("bias", self.bias) else "none"
