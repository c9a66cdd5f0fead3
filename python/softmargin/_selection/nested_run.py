"""The runs of nested cross-validation: folds, limits, searches and results."""

from __future__ import annotations

import os
import time
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softmargin._checks import class_order, parameters
from softmargin._checks.resources import budget_bytes, thread_count
from softmargin._checks.stack import level_of_caller
from softmargin._estimators.scaling import MinMaxScaler
from softmargin._selection import engine
from softmargin._selection.candidates import Candidates
from softmargin._selection.checkpoint import Checkpoint, signature
from softmargin._selection.inner import InnerSearch
from softmargin._selection.kinds import subject
from softmargin._selection.nested_problem import Problem, Scale
from softmargin._selection.nested_tasks import Task
from softmargin._selection.progress import watcher_of
from softmargin._selection.result import NestedResult
from softmargin._selection.scoring import SINGLE, Scoring, UnavailableError
from softmargin._selection.splits import (
    Folds,
    check_repeatable,
    check_repeated,
    nested,
    plain,
)
from softmargin._selection.steps import Steps, has_steps
from softmargin._selection.table import Table, Watchers


@dataclass
class Run:
    """The samples, folds and limits of one call."""

    problem: Problem
    folds: Folds
    search: str
    checkpoint: str | os.PathLike[str] | None
    threads: int = 1
    budget: int = 0
    end: float | None = None
    prune: bool = False
    progress: Any = None

    @classmethod
    def plan(
        cls,
        problem: Problem,
        outer: Any,
        inner: Any,
        search: str,
        random_state: Any,
        checkpoint: str | os.PathLike[str] | None,
    ) -> Run:
        """Draw the folds; with a checkpoint, check that the same call draws them again."""
        arguments = (problem.rows.X, problem.y, outer, inner, random_state)
        if checkpoint is not None:
            check_repeatable(outer, inner, random_state)
        has_classes = problem.rows.kind != "regressor"
        folds = nested(*arguments, problem.groups, has_classes)
        if checkpoint is not None:
            check_repeated(*arguments, problem.groups, folds, has_classes)
        return cls(problem, folds, search, checkpoint)

    def limit(self, n_jobs: Any, memory_budget: Any, time_limit: Any) -> None:
        """Set the number of threads, the memory budget and the time limit."""
        self.budget = budget_bytes(memory_budget)
        self.threads = thread_count(n_jobs)
        if time_limit is not None:
            self.end = time.monotonic() + _positive("time_limit", time_limit)

    def select(self, task: Task) -> NestedResult:
        """Run nested cross-validation with one method."""
        try:
            return self._select(task)
        except UnavailableError as error:
            raise ValueError(
                f"scoring = {self.problem.scoring!r} is not valid: it needs {error}, but only "
                "predictions and decision values of the held-out samples are available"
            ) from None
        finally:
            task.rows.stop_sharing()

    def _select(self, task: Task) -> NestedResult:
        problem, folds, cells = self.problem, self.folds, task.cells
        candidates, scoring, rows = task.candidates, task.scoring, task.rows
        if not candidates.is_ordinal:
            # The order has no effect on the run, so it must not change the signature either.
            rows = rows._replace(order=None)
        seconds: dict[str, float] = {}
        splits = [split for _, inside in folds for split in inside]
        table = Table(len(splits), len(cells))
        n_inner = len(splits) // len(folds)
        shown = watcher_of(self.progress, task.name, problem.shown, problem.guide, n_inner)
        saved = None
        if self.checkpoint is not None:
            run = signature(task.estimator, cells, rows, splits, problem.scoring)
            saved = Checkpoint(self.checkpoint, task.label, run)
            is_accuracy = scoring.core.get(problem.guide) == "accuracy"
            n_test = np.array([len(test) for _, test in splits])
            saved.load(table, n_test, problem.guide if is_accuracy else None)
        watcher = Watchers(shown, saved) if shown or saved else None
        inner = InnerSearch(
            candidates,
            rows,
            splits,
            len(folds),
            scoring,
            problem.guide,
            lambda: self._resources(seconds, watcher),
            table,
        )
        start = time.perf_counter()
        try:
            if self.search == "pattern":
                stopped = inner.search_pattern()
            elif self.prune:
                _check_bounded(problem, scoring)
                stopped = inner.search_pruned()
            else:
                stopped = inner.search_grid()
        finally:
            if shown is not None:
                shown.close()
            if saved is not None:
                saved.save(table)
        scores = inner.scores()
        best = [_best(of_fold) for of_fold in scores]
        searched = time.perf_counter()
        outer_table = Table(len(folds), len(cells))
        if stopped is None:
            wanted = np.zeros(outer_table.done.shape, dtype=bool)
            for o, cell in enumerate(best):
                wanted[o, cell if cell is not None else []] = True
            outer = [split for split, _ in folds]
            resources = self._resources(seconds, None)
            _, stopped = engine.evaluate(
                candidates, rows, outer, scoring, resources, outer_table, wanted
            )
        if isinstance(stopped, KeyboardInterrupt) and not table.done.any():
            raise stopped
        outer_scores, support = self._outer(outer_table, best)
        counts = _counts(table, outer_table)
        if counts["unfinished"]:
            warnings.warn(
                f"{subject(rows.kind, counts['unfinished'], counts['trainings'])} of "
                f"{task.name!r} did not converge",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )
        is_complete = stopped is None and not np.isnan(outer_scores[problem.guide]).any()
        why: Literal["interrupt", "time limit"] = "time limit" if stopped is None else "interrupt"
        is_planned = self.search != "pattern" and not self.prune
        return NestedResult(
            method=task.label,
            scoring=problem.shown,
            cells=cells,
            inner_scores=scores,
            outer_scores=outer_scores.pop(problem.guide),
            best_params=[cells[cell] if cell is not None else {} for cell in best],
            support_fraction=support,
            seconds={"inner": searched - start, "outer": time.perf_counter() - searched, **seconds},
            counts=counts,
            complete=is_complete,
            planned=table.done.size + len(folds) if is_planned else None,
            stopped=None if is_complete else why,
            _refit=self._refit_arguments(task, inner.n_inner),
            engine_reason=candidates.reason,
            other_scores=outer_scores,
        )

    def _refit_arguments(self, task: Task, n_inner: int) -> tuple[Any, ...]:
        """Return the arguments of :func:`refit`."""
        problem = self.problem
        return (
            problem.X,
            problem.y,
            task.estimator,
            task.cells,
            problem.scale,
            problem.scoring,
            problem.guide,
            problem.rows.sample_weight,
            problem.groups,
            n_inner,
            (self.threads, self.budget),
        )

    def _resources(self, seconds: dict[str, float], watcher: Any) -> engine.Resources:
        left = None if self.end is None else max(self.end - time.monotonic(), 1e-9)
        return engine.Resources(self.threads, self.budget, left, watcher, seconds)

    def _outer(
        self, table: Table, best: list[int | None]
    ) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.float64]]:
        """Return the scores by name and the fraction of support vectors of each outer fold."""
        names = dict.fromkeys((self.problem.guide, *table.test))
        scores = {name: np.full(len(best), np.nan) for name in names}
        support = np.full(len(best), np.nan)
        for o, cell in enumerate(best):
            if cell is not None and table.done[o, cell]:
                for name, own in scores.items():
                    own[o] = table.scores(name)[o, cell]
                n_support = table.counts["n_support"][o, cell]
                support[o] = n_support / len(self.folds[o][0][0]) if n_support else np.nan
        return scores, support


