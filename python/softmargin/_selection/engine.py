"""Evaluation of the candidates of a grid on splits of the data, in one run of the core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

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

if TYPE_CHECKING:
    from softmargin._core import _KernelSolver, _LinearSolver

    _Solver: TypeAlias = _KernelSolver | _LinearSolver

Split = tuple[NDArray[Any], NDArray[Any]]


class Table(NamedTuple):
    """Results of each candidate on each split; ``done`` marks the available ones.

    All arrays have shape (n_splits, n_candidates). The scores are those of scikit-learn, on the
    test samples.
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
        """Return the scores of all candidates; NaN where they are not available."""
        return np.where(self.done, getattr(self, scoring), np.nan)


SCORINGS = ("accuracy", "balanced_accuracy", "f1_macro")


class Watcher(Protocol):
    """Observer of a run."""

    def update(self, table: Table) -> None:
        """Receive the results so far; called from time to time, and at the end."""


class Resources(NamedTuple):
    """Limits of a run, and its observer."""

    threads: int
    budget_bytes: int
    time_limit: float | None = None
    watcher: Watcher | None = None
    # Accumulates the seconds of all threads by phase.
    seconds: dict[str, float] | None = None


class Samples(NamedTuple):
    """Validated samples with their labels, weights and preprocessing.

    ``classes`` are sorted. ``order`` contains their indices in the order that the labels
    define, which matters for ordinal classifiers only.
    """

    X: Any
    classes: NDArray[Any]
    codes: NDArray[np.uint32]
    sample_weight: NDArray[np.float64] | None
    scale: bool
    single_precision: bool
    order: NDArray[np.intp] | None = None


def unsupported(estimator: Any) -> str | None:
    """Return why the core cannot run all fits of an estimator at once; None if it can."""
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
    """Return a table without results."""
    shape = (n_splits, n_cells)
    kinds = {"done": bool} | dict.fromkeys(SCORINGS, np.float64)
    return Table._make(np.zeros(shape, dtype=kinds.get(field, np.int64)) for field in Table._fields)


def evaluate(
    candidates: Candidates,
    samples: Samples,
    splits: Sequence[Split],
    resources: Resources,
    table: Table | None = None,
    wanted: NDArray[np.bool_] | None = None,
) -> tuple[Table, BaseException | None]:
    """Return the results of all candidates on all splits; a given table is completed.

    ``wanted[s, c]`` selects candidates and splits; None selects all. Results that are missing
    because of an interrupt (which is returned, not raised) or the time limit are not marked as
    done.
    """
    table = empty_table(len(splits), len(candidates.cells)) if table is None else table
    missing = ~table.done if wanted is None else wanted & ~table.done
    if _uses_processes():
        return _evaluate_on_workers(candidates, samples, splits, resources, table, missing)
    if candidates.reason is not None:
        return _evaluate_by_fits(candidates, samples, splits, resources, table, missing)
    end = None if resources.time_limit is None else time.monotonic() + resources.time_limit
    for group in candidates.groups:
        stopped = _run(group, missing, samples, splits, resources, table, end)
        if stopped is None and group.limit is not None:
            repeated = _near_limit(group, table) & missing
            table.done[repeated] = False
            left = None if end is None else end - time.monotonic()
            resources = resources._replace(time_limit=left)
            _, stopped = _evaluate_by_fits(candidates, samples, splits, resources, table, repeated)
        if stopped is not None:
            return table, stopped
    return table, None


def _run(
    group: _Group,
    missing: NDArray[np.bool_],
    samples: Samples,
    splits: Sequence[Split],
    resources: Resources,
    table: Table,
    end: float | None,
) -> BaseException | None:
    """Add the missing results of a group to the table; return the interrupt, if any."""
    order = samples.order if group.scheme.multi_class == "ordinal" else None
    work = _Work.of(group, missing, splits, order)
    if work is None:
        return None
    stopped: BaseException | None = None
    limits = _core.Limits(
        threads=resources.threads,
        memory_bytes=resources.budget_bytes,
        time_limit=None if end is None else max(end - time.monotonic(), 1e-9),
        progress=_reporter(table, work, resources.watcher),
    )
    try:
        work.evaluation.run(native_rows(samples.X), _plan(group, samples, order), limits)
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
    work.collect(table)
    if resources.seconds is not None:
        for phase, seconds in work.evaluation.seconds():
            resources.seconds[phase] = resources.seconds.get(phase, 0.0) + seconds
    try:
        if resources.watcher is not None:
            resources.watcher.update(table)
    except KeyboardInterrupt as interrupt:  # finished results are kept
        stopped = interrupt
    return stopped


