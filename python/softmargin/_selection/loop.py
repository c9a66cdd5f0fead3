"""Separate fits of an estimator on splits, for results that the core cannot share."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from softmargin._checks import class_order
from softmargin._checks.labels import codes_of
from softmargin._checks.rows import from_native
from softmargin._estimators.base import Estimator
from softmargin._estimators.scaling import MinMaxScaler
from softmargin._selection.scoring import Outputs

if TYPE_CHECKING:
    from softmargin._core import Source
    from softmargin._selection.engine import _Run
    from softmargin._selection.samples import Place, Samples


def check(estimator: Estimator) -> None:
    """Raise ValueError if predictions on splits cannot evaluate an estimator."""
    name = type(estimator).__name__
    if getattr(estimator, "kernel", None) == "precomputed":
        raise ValueError(
            f"{name} with kernel = 'precomputed' cannot be evaluated: X must contain samples, not "
            "a kernel matrix"
        )
    original = (ClassifierMixin.score, RegressorMixin.score, None)
    if getattr(type(estimator), "score", None) not in original:
        raise ValueError(
            f"{name} has its own score method, which would be ignored, because scores are computed "
            "from the predictions. Remove the method, or use GridSearchCV, which calls it"
        )


def fit_and_score(run: _Run, source: Source, place: Place, split: int, cell: int) -> None:
    """Fit a clone with the parameters of a candidate, and add its results to the table."""
    samples, candidates, scoring = run.samples, run.candidates, run.scoring
    params = clone(candidates.cells[cell], safe=False)
    model = clone(candidates.models[cell]).set_params(**params)
    is_kernel = candidates.setting(cell).is_kernel
    if is_kernel:
        model.set_params(kernel="precomputed")  # also for a function, which was evaluated
    if "n_jobs" in model.get_params(deep=False):
        model.set_params(n_jobs=run.resources.threads)
    X_train, X_scored = _parts(samples, source, place, model, is_kernel)
    weights = source.sample_weights
    fit_params = {} if weights is None else {"sample_weight": weights[place.train]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # n_unfinished counts them
        with class_order.suppress_warning():
            model.fit(X_train, _outcomes(samples, source, place), **fit_params)
    train, test = run.splits[split]
    n_test = 0 if place.errors[0] is not None else len(test)
    parts = [(False, X_scored[:n_test], test)]
    if scoring.is_train:
        is_separate = X_scored.shape[0] > n_test
        parts.append((True, X_scored[n_test:] if is_separate else X_train, train))
    for is_train, X, numbers in parts:
        if place.errors[is_train] is not None:
            continue
        outputs = _outputs(model, samples, X, len(numbers), scoring.needs_decisions)
        if place.inverse is not None:
            outputs = outputs._replace(predicted=place.inverse(outputs.predicted))
        scored = samples.scored(numbers, scoring.is_plain_function)
        with warnings.catch_warnings():
            if scoring.core:
                warnings.simplefilter("ignore")  # about classes without samples, as in the core
            ((scores,), _) = scoring.scores(outputs, scored)
        run.table.set_scores(split, cell, scores, is_train)
    statuses = model._statuses() if hasattr(model, "status_") else []
    run.table.set_counts(
        split,
        cell,
        {
            # 0 if the estimator has no support_; a fitted model has at least one support vector.
            "n_support": len(getattr(model, "support_", [])),
            "n_iter": int(np.sum(getattr(model, "n_iter_", 0))),
            "n_loops": int(np.sum(getattr(model, "n_loops_", 0))),
            "n_kernel_evals": int(getattr(model, "n_kernel_evals_", 0)),
            "n_unfinished": sum(end != "converged" for end in statuses),
        },
    )


def _outputs(
    model: Any, samples: Samples, X: Any, n_samples: int, needs_decisions: bool
) -> Outputs:
    """Return the predictions, and the decision values if they are needed, of a fitted model."""
    if samples.kind != "classifier":
        return _plain_outputs(model, samples, X, n_samples, needs_decisions)
    predicted = codes_of(model.predict(X), samples.classes, "the value of predict")
    if len(predicted) != n_samples or (predicted < 0).any():
        raise ValueError(
            f"{type(model).__name__}.predict returned {len(predicted)} labels for {n_samples} "
            "samples, or a label that does not occur in y; it must return a label of y for each "
            "sample"
        )
    decisions = None
    if needs_decisions:
        decisions = np.asarray(model.decision_function(X), dtype=np.float64)
        decisions = decisions.reshape(1, n_samples, -1)
    classes = codes_of(model.classes_, samples.classes, "classes_")
    return Outputs(predicted.astype(np.uint32)[np.newaxis], decisions, classes)


def _plain_outputs(
    model: Any, samples: Samples, X: Any, n_samples: int, needs_decisions: bool
) -> Outputs:
    """Return the outputs of a model without classes."""
    predicted = np.asarray(model.predict(X))
    if predicted.shape != (n_samples,):
        raise ValueError(
            f"{type(model).__name__}.predict returned an array of shape {predicted.shape} for "
            f"{n_samples} samples; it must return a number for each sample"
        )
    decisions = None
    if needs_decisions and samples.kind == "detector":
        decisions = np.asarray(model.decision_function(X), dtype=np.float64)
        decisions = decisions.reshape(1, n_samples, 1)
    return Outputs(predicted[np.newaxis], decisions, np.zeros(1, dtype=np.intp))


def _outcomes(samples: Samples, source: Source, place: Place) -> Any:
    """Return what the training samples are trained for."""
    if samples.kind == "detector":
        return None
    if source.targets is not None:
        return source.targets[place.train]
    return _labels(samples, source.codes[place.train])


def _labels(samples: Samples, codes: Any) -> Any:
    """Return the labels of training samples, with the order of the classes if y has one."""
    labels = samples.classes[codes]
    if samples.order is None:
        return labels
    return class_order.with_order(labels, samples.classes[samples.order])


def _parts(
    samples: Samples, source: Source, place: Place, model: Estimator, is_kernel: bool
) -> tuple[Any, Any]:
    """Return the training and the test samples, scaled and rounded as in the engine."""
    rows = from_native(source.rows)
    train, test = rows[place.train], rows[place.test]
    if is_kernel:
        columns = place.train
        return np.ascontiguousarray(train[:, columns]), np.ascontiguousarray(test[:, columns])
    if samples.scaling != "none":
        if samples.single_precision:
            train, test = train.astype(np.float64), test.astype(np.float64)
        scaler: Any = MinMaxScaler()
        if samples.scaling == "standard":
            scaler = StandardScaler(with_mean=not sp.issparse(train))
        train = scaler.fit_transform(train)
        test = scaler.transform(test)
    if samples.single_precision and not model._tolerates_rounding:
        train, test = train.astype(np.float32), test.astype(np.float32)
    return train, test
