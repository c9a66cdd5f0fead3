"""The exact linear support vector machine."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softmargin._checks import parameters
from softmargin._checks.fields import Fields
from softmargin._estimators.certificate import Certificate, from_table, to_table
from softmargin._estimators.linear import LinearClassifier


class LinearSVC(LinearClassifier):
    """Linear support vector machine, solved exactly, with scikit-learn's interface.

    Minimises ``1/2 |w|^2 + C sum of losses`` with the hinge ``max(0, 1 - y f(x))`` or its
    square, by dual coordinate descent with shrinking, or, for the squared hinge, by Newton
    steps in w. As in scikit-learn's ``LinearSVC``, the bias is part of the norm. Each machine
    comes with a certificate.

    Parameters
    ----------
    penalty : {"l2"}, default="l2"
        The norm; there is only this one.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        What errors cost.
    dual : bool or "auto", default="auto"
        Whether to solve the dual problem, rows in turn, or, for the squared hinge, the primal
        one by Newton steps. "auto" takes the second where it can.
    tol : float, default=1e-4
        When to stop: the spread of projected gradients of the dual problem, or the share of the
        first gradient of the primal one, as in scikit-learn.
    C : float, default=1.0
        The price of an error.
    multi_class : {"ovr", "ovo", "ordinal"}, default="ovr"
        A machine for each class against the rest; for each pair; or for neighbours in the
        order of the labels: that of an ordered pandas Categorical or a polars Enum, else the
        sorted one.
    fit_intercept : bool or "violators", default=True
        Whether there is a bias: the weight of a feature that is ``intercept_scaling``. Or found
        afterwards, as the mean of y - w.x of the rows that are not right by a margin of 1.
    intercept_scaling : float, default=1.0
        The larger, the less the bias counts in the norm.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class. As in scikit-learn, "balanced" follows the total
        ``sample_weight`` of each class.
    verbose : int, default=0
        Reports the number of rows visited on stderr while training.
    random_state : int, RandomState or None, default=None
        Of the order in which the dual method visits rows.
    max_iter : int, default=1000
        The most passes through the rows, or Newton steps; -1 for no limit.
    record_every : int or None, default=None
        Keep the weights every so many passes or steps, for ``curve_``.
    time_limit : float or None, default=None
        Seconds after which training stops where it is, with a warning.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    classes_, coef_, intercept_
        As in scikit-learn's ``LinearSVC``.
    n_iter_ : int
        Passes or steps of the longest machine.
    certificate_ : list of Certificate
        For each machine primal and dual objective, their gap, and the largest violation of the
        optimality conditions, in f64.
    status_ : list of str
        How the training of each machine ended: "converged", or why not.
    curve_ : dict of ndarray
        "step", "seconds", "objective" (lambda / 2 |w|^2 + mean loss, lambda = 1 / (C n)),
        "loss", and with an ``eval_set`` "accuracy".

    Examples
    --------
    >>> from softmargin import LinearSVC
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC(C=10).fit(X, y)
    >>> model.certificate_[0].gap < 1e-6
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    _method = "linear"

    def __init__(
        self,
        penalty: Literal["l2"] = "l2",
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        *,
        dual: bool | Literal["auto"] = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: Literal["ovr", "ovo", "ordinal"] = "ovr",
        fit_intercept: bool | Literal["violators"] = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        record_every: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.record_every = record_every
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def _set_machines(self, found: dict[str, Any], classes: Any) -> None:
        super()._set_machines(found, classes)
        self.certificate_ = [
            Certificate(primal, dual, primal - dual, violation)
            for primal, dual, violation in found["certificates"]
        ]

    def _saved_state(self) -> dict[str, Any]:
        return super()._saved_state() | {"certificate_": to_table(self.certificate_)}

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        self.certificate_ = from_table(saved, len(self.status_))

    def _class_weights(
        self,
        classes: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        by_class = super()._class_weights(classes, codes, weights)
        if weights is None or not isinstance(self.class_weight, str):
            return by_class
        totals = np.bincount(codes, weights, len(classes))
        # Summed in the order of the core, which balances the splits of nested_cv.
        return np.asarray(sum(totals.tolist()) / (len(classes) * totals))

    def _settings(self) -> dict[str, Any]:
        parameters.choice("penalty", self.penalty, ("l2",))
        loss = parameters.choice("loss", self.loss, ("squared_hinge", "hinge"))
        is_dual = self._is_dual(loss)
        # A fit that the user did not ask to be random is not.
        is_fixed = is_dual is None and self.random_state is None
        return {
            "loss": loss,
            "dual": is_dual,
            "tol": parameters.real("tol", self.tol),
            "max_iter": parameters.count("max_iter", self.max_iter, -1),
            "seed": parameters.seed(0 if is_fixed else self.random_state),
            "is_lambda": False,
            "intercept": self._intercept(self.intercept_scaling),
        }

    def _is_random(self) -> bool:
        return self._is_dual(self.loss) is not False

    def _is_dual(self, loss: str) -> bool | None:
        """Return whether the dual problem is solved; None leaves the choice to the core."""
        if isinstance(self.dual, str):
            parameters.choice("dual", self.dual, ("auto",))
            return True if loss == "hinge" else None
        is_dual = parameters.flag("dual", self.dual)
        if loss == "hinge" and not is_dual:
            raise ValueError(
                "dual = False is not valid with loss = 'hinge': it has no gradient everywhere"
            )
        return is_dual

    def _loss_name(self) -> str:
        return str(self.loss)

    def _goal(self) -> str:
        return f"the tolerance {self.tol} was reached"
