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
    """Scale each feature to [0, 1] by its range in the rows seen by ``fit``.

    Dense rows: ``(x - min) / (max - min)``; constant features become 0. Sparse rows,
    which scikit-learn's scaler does not take, keep their zeros: each feature is
    divided by its largest absolute value, the same scaling wherever the minimum is 0;
    negative values then reach down to -1. float32 stays float32. Values outside the
    fitted range leave [0, 1].

    Attributes
    ----------
    data_min_, data_range_ : ndarray of shape (n_features,)
        ``(X - data_min_) / data_range_`` is the scaling.
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the range of each feature."""
        with restore_on_failure(self):
            X = check_rows(X, estimator=self)
            self.data_min_, self.data_range_ = _core.minmax_fit(native_rows(X))
        return self

    def transform(self, X: Any) -> Any:
        """Return the scaled rows."""
        check_is_fitted(self)
        X = check_rows(X, estimator=self, reset=False)
        rows = native_rows(X)
        return from_native(_core.minmax_apply(rows, self.data_min_, self.data_range_))

    def _saved_state(self) -> dict[str, Any]:
        """Return all fitted attributes as arrays and values of JSON, by names for a file."""
        check_is_fitted(self)
        state: dict[str, Any] = {
            "scaler.data_min_": self.data_min_,
            "scaler.data_range_": self.data_range_,
        }
        if hasattr(self, "feature_names_in_"):
            state["scaler.feature_names_in_"] = [str(name) for name in self.feature_names_in_]
        return state

    def _restore(self, saved: fields.Fields, n_features: int) -> None:
        """Take the fitted attributes from a file, and check them."""
        self.n_features_in_ = n_features
        self.data_min_ = saved.array("scaler.data_min_", "float64", (n_features,))
        self.data_range_ = saved.array("scaler.data_range_", "float64", (n_features,))
        if not (self.data_range_ > 0).all():
            raise ValueError("'scaler.data_range_' has a number that is not positive")
        if "scaler.feature_names_in_" in saved:
            names = saved.texts("scaler.feature_names_in_", n_features)
            self.feature_names_in_ = np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this transformer takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def split_scaler(model: Any) -> tuple[MinMaxScaler | None, Any]:
    """Return the two steps of a pipeline that begins with a scaler; else None and the model.

    A class derived from the scaler may scale in any way: it is none.
    """
    match model:
        case Pipeline(steps=[(_, MinMaxScaler() as scaler), (_, rest)]):
            if type(scaler) is MinMaxScaler:
                return scaler, rest
    return None, model
