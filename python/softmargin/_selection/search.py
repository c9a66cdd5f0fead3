"""Searches with scikit-learn's interface, computed by the shared engine."""

from __future__ import annotations

import os
import time
import traceback
import warnings
from collections import defaultdict
from collections.abc import Sequence
from inspect import signature as parameters_of
from numbers import Real
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from sklearn.base import _fit_context, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._validation import (
    _insert_error_scores,
    _warn_or_raise_about_fit_failures,
)
from sklearn.utils import indexable
from sklearn.utils.validation import _check_method_params

from softmargin._checks import class_order
from softmargin._checks.resources import budget_bytes, thread_count
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.stack import level_of_caller
from softmargin._selection import engine
from softmargin._selection.candidates import Candidates
from softmargin._selection.checkpoint import Checkpoint, signature
from softmargin._selection.kinds import kind_of, subject
from softmargin._selection.progress import watcher_of
from softmargin._selection.reports import end_callbacks, print_fits, report_callbacks
from softmargin._selection.samples import Samples, Split
from softmargin._selection.scoring import SINGLE, Scoring, UnavailableError, unsupported
from softmargin._selection.splits import as_indices
from softmargin._selection.steps import Steps, UnsharedError
from softmargin._selection.table import Table, Watchers
from softmargin._selection.unfitted import check_input, check_shareable, directly, samples_of


