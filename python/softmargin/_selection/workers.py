"""Evaluation on the workers of a joblib backend, such as dask or loky."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from softmargin._selection import engine
from softmargin._selection.candidates import Candidates
from softmargin._selection.samples import Samples, Split
from softmargin._selection.scoring import Scoring
from softmargin._selection.table import Table

# The maximum number of splits per task, and the minimum number of tasks per worker.
_MAX_SPLITS = 5
_MIN_TASKS = 4


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
    """Do the same as :func:`engine.evaluate`; a task is some candidates on some splits."""
    tasks = []
    together = _together(candidates)
    size = len(splits) * len(together)
    size //= _MIN_TASKS * max(1, int(joblib.effective_n_jobs(-1)))
    size = min(max(size, 1), _MAX_SPLITS)
    for numbers in together:
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
            single = engine.Resources(1, resources.budget_bytes, left, raises=resources.raises)
            yield joblib.delayed(_evaluate_task)(
                candidates.some(numbers),
                samples,
                [splits[number] for number in chosen],
                scoring,
                single,
                wanted,
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
            table.fill(part, chosen, numbers)
            if resources.watcher is not None:
                resources.watcher.update(table)
    except KeyboardInterrupt as interrupt:
        return table, interrupt
    return table, None


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
