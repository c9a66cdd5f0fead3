"""The steps of nested cross-validation: checked input, methods, folds and results."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import indexable

from softmargin._checks import class_order, parameters
from softmargin._checks.labels import check_labels
from softmargin._checks.resources import budget_bytes, thread_count
from softmargin._checks.rows import check_rows
from softmargin._checks.weights import sample_weights, used_rows
from softmargin._estimators.base import Classifier
from softmargin._estimators.methods import estimator_of
from softmargin._estimators.scaling import MinMaxScaler
from softmargin._selection import engine
from softmargin._selection.candidates import Candidates
from softmargin._selection.checkpoint import Checkpoint, signature
from softmargin._selection.inner import InnerSearch
from softmargin._selection.progress import watcher_of
from softmargin._selection.result import NestedResult
from softmargin._selection.samples import Samples, Scaling, n_samples
from softmargin._selection.scoring import SINGLE, Scoring, UnavailableError, unsupported
from softmargin._selection.splits import (
    Folds,
    check_groups,
    check_repeatable,
    check_repeated,
    nested,
    plain,
)
from softmargin._selection.steps import Steps, UnsharedError
from softmargin._selection.table import Table, Watchers

Scale = Literal["fold", "standard", "global"] | None

# The grids of Melki and Kecman (2016) and Melki (2018).
_CS = [4.0**power for power in range(-2, 6)]
_GAMMAS = [4.0**power for power in range(-5, 3)]
# On eleven data sets, margins below 0.003 or above 1 changed accuracies only by chance.
_MARGINS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8]
_DEFAULT_PATHS = {"C": _CS, "margin": _MARGINS}
_SCALES = ("auto", "fold", "standard", "global", None)
_SCALINGS: dict[str | None, Scaling] = {"fold": "minmax", "standard": "standard"}


def is_single(method: Any) -> bool:
    """Return whether ``method`` is one method, not a list."""
    return isinstance(method, str | Classifier | Pipeline)


@dataclass
class Problem:
    """Validated samples, with the scaling and the score."""

    rows: Samples
    X: Any
    y: Any
    scale: Scale
    scoring: Any
    # The scorer of scikit-learn, the name of the score that guides the search, and how it is shown.
    scorer: Any
    guide: str
    shown: str
    groups: NDArray[Any] | None

    @classmethod
    def check(
        cls,
        X: Any,
        y: Any,
        method: Any,
        scale: Any,
        scoring: Any,
        refit: Any,
        sample_weight: Any,
        groups: Any,
    ) -> Problem:
        """Validate the arguments of :func:`nested_cv`."""
        methods = method if isinstance(method, list | tuple) else [method]
        has_steps = any(isinstance(each, Pipeline) for each in methods)
        if not (isinstance(scale, str) or scale is None) or scale not in _SCALES:
            names = ", ".join(repr(name) for name in _SCALES[:-1])
            raise ValueError(f"scale = {scale!r} is not valid: it must be {names} or None")
        if has_steps and scale not in ("auto", None):
            raise ValueError(
                f"scale = {scale!r} is not valid for a pipeline, whose steps scale the samples; "
                "use scale='auto' or None"
            )
        has_matrix = any(_kernel_of(each) == "precomputed" for each in methods)
        if has_matrix and scale not in ("auto", None):
            raise ValueError(
                f"scale = {scale!r} is not valid with kernel = 'precomputed': X is a kernel "
                "matrix, which cannot be scaled; use scale='auto' or None"
            )
        if scale == "auto":
            scale = None if has_steps or has_matrix else "fold"
        if has_steps:
            X, y = indexable(X, y)
            checked = X
        else:
            checked = check_rows(X)
        classes, codes = check_labels(y)
        if len(codes) != n_samples(checked):
            raise ValueError(
                f"X has {n_samples(checked)} samples, but y has {len(codes)} labels; they must "
                "have the same length"
            )
        weights = sample_weights(sample_weight, len(codes))
        if weights is not None and used_rows(weights, classes, codes) is not None:
            row = int(np.argmin(weights))
            raise ValueError(
                f"sample_weight[{row}] = 0 is not valid: weights must be positive in nested_cv; "
                "remove the sample instead"
            )
        scorer, guide, shown = _check_scoring(scoring, refit)
        if scale == "global":
            checked = MinMaxScaler().fit_transform(checked).astype(np.float32)
        rows = Samples(
            checked,
            classes,
            codes,
            weights,
            _SCALINGS.get(scale, "none"),
            True if scale is not None else None,
            class_order.order_of(y, classes),
            (X, y),
        )
        own_groups = check_groups(groups, len(codes))
        return cls(rows, X, y, scale, scoring, scorer, guide, shown, own_groups)

    def scoring_of(self, candidates: Candidates, kind: type) -> Scoring:
        """Return the scores of a method; raise ValueError if they need more than predictions."""
        if reason := unsupported(self.scorer, candidates.models):
            raise ValueError(
                f"scoring = {self.scoring!r} is not valid: {reason}. Use a score of predictions or "
                "decision values, such as 'roc_auc', or cross_validate a GridSearchCV"
            )
        return Scoring(self.scorer, self.rows.classes, candidates.models, kind=kind)


def _kernel_of(method: Any) -> Any:
    """Return the kernel of an estimator; None for other methods."""
    kernel = getattr(method, "kernel", None)
    return kernel if isinstance(kernel, str) else None


def _check_scoring(scoring: Any, refit: Any) -> tuple[Any, str, str]:
    """Return the scorer, and the name and the title of the score that guides the search."""
    if scoring is None or isinstance(scoring, str):
        name = "accuracy" if scoring is None else scoring
        if name not in get_scorer_names():
            raise ValueError(
                f"scoring = {scoring!r} is not valid: it must be a name that "
                "sklearn.metrics.get_scorer_names() lists, a function, or several of them"
            )
        return get_scorer(name), SINGLE, name
    if callable(scoring):
        return scoring, SINGLE, getattr(scoring, "__name__", "score")
    scorer = check_scoring(_Any(), scoring, raise_exc=True)
    if not isinstance(scorer, _MultimetricScorer):
        raise ValueError(f"scoring = {scoring!r} is not valid")
    names = list(scorer._scorers)
    if refit is None and len(names) == 1:
        refit = names[0]
    if refit not in names:
        shown = ", ".join(repr(name) for name in names)
        raise ValueError(
            f"refit = {refit!r} is not valid: with several scores, it must name the score that "
            f"guides the search: {shown}"
        )
    return scorer, refit, refit


class _Any:
    """An estimator of which scikit-learn's check of scores only needs ``fit``."""

    def fit(self, X: Any, y: Any) -> None:
        """Do nothing."""


