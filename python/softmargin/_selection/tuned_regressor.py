"""A regressor that chooses its hyperparameters by cross-validation inside ``fit``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from softmargin._checks import parameters
from softmargin._checks.rollback import restore_on_failure
from softmargin._estimators.svr import SVR
from softmargin._selection.tuning import Space, Tuned, values_of

# The coarse grid: C and epsilon relative to the standard deviation of the targets, and gamma
# relative to "scale".
_CS = tuple(10.0**power for power in range(-1, 3))
_EPSILONS = (0.01, 0.05, 0.25)
_GAMMAS = tuple(4.0**power for power in range(-3, 3))
# Larger values of C, which are evaluated one after the other where they may be the best.
_LARGE_CS = (1e3, 1e4)


class SVRCV(Tuned, SVR):  # type: ignore[override]
    """SVR that chooses C, gamma and epsilon by cross-validation.

    ``fit`` evaluates a logarithmic grid whose values of C and epsilon are relative to the standard
    deviation of the targets, and those of gamma to ``gamma="scale"``, refines it around its best
    point, and fits the best candidate to all samples. C above 100 standard deviations is evaluated
    only where it may still win. All candidates share kernel matrices and paths over C and epsilon.
    With more than 1,500 samples, the coarse grid is evaluated on half of them, at most 2,000.
    Inside ``cross_val_score``, this is nested cross-validation.

    After ``fit``, it has all methods and attributes of :class:`SVR`.

    Parameters
    ----------
    Cs : int, array-like of float or None, default=None
        Values of C; a number of values from 0.1 to 1e4 standard deviations of the targets; or None
        for the coarse grid with refinement.
    gammas : int, array-like of float or None, default=None
        Values of gamma; a number of values from 1/64 to 16 times ``gamma="scale"``; or None for
        the coarse grid with refinement. Ignored by kernels without gamma.
    epsilons : int, array-like of float or None, default=None
        Values of epsilon; a number of values from 0.01 to 0.25 standard deviations of the targets;
        or None for the coarse grid with refinement.
    cv : int, splitter, iterable or None, default=None
        Splits, as in scikit-learn, but a number of folds means shuffled folds; None means five.
    scoring : str, callable or None, default=None
        Score that predictions determine; None means the coefficient of determination, r2.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel function.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Independent term of "poly" and "sigmoid".
    tol : float, default=1e-3
        Tolerance of the stopping criterion, in the units of the targets.
    shrinking : bool, default=True
        Whether to temporarily remove variables at their bounds.
    cache_size : float, default=1000
        Size of the kernel cache of the final fit in megabytes.
    max_iter : int, default=-1
        Maximum number of steps; -1 for no limit.
    time_limit : float or None, default=None
        Time limit in seconds of the search. The best candidate so far is fitted then, with a
        ``ConvergenceWarning``.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores.
    verbose : int, default=0
        If nonzero, print the progress of the final fit to standard error.

    Attributes
    ----------
    C_, gamma_, epsilon_ : float
        The chosen hyperparameters. ``gamma_`` is "scale" for kernels without gamma.
    best_score_ : float
        Mean score of the chosen candidate.
    cv_results_ : dict
        Scores of all candidates, as in scikit-learn's searches.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from softmargin import SVRCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SVRCV()).fit(X, y)
    >>> model[-1].best_score_ > 0.45
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    _plain_kind = SVR
    # Parameters of SVR that this estimator does not have.
    warm_start = False
    working_set_size = None

    gamma_: float | str
    epsilon_: float

    def __init__(
        self,
        Cs: Any = None,
        gammas: Any = None,
        epsilons: Any = None,
        *,
        cv: Any = None,
        scoring: Any = None,
        kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"]
        | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        shrinking: bool = True,
        cache_size: float = 1000,
        max_iter: int = -1,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.epsilons = epsilons
        self.cv = cv
        self.scoring = scoring
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def gamma(self) -> Any:
        """The chosen gamma."""
        return getattr(self, "gamma_", "scale")

    @property
    def epsilon(self) -> Any:  # type: ignore[override]
        """The chosen epsilon."""
        return getattr(self, "epsilon_", 0.1)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose C, gamma and epsilon by cross-validation, and fit the model with them.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. With ``kernel="precomputed"``, the kernel matrix.
        y : array-like of shape (n_samples,)
            Targets: finite numbers.
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
            self._fit(X, y, sample_weight)
        return self

    def to_svr(self) -> SVR:
        """Return the fitted model as an :class:`SVR` with the chosen hyperparameters.

        Returns
        -------
        SVR
            A fitted estimator that shares the model.
        """
        plain: SVR = self._fitted_plain()
        return plain

    def _space(self, rows: Any, y: Any) -> Space:
        spread = _spread(y)
        largest = spread * _LARGE_CS[-1]
        cs, refines_c = values_of("Cs", self.Cs, spread * np.array(_CS), largest)
        large = tuple((spread * np.array(_LARGE_CS)).tolist()) if refines_c else ()
        epsilons, refines_epsilon = values_of(
            "epsilons", self.epsilons, spread * np.array(_EPSILONS)
        )
        if callable(self.kernel) or self.kernel in ("linear", "precomputed"):
            return Space(("C", "epsilon"), (cs, epsilons), (refines_c, refines_epsilon), large)
        around = parameters.gamma_scale(rows) * np.array(_GAMMAS)
        gammas, refines_gamma = values_of("gammas", self.gammas, around)
        return Space(
            ("C", "epsilon", "gamma"),
            (cs, epsilons, gammas),
            (refines_c, refines_epsilon, refines_gamma),
            large,
        )


def _spread(y: Any) -> float:
    """Return the standard deviation of targets; 1 if they are constant or it overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        spread = float(np.std(y))
    return spread if 0 < spread < np.inf else 1.0
