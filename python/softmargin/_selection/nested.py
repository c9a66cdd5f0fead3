"""Nested cross-validation: inner folds select hyperparameters, outer folds evaluate them."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline, make_pipeline

from softmargin._checks import class_order, parameters
from softmargin._checks.labels import check_labels
from softmargin._checks.resources import budget_bytes, thread_count
from softmargin._checks.rows import check_rows
from softmargin._checks.weights import sample_weights, used_rows
from softmargin._estimators.base import Classifier
from softmargin._estimators.methods import METHODS, estimator_of
from softmargin._estimators.scaling import MinMaxScaler
from softmargin._selection import engine
from softmargin._selection.checkpoint import Checkpoint, signature
from softmargin._selection.comparison import NestedComparison
from softmargin._selection.inner import InnerSearch
from softmargin._selection.progress import watcher_of
from softmargin._selection.result import NestedResult
from softmargin._selection.splits import Folds, check_repeatable, check_repeated, nested, plain

Scale = Literal["fold", "global"] | None

# The grids of Melki and Kecman (2016) and Melki (2018).
_CS = [4.0**power for power in range(-2, 6)]
_GAMMAS = [4.0**power for power in range(-5, 3)]
# On eleven data sets, margins below 0.003 or above 1 changed accuracies only by chance.
_MARGINS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8]
_DEFAULT_PATHS = {"C": _CS, "margin": _MARGINS}


def nested_cv(
    X: Any,
    y: Any,
    method: str | Classifier | Sequence[str | Classifier] = "svc",
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None = None,
    outer: Any = 5,
    inner: Any = 5,
    search: Literal["grid", "pattern"] = "grid",
    scale: Scale = "fold",
    scoring: Literal["accuracy", "balanced_accuracy", "f1_macro"] = "accuracy",
    sample_weight: Any = None,
    n_jobs: int | None = -1,
    memory_budget: int | None = None,
    prune: bool = False,
    random_state: Any = None,
    progress: bool | Callable[[dict[str, Any]], None] | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Any:
    """Select hyperparameters by inner cross-validation and evaluate the choice on outer folds.

    Every candidate of the grid is trained on every inner split of every outer fold. The candidate
    with the highest mean score is trained on the outer training samples and evaluated on the
    held-out samples. Ties go to the first candidate, that is, to the smaller C or margin, then to
    the smaller gamma. All trainings are one computation that shares scaled samples, distances,
    kernel matrices and regularization paths; the result agrees with separate trainings up to
    ``tol``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels.
    method : str, estimator, or a list of them, default="svc"
        One of :func:`softmargin.methods`, or an estimator with the parameters that the grid does
        not vary. A list compares methods on the same folds. A subclass of a Softmargin estimator
        is fitted once per candidate and split by its own methods, which takes longer.
    grid : dict of lists, list of such dicts, or None, default=None
        Candidates. None uses an 8 x 8 grid: C = 4^-2 ... 4^5 (OLLAWV: eight margins) and
        gamma = 4^-5 ... 4^2. Linear methods have no gamma.
    outer, inner : int, splitter or iterable of pairs, default=5
        Number of stratified, shuffled folds; or a splitter of scikit-learn (for repeated
        hold-out, ``StratifiedShuffleSplit(10, test_size=0.1)``); or pairs of training and test
        samples, as indices or boolean masks.
    search : {"grid", "pattern"}, default="grid"
        "grid" evaluates all candidates. "pattern" evaluates a five-point cross on the grid, which
        moves to its best point and halves its step if the center is the best.
    scale : {"fold", "global", None}, default="fold"
        How to scale features to [0, 1]: "fold" by the training samples of each split, "global" by
        all samples (as Melki and Kecman (2016) and Melki (2018) did; it leaks information from the
        held-out samples), None not at all.
    scoring : {"accuracy", "balanced_accuracy", "f1_macro"}, default="accuracy"
        Score by which candidates are compared and evaluated.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Positive weights that multiply C for each training sample. OLLAWV does not support them.
    n_jobs : int or None, default=-1
        Number of threads; -1 uses all processors.
    memory_budget : int or None, default=None
        Bytes for distances, kernel matrices and votes; None uses half of the free memory. A kernel
        matrix that exceeds the budget is replaced by a cache of its rows.
    prune : bool, default=False
        Stop evaluating a candidate that can no longer win: even with perfect scores on its
        remaining folds it stays below a finished candidate. The choice is the same, up to the
        tolerance of methods whose trainings start from each other; scores that were not computed
        are NaN. Only for ``search="grid"``.
    random_state : int, RandomState or None, default=None
        Seed of the folds. An int is also the seed of methods that are given by name.
    progress : bool, callable or None, default=None
        True shows a progress bar on stderr with the finished trainings, the best score so far and
        the remaining time. A function is called with a dictionary of these numbers: "method",
        "done", "total", "best", "seconds", "seconds_left". "best" is the highest mean score of a
        candidate over all inner folds of an outer fold; it never decreases, and is NaN before the
        first candidate is finished.
    time_limit : float or None, default=None
        Time limit in seconds; the results finished by then are returned.
    checkpoint : path or None, default=None
        File to which inner scores are written every few seconds. Rerun the same call to resume;
        the result is that of an uninterrupted run. Folds and methods that draw random numbers
        need a seed: a call that could not be resumed raises ValueError before the first training.

    Returns
    -------
    NestedResult or NestedComparison
        A NestedComparison for a list of methods, with the results by name ("svc", "svc-2", ...).
        After Ctrl-C, the results so far with ``complete=False``, if any training has finished;
        the printed result shows the progress and the best inner score so far.

    Notes
    -----
    With scaling, kernel values are computed in float32 (sums and solutions in float64); without
    scaling, in the dtype of X.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = softmargin.nested_cv(X, y, method="ollawv", random_state=0)
    >>> result.mean_score > 0.9
    True
    """
    if checkpoint is not None:
        check_repeatable(outer, inner, random_state)
    problem = _Problem.check(X, y, scale, scoring, sample_weight)
    folds = nested(problem.rows.X, y, outer, inner, random_state)
    if checkpoint is not None:
        check_repeated(problem.rows.X, y, outer, inner, random_state, folds)
    budget = budget_bytes(memory_budget)
    threads = thread_count(n_jobs)
    end = None if time_limit is None else time.monotonic() + _positive("time_limit", time_limit)
    prune = parameters.flag("prune", prune)
    parameters.choice("search", search, ("grid", "pattern"))
    run = _Run(problem, folds, threads, budget, end, prune, progress, checkpoint)
    # Check all methods before the first training.
    tasks = _tasks(method, grid, problem.rows, random_state, checkpoint is not None)
    if problem.rows.order is None and any(task.candidates.is_ordinal for task in tasks):
        class_order.warn_if_text(problem.rows.classes)
    if isinstance(method, str | Classifier):
        return run.select(tasks[0], search)
    results: dict[str, NestedResult] = {}
    for task in tasks:
        try:
            results[task.label] = run.select(task, search)
        except KeyboardInterrupt:  # before its first training finished
            if not results:
                raise
            break
        if not results[task.label].complete:
            break
    return NestedComparison(results, [task.label for task in tasks if task.label not in results])


class _Task(NamedTuple):
    """A method, the label of its result, and its candidates."""

    name: str
    label: str
    estimator: Classifier
    candidates: engine.Candidates


def _tasks(
    method: Any, grid: Any, rows: engine.Samples, random_state: Any, is_resumed: bool
) -> list[_Task]:
    """Return the tasks of all methods, after checking them."""
    is_one = isinstance(method, str | Classifier)
    if not is_one and (not isinstance(method, Iterable) or isinstance(method, Mapping | type)):
        raise ValueError(
            f"method = {method!r} is not valid: it must be a name, an estimator, or a list of them"
        )
    found: list[_Task] = []
    for each in [method] if is_one else method:
        name, estimator = estimator_of(each)
        if isinstance(each, str) and isinstance(random_state, Integral):
            estimator.set_params(random_state=random_state)
        if rows.sample_weight is not None and not estimator._takes_weights:
            raise ValueError(
                f"the method {name!r} does not support sample_weight; leave it out or choose "
                "another method"
            )
        n_before = sum(task.name == name for task in found)
        label = f"{name}-{n_before + 1}" if n_before else name
        cells = cells_of(grid, name)
        if is_resumed:
            whose = "" if isinstance(each, str) else "its "
            _check_seeded(name, estimator, cells, f"set {whose}random_state to an int")
        candidates = engine.Candidates.of(estimator, cells, rows)
        found.append(_Task(name, label, estimator, candidates))
    if not found:
        raise ValueError(f"method = {method!r} is not valid: it must name at least one method")
    return found


def _check_seeded(
    name: str, estimator: Classifier, cells: Sequence[dict[str, Any]], advice: str
) -> None:
    """Raise ValueError if a method would draw different random numbers when resumed."""
    params = estimator.get_params(deep=False)
    for cell in cells:
        seed = (params | cell).get("random_state", 0)
        if isinstance(seed, Integral) or not cell.keys() <= params.keys():
            continue  # unknown parameters raise an error later
        if type(estimator)(**params | cell)._is_random():
            raise ValueError(
                "a run can resume from a checkpoint only if the same call draws the same random "
                f"numbers, but the method {name!r} has random_state = {seed!r}; {advice}"
            )


@dataclass
class _Problem:
    """Validated samples, with the scaling and the score."""

    rows: engine.Samples
    X: Any
    y: Any
    scale: Scale
    scoring: str

    @classmethod
    def check(cls, X: Any, y: Any, scale: Any, scoring: Any, sample_weight: Any) -> _Problem:
        checked = check_rows(X)
        classes, codes = check_labels(y)
        if len(codes) != checked.shape[0]:
            raise ValueError(
                f"X has {checked.shape[0]} samples, but y has {len(codes)} labels; they must have "
                "the same length"
            )
        if scale not in ("fold", "global", None):
            raise ValueError(f"scale = {scale!r} is not valid: it must be 'fold', 'global' or None")
        parameters.choice("scoring", scoring, engine.SCORINGS)
        weights = sample_weights(sample_weight, len(codes))
        if weights is not None and used_rows(weights, classes, codes) is not None:
            row = int(np.argmin(weights))
            raise ValueError(
                f"sample_weight[{row}] = 0 is not valid: weights must be positive in nested_cv; "
                "remove the sample instead"
            )
        if scale == "global":
            checked = MinMaxScaler().fit_transform(checked).astype(np.float32)
        order = class_order.order_of(y, classes)
        rows = engine.Samples(
            checked, classes, codes, weights, scale == "fold", scale is not None, order
        )
        return cls(rows, X, y, scale, scoring)

    def parts(self) -> tuple[Any, ...]:
        """Return all fields as public types, which can be pickled."""
        return (tuple(self.rows), self.X, self.y, self.scale, self.scoring)


def _positive(name: str, value: Any) -> float:
    number = parameters.real(name, value)
    if not number > 0:
        raise ValueError(f"{name} = {number} is not valid: it must be positive")
    return number


def cells_of(grid: Any, method: str) -> list[dict[str, Any]]:
    """Return the candidates of a grid, or of the default grid of a method.

    Ties go to the first candidate; the parameter of the path (C, margin) varies slowest.
    """
    path = METHODS[method]._path
    if grid is None:
        grid = {path[0]: _DEFAULT_PATHS[path[0]]}
        if hasattr(METHODS[method](), "gamma"):
            grid["gamma"] = _GAMMAS
    cells = list(ParameterGrid(grid))
    if cells in ([], [{}]):
        raise ValueError(f"grid = {grid!r} is empty: it must contain at least one parameter")
    values = list(dict.fromkeys(_along(cell, path) for cell in cells))
    return sorted(cells, key=lambda cell: values.index(_along(cell, path)))


def _along(cell: dict[str, Any], path: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(cell.get(name) for name in path)


class _Watchers:
    """Notifies several watchers."""

    def __init__(self, *watchers: Any) -> None:
        self.watchers = [watcher for watcher in watchers if watcher is not None]

    def update(self, table: engine.Table) -> None:
        for watcher in self.watchers:
            watcher.update(table)


@dataclass
class _Run:
    """The samples, folds and limits of one call."""

    problem: _Problem
    folds: Folds
    threads: int
    budget: int
    end: float | None
    prune: bool
    progress: Any
    checkpoint: str | os.PathLike[str] | None

    def select(self, task: _Task, search: str) -> NestedResult:
        """Run nested cross-validation with one method."""
        name, label, estimator, candidates = task
        cells = list(candidates.cells)
        rows, folds = self.problem.rows, self.folds
        if not candidates.is_ordinal:
            # The order has no effect on the run, so it must not change the signature either.
            rows = rows._replace(order=None)
        seconds: dict[str, float] = {}
        splits = [split for _, inside in folds for split in inside]
        table = engine.empty_table(len(splits), len(cells))
        n_inner = len(splits) // len(folds)
        shown = watcher_of(self.progress, name, self.problem.scoring, n_inner)
        saved = None
        if self.checkpoint is not None:
            run = signature(estimator, cells, rows, splits)
            saved = Checkpoint(self.checkpoint, label, run)
            saved.load(table, np.array([len(test) for _, test in splits]))
        watcher = _Watchers(shown, saved) if shown or saved else None
        inner = InnerSearch(
            candidates,
            rows,
            splits,
            len(folds),
            self.problem.scoring,
            lambda: self._resources(seconds, watcher),
            table,
        )
        start = time.perf_counter()
        try:
            if search == "pattern":
                stopped = inner.search_pattern()
            elif self.prune:
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
        outer_table = engine.empty_table(len(folds), len(cells))
        if stopped is None:
            wanted = np.zeros(outer_table.done.shape, dtype=bool)
            for o, cell in enumerate(best):
                wanted[o, cell if cell is not None else []] = True
            outer = [split for split, _ in folds]
            resources = self._resources(seconds, None)
            _, stopped = engine.evaluate(candidates, rows, outer, resources, outer_table, wanted)
        if isinstance(stopped, KeyboardInterrupt) and not table.done.any():
            raise stopped
        outer_scores, support = self._outer(outer_table, best)
        counts = _counts(table, outer_table)
        if counts["unfinished"]:
            warnings.warn(
                f"{counts['unfinished']} binary classifiers in {counts['trainings']} trainings of "
                f"{name!r} did not converge",
                ConvergenceWarning,
                stacklevel=3,
            )
        is_complete = stopped is None and not np.isnan(outer_scores).any()
        why: Literal["interrupt", "time limit"] = "time limit" if stopped is None else "interrupt"
        is_planned = search == "grid" and not self.prune
        limits = (self.threads, self.budget)
        return NestedResult(
            method=label,
            scoring=self.problem.scoring,
            cells=cells,
            inner_scores=scores,
            outer_scores=outer_scores,
            best_params=[cells[cell] if cell is not None else {} for cell in best],
            support_fraction=support,
            seconds={"inner": searched - start, "outer": time.perf_counter() - searched, **seconds},
            counts=counts,
            complete=is_complete,
            planned=table.done.size + len(folds) if is_planned else None,
            stopped=None if is_complete else why,
            _refit=(*self.problem.parts(), estimator, cells, inner.n_inner, limits),
            engine_reason=candidates.reason,
        )

    def _resources(self, seconds: dict[str, float], watcher: Any) -> engine.Resources:
        left = None if self.end is None else max(self.end - time.monotonic(), 1e-9)
        return engine.Resources(self.threads, self.budget, left, watcher, seconds)

    def _outer(
        self, table: engine.Table, best: list[int | None]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the score and the fraction of support vectors of each outer fold."""
        scores, support = np.full(len(best), np.nan), np.full(len(best), np.nan)
        of_cells = table.scores(self.problem.scoring)
        for o, cell in enumerate(best):
            if cell is not None and table.done[o, cell]:
                scores[o] = of_cells[o, cell]
                n_support = table.n_support[o, cell]
                support[o] = n_support / len(self.folds[o][0][0]) if n_support else np.nan
        return scores, support


