"""Grid and pattern search with scikit-learn's interface, computed by the shared engine."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from joblib import logger
from numpy.typing import NDArray
from sklearn import get_config, model_selection
from sklearn import preprocessing as sklearn_preprocessing
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, indexable

from softmargin._checks import class_order
from softmargin._checks.labels import check_labels
from softmargin._checks.resources import budget_bytes, thread_count
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import check_rows
from softmargin._checks.weights import sample_weights, used_rows
from softmargin._estimators.base import Classifier
from softmargin._estimators.scaling import MinMaxScaler
from softmargin._selection import engine
from softmargin._selection.pattern_search import PatternSearch
from softmargin._selection.splits import as_indices


class _UnsharedError(Exception):
    """The engine does not support a search; the message is the reason."""


class _Shared:
    """A search that the engine supports: the classifier, and the scaler before it."""

    def __init__(self, model: Classifier, prefix: str = "", scaler: Any = None) -> None:
        self.model = model
        self.prefix = prefix
        self.scaler = scaler

    @classmethod
    def of(cls, estimator: Any) -> _Shared:
        """Return the classifier of an estimator, alone or in a pipeline after a min-max scaler."""
        if not isinstance(estimator, Pipeline):
            return cls(_shareable(estimator))
        if type(estimator) is not Pipeline:
            raise _UnsharedError(f"{type(estimator).__name__} is a subclass of Pipeline")
        if len(estimator.steps) != 2:
            raise _UnsharedError(
                f"the pipeline has {len(estimator.steps)} steps, not two: a min-max scaler and a "
                "Softmargin estimator"
            )
        (_, scaler), (name, model) = estimator.steps
        is_plain = type(scaler) is MinMaxScaler or (
            type(scaler) is sklearn_preprocessing.MinMaxScaler
            and scaler.feature_range == (0, 1)
            and not scaler.clip
        )
        if not is_plain:
            raise _UnsharedError(
                f"the first step of the pipeline is {scaler!r}, not a default MinMaxScaler"
            )
        if estimator.memory is not None or estimator.verbose:
            raise _UnsharedError("memory or verbose of the pipeline applies to each fit")
        return cls(_shareable(model), f"{name}__", scaler)

    def cells(self, candidates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the candidates as parameters of the classifier."""
        cells = []
        names = self.model.get_params(deep=False)
        for candidate in candidates:
            cell = {}
            for name, value in candidate.items():
                own = name.removeprefix(self.prefix)
                if not name.startswith(self.prefix) or own not in names:
                    raise _UnsharedError(f"{name!r} is not a parameter of the Softmargin estimator")
                cell[own] = value
            _shareable(clone(self.model).set_params(**cell))
            cells.append(cell)
        return cells

    def rows(self, X: Any, y: Any) -> engine.Samples:
        """Validate samples and labels, and return them."""
        checked = check_rows(X)
        check_consistent_length(X, y)
        classes, codes = check_labels(y)
        if sp.issparse(checked) and isinstance(self.scaler, sklearn_preprocessing.MinMaxScaler):
            raise _UnsharedError("scikit-learn's MinMaxScaler does not support sparse X")
        order = class_order.order_of(y, classes)
        return engine.Samples(checked, classes, codes, None, self.scaler is not None, False, order)


def _shareable(estimator: Any) -> Any:
    """Return the estimator if the engine supports it."""
    if reason := engine.unsupported(estimator):
        raise _UnsharedError(reason)
    return estimator


