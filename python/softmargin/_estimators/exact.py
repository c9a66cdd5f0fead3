"""What the estimators of the exact solver have in common."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from softmargin._checks import parameters
from softmargin._checks.fields import Fields
from softmargin._core import SvcSolver
from softmargin._estimators.certified import CertifiedMachine
from softmargin._estimators.kernel import KernelMachine
from softmargin._estimators.kernel_classifier import KernelClassifier
from softmargin._estimators.kernel_single import KernelRegressor


class ExactMachine(KernelMachine):
    """A kernel machine that is trained by the exact solver.

    A subclass also defines the parameters named below, and which problem it solves.
    """

    _tolerates_rounding = True
    _starts_along_path = True
    # One of the problems of the core.
    _formulation: ClassVar[str]

    tol: Any
    working_set_size: Any
    shrinking: Any
    max_iter: Any

    def _solver(self) -> SvcSolver:
        return SvcSolver(
            formulation=self._formulation,
            tol=parameters.real("tol", self.tol),
            working_set_size=parameters.count("working_set_size", self.working_set_size, None),
            shrinking=parameters.flag("shrinking", self.shrinking),
            max_iter=parameters.count("max_iter", self.max_iter, -1),
        )

    @property
    def coef_(self) -> Any:
        """Weights of the features, for a linear kernel only; read-only.

        As in scikit-learn, a CSR matrix if the estimator was fitted to sparse data.
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
        """Return the weights of the features, one row per machine."""
        return np.asarray(self._model.dual_coef @ self.support_vectors_)


class ExactClassifier(ExactMachine, KernelClassifier):
    """A classifier that is trained by the exact solver."""

    _draws_first_set = True

    break_ties: Any
    random_state: Any

    def _solver(self) -> SvcSolver:
        if isinstance(self.random_state, np.random.RandomState):
            parameters.seed(self.random_state)  # advances the generator, as scikit-learn's SVC does
        return super()._solver()

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        parameters.flag("break_ties", self.break_ties)

    def _breaks_ties(self) -> bool:
        break_ties = parameters.flag("break_ties", self.break_ties)
        if break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        return break_ties

    def _feature_weights(self) -> NDArray[np.float64]:
        k = len(self.classes_)
        if k == 2 or self._scheme != "ovo":
            return super()._feature_weights()
        vectors, dual_coef = self.support_vectors_, self._model.dual_coef
        starts = np.r_[0, np.cumsum(self.n_support_)]
        rows = []
        for a in range(k):
            for b in range(a + 1, k):
                of_a, of_b = slice(starts[a], starts[a + 1]), slice(starts[b], starts[b + 1])
                terms = dual_coef[b - 1, of_a] @ vectors[of_a]
                rows.append(terms + dual_coef[a, of_b] @ vectors[of_b])
        return np.vstack(rows)


class ExactRegressor(CertifiedMachine, ExactMachine, KernelRegressor):
    """A regressor that is trained by the exact solver."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, init: Any = None) -> Self:
        """Fit the model to the training data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. float32 is kept, unless its kernel values are not precise enough
            for the tolerance; any other type is converted to float64. With
            ``kernel="precomputed"``, the kernel matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Targets: finite numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply C. Samples of weight 0 are ignored.
        init : fitted estimator, array-like of int, or None, default=None
            Starting point. An estimator of this kind that was fitted to the same samples, with
            any parameters, provides initial coefficients, which are clipped to the bounds.
            Sample indices specify the first working set. The starting point affects the
            training time, and the result only within ``tol``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight, init)
