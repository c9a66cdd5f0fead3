"""OLLAWV: the online learning algorithm using worst violators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

from sklearn.base import clone

from softmargin._checks import parameters
from softmargin._checks.weights import class_weights
from softmargin._core import OllawvSolver
from softmargin._estimators.kernel import KernelClassifier


class OLLAWV(KernelClassifier):
    """Online support vector machine that learns from its worst violator.

    Each step takes the row that the machine gets most wrong, adds it to the
    machine with the weight ``2 / sqrt(t)``, and never looks at it again; training
    ends when the worst row left is on the right side by ``margin``. One pass, no
    regularisation to tune, and few support vectors. Cost: one kernel row for each
    support vector. (G. Melki, Novel Support Vector Machines for Diverse Learning
    Paradigms, 2018, algorithm 1.1.)

    Parameters
    ----------
    margin : float, default=0.1
        Where to stop: the worst output that is good enough, in units of C. Larger
        values give more support vectors. The models of many margins cost one
        training, see :meth:`margin_path`.
    C : float, default=1.0
        Scales the decision function and nothing else: outputs, weights and the
        stopping threshold are all proportional to it, so predictions do not
        depend on it. Here for compatibility with papers and scripts.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"}, default="rbf"
    gamma : float, "scale" or "auto", default="scale"
        Of the RBF, polynomial and sigmoid kernels. "scale" is
        1 / (n_features * X.var()), "auto" is 1 / n_features.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Of the polynomial and sigmoid kernels.
    bias : bool, default=True
        Whether the machines have a constant term.
    max_sv_fraction : float, default=1.0
        The most support vectors of a machine, as a share of its rows.
    multi_class : {"ovo", "ovr", "ordinal"}, default="ovo"
        A machine for each pair of classes, for each class against the rest, or, where classes
        have an order, for each class and the next (see :meth:`predict`).
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of :meth:`decision_function` for one-vs-one and ordinal machines.
    cache_size : float, default=1000
        Megabytes for kernel values that are kept. A machine uses each kernel row once,
        so only one-vs-rest machines of several classes share some (a Gram matrix, where
        it fits). The result does not depend on it.
    class_weight : dict, "balanced" or None, default=None
        Weight of the steps of each class.
    random_state : None
        Not used: the method has no random part. Here for a common signature.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores. The result does not depend on it.
    verbose : int, default=0
        Reports the number of steps on stderr while training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    support_ : ndarray of shape (n_SV,)
        Rows of the support vectors, class by class.
    support_vectors_ : array or CSR matrix of shape (n_SV, n_features)
    dual_coef_ : ndarray, or CSR matrix if X was sparse, of shape (n_classes - 1, n_SV)
        Coefficients in scikit-learn's layout; for "ovr" of shape (n_classes, n_SV). For
        "ordinal" a row for each machine, 0 for vectors of other classes.
    intercept_ : ndarray of shape (n_machines,)
    n_support_ : ndarray of shape (n_classes,)
    n_iter_ : ndarray of shape (n_machines,)
        Steps, which is the number of support vectors, of each machine.
    n_kernel_evals_ : int
        Kernel values computed by the training.
    n_features_in_ : int

    Examples
    --------
    >>> from softmargin import OLLAWV
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> OLLAWV(gamma=0.25).fit(X, y).score(X, y) > 0.95
    True
    """

    __module__ = "softmargin"

    _method = "ollawv"
    _takes_weights = False
    _path = ("margin",)

    def __init__(
        self,
        margin: float = 0.1,
        C: float = 1.0,
        kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        bias: bool = True,
        max_sv_fraction: float = 1.0,
        multi_class: Literal["ovo", "ovr", "ordinal"] = "ovo",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        cache_size: float = 1000,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.margin = margin
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.max_sv_fraction = max_sv_fraction
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model to the training data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. float32 is kept, any other type is converted to float64. With
            ``kernel="precomputed"``, the kernel matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Labels of any type.

        Returns
        -------
        self
        """
        return self._fit(X, y)

    def margin_path(self, X: Any, y: Any, margins: Sequence[float]) -> list[Self]:
        """Return a fitted copy of this estimator for each margin, all from one training.

        The machine of a smaller margin is a prefix of the run of a larger one, so
        this costs as much as ``fit`` with the largest margin. Each copy equals
        ``clone(self).set_params(margin=m).fit(X, y)`` to the bit.

        Parameters
        ----------
        X, y
            As for :meth:`fit`.
        margins : sequence of float
            In any order; the copies come in the same order.
        """
        margins = [parameters.real("margin", margin) for margin in margins]
        first = clone(self)
        X, classes, codes = first._check_training_data(X, y)
        by_class = class_weights(self.class_weight, classes, codes)
        models = first._train_path(first._solver(), X, codes, by_class, margins)
        path = []
        for margin, model in zip(margins, models, strict=True):
            estimator = clone(self).set_params(margin=margin)
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(first, name):
                    setattr(estimator, name, getattr(first, name))
            estimator._set_model(model, classes)
            path.append(estimator)
        return path

    def _solver(self) -> OllawvSolver:
        return OllawvSolver(
            c=parameters.real("C", self.C),
            bias=parameters.flag("bias", self.bias),
            max_sv_fraction=parameters.real("max_sv_fraction", self.max_sv_fraction),
        )
