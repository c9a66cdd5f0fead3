"""GDSVC: gradient descent."""

from __future__ import annotations

from typing import Any, Literal

from softmargin._checks import parameters
from softmargin._core import GradientSolver
from softmargin._estimators.linear import LinearClassifier


class GDSVC(LinearClassifier):
    """Linear support vector machine trained by gradient descent.

    Minimizes ``lambda / 2 ||w||^2 + mean(max(0, 1 - y * f(x))^2)``. Each step uses all samples and
    moves by ``eta0`` times the gradient. It is the baseline of Duros and Katzman (2014,
    *Comparison of SVM Optimization Techniques in the Primal*).

    Parameters
    ----------
    lambda_ : float, default=1e-4
        Regularization parameter. Larger values regularize more.
    C : float or None, default=None
        If given, lambda is ``1 / (C * n_samples)``, with the number of samples of the binary
        classifier, and ``lambda_`` is ignored.
    eta0 : float, default=0.001
        Step length. If it is too large, training diverges with a ``ConvergenceWarning``.
    max_iter : int, default=1000
        Maximum number of steps; -1 for no limit. Reaching the limit emits a
        ``ConvergenceWarning`` and leaves a usable model.
    tol : float, default=1e-3
        Tolerance of the stopping criterion: the norm of the gradient relative to its initial
        value. If the gradient no longer decreases, training ends with the status "stalled".
    fit_intercept : bool or "violators", default=True
        Whether to fit a bias. With True, the bias is the weight of a constant feature of value
        1 and is therefore regularized. "violators" computes it after training as the mean of
        ``y - w.x`` over the samples with a margin below 1.
    multi_class : {"ovr", "ovo", "ordinal"}, default="ovr"
        Strategy for more than two classes: one binary classifier per class against the rest
        ("ovr"), per pair of classes ("ovo"), or per pair of neighboring classes ("ordinal"), in
        the order of an ordered pandas Categorical or a polars Enum, otherwise in sorted order.
        The number of binary classifiers ``n_binary`` is n_classes,
        ``n_classes * (n_classes - 1) // 2`` or n_classes - 1; it is 1 for two classes.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply the loss. "balanced" uses
        ``n_samples / (n_classes * n_samples_of_class)``; None gives all classes weight 1.
    record_every : int or None, default=None
        Number of steps between the points of ``curve_``; None for no curve.
    time_limit : float or None, default=None
        Time limit of ``fit`` in seconds. Reaching it emits a ``ConvergenceWarning`` and leaves
        a usable model.
    random_state : int, RandomState or None, default=None
        Ignored, because training is deterministic. Present for API consistency.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores. The result does not depend on it.
    verbose : int, default=0
        If nonzero, print the number of visited samples to standard error during training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted, or in their own order with ``multi_class="ordinal"``.
    coef_ : ndarray of shape (n_binary, n_features)
        Weights of the features; a CSR matrix after :meth:`sparsify`.
    intercept_ : ndarray of shape (n_binary,)
        Bias of each binary classifier.
    n_iter_ : int
        Largest number of steps of a binary classifier.
    status_ : list of str, of length n_binary
        How training of each binary classifier ended: "converged", "iteration limit",
        "time limit", "stalled" or "not finite" (training diverged).
    curve_ : dict of ndarray
        Learning curve, if ``record_every`` is given: "step", "seconds", "objective"
        (``lambda / 2 ||w||^2 + mean(loss)``), "loss", and "accuracy" with an ``eval_set``.
        Objective and loss are means over the binary classifiers.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

    Examples
    --------
    >>> from softmargin import GDSVC
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> GDSVC(lambda_=0.1, eta0=0.1).fit(scale(X), y).score(scale(X), y) > 0.98
    True
    """

    __module__ = "softmargin"  # keeps pickles independent of file names

    _method = "gd"
    _path = ("C", "lambda_")
    _loss = "squared_hinge"

    def __init__(
        self,
        lambda_: float = 1e-4,
        C: float | None = None,
        eta0: float = 0.001,
        max_iter: int = 1000,
        tol: float = 1e-3,
        fit_intercept: bool | Literal["violators"] = True,
        multi_class: Literal["ovr", "ovo", "ordinal"] = "ovr",
        class_weight: Any = None,
        record_every: int | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.lambda_ = lambda_
        self.C = C
        self.eta0 = eta0
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.record_every = record_every
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _solver(self) -> GradientSolver:
        return GradientSolver(
            eta0=parameters.real("eta0", self.eta0),
            max_iter=parameters.count("max_iter", self.max_iter, -1),
            tol=parameters.real("tol", self.tol),
            is_lambda=self._is_lambda(),
            intercept=self._intercept(),
        )

    def _remedy(self, status: str) -> str:
        if status in ("stalled", "not finite"):
            return "decrease eta0, or scale the features"
        return super()._remedy(status)
