"""What all kernel classifiers share: checks, fitted attributes, prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hinge import _core, _input, _model_state, _parameters, _resources
from hinge._classifier import Classifier
from hinge._fields import Fields
from hinge._state import kept_on_failure

if TYPE_CHECKING:
    from hinge._core import Model, _Data, _Start, _Train


class KernelClassifier(Classifier):
    """A classifier whose model is a kernel expansion trained by the core.

    A subclass also has the parameters named below.
    """

    kernel: Any
    gamma: Any
    degree: Any
    coef0: Any
    decision_function_shape: Any
    cache_size: Any
    _model: Model
    # The multi_class of the model, whatever the parameter is now.
    _scheme: str

    def fit(self, X: Any, y: Any) -> Self:
        """Train on the rows of X with the labels y.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            float32 stays float32; anything else is converted to float64. With
            ``kernel="precomputed"`` a square kernel matrix.
        y : array-like of shape (n_samples,)
            Labels of any type.

        Returns
        -------
        self
        """
        with kept_on_failure(self):
            X, classes, codes = self._check_training_data(X, y)
            by_class = _input.class_weights(self.class_weight, classes, codes)
            path = [self._path_value(vars(self))]
            (model,) = self._train_path(X, codes, by_class, path)
            self._set_model(model, classes)
        return self

    def _train_path(
        self,
        X: Any,
        codes: NDArray[np.uint32],
        by_class: NDArray[np.float64],
        path: Sequence[float],
        weights: NDArray[np.float64] | None = None,
        starts: list[_Start] | None = None,
        deadline: _resources.Deadline | None = None,
    ) -> list[Model]:
        """Return a model for each value of the path."""
        data: _Data = {
            "rows": _input.native_rows(X),
            "codes": codes,
            "class_weights": by_class,
            "sample_weights": weights,
            "starts": starts,
        }
        kernel, train = self._kernel_arguments(), self._train_arguments()
        if deadline is not None:
            train["time_limit"] = deadline.seconds_left()
        return _core.fit(self._method, self._settings(), list(path), data, kernel, train)

    def _kernel_arguments(self) -> tuple[str, float | str, int, float]:
        return _parameters.kernel(self.kernel, self.gamma, self.degree, self.coef0)

    def _train_arguments(self) -> _Train:
        self._check_shape()
        return {
            "multi_class": _parameters.scheme(self.multi_class),
            "row_source": "auto",
            "cache_bytes": _resources.cache_bytes(self.cache_size),
            "threads": _resources.threads(self.n_jobs),
            "progress": self._progress(),
        }

    def _check_work(self) -> None:
        super()._check_work()
        self._check_shape()
        self._progress()
        _resources.check_cache(self.cache_size)

    def _check_shape(self) -> None:
        _parameters.choice("decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))

    def _set_model(self, model: Model, classes: NDArray[Any]) -> None:
        self._model = model
        self._scheme = _parameters.scheme(self.multi_class)
        self.classes_ = classes
        self.support_ = model.support
        # As in scikit-learn, sparse if the support vectors are.
        dual_coef = model.dual_coef
        self.dual_coef_ = sp.csr_matrix(dual_coef) if model.is_sparse else dual_coef
        self.intercept_ = model.intercept
        self.n_support_ = model.n_support
        self.n_iter_ = model.n_iter
        self.n_kernel_evals_ = model.n_kernel_evals

    def _saved_state(self) -> dict[str, Any]:
        return super()._saved_state() | _model_state.named(self._model.state())

    def _restore(self, saved: Fields) -> None:
        super()._restore(saved)
        self._check_shape()
        self._set_model(_model_state.from_fields(saved, len(self.classes_)), self.classes_)
        self._scheme = self._saved_scheme(saved)
        if _model_state.n_cols(saved) != self._n_columns(saved):
            raise ValueError("'model/n_cols' and 'n_features_in_' do not fit")

    def _saved_scheme(self, saved: Fields) -> str:
        return _model_state.scheme(saved)

    def _n_columns(self, saved: Fields) -> int:
        """Return the columns that rows have when they come to the model."""
        return int(self.n_features_in_)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: the model as plain arrays, so that other formats work, too."""
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled; the core checks the model."""
        if isinstance(state, dict) and isinstance(state.get("_model"), dict):
            model = state["_model"]
            checked = _core.Model.from_state(model)
            state = state | {"_model": checked, "_scheme": model["multi_class"]}
        super().__setstate__(state)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        if not isinstance(self._model, _core.Model):
            raise ValueError("_model is not a model")
        if len(self.classes_) != len(self._model.n_support):
            raise ValueError(
                f"classes_ has {len(self.classes_)} labels, but the model "
                f"{len(self._model.n_support)} classes"
            )

    def __copy__(self) -> Self:
        """Return an estimator with the same model."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    @property
    def support_vectors_(self) -> Any:
        """Return the support vectors; an empty array for a precomputed kernel."""
        check_is_fitted(self)
        if self._model.kernel == "precomputed":
            return np.empty((0, 0), dtype=self._model.dtype)
        return _input.from_native(self._model.support_vectors())

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how far rows are on the side of each class.

        Two classes: shape (n_samples,), positive for ``classes_[1]``. More classes:
        one column for each class, largest for the predicted one (ordinal: its probability
        among training rows with the same signs), or, with ``decision_function_shape="ovo"``
        and one-vs-one or ordinal machines, one for each pair, positive for its first class.
        """
        rows = self._native_rows(X)
        threads = _resources.threads(self.n_jobs)
        pairs = self.decision_function_shape == "ovo" and self._scheme != "ovr"
        if pairs or len(self.classes_) == 2:
            values = self._model.decision_values(rows, threads)
            return values.ravel() if len(self.classes_) == 2 else values
        return self._model.class_scores(rows, threads)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row.

        One-vs-one: the class with the most votes; ties go to the larger sum of
        decision values, then to the lower label (``SVC`` without ``break_ties``: at once to
        the lower label). One-vs-rest: the largest value.
        Ordinal: the label that most training rows have (by weight) among those for which
        all machines have the same signs, or, if there is none, among all; ties go to the
        lower label. ``classes_`` is the order: that of an ordered pandas Categorical or a
        polars Enum, else the sorted one.
        """
        codes = self._model_predict(X)
        return np.asarray(self.classes_[codes])

    def _model_predict(self, X: Any) -> NDArray[np.uint32]:
        rows = self._native_rows(X)
        return self._model.predict(rows, _resources.threads(self.n_jobs), self._breaks_ties())

    def _native_rows(self, X: Any) -> Any:
        self._check_is_fitted()
        dtype = np.dtype(self._model.dtype)
        if _input.is_plain(X, self, [dtype]):
            return X
        X = _input.check_rows(X, estimator=self, reset=False, dtype=dtype)
        return _input.native_rows(X)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether ``fit`` was called."""
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
