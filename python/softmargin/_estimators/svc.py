"""SVC: the support vector classifier with a kernel, solved exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from softmargin._checks.fields import Fields
from softmargin._checks.labels import codes_of
from softmargin._checks.outcomes import Outcomes
from softmargin._estimators.certificate import Training
from softmargin._estimators.certified import CertifiedClassifier
from softmargin._estimators.exact import ExactClassifier
from softmargin._estimators.platt import Probabilistic
from softmargin._estimators.starts import SeedQueue, from_estimator

if TYPE_CHECKING:
    from softmargin._core import _Start


class SVC(Probabilistic, CertifiedClassifier, ExactClassifier):
    """C-support vector classifier with a kernel, solved exactly on multiple cores.

    Minimizes ``1/2 ||w||^2 + C * sum(max(0, 1 - y * f(x)))`` with an unregularized bias (Cortes
    and Vapnik 1995). This is the problem of scikit-learn's ``SVC``, solved to the same
    tolerance; parameters and attributes have the same names, shapes and signs.

    The solver is a decomposition method with shrinking (Joachims 1999). It solves each working
    set by pair steps with second-order selection (Fan, Chen and Lin 2005) and joint Newton steps
    of all free variables. Large problems start from the solution of a subsample. Binary
    classifiers are trained in parallel, and threads share the work of a large one.

    With ``probability=True``, ``predict_proba`` returns probabilities. An alternative that
    chooses the calibration method is
    ``sklearn.calibration.CalibratedClassifierCV(SVC(), ensemble=False)``.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter. Larger values penalize misclassified samples more.
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
        Weights of the classes, which multiply C. "balanced" uses
        ``n_samples / (n_classes * n_samples_of_class)``; None gives all classes weight 1.
    working_set_size : int or None, default=None
        Number of samples in the working set; None adapts it to the problem.
    warm_start : bool or "support_vectors", default=False
        With True, start from the solution of the previous ``fit``, if it had the same number
        of samples and the same classes. C and the kernel may differ. With "support_vectors",
        start from zero, but with the support vectors of the previous calls of ``fit`` as the
        first working set, the latest first: a queue of the size of the working set (Nguyen and
        Ho 2005).
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
        "time limit", "stalled" (rounding errors prevent progress) or "not finite".
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
    >>> from softmargin import SVC
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SVC(C=10).fit(X, y).score(X, y) > 0.97
    True
    """

    __module__ = "softmargin"

    _method = "svc"
    _formulation = "c_svc"
    _seeds: SeedQueue | None

    def __init__(
        self,
        C: float = 1.0,
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
        warm_start: bool | Literal["support_vectors"] = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        multi_class: Literal["ovo", "ovr", "ordinal"] = "ovo",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
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

    def _check_warm_start(self) -> None:
        given = self.warm_start
        if np.ndim(given) or given not in (True, False, "support_vectors"):
            raise ValueError(
                f"warm_start = {self.warm_start!r} is not valid: it must be a bool or "
                "'support_vectors'"
            )

    def _starts_of(self, last: Self, outcomes: Outcomes) -> list[_Start] | None:
        if self.warm_start == "support_vectors":
            return None if last._seeds is None else last._seeds.starts()
        return super()._starts_of(last, outcomes)

    def _store_training(self, last: Self | None, training: Training, y: Any) -> None:
        """Also add the support vectors of this fit to the queues."""
        super()._store_training(last, training, y)
        self._seeds = None
        if self.warm_start != "support_vectors":
            return
        codes = codes_of(y, self.classes_).astype(np.uint32)
        found = from_estimator(self, Outcomes(codes, self.classes_), self.multi_class)
        is_same = (
            last is not None
            and last._seeds is not None
            and (last.shape_fit_[0] == len(codes) and len(last._seeds.rows) == len(found))
        )
        self._seeds = SeedQueue(len(found), self.working_set_size)
        if is_same and last is not None and last._seeds is not None:
            self._seeds.rows = list(last._seeds.rows)
        self._seeds.push(found)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, with the queues of support vectors as plain arrays."""
        state = super().__getstate__()
        if isinstance(state.get("_seeds"), SeedQueue):
            state["_seeds"] = state["_seeds"].to_state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled state."""
        if isinstance(state, dict) and isinstance(state.get("_seeds"), dict):
            state = state | {"_seeds": SeedQueue.from_state(state["_seeds"])}
        super().__setstate__(state)

    def _saved_state(self) -> dict[str, Any]:
        state = super()._saved_state()
        return state if self._seeds is None else state | self._seeds.to_fields()

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        self._seeds = SeedQueue.from_fields(saved, len(self.intercept_), self.shape_fit_[0])
