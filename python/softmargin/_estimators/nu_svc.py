"""NuSVC: the support vector classifier with a bound on the share of margin errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from softmargin._checks import parameters
from softmargin._checks.fields import Fields
from softmargin._checks.outcomes import Outcomes
from softmargin._estimators.certified import CertifiedClassifier
from softmargin._estimators.exact import ExactClassifier
from softmargin._estimators.platt import Probabilistic

if TYPE_CHECKING:
    from softmargin._core import Model


class NuSVC(Probabilistic, CertifiedClassifier, ExactClassifier):
    """Nu-support vector classifier with a kernel, solved exactly on multiple cores.

    Instead of C, as in :class:`SVC`, ``nu`` is given: in each binary classifier, at most this
    share of the samples lies inside of the margin or on the wrong side, and at least this share
    are support vectors (Schölkopf et al. 2000). The result is that of ``SVC`` with a value of C
    that training determines, the attribute ``C_``. This is the problem of scikit-learn's
    ``NuSVC``, solved to the same tolerance; parameters and attributes have the same names,
    shapes and signs.

    The solver is that of :class:`SVC`. A classifier exists only if ``nu`` is at most twice the
    share of the smaller class; the error names the largest value.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of margin errors, and lower bound on the share of support
        vectors; above 0 and at most 1.
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
    shrinking : bool, default=True
        Whether to temporarily remove variables at their bounds from large problems. It affects
        the training time, and the result only within ``tol``.
    probability : bool, default=False
        Whether ``predict_proba`` is available. Training then also computes the decision values
        of held-out samples in five folds, to which a sigmoid is fitted for each binary
        classifier (Platt 1999; Lin, Lin and Weng 2007).
    tol : float, default=1e-3
        Tolerance of the stopping criterion: the largest violation of the optimality (KKT)
        conditions.
    cache_size : float, default=1000
        Size of the kernel cache in megabytes. It affects the result only within ``tol``. Each
        binary classifier being trained needs up to 67 megabytes more for the kernel matrix of
        its working set, which has at most 4,096 samples unless ``working_set_size`` is larger.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply those of the samples. "balanced" uses
        ``n_samples / (n_classes * n_samples_of_class)``; None gives all classes weight 1.
    working_set_size : int or None, default=None
        Number of samples in the working set; None adapts it to the problem.
    warm_start : bool, default=False
        Whether to start from the solution of the previous ``fit``, if it had the same number of
        samples and the same classes. nu and the kernel may differ.
    max_iter : int, default=-1
        Maximum number of steps per binary classifier; -1 for no limit. Reaching the limit emits
        a ``ConvergenceWarning`` and leaves a usable model.
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
    break_ties : bool, default=False
        Whether to resolve ties of one-vs-one votes by the sum of decision values instead of
        the order of ``classes_``.
    random_state : int, RandomState or None, default=None
        Seed of the folds of ``probability=True`` and of ``fit(..., init="random")``; None
        always draws the same. Training itself is deterministic.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores.
    verbose : int, default=0
        If nonzero, print the number of loops of the decomposition to standard error during
        training.

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
    C_ : ndarray of shape (n_binary,)
        Value of C for which ``SVC`` has the same solution, of each binary classifier; NaN if nu is
        so small that the margin is 0 within ``tol``.
    intercept_ : ndarray of shape (n_binary,)
        Bias of each binary classifier.
    coef_ : ndarray or CSR matrix of shape (n_binary, n_features)
        Weights of the features, for a linear kernel only; a CSR matrix if X is sparse.
    n_iter_ : ndarray of shape (n_binary,)
        Number of steps of each binary classifier.
    n_loops_ : ndarray of shape (n_binary,)
        Number of loops of the decomposition of each binary classifier.
    n_kernel_evals_ : int
        Number of kernel values computed during training.
    certificate_ : list of Certificate, of length n_binary
        Primal and dual objective, duality gap and largest violation of the optimality
        conditions of each binary classifier, computed in float64 when first read.
    status_ : list of str, of length n_binary
        How training of each binary classifier ended: "converged", "iteration limit",
        "time limit", "stalled" (rounding errors prevent progress, or the margin is 0) or
        "not finite".
    fit_status_ : int
        0 if all binary classifiers converged, otherwise 1.
    shape_fit_ : tuple of int
        Shape of the training data X.
    class_weight_ : ndarray of shape (n_classes,)
        Weight of each class.
    probA_, probB_ : ndarray of shape (n_binary,)
        Parameters of the sigmoids, with the signs of scikit-learn's; empty without
        ``probability=True``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

    Examples
    --------
    >>> from softmargin import NuSVC
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> NuSVC(nu=0.1).fit(X, y).score(X, y) > 0.97
    True
    """

    __module__ = "softmargin"

    _method = "nu-svc"
    _formulation = "nu_svc"
    _path = ("nu",)

    C_: NDArray[np.float64]

    def __init__(
        self,
        nu: float = 0.5,
        kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"]
        | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 1000,
        class_weight: Any = None,
        working_set_size: int | None = None,
        warm_start: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        multi_class: Literal["ovo", "ovr", "ordinal"] = "ovo",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.working_set_size = working_set_size
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_feasible(
        self, outcomes: Outcomes, by_class: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> None:
        """Raise ValueError if nu is infeasible; name the classes with the smallest share."""
        nu, classes = parameters.real("nu", self.nu), outcomes.classes
        if classes is None or not 0 < nu <= 1:
            return  # the core names a nu that is never valid
        totals = by_class * np.bincount(outcomes.codes, weights, minlength=len(classes))
        sides = _sides(self._scheme_to_train(), totals)
        largest = [2 * min(one, other) / (one + other) for _, one, other in sides]
        number = int(np.argmin(largest))
        if nu <= largest[number] * (1 + 1e-12):
            return
        first, second = sides[number][0]
        labels = classes.tolist()
        others = "the others" if second is None else f"class {labels[second]!r}"
        raise ValueError(
            f"nu = {nu} is infeasible for class {labels[first]!r} and {others}: it can be at most "
            f"{largest[number]:.6g}, twice the share of the smaller one of the sample weights"
        )

    def _settings(self, model: Model) -> tuple[list[float], float]:
        self.C_ = np.array([np.nan if c is None else c for c in model.implied])
        # A classifier without a margin is not scaled: it is one of SVC with C = 1.
        return [1.0 if c is None else c for c in model.implied], 0.0

    def _remedy(self, status: str) -> str:
        if status == "stalled":
            return "increase nu, because the margin is 0 if nu is too small, or scale the features"
        return super()._remedy(status)

    def _saved_state(self) -> dict[str, Any]:
        return super()._saved_state() | {"C_": self.C_}

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        self.C_ = saved.array("C_", "f8", (len(self.intercept_),), is_finite=False)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        shape = (len(self._model.intercept),)
        if not isinstance(self.C_, np.ndarray) or self.C_.shape != shape:
            raise ValueError("C_ is not an array with one value for each binary classifier")


def _sides(
    scheme: str, totals: NDArray[np.float64]
) -> list[tuple[tuple[int, int | None], float, float]]:
    """Return the classes and the total weights of both sides of binary problems.

    Of all pairs of classes, only the pair of the smallest and the largest class is returned.
    """
    if scheme == "ovr" and len(totals) > 2:
        rest = totals.sum() - totals
        return [((c, None), float(totals[c]), float(rest[c])) for c in range(len(totals))]
    if scheme == "ordinal":
        pairs = [(c, c + 1) for c in range(len(totals) - 1)]
    else:
        order = np.argsort(totals, kind="stable")
        pairs = [(int(order[0]), int(order[-1]))]
    return [(pair, float(totals[pair[0]]), float(totals[pair[1]])) for pair in pairs]
