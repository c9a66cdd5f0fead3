"""Cells of a grid on splits of the rows, evaluated by the core as one computation."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from hinge import _core, _input, _parameters
from hinge._base import KernelClassifier
from hinge._ollawv import OLLAWV
from hinge._svc import SVC, optional_count

# The parameter whose values cost little once one of them is trained.
PATHS: dict[type[KernelClassifier], str] = {SVC: "C", OLLAWV: "margin"}

Split = tuple[NDArray[Any], NDArray[Any]]


class Table(NamedTuple):
    """What each cell did on each split; ``done`` tells which are there.

    ``confusion[s, c, a, b]`` counts the test rows of class a that were predicted as b.
    """

    done: NDArray[np.bool_]
    confusion: NDArray[np.int64]
    n_support: NDArray[np.int64]
    n_iter: NDArray[np.int64]
    n_unfinished: NDArray[np.int64]


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
    kernel = getattr(estimator, "kernel", None)
    return (
        type(estimator) in PATHS
        and isinstance(kernel, str)
        and kernel != "precomputed"
        and getattr(estimator, "time_limit", None) is None
    )


def takes_weights(estimator: KernelClassifier) -> bool:
    """Tell whether the method has weights of rows."""
    return isinstance(estimator, SVC)


def empty_table(n_splits: int, n_cells: int, n_classes: int) -> Table:
    """Return a table of which nothing is done."""
    shape = (n_splits, n_cells)
    return Table(
        np.zeros(shape, dtype=bool),
        np.zeros((*shape, n_classes, n_classes), dtype=np.int64),
        *(np.zeros(shape, dtype=np.int64) for _ in range(3)),
    )


def evaluate(
    estimator: KernelClassifier,
    cells: Sequence[dict[str, Any]],
    rows: Rows,
    splits: Sequence[Split],
    resources: Resources,
    table: Table | None = None,
) -> tuple[Table, BaseException | None]:
    """Return the table of all cells on all splits, going on from a table that is given.

    Cells that were not reached, by an interrupt (which is returned, not raised) or the
    time limit, are not marked as done.
    """
    k = len(rows.classes)
    table = empty_table(len(splits), len(cells), k) if table is None else table
    if _is_spread():
        return _evaluate_elsewhere(estimator, cells, rows, splits, resources, table)
    end = None if resources.time_limit is None else time.monotonic() + resources.time_limit
    for group in _groups(estimator, cells, rows):
        jobs = _jobs(group, table)
        if not jobs:
            continue
        given = []
        for job in jobs:
            train, test = (part.astype(np.uint32) for part in splits[job.split])
            given.append((train, test, job.kernels, list(job.path)))
        evaluation = _core.Evaluation(group.method, group.settings, given)
        stopped: BaseException | None = None
        try:
            evaluation.run(
                _input.native_rows(rows.X),
                {
                    "codes": rows.codes,
                    "n_classes": k,
                    "sample_weights": rows.sample_weight,
                    "scale": rows.scale,
                    "single_precision": rows.single_precision,
                    "budget_bytes": resources.budget_bytes,
                    "threads": resources.threads,
                    "time_limit": None if end is None else max(end - time.monotonic(), 1e-9),
                    "progress": _reporter(table, group, jobs, evaluation, resources.watcher),
                    **group.plan,
                },
            )
        except KeyboardInterrupt as interrupt:
            stopped = interrupt
        _collect(table, group, jobs, evaluation)
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
    estimator: KernelClassifier,
    cells: Sequence[dict[str, Any]],
    rows: Rows,
    splits: Sequence[Split],
    resources: Resources,
    table: Table,
) -> tuple[Table, BaseException | None]:
    """Do as :func:`evaluate` on the workers of joblib: some splits with one kernel each."""
    tasks = []
    groups = _groups(estimator, cells, rows)
    n_parts = len(splits) * sum(len(group.places) for group in groups)
    size = n_parts // (_TASKS_OF_WORKER * max(1, int(joblib.effective_n_jobs(-1))))
    size = min(max(size, 1), _SPLITS_OF_TASK)
    for group in groups:
        for wanted, _ in group.places.values():
            for start in range(0, len(splits), size):
                chosen = list(range(start, min(start + size, len(splits))))
                if not table.done[np.ix_(chosen, wanted)].all():
                    tasks.append((chosen, wanted))
    alone = Resources(1, resources.budget_bytes, resources.time_limit)
    found = joblib.Parallel(return_as="generator")(
        joblib.delayed(_evaluate_here)(
            estimator, [cells[cell] for cell in wanted], rows, [splits[s] for s in chosen], alone
        )
        for chosen, wanted in tasks
    )
    try:
        for (chosen, wanted), part in zip(tasks, found, strict=True):
            for own, new in zip(table, part, strict=True):
                own[np.ix_(chosen, wanted)] = new
            if resources.watcher is not None:
                resources.watcher.update(table)
    except KeyboardInterrupt as interrupt:
        return table, interrupt
    return table, None


def _evaluate_here(*arguments: Any) -> Table:
    """Evaluate in a worker, on its one thread."""
    with joblib.parallel_config(backend="threading", n_jobs=1):
        table, stopped = evaluate(*arguments)
    if stopped is not None:
        raise stopped
    return table


class _Job(NamedTuple):
    """A split with kernels that have one path."""

    split: int
    path: tuple[float, ...]
    kernels: list[Any]


def _jobs(group: _Group, table: Table) -> list[_Job]:
    """Return the jobs of a group whose cells are not all done."""
    jobs = []
    for split in range(len(table.done)):
        for path, kernels in group.jobs.items():
            missing = [
                kernel
                for kernel in kernels
                if not table.done[split, group.places[path, kernel][0]].all()
            ]
            if missing:
                jobs.append(_Job(split, path, missing))
    return jobs


def _reporter(
    table: Table, group: _Group, jobs: list[_Job], evaluation: Any, watcher: Watcher | None
) -> Callable[[int], None] | None:
    """Return what the core calls while it works."""
    if watcher is None:
        return None
    last = 0

    def report(_: int) -> None:
        nonlocal last
        n_done = evaluation.n_done()
        if n_done > last:
            last = n_done
            _collect(table, group, jobs, evaluation)
            watcher.update(table)

    return report


class _Group(NamedTuple):
    """Cells that differ in kernel and path only."""

    method: str
    settings: dict[str, Any]
    plan: dict[str, Any]
    # Kernels of each path.
    jobs: dict[tuple[float, ...], list[Any]]
    # For each kernel of each path, cells and their places on the path.
    places: dict[tuple[tuple[float, ...], Any], tuple[list[int], list[int]]]


def _groups(
    estimator: KernelClassifier, cells: Sequence[dict[str, Any]], rows: Rows
) -> list[_Group]:
    path_name = PATHS[type(estimator)]
    found: dict[str, tuple[Any, dict[Any, dict[float, list[int]]]]] = {}
    params = estimator.get_params(deep=False)
    for number, cell in enumerate(cells):
        if not cell.keys() <= params.keys():
            clone(estimator).set_params(**cell)  # says which are known
        model = type(estimator)(**params | cell)
        if not can_share(model):
            raise ValueError(
                f"{type(model).__name__} with kernel = {model.kernel!r} and time_limit = "
                f"{getattr(model, 'time_limit', None)} cannot be evaluated: kernels must be named "
                "functions of rows, and a limit belongs to the whole run"
            )
        method, settings = _settings(model)
        plan = {
            "class_weights": _class_weights(model.class_weight, rows),
            "multi_class": _parameters.choice("multi_class", model.multi_class, ("ovo", "ovr")),
            "break_ties": model._breaks_ties(),
        }
        key = repr((method, settings, model.class_weight, plan["multi_class"], plan["break_ties"]))
        _, kernels = found.setdefault(key, ((method, settings, plan), {}))
        values = kernels.setdefault(model._kernel_arguments(), {})
        value = _parameters.real(path_name, getattr(model, path_name))
        values.setdefault(value, []).append(number)
    groups = []
    for (method, settings, plan), kernels in found.values():
        group = _Group(method, settings, plan, {}, {})
        for kernel, values in kernels.items():
            path = tuple(values)
            group.jobs.setdefault(path, []).append(kernel)
            pairs = [(c, place) for place, value in enumerate(path) for c in values[value]]
            group.places[path, kernel] = ([c for c, _ in pairs], [place for _, place in pairs])
        groups.append(group)
    return groups


def _settings(model: KernelClassifier) -> tuple[str, dict[str, Any]]:
    """Return the name of the method and its parameters besides path and kernel."""
    if isinstance(model, OLLAWV):
        return "ollawv", {
            "c": _parameters.real("C", model.C),
            "bias": _parameters.flag("bias", model.bias),
            "max_sv_fraction": _parameters.real("max_sv_fraction", model.max_sv_fraction),
        }
    assert isinstance(model, SVC)
    return "svc", {
        "tol": _parameters.real("tol", model.tol),
        "working_set_size": optional_count("working_set_size", model.working_set_size, None),
        "shrinking": _parameters.flag("shrinking", model.shrinking),
        "max_iter": optional_count("max_iter", model.max_iter, -1),
    }


def _class_weights(class_weight: Any, rows: Rows) -> NDArray[np.float64] | None:
    """Return the weight of each class, or None for weights that each split balances."""
    weights = _input.class_weights(class_weight, rows.classes, rows.codes)
    return None if isinstance(class_weight, str) else weights


def _collect(table: Table, group: _Group, jobs: list[_Job], evaluation: Any) -> None:
    """Enter what is done into the table."""
    for number, job in enumerate(jobs):
        for place, kernel in enumerate(job.kernels):
            cells, places = group.places[job.path, kernel]
            if table.done[job.split, cells].all():
                continue
            found = evaluation.cells(number, place)
            if found is None:
                continue
            table.done[job.split, cells] = True
            table.confusion[job.split, cells] = found["confusion"][places]
            table.n_support[job.split, cells] = found["n_support"][places]
            table.n_iter[job.split, cells] = found["n_iter"][places]
            table.n_unfinished[job.split, cells] = found["n_unfinished"][places]


def scores(confusion: NDArray[np.int64], scoring: str) -> NDArray[np.float64]:
    """Return a score for each table of predictions, as scikit-learn defines it.

    NaN for a table without rows.
    """
    right = np.diagonal(confusion, axis1=-2, axis2=-1).astype(float)
    true, predicted = confusion.sum(axis=-1), confusion.sum(axis=-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        if scoring == "accuracy":
            return np.asarray(right.sum(axis=-1) / true.sum(axis=-1))
        if scoring == "balanced_accuracy":
            weights, counts = true > 0, true
        else:
            # Classes that are neither there nor predicted do not count.
            weights, counts = true + predicted > 0, (true + predicted) / 2
        each = np.where(weights, right / counts, 0.0)
        return np.asarray(each.sum(axis=-1) / weights.sum(axis=-1))


SCORINGS = ("accuracy", "balanced_accuracy", "f1_macro")