class GridSearchCV(model_selection.GridSearchCV):
    """Replacement for scikit-learn's ``GridSearchCV`` that shares work between all fits.

    Parameters, attributes and results are those of ``sklearn.model_selection.GridSearchCV``.
    For Softmargin estimators, alone or in a pipeline after a min-max scaler, all fits are one
    computation that shares distances, kernel matrices and paths over C or margins. In all other
    cases the search falls back to scikit-learn: other estimators, subclasses, estimators with
    replaced methods or with ``time_limit``, precomputed or callable kernels, scores other than
    accuracy, balanced accuracy and macro F1, several scores, training scores, sample weights, and
    callbacks. Fit times in ``cv_results_`` are means over all fits, because the fits are not
    separate.

    Attributes
    ----------
    used_engine_ : bool
        Whether all fits were one computation.
    engine_reason_ : str or None
        Why the search fell back to scikit-learn; None if it did not.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"C": [1, 10], "gamma": [0.1, 1]}
    >>> search = softmargin.GridSearchCV(softmargin.SVC(), grid).fit(X, y)
    >>> search.used_engine_
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    cv: Any

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Evaluate the candidates, and fit the best one to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels.
        **params
            ``groups`` for the splitter, and parameters of the estimator's ``fit`` such as
            ``sample_weight``.

        Returns
        -------
        self : object
            The fitted search.
        """
        cv = self.cv
        with restore_on_failure(self):
            if not get_config()["skip_parameter_validation"]:
                self._validate_params()
            self.engine_reason_: str | None = None
            try:
                self._fit_with_engine(X, y, params)
            except _UnsharedError as unshared:
                self.engine_reason_ = str(unshared)
            self.used_engine_ = self.engine_reason_ is None
            if not self.used_engine_:
                super().fit(X, y, **params)
            self.cv = cv
        return self

    def _fit_with_engine(self, X: Any, y: Any, params: dict[str, Any]) -> None:
        """Run the search in the engine; raise _UnsharedError if it is not supported."""
        candidates = list(ParameterGrid(self.param_grid))
        if not candidates:
            raise ValueError(
                f"param_grid = {self.param_grid!r} is empty: it must contain at least one candidate"
            )
        self._check_shareable(params)
        shared = _Shared.of(self.estimator)
        cells = shared.cells(candidates)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but y is None")
        rows = shared.rows(X, y)
        own = shared.model.multi_class
        if rows.order is None and any(cell.get("multi_class", own) == "ordinal" for cell in cells):
            class_order.warn_if_text(rows.classes)
        X, y = indexable(X, y)
        weights = sample_weights(params.get("sample_weight"), len(rows.codes))
        if weights is not None:
            used_rows(weights, rows.classes, rows.codes)
        if "sample_weight" in params:
            # Versions of scikit-learn differ in whether the score is weighted.
            raise _UnsharedError("sample_weight is passed to fit")
        scorer = check_scoring(self.estimator, self.scoring)
        splits = self._draw_splits(X, y, params)
        threads = thread_count(self.n_jobs)
        resources = engine.Resources(threads, budget_bytes(None))
        start = time.perf_counter()
        try:
            numbers = as_indices("cv", splits, len(rows.codes))
            scores = self._search(shared.model, candidates, cells, rows, numbers, resources)
        except (ValueError, TypeError) as error:
            if type(error) not in (ValueError, TypeError):
                raise  # from a signal handler
            # Scikit-learn reports which fit failed, or continues without it.
            raise _UnsharedError(f"a fit failed: {error}") from None
        self._set_results(candidates, scores, time.perf_counter() - start)
        self.n_splits_ = len(splits)
        self.multimetric_ = False
        self.scorer_ = scorer
        if self.refit:
            self._refit(X, y)

    def _check_shareable(self, params: dict[str, Any]) -> None:
        """Raise _UnsharedError if the engine does not support an option of the search."""
        own = (GridSearchCV._run_search, PatternSearchCV._run_search)
        if type(self)._run_search not in own:
            raise _UnsharedError(f"{type(self).__name__} has its own _run_search")
        for part in (self, self.estimator, *_steps(self.estimator)):
            # The attributes in which scikit-learn 1.9 stores and passes on callbacks.
            if hasattr(part, "_skl_callbacks") or hasattr(part, "_parent_callback_ctx"):
                raise _UnsharedError("callbacks must be called for each fit")
        if self.scoring is not None and (
            not isinstance(self.scoring, str) or self.scoring not in engine.SCORINGS
        ):
            names = ", ".join(engine.SCORINGS)
            raise _UnsharedError(f"scoring = {self.scoring!r} is not one of {names}")
        if self.return_train_score:
            raise _UnsharedError("return_train_score is True")
        if self.verbose > 9:
            raise _UnsharedError("verbose > 9 prints a line at the start of each fit")
        known = set() if get_config()["enable_metadata_routing"] else {"sample_weight", "groups"}
        if unknown := params.keys() - known:
            raise _UnsharedError(f"{min(unknown)} is passed to fit")

    def _draw_splits(self, X: Any, y: Any, params: dict[str, Any]) -> list[Any]:
        """Draw the splits and keep them for scikit-learn: some splitters draw only once."""
        splitter = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        self.cv = splitter
        groups = params.get("groups")
        splits = list(splitter.split(X, y, groups))
        if len(splits) != splitter.get_n_splits(X, y, groups):
            raise _UnsharedError("cv yields another number of splits than get_n_splits returns")
        self.cv = splits
        return splits

    def _search(
        self,
        model: Classifier,
        candidates: list[dict[str, Any]],
        cells: list[dict[str, Any]],
        rows: engine.Samples,
        splits: Sequence[engine.Split],
        resources: engine.Resources,
    ) -> NDArray[np.float64]:
        """Return the score of each candidate on each split; NaN if it was not evaluated."""
        found = engine.Candidates.of(model, cells, rows)
        if self.verbose > 0:
            print(
                f"Fitting {len(splits)} folds for each of {len(cells)} candidates, totalling "
                f"{len(cells) * len(splits)} fits"
            )
        start = time.perf_counter()
        table, stopped = engine.evaluate(found, rows, splits, resources)
        if stopped is not None:
            raise stopped
        unfinished = int(table.n_unfinished.sum())
        if unfinished:
            warnings.warn(
                f"{unfinished} binary classifiers in {int(table.done.sum())} trainings did not "
                "converge",
                ConvergenceWarning,
                stacklevel=4,
            )
        scores = table.scores(self.scoring or "accuracy").T
        if self.verbose > 1:
            self._print_fits(candidates, scores, time.perf_counter() - start)
        return scores

    def _print_fits(
        self, candidates: list[dict[str, Any]], scores: NDArray[np.float64], seconds: float
    ) -> None:
        """Print a line for each fit in the format of scikit-learn, with the mean fit time."""
        shown_time = logger.short_format_time(seconds / scores.size)
        for candidate, own in zip(candidates, scores, strict=True):
            named = ", ".join(f"{name}={candidate[name]}" for name in sorted(candidate))
            for number, score in enumerate(own.tolist(), start=1):
                place = f" {number}/{len(own)}" if self.verbose > 2 else ""
                text = f"{named}{';' if named else ''}"
                text += f", score={score:.3f}" if self.verbose > 2 else ""
                text += f" total time={shown_time}"
                head = f"[CV{place}] END "
                print(head + "." * (80 - len(head) - len(text)) + text)

    def _set_results(
        self, candidates: list[dict[str, Any]], scores: NDArray[np.float64], seconds: float
    ) -> None:
        evaluated = np.flatnonzero(~np.isnan(scores).any(axis=1))
        candidates = [candidates[number] for number in evaluated]
        scores = scores[evaluated]
        times = {"fit_time": seconds / scores.size, "score_time": 0.0}
        fits = [times | {"test_scores": score} for score in scores.ravel()]
        self.cv_results_ = self._format_results(candidates, scores.shape[1], fits)
        self.best_index_ = self._select_best_index(self.refit, "score", self.cv_results_)
        if not callable(self.refit):
            self.best_score_ = self.cv_results_["mean_test_score"][self.best_index_]
        self.best_params_ = self.cv_results_["params"][self.best_index_]

    def _refit(self, X: Any, y: Any) -> None:
        best = clone(self.best_params_, safe=False)
        self.best_estimator_ = clone(self.estimator).set_params(**best)
        start = time.perf_counter()
        with class_order.suppress_warning():
            self.best_estimator_.fit(X, y)
        self.refit_time_ = time.perf_counter() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


