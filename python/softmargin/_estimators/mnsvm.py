"""MNSVM: the L2 SVM as a minimal norm problem."""

from __future__ import annotations

from typing import Any, Literal

from softmargin._checks import parameters
from softmargin._core import MnSvmSolver
from softmargin._estimators.certified import CertifiedClassifier
from softmargin._estimators.kernel_classifier import KernelClassifier


class MNSVM(CertifiedClassifier, KernelClassifier):
    """L2 support vector machine, solved as a minimal norm problem on a simplex.

    Each step moves weight from a support vector to a sample that violates the optimality
    conditions by more than a relative tolerance, which decreases from 0.5 to ``eps`` (Strack,
    Kecman et al. 2013, *Sphere Support Vector Machines for Large Classification Tasks*). It
    minimizes

    ``1/2 (||w||^2 + b^2) + C/2 * sum(max(0, 1 - y * f(x))^2)``.

    The loss is the squared hinge loss, and the bias is regularized. ``SVC`` uses the hinge loss
    and an unregularized bias, so its solutions differ. The coefficients are scaled so that
    support vectors have a margin of 1; the optimum is that of :class:`NNISDA`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter. Larger values penalize the squared hinge loss more.
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
    eps : float, default=1e-3
        Tolerance of the stopping criterion: the largest violation of the optimality
        conditions, relative to the norm.
    selection : {"worst", "random"}, default="worst"
        How to select the violator of a step: the worst of all samples, or, as in the paper,
        the worst of 600 random draws, first of a class and then of a sample. The optimum is
        the same.
    max_iter : int, default=-1
        Maximum number of steps per binary classifier; -1 for no limit. Reaching the limit emits
        a ``ConvergenceWarning`` and leaves a usable model.
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
        Size of the kernel cache in megabytes. The result does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply C. "balanced" uses
        ``n_samples / (n_classes * n_samples_of_class)``; None gives all classes weight 1.
    random_state : int, RandomState or None, default=None
        Seed of the draws of ``selection="random"``.
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
        Number of steps of each binary classifier.
    n_kernel_evals_ : int
        Number of kernel values computed during training.
    certificate_ : list of Certificate, of length n_binary
        Primal and dual objective, duality gap and largest violation of the optimality
        conditions of each binary classifier, computed in float64 when first read.
    status_ : list of str, of length n_binary
        How training of each binary classifier ended: "converged", "iteration limit",
        "time limit", "stalled" (rounding errors prevent progress) or "not finite".
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
