"""Classifiers that choose their hyperparameters by cross-validation inside ``fit``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from softmargin._checks import class_order, parameters
from softmargin._checks.rollback import restore_on_failure
from softmargin._estimators.linear_svc import LinearSVC
from softmargin._estimators.svc import SVC
from softmargin._selection.tuning import Space, Tuned, values_of

# The coarse grid: powers of 10 for C, and of 4 for gamma relative to "scale".
_CS = tuple(10.0**power for power in range(-2, 3))
_GAMMAS = tuple(4.0**power for power in range(-3, 3))
# The grid for few samples, on which it takes a fraction of a second.
_FINE_CS = tuple(10.0 ** (power / 2) for power in range(-4, 5))
_FINE_GAMMAS = tuple(2.0**power for power in range(-8, 5))
_MAX_FINE = 1000
_LINEAR_CS = tuple(10.0**power for power in range(-4, 2))
# Larger values of C, which are evaluated one after the other where they may be the best.
_LARGE_CS = (1e3, 1e4)
_LARGE_LINEAR_CS = (1e2, 1e3, 1e4)


class SVCCV(Tuned, SVC):  # type: ignore[override]
    """SVC that chooses C and gamma by cross-validation.

    ``fit`` evaluates a logarithmic grid around ``gamma="scale"``, C from 1e-2 to 1e4 (C above 100
    only for values of gamma that may still win), refines it around its best point, and fits the
    best candidate to all samples. All candidates share kernel matrices and paths over C. Up to
    1,000 samples have a finer grid; with more than 1,500, the coarse grid is evaluated on half of
    them, at most 2,000. Inside ``cross_val_score``, this is nested cross-validation.

    After ``fit``, it has all methods and attributes of :class:`SVC`.

    Parameters
    ----------
    Cs : int, array-like of float or None, default=None
        Values of C; a number of values from 1e-2 to 1e4; or None for the coarse grid with
        refinement.
    gammas : int, array-like of float or None, default=None
        Values of gamma; a number of values from 1/64 to 16 times ``gamma="scale"``; or None for
        the coarse grid with refinement. Ignored by kernels without gamma.
    cv : int, splitter, iterable or None, default=None
        Splits, as in scikit-learn; None means five stratified folds.
    scoring : str, callable or None, default=None
        Score that predictions or decision values determine; None means the accuracy.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel function.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Independent term of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether to temporarily remove variables at their bounds.
    probability : bool, default=False
        Whether ``predict_proba`` is available.
    tol : float, default=1e-3
        Tolerance of the stopping criterion.
    cache_size : float, default=1000
        Size of the kernel cache of the final fit in megabytes.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply C.
    max_iter : int, default=-1
        Maximum number of steps per binary classifier; -1 for no limit.
    time_limit : float or None, default=None
        Time limit in seconds of the search. The best candidate so far is fitted then, with a
        ``ConvergenceWarning``.
    multi_class : {"ovo", "ovr", "ordinal"}, default="ovo"
        Strategy for more than two classes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of the decision function.
    break_ties : bool, default=False
        Whether to resolve ties of votes by the sum of decision values.
    random_state : int, RandomState or None, default=None
        Seed of the folds of ``probability=True``.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores.
    verbose : int, default=0
        If nonzero, print the progress of the final fit to standard error.

    Attributes
    ----------
    C_, gamma_ : float
        The chosen hyperparameters. ``gamma_`` is "scale" for kernels without gamma.
    best_score_ : float
        Mean score of the chosen candidate.
    cv_results_ : dict
        Scores of all candidates, as in scikit-learn's searches.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from softmargin import SVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SVCCV()).fit(X, y)
    >>> model[-1].best_score_ > 0.95
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    _plain_kind = SVC
    # Parameters of SVC that this estimator does not have.
    warm_start = False
    working_set_size = None

    gamma_: float | str

    def __init__(
        self,
        Cs: Any = None,
        gammas: Any = None,
        *,
        cv: Any = None,
        scoring: Any = None,
        kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"]
        | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 1000,
        class_weight: Any = None,
        max_iter: int = -1,
        time_limit: float | None = None,
        multi_class: Literal["ovo", "ovr", "ordinal"] = "ovo",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.scoring = scoring
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def gamma(self) -> Any:
        """The chosen gamma."""
        return getattr(self, "gamma_", "scale")

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose C and gamma by cross-validation, and fit the model with them.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. With ``kernel="precomputed"``, the kernel matrix.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply C.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups for the splitter ``cv``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with restore_on_failure(self):
            self.gamma_ = "scale"
            self._tune(X, y, sample_weight, groups)
            with class_order.suppress_warning():
                self._fit(X, y, sample_weight)
        return self

    def to_svc(self) -> SVC:
        """Return the fitted model as an :class:`SVC` with the chosen hyperparameters.

        Returns
        -------
        SVC
            A fitted estimator that shares the model.
        """
        plain: SVC = self._fitted_plain()
        return plain

    def _space(self, rows: Any, y: Any) -> Space:
        is_fine = rows.shape[0] <= _MAX_FINE
        cs, refines_c = values_of("Cs", self.Cs, _FINE_CS if is_fine else _CS, _LARGE_CS[-1])
        large = _LARGE_CS if refines_c else ()
        if callable(self.kernel) or self.kernel in ("linear", "precomputed"):
            return Space(("C",), (cs,), (refines_c,), large)
        around = parameters.gamma_scale(rows) * np.array(_FINE_GAMMAS if is_fine else _GAMMAS)
        gammas, refines_gamma = values_of("gammas", self.gammas, around)
        return Space(("C", "gamma"), (cs, gammas), (refines_c, refines_gamma), large)


class LinearSVCCV(Tuned, LinearSVC):  # type: ignore[override]
    """LinearSVC that chooses C by cross-validation.

    ``fit`` evaluates C from 1e-4 to 1e4 (above 10 only while that may still win), refines the
    grid around its best point, and fits the best candidate to all samples. After ``fit``, it has
    all methods and attributes of :class:`LinearSVC`, whose other parameters it shares.

    Parameters
    ----------
    Cs : int, array-like of float or None, default=None
        Values of C; a number of values from 1e-4 to 1e4; or None for the coarse grid with
        refinement.
    cv : int, splitter, iterable or None, default=None
        Splits, as in scikit-learn; None means five stratified folds.
    scoring : str, callable or None, default=None
        Score that predictions or decision values determine; None means the accuracy.
    penalty, loss, dual, tol, multi_class, fit_intercept, intercept_scaling, class_weight, verbose
        As in :class:`LinearSVC`.
    random_state, max_iter, time_limit, n_jobs
        As in :class:`LinearSVC`; the time limit is that of the search.

    Attributes
    ----------
    C_ : float
        The chosen C.
    best_score_ : float
        Mean score of the chosen candidate.
    cv_results_ : dict
        Scores of all candidates, as in scikit-learn's searches.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softmargin import LinearSVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVCCV().fit(X, y).best_score_ > 0.9
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    _plain_kind = LinearSVC
    # A parameter of LinearSVC that this estimator does not have.
    record_every = None

    def __init__(
        self,
        Cs: Any = None,
        *,
        cv: Any = None,
        scoring: Any = None,
        penalty: Any = "l2",
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        dual: bool | Literal["auto"] = "auto",
        tol: float = 1e-4,
        multi_class: Literal["ovr", "ovo", "ordinal"] = "ovr",
        fit_intercept: bool | Literal["violators"] = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose C by cross-validation, and fit the model with it.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply the loss.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups for the splitter ``cv``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with restore_on_failure(self):
            self._tune(X, y, sample_weight, groups)
            with class_order.suppress_warning():
                self._fit(X, y, sample_weight, None, self._deadline())
        self._warn_if_not_converged(stacklevel=2)
        return self

    def to_linear_svc(self) -> LinearSVC:
        """Return the fitted model as a :class:`LinearSVC` with the chosen C.

        Returns
        -------
        LinearSVC
            A fitted estimator that shares the weights.
        """
        plain: LinearSVC = self._fitted_plain()
        return plain

    def _is_lambda(self) -> bool:
        return False

    def _space(self, rows: Any, y: Any) -> Space:
        cs, is_refined = values_of("Cs", self.Cs, _LINEAR_CS, _LARGE_LINEAR_CS[-1])
        return Space(("C",), (cs,), (is_refined,), _LARGE_LINEAR_CS if is_refined else ())
