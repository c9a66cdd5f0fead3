"""Warm starts and certificates of kernel machines that solve an optimization problem."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from softmargin._checks import parameters, resources
from softmargin._checks.fields import Fields
from softmargin._checks.outcomes import Outcomes
from softmargin._estimators.certificate import (
    Certificate,
    Training,
    from_table,
    to_table,
)
from softmargin._estimators.decomposition import n_binary
from softmargin._estimators.starts import drawn, from_estimator, from_indices, keep_used

if TYPE_CHECKING:
    from softmargin._core import _Start
    from softmargin._estimators.kernel import KernelMachine as _Base
else:
    _Base = object


class Certified(_Base):
    """Mixin for a :class:`KernelMachine` that reaches the optimum from any starting point.

    A subclass also defines the parameters named below.
    """

    warm_start: Any
    max_iter: Any

    _training: Training | None
    _certificate: list[Certificate] | None

    def _last_fit(self) -> Self | None:
        self._check_warm_start()
        return copy.copy(self) if self.warm_start and hasattr(self, "_model") else None

    def _starts(
        self, init: Any, last: Self | None, shape: tuple[int, int], outcomes: Outcomes
    ) -> list[_Start] | None:
        scheme = self._scheme_to_train()
        if isinstance(init, BaseEstimator):
            return from_estimator(init, outcomes, scheme)
        if isinstance(init, str) and init == "random" and self._draws_first_set:
            return drawn(outcomes, scheme, self._seed_of_first_set())
        n = n_binary(scheme, outcomes.n_classes)
        if init is not None:
            return from_indices(init, shape[0], n)
        is_same = last is not None and (
            last.shape_fit_[0] == shape[0]
            and last._scheme == scheme
            and _same_classes(last._fitted_classes(), outcomes.classes)
            and len(last.intercept_) == n
        )
        if last is None or not is_same:
            return None
        return self._starts_of(last, outcomes)

    def _seed_of_first_set(self) -> int:
        """Return the seed of a random first working set; a generator is not advanced."""
        given = self.random_state
        return parameters.seed(0 if given is None else copy.deepcopy(given))

    def _only_used(
        self, starts: list[_Start] | None, used: NDArray[np.intp], n_samples: int
    ) -> list[_Start] | None:
        return None if starts is None else keep_used(starts, used, n_samples)

    def _check_warm_start(self) -> None:
        parameters.flag("warm_start", self.warm_start)

    def _starts_of(self, last: Self, outcomes: Outcomes) -> list[_Start] | None:
        """Return the starting points that the previous fit provides."""
        return from_estimator(last, outcomes, self._scheme_to_train())

    def _store_training(self, last: Self | None, training: Training, y: Any) -> None:
        self._training = training
        self._certificate = None

    def _certificates(self) -> list[Certificate]:
        """Return the certificate of each machine."""
        check_is_fitted(self)
        # In this order: another thread sets the certificate before it releases the data.
        training = self._training
        found = self._certificate
        if found is None:
            if training is None:
                raise AttributeError(
                    "certificate_ is not available: a pickled or saved estimator does not "
                    "contain the training data; read certificate_ before pickling or saving"
                )
            threads = resources.thread_count(self.n_jobs)
            found = training.certificates(self._model, threads)
            if self._training is training:  # otherwise another thread has fitted or was faster
                self._certificate = found
                self._training = None
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, without the training data."""
        state = dict(super().__getstate__())
        if "_training" in state:
            state["_training"] = None
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a copy that refers to the same training data and the same, immutable, model."""
        other = type(self).__new__(type(self))
        memo[id(self)] = other
        for shared in (self.__dict__.get("_training"), self.__dict__.get("_model")):
            memo[id(shared)] = shared
        other.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return other

    def _saved_state(self) -> dict[str, Any]:
        state = super()._saved_state()
        if self._certificate is not None:
            state["certificate_"] = to_table(self._certificate)
        return state

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        self._training = self._certificate = None
        if "certificate_" in saved:
            self._certificate = from_table(saved, len(self.intercept_))


class CertifiedClassifier(Certified):
    """Mixin for a kernel classifier that reaches the optimum from any starting point."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, init: Any = None) -> Self:
        """Fit the model to the training data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. float32 is kept, unless its kernel values are not precise enough
            for the tolerance; any other type is converted to float64. With
            ``kernel="precomputed"``, the kernel matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply C. Samples of weight 0 are ignored.
        init : fitted estimator, array-like of int, "random" or None, default=None
            Starting point. A kernel estimator of softmargin that was fitted to the same
            samples, with any parameters, provides initial coefficients, which are clipped to
            the bounds. For methods with a working set, sample indices specify the first
            working set, the most important sample first, and training starts from zero;
            "random" draws this set (:class:`SVC` and :class:`NuSVC` only; None as
            ``random_state`` always draws the same one). The starting point affects the
            training time, and the result only within ``tol``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight, init)

    @property
    def certificate_(self) -> list[Certificate]:
        """How close each binary classifier is to the optimum, recomputed in float64.

        It is computed from the training data when it is first read. Until then the estimator
        holds a reference to X (no copy) and a 64-bit digest of the data it was trained on:
        if X was changed in place since, reading raises an ``AttributeError``. Pickled and
        saved estimators contain the certificate only if it was read before.
        """
        return self._certificates()


class CertifiedMachine(Certified):
    """Mixin for an estimator with a single kernel machine, solved exactly."""

    @property
    def certificate_(self) -> Certificate:
        """How close the solution is to the optimum, recomputed in float64.

        It is computed from the training data when it is first read. Until then the estimator
        holds a reference to X (no copy) and a 64-bit digest of the data it was trained on:
        if X was changed in place since, reading raises an ``AttributeError``. Pickled and
        saved estimators contain the certificate only if it was read before.
        """
        return self._certificates()[0]


def _same_classes(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
