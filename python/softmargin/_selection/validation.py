"""Cross-validation with scikit-learn's signatures, computed by the shared engine.

Each function evaluates all of its models as one computation if the engine supports them, and
otherwise calls scikit-learn's function of the same name. Parameters and results are the same, but
fit times are means over all fits, because the fits are not separate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config, model_selection
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.model_selection._validation import _translate_train_sizes
from sklearn.utils import Bunch, check_random_state, indexable
from sklearn.utils.validation import _num_samples

from softmargin._checks.resources import budget_bytes, thread_count
from softmargin._selection import engine, workers
from softmargin._selection.candidates import Candidates
from softmargin._selection.samples import Samples, Split
from softmargin._selection.scoring import Outputs, ScoredSamples, Scoring
from softmargin._selection.searches import GridSearchCV
from softmargin._selection.splits import as_indices
from softmargin._selection.steps import UnsharedError
from softmargin._selection.unfitted import check_input, check_shareable, directly, samples_of


class _EngineOnly(GridSearchCV):
    """A search that does not fall back to scikit-learn."""

    def _check_fallback(self, reason: str) -> None:
        raise UnsharedError(reason)

    def _get_routed_params_for_fit(self, params: dict[str, Any]) -> Any:
        """Return parameters for fit only; scikit-learn's searches pass weights to scorers, too."""
        return Bunch(estimator=Bunch(fit=params), splitter=Bunch(split={}), scorer=Bunch(score={}))


def _evaluated(
    estimator: Any, grid: Any, X: Any, y: Any, splits: list[Split], params: Any, **options: Any
) -> dict[str, Any]:
    """Return the results of all candidates on all splits, computed by the engine."""
    if get_config()["enable_metadata_routing"]:
        raise UnsharedError("metadata routing is enabled")
    search = _EngineOnly(estimator, grid, cv=splits, refit=False, **options)
    search.fit(X, y, **(params or {}))
    return dict(search.cv_results_)


def _by_scikit_learn(
    name: str, estimator: Any, X: Any, y: Any, splits: list[Split] | None, options: dict[str, Any]
) -> Any:
    """Call scikit-learn's function; splits that were drawn already are used again."""
    drawn = {} if splits is None else {"cv": splits}
    return getattr(model_selection, name)(estimator, X, y, **options | drawn)


def _drawn(estimator: Any, X: Any, y: Any, options: dict[str, Any]) -> tuple[Any, Any, list[Split]]:
    """Return indexable samples and labels, and the splits of them.

    Raises UnsharedError if the engine cannot evaluate the estimator.
    """
    check_input(check_shareable(estimator), X, options["params"] or {})
    X, y = indexable(X, y)
    splitter = check_cv(options["cv"], y, classifier=is_classifier(estimator))
    return X, y, list(splitter.split(X, y, options["groups"]))


def _columns(results: dict[str, Any], name: str, n_splits: int) -> NDArray[np.float64]:
    """Return the scores of a name, one row per candidate."""
    return np.column_stack([results[f"split{number}_{name}"] for number in range(n_splits)])


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Any = None,
    pre_dispatch: Any = "2*n_jobs",
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: Any = np.nan,
) -> dict[str, Any]:
    """Evaluate scores by cross-validation, as ``sklearn.model_selection.cross_validate``.

    Parameters
    ----------
    estimator : estimator
        A classifier of Softmargin, a pipeline that ends with one, or any other estimator, for
        which scikit-learn's function is called.
    X, y, groups, scoring, cv, n_jobs, verbose, params, pre_dispatch
        As in scikit-learn. ``n_jobs`` is a number of threads.
    return_train_score, return_estimator, return_indices, error_score
        As in scikit-learn. With ``return_estimator``, scikit-learn's function is called.

    Returns
    -------
    dict of ndarray
        Scores, times, and indices if requested.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = softmargin.cross_validate(softmargin.SVC(), X, y, scoring=["accuracy", "f1_macro"])
    >>> found["test_f1_macro"].shape
    (5,)
    """
    options = {
        "groups": groups,
        "scoring": scoring,
        "cv": cv,
        "n_jobs": n_jobs,
        "verbose": verbose,
        "params": params,
        "pre_dispatch": pre_dispatch,
        "return_train_score": return_train_score,
        "return_estimator": return_estimator,
        "return_indices": return_indices,
        "error_score": error_score,
    }
    splits: list[Split] | None = None
    try:
        if return_estimator:
            raise UnsharedError("the fitted estimators are requested")
        X, y, splits = _drawn(estimator, X, y, options)
        shared = ("scoring", "n_jobs", "verbose", "return_train_score", "error_score")
        own = {name: options[name] for name in shared}
        found = _evaluated(estimator, {}, X, y, splits, params, **own)
    except UnsharedError:
        return dict(_by_scikit_learn("cross_validate", estimator, X, y, splits, options))
    results: dict[str, Any] = {
        name: np.repeat(found[f"mean_{name}"], len(splits)) for name in ("fit_time", "score_time")
    }
    if return_indices:
        train, test = zip(*splits, strict=True)
        results["indices"] = {"train": train, "test": test}
    for key in found:
        if key.startswith("split0_"):
            name = key.removeprefix("split0_")
            results[name] = _columns(found, name, len(splits))[0]
    return results