class Task(NamedTuple):
    """A method, the label of its result, and its candidates."""

    name: str
    label: str
    # An estimator, or a pipeline.
    estimator: Any
    # The candidates as parameters of the estimator.
    cells: list[dict[str, Any]]
    rows: Samples
    candidates: Candidates
    scoring: Scoring


def tasks_of(
    method: Any,
    grid: Any,
    problem: Problem,
    random_state: Any,
    is_resumed: bool,
    search: str,
    n_iter: Any,
) -> list[Task]:
    """Return the tasks of all methods, after checking them."""
    is_one = is_single(method)
    if not is_one and (not isinstance(method, Iterable) or isinstance(method, Mapping | type)):
        raise ValueError(
            f"method = {method!r} is not valid: it must be a name, an estimator, a pipeline, or a "
            "list of them"
        )
    found: list[Task] = []
    for each in [method] if is_one else method:
        name, estimator, steps = _parts_of(each)
        if isinstance(each, str) and isinstance(random_state, Integral):
            estimator.set_params(random_state=random_state)
        if problem.rows.sample_weight is not None and not steps.model._takes_weights:
            raise ValueError(
                f"the method {name!r} does not support sample_weight; leave it out or choose "
                "another method"
            )
        n_before = sum(task.name == name for task in found)
        label = f"{name}-{n_before + 1}" if n_before else name
        cells = cells_of(grid, steps, search, n_iter, random_state)
        if is_resumed:
            whose = "" if isinstance(each, str) else "its "
            _check_seeded(name, steps, cells, f"set {whose}random_state to an int")
        rows = problem.rows
        if isinstance(estimator, Pipeline):
            rows = rows._replace(steps=steps)
        try:
            candidates = Candidates.of(steps, cells, rows.classes, rows.codes)
        except UnsharedError as error:
            raise ValueError(f"the candidates of {name!r} cannot be evaluated: {error}") from None
        if not isinstance(estimator, Pipeline):
            _check_kernels(problem, candidates)
        scoring = problem.scoring_of(candidates, type(estimator))
        found.append(Task(name, label, estimator, cells, rows, candidates, scoring))
    if not found:
        raise ValueError(f"method = {method!r} is not valid: it must name at least one method")
    return found


def _check_kernels(problem: Problem, candidates: Candidates) -> None:
    """Raise ValueError if X cannot be scaled, or is not a kernel matrix."""
    is_scaled = problem.rows.scaling != "none"
    kernels = [setting.kernel for setting in candidates.settings]
    if is_scaled and any(callable(kernel) for kernel in kernels):
        raise ValueError(
            f"scale = {problem.scale!r} is not valid with a kernel function: use scale=None, or a "
            "pipeline of a scaler and the estimator"
        )
    if "precomputed" not in [kernel for kernel in kernels if isinstance(kernel, str)]:
        return
    shape = np.shape(problem.rows.X)
    if is_scaled or shape[0] != shape[1]:
        raise ValueError(
            f"kernel = 'precomputed' is not valid for X of shape {shape} with scale = "
            f"{problem.scale!r}: X must be the square kernel matrix of all samples, and scale None"
        )


