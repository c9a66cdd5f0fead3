"""Full gradient descent."""

from __future__ import annotations

from typing import Any, Literal

from softmargin._checks import parameters
from softmargin._core import GradientSolver
from softmargin._estimators.linear import LinearClassifier


class GDSVC(LinearClassifier):
    """Linear support vector machine trained by gradient descent on the squared hinge.

    Minimises ``lambda / 2 |w|^2 + mean of max(0, 1 - y f(x))^2``; every step looks at all rows
    and goes ``eta0`` times the gradient. The plain baseline of other methods. (D. Duros and
    J. Katzman, Comparison of SVM Optimization Techniques in the Primal, 2014.)

    Parameters
    ----------
    lambda_ : float, default=1e-4
        The weight of the norm.
    C : float or None, default=None
        Where it is given, lambda is 1 / (C n), n the rows of a machine.
    eta0 : float, default=0.001
        The step length. Too long a step diverges, with a warning.
    max_iter : int, default=1000
        The most steps; -1 for no limit.
    tol : float, default=1e-3
        Stop when the gradient is shorter than this share of the first one; with the status
        "stalled" when it does not fall any more.
    fit_intercept : bool or "violators", default=True
        Whether there is a bias: the weight of a feature that is 1, part of the norm. Or found
        afterwards, as the mean of y - w.x of the rows that are not right by a margin of 1.
    multi_class : {"ovr", "ovo", "ordinal"}, default="ovr"
        A machine for each class against the rest; for each pair; or for neighbours in the
        order of the labels: that of an ordered pandas Categorical or a polars Enum, else the
        sorted one.
    class_weight : dict, "balanced" or None, default=None
        Factor of the loss of each class.
    record_every : int or None, default=None
        Keep the weights every so many steps, for ``curve_``.
    time_limit : float or None, default=None
        Seconds after which training stops where it is, with a warning.
    random_state : any, default=None
        Without effect: training draws no random numbers. For a common signature.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores. The result does not depend on it.
    verbose : int, default=0
        Reports the number of rows visited on stderr while training.

    Attributes
    ----------
    classes_, coef_, intercept_
        As in scikit-learn's ``SGDClassifier``.
    n_iter_ : int
        Steps of the longest machine.
    status_ : list of str
        How the training of each machine ended.
    curve_ : dict of ndarray
        "step", "seconds", "objective", "loss", and with an ``eval_set`` "accuracy".

    Examples
    --------
    >>> from softmargin import GDSVC
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> GDSVC(lambda_=0.1, eta0=0.1).fit(scale(X), y).score(scale(X), y) > 0.98
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

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

    def _goal(self) -> str:
        return f"the gradient was {self.tol} times the first one"