def cross_val_score(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Any = None,
    pre_dispatch: Any = "2*n_jobs",
    error_score: Any = np.nan,
) -> NDArray[np.float64]:
    """Evaluate a score by cross-validation, as ``sklearn.model_selection.cross_val_score``.

    Parameters
    ----------
    estimator : estimator
        A classifier of Softmargin, a pipeline that ends with one, or any other estimator, for
        which scikit-learn's function is called.
    X, y, groups, scoring, cv, n_jobs, verbose, params, pre_dispatch, error_score
        As in scikit-learn. ``n_jobs`` is a number of threads.

    Returns
    -------
    ndarray of shape (n_splits,)
        Score on each split.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> softmargin.cross_val_score(softmargin.SVC(), X, y).shape
    (5,)
    """
    scorer = check_scoring(estimator, scoring=scoring)
    found = cross_validate(
        estimator,
        X,
        y,
        groups=groups,
        scoring={"score": scorer},
        cv=cv,
        n_jobs=n_jobs,
        verbose=verbose,
        params=params,
        pre_dispatch=pre_dispatch,
        error_score=error_score,
    )
    return np.asarray(found["test_score"])


def validation_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    param_name: str,
    param_range: Any,
    groups: Any = None,
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    pre_dispatch: Any = "all",
    verbose: int = 0,
    error_score: Any = np.nan,
    params: Any = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evaluate the values of a parameter, as ``sklearn.model_selection.validation_curve``.

    Parameters
    ----------
    estimator : estimator
        A classifier of Softmargin, a pipeline that ends with one, or any other estimator, for
        which scikit-learn's function is called.
    X, y
        Samples and labels.
    param_name, param_range
        Name and values of the parameter.
    groups, cv, scoring, n_jobs, pre_dispatch, verbose, error_score, params
        As in scikit-learn. ``n_jobs`` is a number of threads.

    Returns
    -------
    train_scores, test_scores : ndarray of shape (n_values, n_splits)
        Scores of the training and of the test samples.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> train, test = softmargin.validation_curve(
    ...     softmargin.SVC(), X, y, param_name="C", param_range=[0.1, 1, 10]
    ... )
    >>> test.shape
    (3, 5)
    """
    options = {
        "param_name": param_name,
        "param_range": param_range,
        "groups": groups,
        "cv": cv,
        "scoring": check_scoring(estimator, scoring=scoring),
        "n_jobs": n_jobs,
        "pre_dispatch": pre_dispatch,
        "verbose": verbose,
        "error_score": error_score,
        "params": params,
    }
    splits: list[Split] | None = None
    try:
        X, y, splits = _drawn(estimator, X, y, options)
        own = {name: options[name] for name in ("scoring", "n_jobs", "verbose", "error_score")}
        grid = {param_name: list(param_range)}
        found = _evaluated(estimator, grid, X, y, splits, params, return_train_score=True, **own)
    except UnsharedError:
        train, test = _by_scikit_learn("validation_curve", estimator, X, y, splits, options)
        return train, test
    n_splits = len(splits)
    return _columns(found, "train_score", n_splits), _columns(found, "test_score", n_splits)


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    train_sizes: Any = np.linspace(0.1, 1.0, 5),  # noqa: B008 (as in scikit-learn)
    cv: Any = None,
    scoring: Any = None,
    exploit_incremental_learning: bool = False,
    n_jobs: int | None = None,
    pre_dispatch: Any = "all",
    verbose: int = 0,
    shuffle: bool = False,
    random_state: Any = None,
    error_score: Any = np.nan,
    return_times: bool = False,
    params: Any = None,
) -> tuple[Any, ...]:
    """Evaluate several numbers of samples, as ``sklearn.model_selection.learning_curve``.

    Parameters
    ----------
    estimator : estimator
        A classifier of Softmargin, a pipeline that ends with one, or any other estimator, for
        which scikit-learn's function is called.
    X, y, groups, train_sizes, cv, scoring, exploit_incremental_learning, n_jobs, pre_dispatch
        As in scikit-learn. ``n_jobs`` is a number of threads.
    verbose, shuffle, random_state, error_score, return_times, params
        As in scikit-learn.

    Returns
    -------
    train_sizes, train_scores, test_scores : ndarray
        Numbers of training samples, and scores of shape (n_sizes, n_splits); with
        ``return_times`` also fit times and score times.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sizes, train, test = softmargin.learning_curve(softmargin.SVC(), X, y, shuffle=True,
    ...                                                random_state=0, train_sizes=[30, 60, 120])
    >>> test.shape
    (3, 5)
    """
    options = {
        "groups": groups,
        "train_sizes": train_sizes,
        "cv": cv,
        "scoring": check_scoring(estimator, scoring=scoring),
        "exploit_incremental_learning": exploit_incremental_learning,
        "n_jobs": n_jobs,
        "pre_dispatch": pre_dispatch,
        "verbose": verbose,
        "shuffle": shuffle,
        "random_state": random_state,
        "error_score": error_score,
        "return_times": return_times,
        "params": params,
    }
    splits: list[Split] | None = None
    try:
        if exploit_incremental_learning:
            raise UnsharedError("each model continues the training of the last one")
        X, y, splits = _drawn(estimator, X, y, options)
        sizes = _translate_train_sizes(train_sizes, len(splits[0][0]))
        trains = [np.asarray(train) for train, _ in splits]
        if shuffle:
            rng = check_random_state(random_state)
            trains = [rng.permutation(train) for train in trains]
        parts = [
            (train[:size], test)
            for train, (_, test) in zip(trains, splits, strict=True)
            for size in sizes.tolist()
        ]
        own = {name: options[name] for name in ("scoring", "n_jobs", "verbose", "error_score")}
        found = _evaluated(estimator, {}, X, y, parts, params, return_train_score=True, **own)
    except UnsharedError:
        return tuple(_by_scikit_learn("learning_curve", estimator, X, y, splits, options))
    train, test = (
        _columns(found, f"{kind}_score", len(parts)).reshape(len(splits), len(sizes)).T
        for kind in ("train", "test")
    )
    if not return_times:
        return sizes, train, test
    times = [np.full(test.shape, found[f"mean_{name}_time"][0]) for name in ("fit", "score")]
    return sizes, train, test, *times


class _Recorder(Scoring):
    """Records the outputs for each sample instead of scoring them."""

    def __init__(self, samples: Samples, models: Any, method: str) -> None:
        super().__init__(check_scoring(models[0]), samples.classes, models)
        self.core = {}
        self.needs_decisions = method == "decision_function"
        self.found: Any = None
        self._n = len(samples.codes)

    def scores(
        self, outputs: Outputs, samples: ScoredSamples
    ) -> tuple[list[dict[str, float]], float]:
        """Record the outputs of the first candidate."""
        if self.needs_decisions and outputs.decisions is not None:
            values: Any = outputs.decisions[0]
            if len(outputs.classes) < len(self.classes):
                raise UnsharedError("some classes have no training samples in a split")
        else:
            values = outputs.predicted[0]
            values = self.classes[values] if self._has_classes else values
        if self.found is None:
            self.found = np.zeros((self._n, *values.shape[1:]), dtype=values.dtype)
        self.found[samples.numbers] = values
        return [{"score": 0.0}], 0.0


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Any = None,
    pre_dispatch: Any = "2*n_jobs",
    method: str = "predict",
) -> Any:
    """Predict each sample by a model trained without it.

    As ``sklearn.model_selection.cross_val_predict``.

    Parameters
    ----------
    estimator : estimator
        A classifier of Softmargin, a pipeline that ends with one, or any other estimator, for
        which scikit-learn's function is called.
    X, y, groups, cv, n_jobs, verbose, params, pre_dispatch
        As in scikit-learn. ``n_jobs`` is a number of threads.
    method : str, default="predict"
        "predict" or "decision_function"; for other methods, scikit-learn's function is called.

    Returns
    -------
    ndarray
        Predictions, or decision values.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> softmargin.cross_val_predict(softmargin.SVC(), X, y).shape
    (150,)
    """
    options = {
        "groups": groups,
        "cv": cv,
        "n_jobs": n_jobs,
        "verbose": verbose,
        "params": params,
        "pre_dispatch": pre_dispatch,
        "method": method,
    }
    splits: list[Split] | None = None
    try:
        if method not in ("predict", "decision_function") or params or verbose:
            raise UnsharedError("other methods, parameters and messages belong to each fit")
        if y is None or get_config()["enable_metadata_routing"] or workers.uses_processes():
            raise UnsharedError("y is missing, metadata is routed, or processes are used")
        X, y, splits = _drawn(estimator, X, y, options)
        return _predicted(estimator, X, y, splits, n_jobs, method)
    except (UnsharedError, ValueError, TypeError) as error:
        if type(error) not in (UnsharedError, ValueError, TypeError):
            raise
        return _by_scikit_learn("cross_val_predict", estimator, X, y, splits, options)


def _predicted(
    estimator: Any, X: Any, y: Any, splits: list[Split], n_jobs: Any, method: str
) -> Any:
    numbers = as_indices("cv", splits, _num_samples(X))
    test = np.concatenate([own for _, own in numbers])
    if len(test) != _num_samples(X) or len(np.unique(test)) != len(test):
        raise UnsharedError("the test samples are not a partition")
    steps = check_shareable(estimator)
    samples = samples_of(steps, X, y, {}, {})
    candidates = Candidates.of(steps, [{}], samples.classes, samples.codes)
    if candidates.reason is not None or candidates.is_ordinal:
        raise UnsharedError("predictions of this estimator belong to each fit")
    samples = directly(samples, candidates, numbers[0])
    recorder = _Recorder(samples, candidates.models, method)
    resources = engine.Resources(thread_count(n_jobs), budget_bytes(None))
    _, stopped = engine.evaluate(candidates, samples, numbers, recorder, resources)
    if stopped is not None:
        raise stopped
    found = recorder.found
    is_single = method == "decision_function" and found.shape[1] == 1
    return found[:, 0] if is_single else found