class EngineSearch(BaseSearchCV):
    """A search of scikit-learn whose candidates the engine evaluates.

    A subclass also derives from a search of scikit-learn, whose ``_run_search`` decides which
    candidates are evaluated, and has the parameters named below.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSearchCV._parameter_constraints,
        "progress": ["boolean", callable, None],
        "time_limit": [Real, None],
        "checkpoint": [str, os.PathLike, None],
        "memory_budget": [Real, None],
    }

    cv: Any
    progress: Any
    time_limit: Any
    checkpoint: Any
    memory_budget: Any

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Evaluate the candidates, and fit the best one to all samples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or any other sequence of samples
            Samples, in any form that the estimator or the first step of the pipeline accepts.
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
        with restore_on_failure(self):
            interrupt = self._fit(X, y, params)
        if interrupt is not None:
            raise interrupt
        return self

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: Any, params: dict[str, Any]) -> BaseException | None:
        """Run the search in the engine or by scikit-learn; return the interrupt that ended it."""
        self.engine_reason_: str | None = None
        interrupt: BaseException | None = None
        try:
            interrupt = self._fit_with_engine(X, y, params)
        except UnsharedError as unshared:
            self.engine_reason_ = str(unshared)
        self.used_engine_ = self.engine_reason_ is None
        if self.engine_reason_ is not None:
            self._check_fallback(self.engine_reason_)
            end_callbacks(self)
            super().fit(X, y, **params)
        return interrupt

    def _check_fallback(self, reason: str) -> None:
        """Report that scikit-learn runs the search; raise ValueError if it cannot."""
        for name in ("time_limit", "checkpoint"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"{name} = {getattr(self, name)!r} is not available for this search, which "
                    f"scikit-learn must run: {reason}"
                )
        if self.verbose > 0:
            print(f"Using scikit-learn's search: {reason}.")

    def _fit_with_engine(self, X: Any, y: Any, params: dict[str, Any]) -> BaseException | None:
        """Run the search in the engine; raise UnsharedError if it is not supported.

        Returns the interrupt that ended it after some candidates, whose results are kept.
        """
        steps = check_shareable(self.estimator)
        scorers, refit_metric = self._get_scorers()
        if y is None and kind_of(steps.model) == "detector":
            raise UnsharedError("y is None, so that only the fitted estimator can be scored")
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        check_input(steps, X, params)
        X, y = indexable(X, y)
        params = _check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        samples = samples_of(steps, X, y, routed.estimator.fit, routed.scorer.score)
        root = self._start_callbacks(X, y, params)
        self._checked_cv_orig = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        split_params = routed.splitter.split
        if hasattr(self, "_check_input_parameters"):  # in all searches since scikit-learn 1.9
            self._check_input_parameters(X=X, y=y, split_params=split_params)
        self.n_splits_ = self._checked_cv_orig.get_n_splits(X, y, **split_params)
        evaluation = _Evaluation(self, steps, scorers, samples, X, y, split_params)
        try:
            if "callback_ctx" in parameters_of(self._run_search).parameters:
                self._run_search(evaluation.evaluate, callback_ctx=root)
            else:
                self._run_search(evaluation.evaluate)
        except UnavailableError as error:
            raise UnsharedError(f"the score needs {error}") from None
        except _InterruptedError as interrupted:
            for name in ("best_estimator_", "refit_time_", "feature_names_in_"):
                self.__dict__.pop(name, None)  # of an earlier fit
            self._store(evaluation, scorers, refit_metric)
            return interrupted.cause
        self._store(evaluation, scorers, refit_metric)
        if self.refit:
            self._refit(X, y, routed.estimator.fit, root)
        if root is not None:
            root.call_on_fit_task_end(estimator=self, X=X, y=y, metadata=None)
        return None

    def _start_callbacks(self, X: Any, y: Any, params: dict[str, Any]) -> Any:
        """Return the callback context of this fit; None before scikit-learn 1.9."""
        if not hasattr(self, "_init_callback_context"):
            return None
        weights = params.get("sample_weight")
        metadata = None if weights is None else {"sample_weight": weights}
        context = self._init_callback_context(max_subtasks=1 + (self.refit is not False))
        return context.call_on_fit_task_begin(estimator=self, X=X, y=y, metadata=metadata)

    def _store(self, evaluation: _Evaluation, scorers: Any, refit_metric: str) -> None:
        """Set the results and the best candidate."""
        results, first = evaluation.results, evaluation.first_score
        self.multimetric_ = isinstance(first, dict)
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(first)
            refit_metric = self.refit
        if self.refit or not self.multimetric_:
            self.best_index_ = self._select_best_index(self.refit, refit_metric, results)
            if not callable(self.refit):
                self.best_score_ = results[f"mean_test_{refit_metric}"][self.best_index_]
            self.best_params_ = results["params"][self.best_index_]
        is_several = isinstance(scorers, _MultimetricScorer)
        self.scorer_ = scorers._scorers if is_several else scorers
        self.cv_results_ = results

    def _refit(self, X: Any, y: Any, fit_params: dict[str, Any], root: Any) -> None:
        """Fit the best candidate to all samples, with the threads of the search."""
        best = clone(self.best_params_, safe=False)
        self.best_estimator_ = clone(self.estimator).set_params(**best)
        context = None
        if root is not None:
            context = root.subcontext(task_name="refit-with-best-params")
            context.call_on_fit_task_begin(estimator=self, X=X, y=y, metadata=None)
        start = time.perf_counter()
        with (
            class_order.suppress_warning(),
            joblib.parallel_config(backend="threading", n_jobs=thread_count(self.n_jobs)),
        ):
            self.best_estimator_.fit(X, y, **fit_params)
        self.refit_time_ = time.perf_counter() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_
        if context is not None:
            context.call_on_fit_task_end(estimator=self, X=X, y=y, metadata=None)


class _InterruptedError(Exception):
    """Ctrl-C stopped a search that has finished some candidates."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


