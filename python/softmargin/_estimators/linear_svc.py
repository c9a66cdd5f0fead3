"""LinearSVC: the linear support vector machine, solved exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from softmargin._checks import parameters
from softmargin._checks.fields import Fields
from softmargin._core import ExactLinearSolver, L1LinearSolver
from softmargin._estimators.certificate import Certificate, from_table, to_table
from softmargin._estimators.linear import LinearClassifier

if TYPE_CHECKING:
    from softmargin._core import LinearFit


class LinearSVC(LinearClassifier):
    """Linear support vector machine, solved exactly.

    Minimizes ``1/2 ||w||^2 + C * sum(loss)`` with the hinge loss ``max(0, 1 - y * f(x))`` or its
    square. The solver is dual coordinate descent with shrinking (Hsieh et al. 2008), followed by
    an augmented Lagrangian method (Yan and Li 2020) where it converges slowly, or, for the
    squared hinge loss, Newton's method in the primal (Keerthi and DeCoste 2005). With
    ``penalty="l1"`` it minimizes ``||w||_1 + C * sum(loss)``, whose solution has few nonzero
    weights, by coordinate descent in the primal (Yuan et al. 2010). Names, defaults and
    attributes are those of scikit-learn's ``LinearSVC``, in which the bias is regularized as
    well. Each binary classifier has a certificate.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        Norm of the regularization term. "l1" sets the weights of irrelevant features to zero; it
        requires ``loss="squared_hinge"`` and ``dual=False`` or "auto".
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        Loss function.
    dual : bool or "auto", default="auto"
        Whether to solve the dual problem by coordinate descent (True) or the primal problem by
        Newton's method (False, for the squared hinge loss only). "auto" chooses Newton's method
        for the squared hinge loss, unless there are more features than samples, or sparse
        samples with more than 256 features. In these cases it starts with coordinate descent
        and continues with Newton's method if convergence is slow. For the hinge loss it also
        starts with coordinate descent, and continues with an augmented Lagrangian method, whose
        Newton steps use all threads. With ``penalty="l1"``, the primal problem is solved by
        coordinate descent, and True is not valid.
    tol : float, default=1e-4
        Tolerance of the stopping criterion: the range of the projected gradients of the dual,
        the norm of the primal gradient relative to its initial value, or, with
        ``penalty="l1"``, the sum of the violations of the optimality conditions relative to
        that of the first pass.
    C : float, default=1.0
        Regularization parameter. Larger values penalize misclassified samples more.
    multi_class : {"ovr", "ovo", "ordinal"}, default="ovr"
        Strategy for more than two classes: one binary classifier per class against the rest
        ("ovr"), per pair of classes ("ovo"), or per pair of neighboring classes ("ordinal"), in
        the order of an ordered pandas Categorical or a polars Enum, otherwise in sorted order.
        The number of binary classifiers ``n_binary`` is n_classes,
        ``n_classes * (n_classes - 1) // 2`` or n_classes - 1; it is 1 for two classes.
    fit_intercept : bool or "violators", default=True
        Whether to fit a bias. With True, the bias is the weight of a constant feature of value
        ``intercept_scaling`` and is therefore regularized. "violators" computes it after
        training as the mean of ``y - w.x`` over the samples with a margin below 1.
    intercept_scaling : float, default=1.0
        Value of the constant feature. Larger values regularize the bias less.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply C. "balanced" uses
        ``n_samples / (n_classes * n_samples_of_class)``, where samples count by their
        ``sample_weight``, as in scikit-learn; None gives all classes weight 1.
    verbose : int, default=0
        If nonzero, print the number of visited samples, or of visited features with
        ``penalty="l1"``, to standard error during training.
    random_state : int, RandomState or None, default=None
        Seed of the order in which coordinate descent visits the samples, or the features with
        ``penalty="l1"``.
    max_iter : int, default=1000
        Maximum number of passes over the data, or of Newton steps, per binary classifier; -1
        for no limit. Reaching the limit emits a ``ConvergenceWarning`` and leaves a usable
        model.
    record_every : int or None, default=None
        Number of passes or Newton steps between the points of ``curve_``; None for no curve.
    time_limit : float or None, default=None
        Time limit of ``fit`` in seconds. Reaching it emits a ``ConvergenceWarning`` and leaves
        a usable model.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted, or in their own order with ``multi_class="ordinal"``.
    coef_ : ndarray of shape (n_binary, n_features)
        Weights of the features; a CSR matrix after :meth:`sparsify`, which saves memory with
        ``penalty="l1"``.
    intercept_ : ndarray of shape (n_binary,)
        Bias of each binary classifier.
    n_iter_ : int
        Largest number of passes or Newton steps of a binary classifier.
    certificate_ : list of Certificate, of length n_binary
        Primal and dual objective, duality gap and largest violation of the optimality
        conditions of each binary classifier, computed in float64.
    status_ : list of str, of length n_binary
        How training of each binary classifier ended: "converged", "iteration limit",
        "time limit", "stalled" (rounding errors prevent progress) or "not finite".
    curve_ : dict of ndarray
        Learning curve, if ``record_every`` is given: "step", "seconds", "objective"
        (``lambda / 2 ||w||^2 + mean(loss)`` with lambda = ``1 / (C * n_samples)``, or
        ``lambda ||w||_1 + mean(loss)`` with ``penalty="l1"``), "loss", and "accuracy" with an
        ``eval_set``. Objective and loss are means over the binary classifiers.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

    Examples
    --------
    >>> from softmargin import LinearSVC
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC(C=10).fit(X, y)
    >>> model.certificate_[0].gap < 1e-6
    True
    """

    __module__ = "softmargin"  # keeps pickles independent of file names

    _method = "linear"

    def __init__(
        self,
        penalty: Literal["l1", "l2"] = "l2",
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

    def _set_fitted(self, found: LinearFit, classes: Any) -> None:
        super()._set_fitted(found, classes)
        self.certificate_ = [Certificate(*values) for values in found.certificates]

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

    def _solver(self) -> ExactLinearSolver | L1LinearSolver:
        is_l1 = parameters.choice("penalty", self.penalty, ("l1", "l2")) == "l1"
        loss = parameters.choice("loss", self.loss, ("squared_hinge", "hinge"))
        is_dual = self._is_dual(loss)
        # With the defaults, training is deterministic.
        is_fixed = (is_l1 or is_dual is None) and self.random_state is None
        settings: dict[str, Any] = {
            "tol": parameters.real("tol", self.tol),
            "max_iter": parameters.count("max_iter", self.max_iter, -1),
            "seed": parameters.seed(0 if is_fixed else self.random_state),
            "intercept": self._intercept(self.intercept_scaling),
        }
        if is_l1:
            return L1LinearSolver(**settings)
        return ExactLinearSolver(loss=loss, dual=is_dual, **settings)

    def _is_random(self) -> bool:
        return self.penalty == "l1" or self._is_dual(self.loss) is not False

    def _is_dual(self, loss: str) -> bool | None:
        """Return whether the dual problem is solved; None leaves the choice to the core."""
        is_auto = isinstance(self.dual, str)
        if is_auto:
            parameters.choice("dual", self.dual, ("auto",))
        is_dual = None if is_auto else parameters.flag("dual", self.dual)
        if self.penalty == "l1":
            if loss != "squared_hinge":
                raise ValueError(
                    f"loss = {loss!r} is not valid with penalty = 'l1': it must be "
                    "'squared_hinge'; use that, or penalty = 'l2'"
                )
            if is_dual:
                raise ValueError(
                    "dual = True is not valid with penalty = 'l1', which is solved in the primal; "
                    "use dual = False or 'auto', or penalty = 'l2'"
                )
            return False
        if is_auto:
            return None
        if loss == "hinge" and not is_dual:
            raise ValueError(
                "dual = False is not valid with loss = 'hinge', which is not differentiable; use "
                "dual = True, or loss = 'squared_hinge'"
            )
        return is_dual

    def _loss_name(self) -> str:
        return str(self.loss)