# Scores of scikit-learn that are at most 1, besides those of counts per class.
_BOUNDED = ("roc_auc", "average_precision", "top_k_accuracy")


def _check_bounded(problem: Problem, scoring: Scoring) -> None:
    """Raise ValueError if the largest possible score is not 1."""
    fast = scoring.fast.get(problem.guide)
    if not (fast is not None and fast.sign == 1) and problem.shown not in _BOUNDED:
        raise ValueError(
            f"prune = True is not valid with scoring = {problem.scoring!r}: the largest possible "
            "score must be 1"
        )


def _best(scores: NDArray[np.float64]) -> int | None:
    """Return the first candidate with the highest mean score over all inner folds."""
    means = scores.mean(axis=0)
    return None if np.isnan(means).all() else int(np.nanargmax(means))


def _counts(*tables: Table) -> dict[str, int]:
    """Return the totals over all trainings."""
    numbers = {
        "kernel_evaluations": "n_kernel_evals",
        "loops": "n_loops",
        "steps": "n_iter",
        "unfinished": "n_unfinished",
    }
    trainings = sum(int(table.done.sum()) for table in tables)
    return {"trainings": trainings} | {
        shown: sum(table.total(name) for table in tables) for shown, name in numbers.items()
    }


def refit(
    X: Any,
    y: Any,
    estimator: Any,
    cells: list[dict[str, Any]],
    scale: Scale,
    scoring: Any,
    guide: str,
    sample_weight: Any,
    groups: Any,
    n_folds: int,
    limits: tuple[int, int],
) -> Any:
    """Select a candidate by cross-validation on all samples, and fit it to them."""
    name = None if guide == SINGLE else guide
    problem = Problem.check(X, y, estimator, scale, scoring, name, sample_weight, groups)
    rows, steps = problem.rows, Steps(estimator)
    if has_steps(estimator):
        rows = rows._replace(steps=steps, target=steps.target)
    # Cross-validation needs at least two folds.
    has_classes = rows.kind != "regressor"
    splits = plain("inner", rows.X, problem.y, max(2, n_folds), 0, problem.groups, has_classes)
    candidates = Candidates.of(steps, cells, rows.classes, rows.codes)
    scorings = problem.scoring_of(candidates, type(estimator))
    table, stopped = engine.evaluate(candidates, rows, splits, scorings, engine.Resources(*limits))
    if stopped is not None:
        raise stopped
    best = _best(table.scores(guide))
    whole = clone(estimator).set_params(**clone(cells[best or 0], safe=False))
    model = Steps(whole).model
    prefix = steps.fit_prefix
    if "n_jobs" in model.get_params(deep=False):
        model.set_params(n_jobs=limits[0])
    if scale is not None:
        scaler: Any = MinMaxScaler()
        if scale == "standard":
            scaler = StandardScaler(with_mean=not hasattr(rows.X, "indptr"))
        whole = make_pipeline(scaler, model)
        prefix = f"{type(model).__name__.lower()}__"
    weights = rows.sample_weight
    extra = {} if weights is None else {f"{prefix}sample_weight": weights}
    with class_order.suppress_warning():
        return whole.fit(problem.X, problem.y, **extra)


def _positive(name: str, value: Any) -> float:
    """Return a positive number."""
    number = parameters.real(name, value)
    if not number > 0:
        raise ValueError(f"{name} = {number} is not valid: it must be positive")
    return number
