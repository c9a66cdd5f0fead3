"""Min-max scaling as a transformer."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from softmargin import _core
from softmargin._checks import fields
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import check_rows, from_native, native_rows


class MinMaxScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale each feature to [0, 1] by its range in the training data.

    Dense data is transformed by ``(X - data_min_) / data_range_``; constant features become 0.
    Sparse data, which scikit-learn's ``MinMaxScaler`` does not support, stays sparse: each
    feature is divided by its largest absolute value, which is the same scaling if its minimum
    is 0, and maps negative values to [-1, 0]. float32 is kept, any other type is converted to
    float64. Values outside the range of the training data are not clipped.

    Attributes
    ----------
    data_min_ : ndarray of shape (n_features,)
        Value of each feature that is mapped to 0: its minimum, or 0 for sparse data.
    data_range_ : ndarray of shape (n_features,)
        Range of each feature, or its largest absolute value for sparse data; 1 for constant
        features.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all column names of X are strings.

    Examples
    --------
    >>> from softmargin import MinMaxScaler
    >>> MinMaxScaler().fit_transform([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    array([[0. , 0. ],
           [0.5, 0. ],
           [1. , 0. ]])
    """

    __module__ = "softmargin"  # keeps pickles independent of file names

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the range of each feature.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted scaler.
        """
        with restore_on_failure(self):
            X = check_rows(X, estimator=self)
            self.data_min_, self.data_range_ = _core.minmax_fit(native_rows(X))
        return self

    def transform(self, X: Any) -> Any:
        """Scale samples by the ranges of the training data.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features)
            Scaled samples; a CSR matrix if X is sparse.
        """
        check_is_fitted(self)
        X = check_rows(X, estimator=self, reset=False)
        rows = native_rows(X)
        return from_native(_core.minmax_apply(rows, self.data_min_, self.data_range_))

    def _saved_state(self) -> dict[str, Any]:
        """Return all fitted attributes by their names in a file, as arrays and JSON values."""
        check_is_fitted(self)
        state: dict[str, Any] = {
            "scaler.data_min_": self.data_min_,
            "scaler.data_range_": self.data_range_,
        }
        if hasattr(self, "feature_names_in_"):
            state["scaler.feature_names_in_"] = [str(name) for name in self.feature_names_in_]
        return state

    def _restore(self, saved: fields.Fields, n_features: int) -> None:
        """Restore the fitted attributes from a file and check them."""
        self.n_features_in_ = n_features
        self.data_min_ = saved.array("scaler.data_min_", "float64", (n_features,))
        self.data_range_ = saved.array("scaler.data_range_", "float64", (n_features,))
        if not (self.data_range_ > 0).all():
            raise ValueError("'scaler.data_range_' contains a number that is not positive")
        if "scaler.feature_names_in_" in saved:
            names = saved.texts("scaler.feature_names_in_", n_features)
            self.feature_names_in_ = np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        """Return the input formats that this transformer supports."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def split_scaler(model: Any) -> tuple[MinMaxScaler | None, Any]:
    """Return scaler and model of a pipeline that starts with a scaler; else None and the model.

    A subclass of the scaler does not count, because it may scale differently.
    """
    match model:
        case Pipeline(steps=[(_, MinMaxScaler() as scaler), (_, rest)]):
            if type(scaler) is MinMaxScaler:
                return scaler, rest
    return None, model