def _parts_of(method: Any) -> tuple[str, Any, Steps]:
    """Return the name, the estimator and the steps of a method."""
    if not isinstance(method, Pipeline):
        name, estimator = estimator_of(method)
        return name, estimator, Steps(estimator)
    try:
        steps = Steps(method)
    except UnsharedError as error:
        raise ValueError(f"method = {method!r} is not valid: {error}") from None
    if not isinstance(steps.model, Classifier):
        raise ValueError(
            f"the last step of the pipeline is {steps.model!r}, but it must be an estimator of "
            "softmargin"
        )
    return "pipeline", method, steps


def _check_seeded(name: str, steps: Steps, cells: Sequence[dict[str, Any]], advice: str) -> None:
    """Raise ValueError if a method would draw different random numbers when resumed."""
    for cell in cells:
        _, model, own = steps.split_params(cell)
        params = model.get_params(deep=False)
        seed = (params | own).get("random_state", 0)
        if isinstance(seed, Integral) or not own.keys() <= params.keys():
            continue  # unknown parameters raise an error later
        if type(model)(**params | own)._is_random():
            raise ValueError(
                "a run can resume from a checkpoint only if the same call draws the same random "
                f"numbers, but the method {name!r} has random_state = {seed!r}; {advice}"
            )


def cells_of(
    grid: Any, steps: Steps, search: str = "grid", n_iter: Any = 10, random_state: Any = None
) -> list[dict[str, Any]]:
    """Return the candidates of a grid, or of the default grid of a method.

    Ties go to the first candidate; the parameter of the path (C, margin) varies slowest.
    """
    kind, prefix = type(steps.model), steps.prefix
    path = tuple(f"{prefix}{name}" for name in kind._path)
    if grid is None:
        grid = {path[0]: _DEFAULT_PATHS[kind._path[0]]}
        if hasattr(steps.model, "gamma"):
            grid[f"{prefix}gamma"] = _GAMMAS
    if search == "random":
        count = parameters.positive("n_iter", n_iter)
        return list(ParameterSampler(grid, count, random_state=random_state))
    cells = list(ParameterGrid(grid))
    if cells in ([], [{}]):
        raise ValueError(f"grid = {grid!r} is empty: it must contain at least one parameter")
    values = list(dict.fromkeys(_along(cell, path) for cell in cells))
    return sorted(cells, key=lambda cell: values.index(_along(cell, path)))


def _along(cell: dict[str, Any], path: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(cell.get(name) for name in path)


def positive(name: str, value: Any) -> float:
    """Return a positive number."""
    number = parameters.real(name, value)
    if not number > 0:
        raise ValueError(f"{name} = {number} is not valid: it must be positive")
    return number


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
        folds = nested(*arguments, problem.groups)
        if checkpoint is not None:
            check_repeated(*arguments, problem.groups, folds)
        return cls(problem, folds, search, checkpoint)

    def limit(self, n_jobs: Any, memory_budget: Any, time_limit: Any) -> None:
        """Set the number of threads, the memory budget and the time limit."""
        self.budget = budget_bytes(memory_budget)
        self.threads = thread_count(n_jobs)
        if time_limit is not None:
            self.end = time.monotonic() + positive("time_limit", time_limit)

    def select(self, task: Task) -> NestedResult:
        """Run nested cross-validation with one method."""
        try:
            return self._select(task)
        except UnavailableError as error:
            raise ValueError(
                f"scoring = {self.problem.scoring!r} is not valid: it needs {error}, but only "
                "predictions and decision values of the held-out samples are available"
            ) from None

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
                f"{counts['unfinished']} binary classifiers in {counts['trainings']} trainings of "
                f"{task.name!r} did not converge",
                ConvergenceWarning,
                stacklevel=4,
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
    if isinstance(estimator, Pipeline):
        rows = rows._replace(steps=steps)
    # Cross-validation needs at least two folds.
    splits = plain("inner", rows.X, problem.y, max(2, n_folds), 0, problem.groups)
    candidates = Candidates.of(steps, cells, rows.classes, rows.codes)
    scorings = problem.scoring_of(candidates, type(estimator))
    table, stopped = engine.evaluate(candidates, rows, splits, scorings, engine.Resources(*limits))
    if stopped is not None:
        raise stopped
    best = _best(table.scores(guide))
    whole = clone(estimator).set_params(**clone(cells[best or 0], safe=False))
    model = Steps(whole).model
    prefix = steps.prefix
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
