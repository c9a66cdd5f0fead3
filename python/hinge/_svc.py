"""The exact support vector classifier."""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from hinge import _core, _input, _parameters, _resources, _starts
from hinge._base import KernelClassifier
from hinge._certificate import Certificate, Training, certificates
from hinge._starts import SeedQueue
from hinge._state import kept_on_failure

if TYPE_CHECKING:
    from hinge._core import Model, _Start, _Train


class SVC(KernelClassifier):
    """Exact support vector classifier (L1 loss), trained on all cores.

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
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        A callable takes two matrices of rows and returns the kernel values of all pairs.
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
        Megabytes for kernel rows. The result does not depend on it but for ``tol``.
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
    multi_class : {"ovo", "ovr"}, default="ovo"
        A machine for each pair of classes, or for each class against the rest.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of :meth:`decision_function` for one-vs-one machines.
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
    >>> from hinge import SVC
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SVC(C=10).fit(X, y).score(X, y) > 0.97
    True
    """

    _training: Training | None
    _certificate: list[Certificate] | None
    _seeds: SeedQueue | None
    # Training rows, for a callable kernel.
    _kernel_rows: Any

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
        multi_class: Literal["ovo", "ovr"] = "ovo",
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, init: Any = None) -> Self:
        """Train on the rows of X with the labels y.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            float32 stays float32; anything else is converted to float64. With
            ``kernel="precomputed"`` a square kernel matrix.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None
            Factor of C for each row; a row of weight 0 is left out.
        init : fitted estimator, array of row numbers, or None
            Where to start: from the coefficients of an estimator of hinge that was fitted
            to the same rows, with any parameters, brought within the bounds; or with these
            rows as the first working set. It changes the time, and the result by no more
            than ``tol``.

        Returns
        -------
        self
        """
        with kept_on_failure(self):
            last = self._last_fit()
            X, classes, codes = self._check_training_data(X, y)
            shape = X.shape
            starts = self._starts(init, last, shape, classes, codes)
            weights = _input.sample_weights(sample_weight, len(codes))
            used = None if weights is None else _used_rows(weights, classes, codes)
            if used is not None and weights is not None:
                X, codes, weights = _take_rows(X, used, self.kernel), codes[used], weights[used]
                starts = None if starts is None else _starts.only(starts, used, shape[0])
            self._kernel_rows = X if callable(self.kernel) else None
            rows = self._kernel_values(X) if callable(self.kernel) else X
            by_class = _input.class_weights(self.class_weight, classes, codes)
            model = self._train_rows(rows, codes, by_class, weights, starts)
            self._set_model(model, classes)
            self.shape_fit_ = shape
            bounds = self.C * by_class[codes] * (1.0 if weights is None else weights)
            self._training = Training(rows, codes, bounds)
            self._certificate = None
            if used is not None:
                self.support_ = used[self.support_].astype(np.int32)
            # The columns of a kernel matrix that the model knows.
            self._used_columns = used if self.kernel == "precomputed" else None
            self.n_loops_ = model.n_loops
            self.status_ = model.status
            self.fit_status_ = int(any(status != "converged" for status in model.status))
            self.class_weight_ = by_class
            self._keep_seeds(last, y)
        self._warn_if_not_converged()
        return self

    def _last_fit(self) -> Self | None:
        """Return this estimator as it is now, if it is fitted and training may build on it."""
        if self.warm_start not in (True, False, "support_vectors"):
            raise ValueError(
                f"warm_start = {self.warm_start!r} is not valid: it must be a bool or "
                "'support_vectors'"
            )
        return copy.copy(self) if self.warm_start and hasattr(self, "_model") else None

    def _starts(
        self,
        init: Any,
        last: Self | None,
        shape: tuple[int, int],
        classes: NDArray[Any],
        codes: NDArray[np.uint32],
    ) -> list[_Start] | None:
        if isinstance(init, BaseEstimator):
            return _starts.from_estimator(init, classes, codes, self.multi_class)
        k = len(classes)
        n_machines = 1 if k == 2 else k if self.multi_class == "ovr" else k * (k - 1) // 2
        if init is not None:
            return _starts.from_rows(init, shape[0], n_machines)
        is_same = last is not None and (
            last.shape_fit_[0] == shape[0]
            and np.array_equal(last.classes_, classes)
            and len(last.intercept_) == n_machines
        )
        if last is None or not is_same:
            return None
        if self.warm_start == "support_vectors":
            return None if last._seeds is None else last._seeds.starts()
        return _starts.from_estimator(last, classes, codes, self.multi_class)

    def _keep_seeds(self, last: Self | None, y: Any) -> None:
        """Put the support vectors of this fit into the queue of each machine."""
        self._seeds = None
        if self.warm_start != "support_vectors":
            return
        _, codes = _input.check_labels(y)
        found = _starts.from_estimator(self, self.classes_, codes, self.multi_class)
        is_same = (
            last is not None
            and last._seeds is not None
            and (last.shape_fit_[0] == len(codes) and len(last._seeds.rows) == len(found))
        )
        self._seeds = SeedQueue(len(found), self.working_set_size)
        if is_same and last is not None and last._seeds is not None:
            self._seeds.rows = list(last._seeds.rows)
        self._seeds.push(found)

    def _kernel_values(self, X: Any) -> NDArray[np.floating[Any]]:
        """Return the values of a callable kernel for rows X and the training rows."""
        values = _input.check_rows(self.kernel(X, self._kernel_rows))
        shape = (X.shape[0], self._kernel_rows.shape[0])
        if values.shape != shape:
            raise ValueError(
                f"the kernel function returned an array of shape {values.shape}, "
                f"but should have returned one of shape {shape}"
            )
        is_sparse = isinstance(values, sp.csr_matrix | sp.csr_array)
        return np.asarray(values.toarray() if is_sparse else values)

    def _kernel_arguments(self) -> tuple[str, float | str, int, float]:
        kernel = "precomputed" if callable(self.kernel) else self.kernel
        return _parameters.kernel(kernel, self.gamma, self.degree, self.coef0)

    def _train_rows(
        self,
        X: Any,
        codes: NDArray[np.uint32],
        by_class: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        starts: list[_Start] | None,
    ) -> Model:
        (model,) = _core.fit_svc(
            _input.native_rows(X),
            codes,
            by_class,
            weights,
            self._kernel_arguments(),
            self._train_arguments(),
            cs=[_parameters.real("C", self.C)],
            tol=_parameters.real("tol", self.tol),
            working_set_size=optional_count("working_set_size", self.working_set_size, None),
            shrinking=_parameters.flag("shrinking", self.shrinking),
            max_iter=optional_count("max_iter", self.max_iter, -1),
            starts=starts,
        )
        return model

    def _breaks_ties(self) -> bool:
        break_ties = _parameters.flag("break_ties", self.break_ties)
        if break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        return break_ties

    @property
    def certificate_(self) -> list[Certificate]:
        """Return how near each machine is to the optimum, recomputed in f64 from the rows.

        Computed when first asked for, from the training rows, which the estimator keeps
        until then; a pickled estimator keeps the certificate only if it was asked for.
        """
        check_is_fitted(self)
        if self._certificate is None:
            if self._training is None:
                raise AttributeError("the training rows are gone: ask for certificate_ before")
            threads = _resources.threads(self.n_jobs)
            self._certificate = certificates(self._model, self._training, self.multi_class, threads)
            self._training = None
        return self._certificate

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: everything but the training rows."""
        state = dict(super().__getstate__())
        if "_training" in state:
            state["_training"] = None
        return state

    def _train_arguments(self) -> _Train:
        arguments = super()._train_arguments()
        if self.time_limit is not None:
            limit = _parameters.real("time_limit", self.time_limit)
            if not limit > 0:
                raise ValueError(f"time_limit = {limit} is not valid: it must be positive")
            arguments["time_limit"] = limit
        return arguments

    def _native_rows(self, X: Any) -> Any:
        rows = super()._native_rows(X)
        if self._kernel_rows is not None:
            values = self._kernel_values(_input.from_native(rows))
            return np.ascontiguousarray(values, dtype=self._model.dtype)
        if self._used_columns is None:
            return rows
        return np.ascontiguousarray(rows[:, self._used_columns])

    def _warn_if_not_converged(self) -> None:
        ends = Counter(status for status in self.status_ if status != "converged")
        for status, count in ends.items():
            warnings.warn(
                f"{count} of {len(self.status_)} machines ended with status {status!r} after "
                f"{int(np.max(self.n_iter_))} steps (max_iter = {self.max_iter}, "
                f"time_limit = {self.time_limit}), before the violation was below "
                f"tol = {self.tol}; the model can be used, but is not exact",
                ConvergenceWarning,
                stacklevel=3,
            )

    @property
    def support_vectors_(self) -> Any:
        """Return the support vectors; an empty array for a precomputed kernel."""
        check_is_fitted(self)
        if self._kernel_rows is not None:
            return self._kernel_rows[self._model.support]
        return super().support_vectors_

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Return the weights of the features, for the linear kernel."""
        check_is_fitted(self)
        if self._model.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        vectors = self.support_vectors_
        starts = np.r_[0, np.cumsum(self.n_support_)]
        k = len(self.classes_)
        if k == 2 or self.multi_class == "ovr":
            return np.asarray(self.dual_coef_ @ vectors)
        rows = []
        for a in range(k):
            for b in range(a + 1, k):
                of_a, of_b = slice(starts[a], starts[a + 1]), slice(starts[b], starts[b + 1])
                terms = self.dual_coef_[b - 1, of_a] @ vectors[of_a]
                rows.append(terms + self.dual_coef_[a, of_b] @ vectors[of_b])
        return np.vstack(rows)


def _used_rows(
    weights: NDArray[np.float64], classes: NDArray[Any], codes: NDArray[np.uint32]
) -> NDArray[np.intp] | None:
    """Return the rows with a positive weight, or None if all have; refuse to lose a class."""
    used = np.flatnonzero(weights > 0)
    left = np.bincount(codes[used], minlength=len(classes))
    if not left.any():
        raise ValueError(
            "every sample_weight is zero; at least one row must have a positive weight"
        )
    if not left.all():
        lost = classes.tolist()[int(np.argmin(left > 0))]
        raise ValueError(f"class {lost!r} is lost: the sample_weight of all its rows is 0")
    return None if len(used) == len(weights) else used


def _take_rows(X: Any, used: NDArray[np.intp], kernel: Any) -> Any:
    rows = X[used]
    return np.ascontiguousarray(rows[:, used]) if kernel == "precomputed" else rows


def optional_count(name: str, value: Any, nothing: int | None) -> int | None:
    """Return a positive whole number, or None where the value stands for no limit."""
    if value is None and nothing is None:
        return None
    count = _parameters.integer(name, value)
    if count == nothing:
        return None
    if count < 1:
        raise ValueError(f"{name} = {count} is not valid: it must be positive, or {nothing}")
    return count
