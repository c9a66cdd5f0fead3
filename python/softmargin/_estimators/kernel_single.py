"""The base classes of estimators with a single kernel machine, as for regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softmargin._checks import resources
from softmargin._estimators.base import Regressor, SingleMachine
from softmargin._estimators.kernel import KernelMachine

if TYPE_CHECKING:
    from softmargin._core import Model


class SingleKernelMachine(KernelMachine, SingleMachine):
    """An estimator with a single kernel machine."""

    def _scheme_to_train(self) -> str:
        return "single"

    def _set_model(self, model: Model, classes: NDArray[Any] | None) -> None:
        super()._set_model(model, classes)
        self.n_iter_ = int(model.n_iter[0])

    def _set_status(self, model: Model) -> None:
        super()._set_status(model)
        self.n_loops_ = int(model.n_loops[0])
        (self.status_,) = model.status

    def _set_class_weight(self, by_class: NDArray[np.float64]) -> None:
        self.class_weight_ = np.empty(0)  # as in scikit-learn

    def _decision_values(self, X: Any) -> NDArray[np.float64]:
        """Return the value of the decision function for each sample."""
        samples = self._native_samples(X)
        threads = resources.thread_count(self.n_jobs)
        return self._model.decision_values(samples, threads).ravel()


class KernelRegressor(SingleKernelMachine, Regressor):
    """A regressor whose prediction is a kernel expansion."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the targets of samples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples. With ``kernel="precomputed"``, the kernel values of samples and training
            samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted targets.
        """
        return self._decision_values(X)