# The maximum number of splits per task, and the minimum number of tasks per worker.
_MAX_SPLITS = 5
_MIN_TASKS = 4


def _uses_processes() -> bool:
    """Return whether a ``joblib.parallel_config`` with a process-based backend is active."""
    config = getattr(joblib.parallel._backend, "config", None)
    backend = config.get("backend") if isinstance(config, dict) else None
    if not isinstance(backend, joblib.parallel.ParallelBackendBase):
        return False
    # In a joblib worker, the active backend is nested.
    return not backend.nesting_level and not getattr(backend, "uses_threads", False)


def _evaluate_on_workers(
    candidates: Candidates,
    samples: Samples,
    splits: Sequence[Split],
    resources: Resources,
    table: Table,
    missing: NDArray[np.bool_],
) -> tuple[Table, BaseException | None]:
    """Do the same as :func:`evaluate` on joblib workers; a task is one kernel on some splits."""
    tasks = []
    # Candidates with the same kernel share its values.
    kernels = [list(numbers) for group in candidates.groups for numbers in _by_kernel(group)]
    if candidates.reason is not None:
        kernels = [[number] for number in range(len(candidates.cells))]
    size = len(splits) * len(kernels)
    size //= _MIN_TASKS * max(1, int(joblib.effective_n_jobs(-1)))
    size = min(max(size, 1), _MAX_SPLITS)
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
            single = Resources(1, resources.budget_bytes, left)
            yield joblib.delayed(_evaluate_task)(
                candidates.estimator, cells, samples, own, single, wanted
            )

    # The time limit of a task starts when it is dispatched, so that no task may wait in a queue.
    queue: dict[str, Any] = {} if end is None else {"pre_dispatch": "n_jobs", "batch_size": 1}
    # Results one by one where the backend can; "multiprocessing" returns all at the end.
    backend, _ = joblib.parallel.get_active_backend()
    return_as = "generator" if backend.supports_return_generator else "list"
    try:
        found = joblib.Parallel(return_as=return_as, **queue)(calls())
        # Not strict, since the time limit may end both early.
        for (chosen, numbers, _), part in zip(tasks, found, strict=False):
            new = part.done
            place = np.array(chosen)[np.nonzero(new)[0]], np.array(numbers)[np.nonzero(new)[1]]
            for own, other in zip(table, part, strict=True):
                own[place] = other[new]
            if resources.watcher is not None:
                resources.watcher.update(table)
    except KeyboardInterrupt as interrupt:
        return table, interrupt
    return table, None


def _evaluate_task(
    estimator: Classifier,
    cells: Sequence[dict[str, Any]],
    samples: Samples,
    splits: Sequence[Split],
    resources: Resources,
    wanted: NDArray[np.bool_],
) -> Table:
    """Evaluate a task in a worker, on a single thread."""
    candidates = Candidates.of(estimator, cells, samples)
    with joblib.parallel_config(backend="threading", n_jobs=1):
        table, stopped = evaluate(candidates, samples, splits, resources, None, wanted)
    if stopped is not None:
        raise stopped
    return table


