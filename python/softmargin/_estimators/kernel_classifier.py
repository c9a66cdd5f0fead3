"""The base class of all kernel classifiers: classes, decision values and predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softmargin._checks import parameters, resources
from softmargin._checks.outcomes import Outcomes
from softmargin._checks.weights import class_weights, used_rows
from softmargin._estimators.base import Classifier
from softmargin._estimators.kernel import KernelMachine

if TYPE_CHECKING:
    from softmargin._core import Model


class KernelClassifier(KernelMachine, Classifier):
    """A classifier whose decision functions are kernel expansions."""

    decision_function_shape: Any

    def _scheme_to_train(self) -> str:
        return parameters.scheme(self.multi_class)

    def _class_weights(self, outcomes: Outcomes) -> NDArray[np.float64]:
        return class_weights(self.class_weight, _classes(outcomes), outcomes.codes)

    def _used_rows(
        self, weights: NDArray[np.float64], outcomes: Outcomes
    ) -> NDArray[np.intp] | None:
        return used_rows(weights, _classes(outcomes), outcomes.codes)

    def _check_shape(self) -> None:
        parameters.choice("decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))

    def _set_model(self, model: Model, classes: NDArray[Any] | None) -> None:
        super()._set_model(model, classes)
        if classes is not None:
            self.classes_ = classes

    def _fitted_classes(self) -> NDArray[Any]:
        return self.classes_

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of samples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples. With ``kernel="precomputed"``, the kernel values of samples and training
            samples.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_binary)
            For two classes, one value per sample, positive for ``classes_[1]``. For more
            classes, one column per class, largest for the predicted class; with
            ``multi_class="ordinal"``, the share of each class among the training samples for
            which all binary classifiers have the same signs. With
            ``decision_function_shape="ovo"`` and one-vs-one or ordinal classifiers, one column
            per binary classifier, positive for the first class of the pair.
        """
        samples = self._native_samples(X)
        threads = resources.thread_count(self.n_jobs)
        pairs = self.decision_function_shape == "ovo" and self._scheme != "ovr"
        if pairs or len(self.classes_) == 2:
            values = self._model.decision_values(samples, threads)
            return values.ravel() if len(self.classes_) == 2 else values
        return self._model.class_scores(samples, threads)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the labels of samples.

        - One-vs-one: the class with the most votes. Ties go to the larger sum of decision
          values, then to the class that comes first in ``classes_``; ``SVC`` without
          ``break_ties`` resolves ties by the order of ``classes_`` only.
        - One-vs-rest: the class with the largest decision value.
        - Ordinal: the most frequent class (by sample weight) among the training samples for
          which all binary classifiers have the same signs, or among all training samples if
          there are none. Ties go to the class that comes first. The order of ``classes_`` is
          that of an ordered pandas Categorical or a polars Enum, otherwise the sorted order.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples. With ``kernel="precomputed"``, the kernel values of samples and training
            samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        samples = self._native_samples(X)
        threads = resources.thread_count(self.n_jobs)
        codes = self._model.predict(samples, threads, self._breaks_ties())
        return np.asarray(self.classes_[codes])


def _classes(outcomes: Outcomes) -> NDArray[Any]:
    """Return the classes of labelled samples."""
    return np.empty(0) if outcomes.classes is None else outcomes.classes
