"""Separate fits of an estimator on splits, for estimators whose own methods must be called."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from softmargin._checks import class_order
from softmargin._checks.labels import codes_of
from softmargin._estimators.base import Classifier
from softmargin._estimators.scaling import MinMaxScaler

if TYPE_CHECKING:
    from softmargin._selection.engine import Samples, Split


def check(estimator: Classifier) -> None:
    """Raise ValueError if predictions on splits cannot evaluate an estimator."""
    name = type(estimator).__name__
    if getattr(estimator, "kernel", None) == "precomputed":
        raise ValueError(
            f"{name} with kernel = 'precomputed' cannot be evaluated: X must contain samples, not "
            "a kernel matrix"
        )
    if type(estimator).score is not ClassifierMixin.score:
        raise ValueError(
            f"{name} has its own score method, which would be ignored, because scores are computed "
            "from the predictions. Remove the method, or use GridSearchCV, which calls it"
        )


def fit_and_score(
    estimator: Classifier, cell: dict[str, Any], samples: Samples, split: Split, threads: int
) -> dict[str, Any]:
    """Fit a clone with the parameters of a candidate; return its fields of the table."""
    train, test = split
    model = clone(estimator).set_params(**clone(cell, safe=False))
    if "n_jobs" in model.get_params(deep=False):
        model.set_params(n_jobs=threads)
    X_train, X_test = _parts(samples, split)
    weights = (
        {} if samples.sample_weight is None else {"sample_weight": samples.sample_weight[train]}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # n_unfinished counts them
        with class_order.suppress_warning():
            model.fit(X_train, _labels(samples, train), **weights)
    predicted = codes_of(model.predict(X_test), samples.classes, "the value of predict")
    if len(predicted) != len(test) or (predicted < 0).any():
        raise ValueError(
            f"{type(model).__name__}.predict returned {len(predicted)} labels for {len(test)} "
            "samples, or a label that does not occur in y; it must return a label of y for each "
            "sample"
        )
    true = samples.codes[test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about classes without test samples or predictions
        scores = {
            "accuracy": accuracy_score(true, predicted),
            "balanced_accuracy": balanced_accuracy_score(true, predicted),
            "f1_macro": f1_score(true, predicted, average="macro", zero_division=0),
        }
    status = getattr(model, "status_", [])
    return {
        **scores,
        # 0 if the estimator has no support_; a fitted model has at least one support vector.
        "n_support": len(getattr(model, "support_", [])),
        "n_iter": int(np.sum(getattr(model, "n_iter_", 0))),
        "n_loops": int(np.sum(getattr(model, "n_loops_", 0))),
        "n_kernel_evals": int(getattr(model, "n_kernel_evals_", 0)),
        "n_unfinished": sum(end != "converged" for end in status),
    }


def _labels(samples: Samples, train: NDArray[Any]) -> Any:
    """Return the labels of training samples, with the order of the classes if y has one."""
    labels = samples.classes[samples.codes[train]]
    if samples.order is None:
        return labels
    return class_order.with_order(labels, samples.classes[samples.order])


def _parts(samples: Samples, split: Split) -> tuple[Any, Any]:
    """Return the training and the test samples, scaled and rounded as in the engine."""
    train, test = (samples.X[part] for part in split)
    if samples.scale:
        if samples.single_precision:
            train, test = train.astype(np.float64), test.astype(np.float64)
        scaler = MinMaxScaler().fit(train)
        train, test = scaler.transform(train), scaler.transform(test)
    if samples.single_precision:
        train, test = train.astype(np.float32), test.astype(np.float32)
    return train, test