def _evaluate_by_fits(
    candidates: Candidates,
    samples: Samples,
    splits: Sequence[Split],
    resources: Resources,
    table: Table,
    missing: NDArray[np.bool_],
) -> tuple[Table, BaseException | None]:
    """Do the same as :func:`evaluate` by separate fits of the estimator."""
    end = None if resources.time_limit is None else time.monotonic() + resources.time_limit
    try:
        for split, cell in np.argwhere(missing).tolist():
            if end is not None and time.monotonic() >= end:
                break
            found = loop.fit_and_score(
                candidates.estimator,
                candidates.cells[cell],
                samples,
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


class _Scheme(NamedTuple):
    """Multiclass decomposition, class weights and tie breaking."""

    # None for weights that are balanced in each split.
    class_weights: NDArray[np.float64] | None
    multi_class: str
    break_ties: bool


class _Group(NamedTuple):
    """Candidates that differ only in the kernel and along the regularization path."""

    solver: _Solver
    scheme: _Scheme
    # Number, kernel and value on the path of each candidate.
    cells: list[tuple[int, _core.Kernel, float]]
    # The maximum number of steps, for methods with warm starts along the path.
    limit: int | None = None
    # Whether each value of the path is trained from scratch.
    cold_start: bool = False


# A result counts as unaffected by the limit if it took at most 1 / _LIMIT_MARGIN of the steps: a
# separate fit, whose kernel values differ by rounding, may need more steps.
_LIMIT_MARGIN = 10


def _near_limit(group: _Group, table: Table) -> NDArray[np.bool_]:
    """Return the results of a group for which a separate fit might reach the step limit."""
    own = np.isin(np.arange(table.done.shape[1]), [number for number, _, _ in group.cells])
    is_near = table.n_unfinished > 0
    if group.cold_start and group.limit is not None:
        is_near |= table.n_iter * _LIMIT_MARGIN > group.limit
    return np.asarray(table.done & own & is_near)


def _by_kernel(group: _Group) -> list[list[int]]:
    """Return the numbers of the candidates of each kernel."""
    kernels: dict[_core.Kernel, list[int]] = {}
    for number, kernel, _ in group.cells:
        kernels.setdefault(kernel, []).append(number)
    return list(kernels.values())


# Kernels with a common path, its values, and the number and position of each candidate, ordered
# by kernel, then by value.
_Path = tuple[list[_core.Kernel], list[float], list[tuple[int, int]]]


def _paths(group: _Group, wanted: NDArray[np.bool_]) -> list[_Path]:
    """Return the wanted candidates, grouped into kernels with a common path."""
    kernels: dict[tuple[_core.Kernel, float | None], dict[float, list[int]]] = {}
    for number, kernel, value in group.cells:
        if wanted[number]:
            own = kernels.setdefault((kernel, value if group.cold_start else None), {})
            own.setdefault(value, []).append(number)
    paths: dict[tuple[float, ...], _Path] = {}
    for (kernel, _), values in kernels.items():
        path = paths.setdefault(tuple(values), ([], list(values), []))
        first = len(path[0]) * len(values)
        path[0].append(kernel)
        for place, numbers in enumerate(values.values()):
            path[2].extend((number, first + place) for number in numbers)
    return list(paths.values())


def _plan(group: _Group, samples: Samples, order: NDArray[np.intp] | None) -> _core.Plan:
    """Return the settings of all jobs, with the classes in this order."""
    codes, weights = samples.codes, group.scheme.class_weights
    if order is not None:
        codes = class_order.ranks(order)[codes]
        weights = None if weights is None else weights[order]
    return _core.Plan(
        codes,
        len(samples.classes),
        class_weights=weights,
        sample_weights=samples.sample_weight,
        multi_class=group.scheme.multi_class,
        break_ties=group.scheme.break_ties,
        scale=samples.scale,
        single_precision=samples.single_precision,
    )


class _Work(NamedTuple):
    """An evaluation in the core, and the positions of its results in the table."""

    evaluation: _core.Evaluation
    # Order of the classes in the evaluation; None for sorted classes.
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
        """Return the evaluation of the missing candidates of a group; None if there are none."""
        jobs: list[_core.Job] = []
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
                jobs.append(_core.Job(train, test, kernels, path))
                placed = np.empty((len(cells), 3), dtype=np.int64)
                placed[:, 0] = number
                placed[:, 1:] = cells
                placed[:, 2] += n_before
                parts.append(placed)
                n_before += len(kernels) * len(path)
        if not jobs:
            return None
        evaluation = _core.Evaluation(group.solver, jobs)
        return cls(evaluation, order, *np.concatenate(parts).T)

    def collect(self, table: Table) -> None:
        """Copy the finished results to the table."""
        found = self.evaluation.table()
        done = found.done[self.place]
        split, cell, place = self.split[done], self.cell[done], self.place[done]
        for name, own in table._asdict().items():
            own[split, cell] = getattr(found, name)[place]


def _reporter(table: Table, work: _Work, watcher: Watcher | None) -> Callable[[int], None] | None:
    """Return the progress callback of the core."""
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
    """Validated candidates of a grid."""

    estimator: Classifier
    cells: Sequence[dict[str, Any]]
    groups: list[_Group]
    # Why separate fits are necessary; None if the core runs all fits at once.
    reason: str | None = None

    @property
    def is_ordinal(self) -> bool:
        """Whether the order of the classes matters for any candidate."""
        own = self.estimator.multi_class
        return any(cell.get("multi_class", own) == "ordinal" for cell in self.cells)

    @classmethod
    def of(
        cls, estimator: Classifier, cells: Sequence[dict[str, Any]], samples: Samples
    ) -> Candidates:
        """Validate the parameters of all candidates; the core validates values of the path."""
        if reason := overridden(estimator):
            for cell in cells:
                loop.check(clone(estimator).set_params(**cell))
            return cls(estimator, cells, [], reason)
        kind = type(estimator)
        params = estimator.get_params(deep=False)
        if params.get("random_state", 0) is None:
            # One seed for all candidates; separate fits would draw one each.
            params["random_state"] = parameters.seed(None) % 2**32
        groups: dict[str, _Group] = {}
        # Candidates that differ only along the path are validated once.
        known: dict[str, tuple[_Group, _core.Kernel]] = {}
        for number, cell in enumerate(cells):
            if not cell.keys() <= params.keys():
                clone(estimator).set_params(**cell)  # raises ValueError with the valid names
            rest = sorted((name, repr(cell[name])) for name in cell if name not in kind._path)
            # The path may have several names, such as C and lambda_; one of them is used.
            used = [name for name in kind._path if (params | cell).get(name) is not None]
            key = repr((rest, used))
            if key not in known:
                model = kind(
                    **clone(params | cell, safe=False)
                )  # clones values, too, as separate fits do
                group, kernel = _check(model, samples)
                shared = repr((model.class_weight, group.solver, group.limit, group.cold_start))
                shared += repr(group.scheme[1:])
                known[key] = groups.setdefault(shared, group), kernel
            group, kernel = known[key]
            group.cells.append((number, kernel, kind._path_value(params | cell)))
        for group in groups.values():
            group.solver.check([value for _, _, value in group.cells])
        return cls(kind(**params), cells, list(groups.values()))


def _check(model: Classifier, samples: Samples) -> tuple[_Group, _core.Kernel]:
    """Return a new group for the settings of a model, and its kernel."""
    if unsupported(model):
        raise ValueError(
            f"{type(model).__name__} with kernel = {getattr(model, 'kernel', None)!r} and "
            f"time_limit = {getattr(model, 'time_limit', None)} cannot be evaluated: the kernel "
            "must be 'linear', 'rbf', 'poly' or 'sigmoid', and the time_limit of the estimator "
            "must be None; limit the time of the whole run instead"
        )
    model._check_execution()
    scheme = _Scheme(
        _class_weights(model.class_weight, samples),
        parameters.scheme(model.multi_class),
        model._breaks_ties(),
    )
    kernel, solver = model._core_kernel(), model._solver()
    limit = solver.max_iter if model._starts_along_path else None
    # With a limit set by the user, training must start where a separate fit starts.
    cold_start = limit is not None and limit != type(model)().get_params()["max_iter"]
    return _Group(solver, scheme, [], limit, cold_start), kernel


def _class_weights(class_weight: Any, samples: Samples) -> NDArray[np.float64] | None:
    """Return the weight of each class; None for weights that are balanced in each split."""
    weights = class_weights(class_weight, samples.classes, samples.codes)
    return None if isinstance(class_weight, str) else weights
