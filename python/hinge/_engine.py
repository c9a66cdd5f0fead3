"""Cells of a grid on splits of the rows, evaluated by the core as one computation."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, NamedTuple, Protocol

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hinge import _core, _input, _parameters
from hinge._classifier import Classifier

Split = tuple[NDArray[Any], NDArray[Any]]


class Table(NamedTuple):
    """What each cell did on each split; ``done`` tells which are there.

    All arrays have shape (n_splits, n_cells). Scores are those of the test rows, as
    scikit-learn defines them.
    """

    done: NDArray[np.bool_]
    accuracy: NDArray[np.float64]
    balanced_accuracy: NDArray[np.float64]
    f1_macro: NDArray[np.float64]
    n_support: NDArray[np.int64]
    n_iter: NDArray[np.int64]
    n_loops: NDArray[np.int64]
    n_kernel_evals: NDArray[np.int64]
    n_unfinished: NDArray[np.int64]

    def scores(self, scoring: str) -> NDArray[np.float64]:
        """Return the scores of all cells; NaN for what is not done."""
        return np.where(self.done, getattr(self, scoring), np.nan)


SCORINGS = ("accuracy", "balanced_accuracy", "f1_macro")


class Watcher(Protocol):
    """Whom a computation tells how far it is."""

    def update(self, table: Table) -> None:
        """See what is done so far; called now and then, and at the end."""


class Resources(NamedTuple):
    """What a computation may use, and whom it tells."""

    threads: int
    budget_bytes: int
    time_limit: float | None = None
    watcher: Watcher | None = None
    # To which the seconds of all threads are added, by phase.
    seconds: dict[str, float] | None = None


class Rows(NamedTuple):
    """Checked rows, with their labels and how they are treated."""

    X: Any
    classes: NDArray[Any]
    codes: NDArray[np.uint32]
    sample_weight: NDArray[np.float64] | None
    scale: bool
    single_precision: bool


def can_share(estimator: Any) -> bool:
    """Tell whether the core knows the method, kernel and limits of an estimator."""
    kernel = getattr(estimator, "kernel", "linear")
    return (
        isinstance(estimator, Classifier)
        and isinstance(kernel, str)
        and kernel != "precomputed"
        and getattr(estimator, "time_limit", None) is None
    )


def empty_table(n_splits: int, n_cells: int) -> Table:
    """Return a table of which nothing is done."""
    shape = (n_splits, n_cells)
    scores: list[Any] = [np.zeros(shape, dtype=np.float64) for _ in SCORINGS]
    counts: list[Any] = [np.zeros(shape, dtype=np.int64) for _ in range(5)]
    return Table(np.zeros(shape, dtype=bool), *scores, *counts)


def evaluate(
    candidates: Candidates,
    rows: Rows,
    splits: Sequence[Split],
    resources: Resources,
    table: Table | None = None,
    wanted: NDArray[np.bool_] | None = None,
) -> tuple[Table, BaseException | None]:
    """Return the table of all cells on all splits, going on from a table that is given.

    ``wanted[s, c]`` tells which cells are wanted on which splits; None for all. Cells that
    were not reached, by an interrupt (which is returned, not raised) or the time limit, are
    not marked as done.
    """
    table = empty_table(len(splits), len(candidates.cells)) if table is None else table
    missing = ~table.done if wanted is None else wanted & ~table.done
    if _is_spread():
        return _evaluate_elsewhere(candidates, rows, splits, resources, table, missing)
    end = None if resources.time_limit is None else time.monotonic() + resources.time_limit
    for group in candidates.groups:
        work = _Work.of(group, missing, splits)
        if work is None:
            continue
        stopped: BaseException | None = None
        try:
            work.evaluation.run(
                _input.native_rows(rows.X),
                {
                    "codes": rows.codes,
                    "n_classes": len(rows.classes),
                    "sample_weights": rows.sample_weight,
                    "scale": rows.scale,
                    "single_precision": rows.single_precision,
                    "budget_bytes": resources.budget_bytes,
                    "threads": resources.threads,
                    "time_limit": None if end is None else max(end - time.monotonic(), 1e-9),
                    "progress": _reporter(table, work, resources.watcher),
                    **group.plan,
                },
            )
        except KeyboardInterrupt as interrupt:
            stopped = interrupt
        work.collect(table)
        if resources.seconds is not None:
            for phase, seconds in work.evaluation.seconds():
                resources.seconds[phase] = resources.seconds.get(phase, 0.0) + seconds
        if resources.watcher is not None:
            resources.watcher.update(table)
        if stopped is not None:
            return table, stopped
    return table, None


# The most splits that go to a worker together, and the least tasks of a worker.
_SPLITS_OF_TASK = 5
_TASKS_OF_WORKER = 4


def _is_spread() -> bool:
    """Tell whether a ``joblib.parallel_config`` with a backend of processes surrounds us."""
    config = getattr(joblib.parallel._backend, "config", None)
    backend = config.get("backend") if isinstance(config, dict) else None
    if not isinstance(backend, joblib.parallel.ParallelBackendBase):
        return False
    # A worker of joblib is surrounded by the backend of its own insides, at a deeper level.
    return not backend.nesting_level and not getattr(backend, "uses_threads", False)


def _evaluate_elsewhere(
    candidates: Candidates,
    rows: Rows,
    splits: Sequence[Split],
    resources: Resources,
    table: Table,
    missing: NDArray[np.bool_],
) -> tuple[Table, BaseException | None]:
    """Do as :func:`evaluate` on the workers of joblib: some splits with one kernel each."""
    tasks = []
    # Cells of one kernel belong together.
    kernels = [list(numbers) for group in candidates.groups for numbers in _by_kernel(group)]
    size = len(splits) * len(kernels)
    size //= _TASKS_OF_WORKER * max(1, int(joblib.effective_n_jobs(-1)))
    size = min(max(size, 1), _SPLITS_OF_TASK)
    for numbers in kernels:
        for start in range(0, len(splits), size):
            chosen = list(range(start, min(start + size, len(splits))))
            wanted = missing[np.ix_(chosen, numbers)]
            if wanted.any():
                tasks.append((chosen, numbers, wanted))
    alone = Resources(1, resources.budget_bytes, resources.time_limit)
    found = joblib.Parallel(return_as="generator")(
        joblib.delayed(_evaluate_here)(
            candidates.estimator,
            [candidates.cells[cell] for cell in numbers],
            rows,
            [splits[s] for s in chosen],
            alone,
            wanted,
        )
        for chosen, numbers, wanted in tasks
    )
    try:
        for (chosen, numbers, _), part in zip(tasks, found, strict=True):
            new = part.done
            place = np.array(chosen)[np.nonzero(new)[0]], np.array(numbers)[np.nonzero(new)[1]]
            for own, other in zip(table, part, strict=True):
                own[place] = other[new]
            if resources.watcher is not None:
                resources.watcher.update(table)
    except KeyboardInterrupt as interrupt:
        return table, interrupt
    return table, None


def _evaluate_here(
    estimator: Classifier,
    cells: Sequence[dict[str, Any]],
    rows: Rows,
    splits: Sequence[Split],
    resources: Resources,
    wanted: NDArray[np.bool_],
) -> Table:
    """Evaluate in a worker, on its one thread."""
    candidates = Candidates.of(estimator, cells, rows)
    with joblib.parallel_config(backend="threading", n_jobs=1):
        table, stopped = evaluate(candidates, rows, splits, resources, None, wanted)
    if stopped is not None:
        raise stopped
    return table


class _Group(NamedTuple):
    """Cells that differ in kernel and path only."""

    method: str
    settings: dict[str, Any]
    plan: dict[str, Any]
    # Number, kernel and value on the path of each cell.
    cells: list[tuple[int, Any, float]]


def _by_kernel(group: _Group) -> list[list[int]]:
    """Return the numbers of the cells of each kernel."""
    kernels: dict[Any, list[int]] = {}
    for number, kernel, _ in group.cells:
        kernels.setdefault(kernel, []).append(number)
    return list(kernels.values())


# Kernels with one path, and for each cell its place: kernel after kernel, value after value.
_Path = tuple[list[Any], list[float], list[tuple[int, int]]]


def _paths(group: _Group, wanted: NDArray[np.bool_]) -> list[_Path]:
    """Return the wanted cells as kernels that have one path."""
    kernels: dict[Any, dict[float, list[int]]] = {}
    for number, kernel, value in group.cells:
        if wanted[number]:
            kernels.setdefault(kernel, {}).setdefault(value, []).append(number)
    paths: dict[tuple[float, ...], _Path] = {}
    for kernel, values in kernels.items():
        path = paths.setdefault(tuple(values), ([], list(values), []))
        first = len(path[0]) * len(values)
        path[0].append(kernel)
        for place, numbers in enumerate(values.values()):
            path[2].extend((number, first + place) for number in numbers)
    return list(paths.values())


class _Work(NamedTuple):
    """An evaluation in the core, and where its cells belong."""

    evaluation: Any
    split: NDArray[np.int64]
    cell: NDArray[np.int64]
    place: NDArray[np.int64]

    @classmethod
    def of(cls, group: _Group, missing: NDArray[np.bool_], splits: Sequence[Split]) -> _Work | None:
        """Return the work that cells of a group are missing from some splits, if any is."""
        jobs: list[Any] = []
        parts: list[NDArray[np.int64]] = []
        known: dict[bytes, list[_Path]] = {}
        n_before = 0
        for number in np.flatnonzero(missing.any(axis=1)).tolist():
            key = missing[number].tobytes()
            if key not in known:
                known[key] = _paths(group, missing[number])
            if not known[key]:
                continue
            train, test = (part.astype(np.uint32) for part in splits[number])
            for kernels, path, cells in known[key]:
                jobs.append((train, test, kernels, path))
                placed = np.empty((len(cells), 3), dtype=np.int64)
                placed[:, 0] = number
                placed[:, 1:] = cells
                placed[:, 2] += n_before
                parts.append(placed)
                n_before += len(kernels) * len(path)
        if not jobs:
            return None
        evaluation = _core.Evaluation(group.method, group.settings, jobs)
        return cls(evaluation, *np.concatenate(parts).T)

    def collect(self, table: Table) -> None:
        """Enter what is done into the table."""
        found = self.evaluation.table()
        done = found["done"][self.place]
        split, cell, place = self.split[done], self.cell[done], self.place[done]
        for name, own in table._asdict().items():
            own[split, cell] = found[name][place]


def _reporter(table: Table, work: _Work, watcher: Watcher | None) -> Callable[[int], None] | None:
    """Return what the core calls while it works."""
    if watcher is None:
        return None
    last = 0

    def report(_: int) -> None:
        nonlocal last
        n_done = work.evaluation.n_done()
        if n_done > last:
            last = n_done
            work.collect(table)
            watcher.update(table)

    return report


class Candidates(NamedTuple):
    """Cells of a grid, checked."""

    estimator: Classifier
    cells: Sequence[dict[str, Any]]
    groups: list[_Group]

    @classmethod
    def of(cls, estimator: Classifier, cells: Sequence[dict[str, Any]], rows: Rows) -> Candidates:
        """Check the parameters of all cells, and their values in the core."""
        kind = type(estimator)
        params = estimator.get_params(deep=False)
        if not isinstance(params.get("random_state", 0), Integral):
            # One seed for all, where each fit would draw its own.
            params["random_state"] = _parameters.seed(params["random_state"]) % 2**32
        groups: dict[str, _Group] = {}
        # Cells that differ along the path only are checked once.
        known: dict[str, tuple[_Group, Any]] = {}
        for number, cell in enumerate(cells):
            if not cell.keys() <= params.keys():
                clone(estimator).set_params(**cell)  # says which are known
            rest = sorted((name, repr(cell[name])) for name in cell if name not in kind._path)
            # Of several names for the path, one is used.
            used = [name for name in kind._path if (params | cell).get(name) is not None]
            key = repr((rest, used))
            if key not in known:
                model = kind(**params | cell)
                group, kernel = _check(model, rows)
                shared = repr((model.class_weight, group._replace(plan={})))
                shared += repr((group.plan["multi_class"], group.plan["break_ties"]))
                known[key] = groups.setdefault(shared, group), kernel
            group, kernel = known[key]
            group.cells.append((number, kernel, kind._path_value(params | cell)))
        no_rows = np.empty(0, dtype=np.uint32)
        for group in groups.values():
            _Work.of(group, np.ones((1, len(cells)), dtype=bool), [(no_rows, no_rows)])
        return cls(kind(**params), cells, list(groups.values()))


def _check(model: Classifier, rows: Rows) -> tuple[_Group, Any]:
    """Return the group that a model belongs to, still empty, and its kernel."""
    if not can_share(model):
        raise ValueError(
            f"{type(model).__name__} with kernel = {getattr(model, 'kernel', None)!r} and "
            f"time_limit = {getattr(model, 'time_limit', None)} cannot be evaluated: kernels must "
            "be named functions of rows, and a limit belongs to the whole run"
        )
    model._check_work()
    plan = {
        "class_weights": _class_weights(model.class_weight, rows),
        "multi_class": _parameters.scheme(model.multi_class),
        "break_ties": model._breaks_ties(),
    }
    kernel = model._kernel_arguments()
    _core.check_kernel(kernel)
    return _Group(model._method, model._settings(), plan, []), kernel


def _class_weights(class_weight: Any, rows: Rows) -> NDArray[np.float64] | None:
    """Return the weight of each class, or None for weights that each split balances."""
    weights = _input.class_weights(class_weight, rows.classes, rows.codes)
    return None if isinstance(class_weight, str) else weights
