"""Evaluation on the workers of a joblib backend, such as dask or loky."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray

from softmargin._selection import cluster, engine
from softmargin._selection.candidates import Candidates
from softmargin._selection.cluster import dask_client
from softmargin._selection.samples import Samples, Split
from softmargin._selection.scoring import Scoring
from softmargin._selection.table import Table

# The maximum number of splits per task, and the minimum number of tasks per worker.
_MAX_SPLITS = 5
_MIN_TASKS = 4
# How often tasks are started if processes are killed.
_ATTEMPTS = 3


def uses_processes() -> bool:
    """Return whether a ``joblib.parallel_config`` with a process-based backend is active."""
    config = getattr(joblib.parallel._backend, "config", None)
    backend = config.get("backend") if isinstance(config, dict) else None
    if not isinstance(backend, joblib.parallel.ParallelBackendBase):
        return False
    # In a joblib worker, the active backend is nested.
    return not backend.nesting_level and not getattr(backend, "uses_threads", False)


def evaluate(
    candidates: Candidates,
    samples: Samples,
    splits: Sequence[Split],
    scoring: Scoring,
    resources: engine.Resources,
    table: Table,
    missing: NDArray[np.bool_],
) -> tuple[Table, BaseException | None]:
    """Do the same as :func:`engine.evaluate`; a task is some candidates on some splits.

    The longest tasks come first. Tasks whose process was killed are run again.
    """
    tasks = _tasks(candidates, splits, missing)
    end = None if resources.time_limit is None else time.monotonic() + resources.time_limit

    def seconds_left() -> float | None:
        return None if end is None else end - time.monotonic()

    limits = resources._replace(threads=1, watcher=None, seconds=None)
    payload = _Payload(candidates._replace(groups=[]), samples, splits, scoring, limits)
    client = dask_client()
    try:
        for attempt in range(_ATTEMPTS):
            left = [task for task in tasks if not _is_done(task, table)]
            if client is None:
                results = _run_with_joblib(payload, left, seconds_left)
            else:
                results = cluster.run(client, _evaluate_shared, payload, left, seconds_left)
            try:
                # Closed at once, so that queued tasks are cancelled before anything else happens.
                with contextlib.closing(results):
                    for number, part in results:
                        chosen, numbers, _ = left[number]
                        table.fill(part, chosen, numbers)
                        if resources.watcher is not None:
                            resources.watcher.update(table)
                break
            except BrokenProcessPool:
                if attempt == _ATTEMPTS - 1:
                    raise
    except KeyboardInterrupt as interrupt:
        return table, interrupt
    return table, None


# The numbers of splits and of candidates, and which of their results are wanted.
_Task = tuple[list[int], list[int], NDArray[np.bool_]]


class _Payload(NamedTuple):
    """What all tasks have in common."""

    candidates: Candidates
    samples: Samples
    splits: Sequence[Split]
    scoring: Scoring
    resources: engine.Resources


def _tasks(
    candidates: Candidates, splits: Sequence[Split], missing: NDArray[np.bool_]
) -> list[_Task]:
    """Return the tasks in the order of their expected time, the longest first."""
    together = _together(candidates)
    size = len(splits) * len(together)
    size //= _MIN_TASKS * max(1, int(joblib.effective_n_jobs(-1)))
    size = min(max(size, 1), _MAX_SPLITS)
    tasks = []
    for numbers in together:
        for start in range(0, len(splits), size):
            chosen = list(range(start, min(start + size, len(splits))))
            wanted = missing[np.ix_(chosen, numbers)]
            if wanted.any():
                tasks.append((chosen, numbers, wanted))
    # The time of a training grows at least with the square of the number of samples.
    squares = np.array([float(len(train)) ** 2 for train, _ in splits])

    def work(task: _Task) -> float:
        chosen, _, wanted = task
        return float(squares[chosen] @ wanted.sum(axis=1))

    return sorted(tasks, key=work, reverse=True)


def _is_done(task: _Task, table: Table) -> bool:
    chosen, numbers, wanted = task
    return bool(table.done[np.ix_(chosen, numbers)][wanted].all())


def _run_with_joblib(
    payload: _Payload, tasks: list[_Task], seconds_left: Callable[[], float | None]
) -> Generator[tuple[int, Table], None, None]:
    """Yield the number and the result of each task, on the workers of a joblib backend."""

    def calls() -> Generator[Any, None, None]:
        for chosen, numbers, wanted in tasks:
            left = seconds_left()
            if left is not None and left <= 0:
                return
            yield joblib.delayed(_evaluate_task)(
                payload.candidates.some(numbers),
                payload.samples,
                [payload.splits[number] for number in chosen],
                payload.scoring,
                payload.resources._replace(time_limit=left),
                wanted,
            )

    # The time limit of a task starts when it is dispatched, so that no task may wait in a queue.
    is_limited = payload.resources.time_limit is not None
    queue: dict[str, Any] = {"pre_dispatch": "n_jobs", "batch_size": 1} if is_limited else {}
    # Results one by one where the backend can; "multiprocessing" returns all at the end.
    backend, _ = joblib.parallel.get_active_backend()
    return_as = "generator" if backend.supports_return_generator else "list"
    # The time limit may end both early.
    yield from enumerate(joblib.Parallel(return_as=return_as, **queue)(calls()))


def _evaluate_shared(
    payload: _Payload,
    chosen: list[int],
    numbers: list[int],
    wanted: NDArray[np.bool_],
    time_limit: float | None,
) -> Table:
    """Evaluate a task of a payload that the worker has already."""
    return _evaluate_task(
        payload.candidates.some(numbers),
        payload.samples,
        [payload.splits[number] for number in chosen],
        payload.scoring,
        payload.resources._replace(time_limit=time_limit),
        wanted,
    )


def _together(candidates: Candidates) -> list[list[int]]:
    """Return the candidates that share work: steps that were fitted, or kernel values."""
    if candidates.reason is not None:
        return [[number] for number in range(len(candidates.cells))]
    parts: dict[Any, list[int]] = {}
    has_steps = any(setting.params for setting in candidates.settings)
    for index, group in enumerate(candidates.groups):
        for number, kernel, _ in group.cells:
            setting = int(candidates.setting_of[number])
            parts.setdefault((index, setting, None if has_steps else kernel), []).append(number)
    invalid = [[number] for number in candidates.errors]
    return list(parts.values()) + invalid


def _evaluate_task(
    candidates: Candidates,
    samples: Samples,
    splits: Sequence[Split],
    scoring: Scoring,
    resources: engine.Resources,
    wanted: NDArray[np.bool_],
) -> Table:
    """Evaluate a task in a worker, on a single thread."""
    candidates = candidates.with_groups(samples.classes, samples.codes, is_strict=False)
    with joblib.parallel_config(backend="threading", n_jobs=1):
        table, stopped = engine.evaluate(
            candidates, samples, splits, scoring, resources, None, wanted
        )
    if stopped is not None:
        raise stopped
    return table