class _Evaluation:
    """The evaluation of candidates in one or several rounds."""

    def __init__(
        self,
        search: EngineSearch,
        steps: Steps,
        scorers: Any,
        samples: Samples,
        X: Any,
        y: Any,
        split_params: dict[str, Any],
    ) -> None:
        self.search = search
        self.steps = steps
        self.scorers = scorers
        self.samples = samples
        self.X = X
        self.y = y
        self.split_params = split_params
        self.results: dict[str, Any] = {}
        self.first_score: Any = None
        self._candidates: list[dict[str, Any]] = []
        self._fits: list[dict[str, Any]] = []
        self._more: dict[str, list[Any]] = defaultdict(list)
        self._n_rounds = 0
        self._end = None
        if search.time_limit is not None:
            self._end = time.monotonic() + float(search.time_limit)

    def evaluate(
        self,
        candidate_params: Any,
        cv: Any = None,
        more_results: Any = None,
        callback_ctx: Any = None,
    ) -> dict[str, Any]:
        """Evaluate candidates; return all results so far, as scikit-learn's searches do."""
        search = self.search
        given = list(candidate_params)
        splits = self._splits(cv or search._checked_cv_orig)
        if search.verbose > 0:
            print(
                f"Fitting {len(splits)} folds for each of {len(given)} candidates, totalling "
                f"{len(given) * len(splits)} fits"
            )
        if not given:
            grid = getattr(search, "param_grid", None)
            if grid is not None and not list(ParameterGrid(grid)):
                raise ValueError(
                    f"param_grid = {grid!r} is empty: it must contain at least one candidate"
                )
            raise ValueError(
                "No fits were performed. Was the CV iterator empty? Were there no candidates?"
            )
        try:
            numbers = as_indices("cv", splits, len(self.samples.codes))
        except ValueError as error:
            raise UnsharedError(str(error)) from None
        start = time.perf_counter()
        table, scoring, stopped = self._run(given, numbers)
        seconds = (time.perf_counter() - start) / max(1, int(table.done.sum()))
        kept = np.flatnonzero(table.done.all(axis=0)).tolist()
        if not kept:
            raise stopped or TimeoutError(
                f"no candidate was evaluated on all splits within time_limit = "
                f"{search.time_limit} seconds"
            )
        if stopped is None and len(kept) < len(given):
            warnings.warn(
                f"the time limit of {search.time_limit} seconds ended the search after "
                f"{len(kept)} of {len(given)} candidates; the others are not part of cv_results_",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )
        candidates = [given[number] for number in kept]
        fits = self._fits_of(table, kept, scoring, seconds)
        report_callbacks(search, callback_ctx, len(given) * len(splits))
        if search.verbose > 1:
            print_fits(search, candidates, fits, len(splits))
        _warn_or_raise_about_fit_failures(fits, search.error_score)
        if callable(search.scoring):
            _insert_error_scores(fits, search.error_score)
        self._candidates += candidates
        self._fits += fits
        self.first_score = self._fits[0]["test_scores"]
        for name, values in (more_results or {}).items():
            self._more[name] += [values[number] for number in kept]
        self.results = search._format_results(self._candidates, len(splits), self._fits, self._more)
        if stopped is not None:
            raise _InterruptedError(stopped)
        return self.results

    def _splits(self, cv: Any) -> list[Any]:
        splits = list(cv.split(self.X, self.y, **self.split_params))
        if len(splits) != self.search.n_splits_:
            raise ValueError(
                "cv.split and cv.get_n_splits return inconsistent results. Expected "
                f"{self.search.n_splits_} splits, got {len(splits)}"
            )
        return splits

    def _run(
        self, given: list[dict[str, Any]], splits: Sequence[Split]
    ) -> tuple[Table, Scoring, BaseException | None]:
        search, samples = self.search, self.samples
        raises = isinstance(search.error_score, str)
        candidates = Candidates.of(
            self.steps, given, samples.classes, samples.codes, is_strict=raises
        )
        if candidates.reason is not None:
            raise UnsharedError(candidates.reason)
        if candidates.is_ordinal and samples.order is None and self._n_rounds == 0:
            class_order.warn_if_text(samples.classes)
        if reason := unsupported(self.scorers, candidates.models):
            raise UnsharedError(reason)
        samples = directly(samples, candidates, splits[0])
        scoring = Scoring(
            self.scorers,
            samples.classes,
            candidates.models,
            is_train=search.return_train_score,
            error_score=search.error_score,
            has_params=bool(samples.score_params),
            kind=type(search.estimator),
        )
        table = Table(len(splits), len(given))
        self._n_rounds += 1
        shown, saved = self._watchers(given, splits, table, scoring)
        watcher = Watchers(shown, saved) if shown or saved else None
        left = None if self._end is None else max(self._end - time.monotonic(), 1e-9)
        resources = engine.Resources(
            thread_count(search.n_jobs),
            budget_bytes(search.memory_budget),
            left,
            watcher,
            raises=raises,
        )
        try:
            table, stopped = engine.evaluate(candidates, samples, splits, scoring, resources, table)
        finally:
            if shown is not None:
                shown.close()
            if saved is not None:
                saved.save(table)
        unfinished = table.total("n_unfinished")
        if unfinished:
            warnings.warn(
                f"{subject(samples.kind, unfinished, int(table.done.sum()))} did not converge",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )
        return table, scoring, stopped

    def _watchers(
        self, given: list[dict[str, Any]], splits: Sequence[Split], table: Table, scoring: Scoring
    ) -> tuple[Any, Any]:
        """Return the progress display and the checkpoint, if there are any."""
        search = self.search
        guide = SINGLE
        if scoring.is_multimetric:
            guide = search.refit if isinstance(search.refit, str) else scoring.names[0]
        name = type(self.steps.model).__name__
        shown = watcher_of(search.progress, name, _shown(search.scoring), guide, len(splits))
        saved = None
        if search.checkpoint is not None:
            run = signature(search.estimator, given, self.samples, splits, search.scoring)
            label = "search" if self._n_rounds == 1 else f"search-{self._n_rounds}"
            saved = Checkpoint(search.checkpoint, label, run)
            saved.load(table, np.array([len(test) for _, test in splits]))
        return shown, saved

    def _fits_of(
        self, table: Table, cells: list[int], scoring: Scoring, seconds: float
    ) -> list[dict[str, Any]]:
        """Return the results in the form of scikit-learn, candidate by candidate."""
        search = self.search
        fits = []
        for cell in cells:
            for split in range(table.done.shape[0]):
                place = split, cell
                error = table.errors.get(place)
                fit: dict[str, Any] = {"fit_error": None}
                if error is not None:
                    fit["fit_error"] = "".join(traceback.format_exception(error))
                parts = [("test_scores", table.test, table.score_errors)]
                if search.return_train_score:
                    parts.append(("train_scores", table.train, table.train_errors))
                for name, scores, score_errors in parts:
                    score_error = score_errors.get(place)
                    if score_error is not None:
                        self._warn_of_score(score_error)
                    has_failed = error is not None or score_error is not None
                    fit[name] = self._scores(scores, place, scoring, has_failed)
                fits.append(fit | {"fit_time": seconds, "score_time": 0.0})
        return fits

    def _scores(
        self,
        scores: dict[str, Any],
        place: tuple[int, int],
        scoring: Scoring,
        has_failed: bool,
    ) -> Any:
        """Return a score, or scores by name; those of a failed fit are ``error_score``."""
        if has_failed:
            if not scoring.is_multimetric:
                return self.search.error_score
            return dict.fromkeys(scoring.names, self.search.error_score)
        if set(scores) == {SINGLE} and not scoring.is_multimetric:
            return float(scores[SINGLE][place])
        return {name: float(values[place]) for name, values in scores.items()}

    def _warn_of_score(self, error: Exception) -> None:
        details = "".join(traceback.format_exception(error))
        warnings.warn(
            "Scoring failed. The score on this train-test partition for these parameters will be "
            f"set to {self.search.error_score}. Details: \n{details}",
            UserWarning,
            stacklevel=level_of_caller(),
        )


def _shown(scoring: Any) -> str:
    if isinstance(scoring, str):
        return scoring
    return "accuracy" if scoring is None else getattr(scoring, "__name__", "score")
