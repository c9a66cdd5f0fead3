"""The exact support vector classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softmargin._checks import parameters
from softmargin._checks.fields import Fields
from softmargin._checks.labels import codes_of
from softmargin._estimators.certificate import Certify, Training, certificate
from softmargin._estimators.certified import Certified
from softmargin._estimators.kernel import KernelClassifier
from softmargin._estimators.starts import SeedQueue, from_estimator

if TYPE_CHECKING:
    from softmargin._core import _Start


class SVC(Certified, KernelClassifier):
    """Exact support vector classifier (L1 loss), trained on as many cores as ``n_jobs`` says.

    Solves the same problem as scikit-learn's ``SVC`` to the same tolerance; parameters and
    attributes have its names, shapes and signs. Decomposition with a working set; inside,
    pair steps with second-order selection and Newton steps of all free rows together;
    large problems start from the solution of a sample; pairs of classes are trained side by
    side, and a large problem is parallel inside.

    There is no ``probability`` argument: wrap the estimator in
    ``sklearn.calibration.CalibratedClassifierCV`` where probabilities are needed.

    Parameters
    ----------
    C : float, default=1.0
        The price of an error.
    kernel : str or callable, default="rbf"
        "rbf", "linear", "poly", "sigmoid" or "precomputed". A callable takes two matrices of
        rows and returns the kernel values of all pairs.
    degree : int, default=3
        Of the polynomial kernel.
    gamma : float, "scale" or "auto", default="scale"
        Of the RBF, polynomial and sigmoid kernels. "scale" is
        1 / (n_features * X.var()), "auto" is 1 / n_features.
    coef0 : float, default=0.0
        Of the polynomial and sigmoid kernels.
    shrinking : bool, default=True
        Whether rows of a large problem that seem settled are left aside until the others
        are. It changes the time, and the result by no more than ``tol``.
    tol : float, default=1e-3
        The largest violation of the optimality (KKT) conditions that is left.
    cache_size : float, default=1000
        Megabytes for kernel rows. The result does not depend on it but for ``tol``. Each
        machine in training also holds the matrix of its working set, of 2,048 rows at the most
        unless ``working_set_size`` says more, and a factor of it: up to 67 megabytes.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class.
    working_set_size : int or None, default=None
        Rows that the inner solver works on; None for a good default.
    warm_start : bool or "support_vectors", default=False
        Start from the solution of the last ``fit``, whatever its C and kernel were, if that
        had as many rows and the same classes. With "support_vectors" each machine starts
        from nothing, but its first working set is made of the support vectors that it met
        in the calls of ``fit`` so far: a queue as long as the working set.
    max_iter : int, default=-1
        The most steps of a machine; -1 for no limit.
    time_limit : float or None, default=None
        Seconds after which training stops where it is, with a warning.
    multi_class : {"ovo", "ovr", "ordinal"}, default="ovo"
        A machine for each pair of classes, for each class against the rest, or, where classes
        have an order, for each class and the next (see :meth:`predict`).
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of :meth:`decision_function` for one-vs-one and ordinal machines.
    break_ties : bool, default=False
        Where pairs of classes vote and there is a tie, predict the class with the largest
        sum of decision values instead of the first one.
    random_state : any, default=None
        Without effect: training draws no random numbers. For scripts that pass it.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores.
    verbose : int, default=0
        Reports the number of loops on stderr while training.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, intercept_, n_support_
        As in scikit-learn's ``SVC``.
    coef_ : ndarray of shape (n_machines, n_features)
        For the linear kernel.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C of each class.
    fit_status_ : int
        0 if every machine converged, else 1.
    shape_fit_ : tuple of int
        Shape of the X that was fitted.
    n_iter_, n_loops_ : ndarray of shape (n_machines,)
        Steps, and loops of the decomposition, of each machine.
    n_kernel_evals_ : int
        Kernel values computed.
    certificate_ : list of Certificate
        For each machine primal and dual objective, their gap, and the largest KKT
        violation, recomputed in f64 from the rows when first asked for.
    status_ : list of str
        How the training of each machine ended: "converged", or why not.

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
    _starts_along_path = True
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

    def _settings(self) -> dict[str, Any]:
        if isinstance(self.random_state, np.random.RandomState):
            parameters.seed(self.random_state)  # without effect, but scikit-learn's SVC draws, too
        return {
            "tol": parameters.real("tol", self.tol),
            "working_set_size": parameters.count("working_set_size", self.working_set_size, None),
            "shrinking": parameters.flag("shrinking", self.shrinking),
            "max_iter": parameters.count("max_iter", self.max_iter, -1),
        }

    def _check_warm_start(self) -> None:
        given = self.warm_start
        if np.ndim(given) or given not in (True, False, "support_vectors"):
            raise ValueError(
                f"warm_start = {self.warm_start!r} is not valid: it must be a bool or "
                "'support_vectors'"
            )

    def _starts_of(
        self, last: Self, classes: NDArray[Any], codes: NDArray[np.uint32]
    ) -> list[_Start] | None:
        if self.warm_start == "support_vectors":
            return None if last._seeds is None else last._seeds.starts()
        return super()._starts_of(last, classes, codes)

    def _keep(self, last: Self | None, training: Training, y: Any) -> None:
        """Put the support vectors of this fit into the queue of each machine, too."""
        super()._keep(last, training, y)
        self._seeds = None
        if self.warm_start != "support_vectors":
            return
        codes = codes_of(y, self.classes_).astype(np.uint32)
        found = from_estimator(self, self.classes_, codes, self.multi_class)
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
        """Return the state to pickle; the queue of support vectors becomes plain arrays."""
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
        parameters.flag("break_ties", self.break_ties)
        n_machines, n_rows = len(self.intercept_), self.shape_fit_[0]
        self._seeds = SeedQueue.from_fields(saved, n_machines, n_rows)

    def _breaks_ties(self) -> bool:
        break_ties = parameters.flag("break_ties", self.break_ties)
        if break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        return break_ties

    def _certifier(self, training: Training) -> Certify:
        return certificate

    def _goal(self) -> str:
        return f"the violation was below tol = {self.tol}"

    @property
    def coef_(self) -> Any:
        """Return the weights of the features, for the linear kernel; read-only.

        As in scikit-learn, a CSR matrix if the estimator was fitted on sparse data.
        """
        check_is_fitted(self)
        if self._model.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        weights = self._feature_weights()
        if not self._model.is_sparse:
            weights.flags.writeable = False
            return weights
        sparse: Any = sp.csr_matrix(weights)
        sparse.data.flags.writeable = False
        return sparse

    def _feature_weights(self) -> NDArray[np.float64]:
        """Return the weights of each machine, one row after the other."""
        vectors, dual_coef = self.support_vectors_, self._model.dual_coef
        starts = np.r_[0, np.cumsum(self.n_support_)]
        k = len(self.classes_)
        if k == 2 or self._scheme != "ovo":
            return np.asarray(dual_coef @ vectors)
        rows = []
        for a in range(k):
            for b in range(a + 1, k):
                of_a, of_b = slice(starts[a], starts[a + 1]), slice(starts[b], starts[b + 1])
                terms = dual_coef[b - 1, of_a] @ vectors[of_a]
                rows.append(terms + dual_coef[a, of_b] @ vectors[of_b])
        return np.vstack(rows)