def _steps(estimator: Any) -> list[Any]:
    """Return the steps of a pipeline."""
    return [step for _, step in estimator.steps] if isinstance(estimator, Pipeline) else []


class PatternSearchCV(GridSearchCV):
    """Search that evaluates only a part of the grid, otherwise as :class:`GridSearchCV`.

    A five-point cross starts in the middle of the grid, moves to its best point, and halves its
    step if its center is the best. ``cv_results_`` contains the candidates that were evaluated.
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    def _search(
        self,
        model: Classifier,
        candidates: list[dict[str, Any]],
        cells: list[dict[str, Any]],
        rows: engine.Samples,
        splits: Sequence[engine.Split],
        resources: engine.Resources,
    ) -> NDArray[np.float64]:
        scores = np.full((len(cells), len(splits)), np.nan)
        pattern = PatternSearch(cells)
        while wanted := pattern.wanted(scores.mean(axis=1)):
            named, chosen = ([of[cell] for cell in wanted] for of in (candidates, cells))
            scores[wanted] = super()._search(model, named, chosen, rows, splits, resources)
        return scores

    def _run_search(self, evaluate_candidates: Any, *, callback_ctx: Any = None) -> None:
        """Search through scikit-learn, a few candidates at a time."""
        candidates = list(ParameterGrid(self.param_grid))
        means = np.full(len(candidates), np.nan)
        pattern = PatternSearch(candidates)
        cv = _DrawnOnce(self._checked_cv_orig)
        search = None
        if callback_ctx is not None:
            search = callback_ctx.subcontext(task_name="search", max_subtasks=None)
            search.call_on_fit_task_begin(estimator=self)
        requested: list[int] = []
        self._places = {id(candidate): place for place, candidate in enumerate(candidates)}
        try:
            while wanted := pattern.wanted(means):
                requested += wanted
                chosen = [candidates[cell] for cell in wanted]
                found = _evaluated(evaluate_candidates, chosen, cv, search, self)
                means[sorted(requested)] = np.nan_to_num(self._guiding_scores(found), nan=-np.inf)
        finally:
            del self._places
        if search is not None:
            search.call_on_fit_task_end(estimator=self)

    def _guiding_scores(self, found: dict[str, Any]) -> Any:
        """Return the mean scores that guide the search."""
        name = "mean_test_score"
        if name not in found:
            name = f"mean_test_{self.refit}"
        if name not in found:
            raise ValueError(
                f"refit = {self.refit!r} is not valid: with several scores, it must name the score "
                "that guides the search"
            )
        return found[name]

    def _format_results(
        self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None
    ) -> Any:
        """Return the results in the order of the grid, not in the order of evaluation."""
        if hasattr(self, "_places"):
            places = [self._places[id(candidate)] for candidate in candidate_params]
            order = sorted(range(len(places)), key=places.__getitem__)
            candidate_params = [candidate_params[number] for number in order]
            out = [
                fit for number in order for fit in out[number * n_splits : (number + 1) * n_splits]
            ]
        return super()._format_results(candidate_params, n_splits, out, more_results)


class _DrawnOnce:
    """A splitter that returns the splits of its first call again."""

    def __init__(self, splitter: Any) -> None:
        self._splitter = splitter
        self._splits: list[Any] | None = None

    def split(self, X: Any, y: Any = None, **params: Any) -> list[Any]:
        """Return the splits."""
        if self._splits is None:
            self._splits = list(self._splitter.split(X, y, **params))
        return self._splits


def _evaluated(
    evaluate_candidates: Any, chosen: list[dict[str, Any]], cv: Any, context: Any, search: Any
) -> Any:
    """Evaluate candidates through scikit-learn; callbacks see them as a task of the search."""
    if context is None:
        return evaluate_candidates(chosen, cv=cv)
    count = len(chosen) * search.n_splits_
    own = context.subcontext(task_name="cross", max_subtasks=count, sequential_subtasks=False)
    own.call_on_fit_task_begin(estimator=search)
    found = evaluate_candidates(chosen, cv=cv, callback_ctx=own)
    own.call_on_fit_task_end(estimator=search)
    return found