def _best(scores: NDArray[np.float64]) -> int | None:
    """Return the first candidate with the highest mean score over all inner folds."""
    means = scores.mean(axis=0)
    return None if np.isnan(means).all() else int(np.nanargmax(means))


def _counts(*tables: engine.Table) -> dict[str, int]:
    """Return the totals over all trainings."""
    numbers = {
        "trainings": "done",
        "kernel_evaluations": "n_kernel_evals",
        "loops": "n_loops",
        "steps": "n_iter",
        "unfinished": "n_unfinished",
    }
    return {
        shown: sum(int(getattr(table, name).sum()) for table in tables)
        for shown, name in numbers.items()
    }


def refit(
    rows: tuple[Any, ...],
    X: Any,
    y: Any,
    scale: Scale,
    scoring: str,
    estimator: Classifier,
    cells: list[dict[str, Any]],
    n_folds: int,
    limits: tuple[int, int],
) -> Any:
    """Select a candidate by cross-validation on all samples, and fit it to them."""
    from sklearn.base import clone

    problem = _Problem(engine.Samples(*rows), X, y, scale, scoring)
    # Cross-validation needs at least two folds.
    splits = plain("inner", problem.rows.X, problem.y, max(2, n_folds), 0)
    candidates = engine.Candidates.of(estimator, cells, problem.rows)
    table, stopped = engine.evaluate(candidates, problem.rows, splits, engine.Resources(*limits))
    if stopped is not None:
        raise stopped
    best = _best(table.scores(problem.scoring))
    model = clone(estimator).set_params(**cells[best or 0])
    if "n_jobs" in model.get_params(deep=False):
        model.set_params(n_jobs=limits[0])
    whole: Pipeline | Classifier = model
    if problem.scale is not None:
        whole = make_pipeline(MinMaxScaler(), model)
    name = type(model).__name__.lower()
    weights = problem.rows.sample_weight
    key = "sample_weight" if whole is model else f"{name}__sample_weight"
    extra = {} if weights is None else {key: weights}
    with class_order.suppress_warning():
        return whole.fit(problem.X, problem.y, **extra)
