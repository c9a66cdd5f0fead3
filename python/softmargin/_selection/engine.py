"""Cells of a grid on splits of the rows, evaluated by the core as one computation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from softmargin import _core
from softmargin._checks import class_order, parameters
from softmargin._checks.rows import native_rows
from softmargin._checks.weights import class_weights
from softmargin._estimators.base import Classifier
from softmargin._estimators.methods import overridden
from softmargin._selection import loop

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
    """Checked rows, with their labels and how they are treated.

    ``classes`` are sorted. ``order`` has their places in the order that the labels state, which
    counts for ordinal machines only.
    """

    X: Any
    classes: NDArray[Any]
    codes: NDArray[np.uint32]
    sample_weight: NDArray[np.float64] | None
    scale: bool
    single_precision: bool
    order: NDArray[np.intp] | None = None


def unshared(estimator: Any) -> str | None:
    """Say why fits of an estimator cannot be one computation; None if they can."""
    if reason := overridden(estimator):
        return reason
    name, kernel = type(estimator).__name__, getattr(estimator, "kernel", "linear")
    if not isinstance(kernel, str):
        return f"the kernel of {name} is a function"
    if kernel == "precomputed":
        return f"the kernel of {name} is precomputed"
    if getattr(estimator, "time_limit", None) is not None:
        return f"the time_limit of {name} applies to each fit"
    return None


def empty_table(n_splits: int, n_cells: int) -> Table:
    """Return a table of which nothing is done."""
    shape = (n_splits, n_cells)
    kinds = {"done": bool} | dict.fromkeys(SCORINGS, np.float64)
    return Table._make(np.zeros(shape, dtype=kinds.get(field, np.int64)) for field in Table._fields)


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
    if candidates.reason is not None:
        return _evaluate_apart(candidates, rows, splits, resources, table, missing)
    end = None if resources.time_limit is None else time.monotonic() + resources.time_limit
    for group in candidates.groups:
        stopped = _run(group, missing, rows, splits, resources, table, end)
        if stopped is None and group.limit is not None:
            late = _late(group, table) & missing
            table.done[late] = False
            left = None if end is None else end - time.monotonic()
            resources = resources._replace(time_limit=left)
            _, stopped = _evaluate_apart(candidates, rows, splits, resources, table, late)
        if stopped is not None:
            return table, stopped
    return table, None


def _run(
    group: _Group,
    missing: NDArray[np.bool_],
    rows: Rows,
    splits: Sequence[Split],
    resources: Resources,
    table: Table,
    end: float | None,
) -> BaseException | None:
    """Enter the missing cells of a group into the table; return what stopped it."""
    order = rows.order if group.plan["multi_class"] == "ordinal" else None
    work = _Work.of(group, missing, splits, order)
    if work is None:
        return None
    stopped: BaseException | None = None
    try:
        work.evaluation.run(
            native_rows(rows.X),
            {
                "n_classes": len(rows.classes),
                "sample_weights": rows.sample_weight,
                "scale": rows.scale,
                "single_precision": rows.single_precision,
                "budget_bytes": resources.budget_bytes,
                "threads": resources.threads,
                "time_limit": None if end is None else max(end - time.monotonic(), 1e-9),
                "progress": _reporter(table, work, resources.watcher),
                **group.plan,
                **_labels(group, rows, order),
            },
        )
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
    work.collect(table)
    if resources.seconds is not None:
        for phase, seconds in work.evaluation.seconds():
            resources.seconds[phase] = resources.seconds.get(phase, 0.0) + seconds
    try:
        if resources.watcher is not None:
            resources.watcher.update(table)
    except KeyboardInterrupt as interrupt:  # what is done is done
        stopped = interrupt
    return stopped


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
    if candidates.reason is not None:
        kernels = [[number] for number in range(len(candidates.cells))]
    size = len(splits) * len(kernels)
    size //= _TASKS_OF_WORKER * max(1, int(joblib.effective_n_jobs(-1)))
    size = min(max(size, 1), _SPLITS_OF_TASK)
    for numbers in kernels:
        for start in range(0, len(splits), size):
            chosen = list(range(start, min(start + size, len(splits))))
            wanted = missing[np.ix_(chosen, numbers)]
            if wanted.any():
                tasks.append((chosen, numbers, wanted))
    end = None if resources.time_limit is None else time.monotonic() + resources.time_limit

    def calls() -> Iterator[Any]:
        for chosen, numbers, wanted in tasks:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return
            cells, own = [candidates.cells[cell] for cell in numbers], [splits[s] for s in chosen]
            alone = Resources(1, resources.budget_bytes, left)
            yield joblib.delayed(_evaluate_here)(
                candidates.estimator, cells, rows, own, alone, wanted
            )

    # A task that waits in a queue would take its time later: with a limit, none does.
    queue: dict[str, Any] = {} if end is None else {"pre_dispatch": "n_jobs", "batch_size": 1}
    # Results one by one where the backend can; "multiprocessing" returns all at the end.
    backend, _ = joblib.parallel.get_active_backend()
    return_as = "generator" if backend.supports_return_generator else "list"
    try:
        found = joblib.Parallel(return_as=return_as, **queue)(calls())
        for (chosen, numbers, _), part in zip(tasks, found, strict=False):  # the limit ends both
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


def _evaluate_apart(
    candidates: Candidates,
    rows: Rows,
    splits: Sequence[Split],
    resources: Resources,
    table: Table,
    missing: NDArray[np.bool_],
) -> tuple[Table, BaseException | None]:
    """Do as :func:`evaluate` by fits of the estimator, one after the other."""
    end = None if resources.time_limit is None else time.monotonic() + resources.time_limit
    try:
        for split, cell in np.argwhere(missing).tolist():
            if end is not None and time.monotonic() >= end:
                break
            found = loop.counts(
                candidates.estimator,
                candidates.cells[cell],
                rows,
                splits[split],
                resources.threads,
            )
            for name, value in found.items():
                getattr(table, name)[split, cell] = value
            table.done[split, cell] = True
            if resources.watcher is not None:
                resources.watcher.update(table)
    except KeyboardInterrupt as interrupt:
        return table, interrupt
    return table, None


class _Group(NamedTuple):
    """Cells that differ in kernel and path only."""

    method: str
    settings: dict[str, Any]
    plan: dict[str, Any]
    # Number, kernel and value on the path of each cell.
    cells: list[tuple[int, Any, float]]
    # The most steps of a training, of methods whose trainings start from each other.
    limit: int | None = None
    # Whether each value of the path is trained from the beginning.
    is_apart: bool = False


# A training with a limit of steps counts as finished if it took no more than a share of them:
# a single training, whose kernel values come from elsewhere, may need more.
_SHARE_OF_LIMIT = 10


def _late(group: _Group, table: Table) -> NDArray[np.bool_]:
    """Return the cells of a group that the limit of steps may have ended in a single training."""
    own = np.isin(np.arange(table.done.shape[1]), [number for number, _, _ in group.cells])
    is_near = table.n_unfinished > 0
    if group.is_apart and group.limit is not None:
        is_near |= table.n_iter * _SHARE_OF_LIMIT > group.limit
    return np.asarray(table.done & own & is_near)


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
    kernels: dict[tuple[Any, float | None], dict[float, list[int]]] = {}
    for number, kernel, value in group.cells:
        if wanted[number]:
            own = kernels.setdefault((kernel, value if group.is_apart else None), {})
            own.setdefault(value, []).append(number)
    paths: dict[tuple[float, ...], _Path] = {}
    for (kernel, _), values in kernels.items():
        path = paths.setdefault(tuple(values), ([], list(values), []))
        first = len(path[0]) * len(values)
        path[0].append(kernel)
        for place, numbers in enumerate(values.values()):
            path[2].extend((number, first + place) for number in numbers)
    return list(paths.values())


def _labels(group: _Group, rows: Rows, order: NDArray[np.intp] | None) -> dict[str, Any]:
    """Return the codes of rows, and weights of classes, in an order of the classes."""
    weights = group.plan["class_weights"]
    if order is None:
        return {"codes": rows.codes, "class_weights": weights}
    return {
        "codes": class_order.ranks(order)[rows.codes],
        "class_weights": None if weights is None else weights[order],
    }


class _Work(NamedTuple):
    """An evaluation in the core, and where its cells belong."""

    evaluation: Any
    # Of the classes in the evaluation; those of a table are sorted.
    order: NDArray[np.intp] | None
    split: NDArray[np.int64]
    cell: NDArray[np.int64]
    place: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        group: _Group,
        missing: NDArray[np.bool_],
        splits: Sequence[Split],
        order: NDArray[np.intp] | None = None,
    ) -> _Work | None:
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
        return cls(evaluation, order, *np.concatenate(parts).T)

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
    # Why they are fitted one by one; None if they are one computation.
    reason: str | None = None

    @property
    def is_ordinal(self) -> bool:
        """Whether the order of the classes counts for any cell."""
        own = self.estimator.multi_class
        return any(cell.get("multi_class", own) == "ordinal" for cell in self.cells)

    @classmethod
    def of(cls, estimator: Classifier, cells: Sequence[dict[str, Any]], rows: Rows) -> Candidates:
        """Check the parameters of all cells, and their values in the core."""
        if reason := overridden(estimator):
            for cell in cells:
                loop.check(clone(estimator).set_params(**cell))
            return cls(estimator, cells, [], reason)
        kind = type(estimator)
        params = estimator.get_params(deep=False)
        if params.get("random_state", 0) is None:
            # One seed for all, where each fit would draw its own.
            params["random_state"] = parameters.seed(None) % 2**32
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
                model = kind(**clone(params | cell, safe=False))  # as fits do, also generators
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
    if unshared(model):
        raise ValueError(
            f"{type(model).__name__} with kernel = {getattr(model, 'kernel', None)!r} and "
            f"time_limit = {getattr(model, 'time_limit', None)} cannot be evaluated: kernels must "
            "be named functions of rows, and a limit belongs to the whole run"
        )
    model._check_work()
    plan = {
        "class_weights": _class_weights(model.class_weight, rows),
        "multi_class": parameters.scheme(model.multi_class),
        "break_ties": model._breaks_ties(),
    }
    kernel = model._kernel_arguments()
    _core.check_kernel(kernel)
    settings = model._settings()
    limit = settings["max_iter"] if model._starts_along_path else None
    # A limit that the user sets must be reached from where a single training starts.
    is_apart = limit is not None and limit != type(model)().get_params()["max_iter"]
    return _Group(model._method, settings, plan, [], limit, is_apart), kernel


def _class_weights(class_weight: Any, rows: Rows) -> NDArray[np.float64] | None:
    """Return the weight of each class, or None for weights that each split balances."""
    weights = class_weights(class_weight, rows.classes, rows.codes)
    return None if isinstance(class_weight, str) else weights
