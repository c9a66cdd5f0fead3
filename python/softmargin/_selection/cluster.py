"""Tasks on a dask cluster, through the client of joblib's backend.

joblib's own backend for dask waits forever for a task that the scheduler gives up after the death
of workers, and does not cancel queued tasks. Here, data is sent to all workers once; few tasks are
queued at a time, so that an adaptive cluster may grow and Ctrl-C has few tasks to cancel; and
tasks whose workers died are submitted again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError
from typing import Any

import joblib

# Tasks that are queued for each thread of the cluster, and at least in total.
_QUEUED = 3
_LEAST_QUEUED = 8
# How often a task is submitted if its workers die.
_ATTEMPTS = 4


def dask_client() -> Any:
    """Return the client of an active dask backend; None for other backends."""
    backend, _ = joblib.parallel.get_active_backend()
    if type(backend).__name__ != "DaskDistributedBackend":
        return None
    return getattr(backend, "client", None)


def run(
    client: Any,
    function: Callable[..., Any],
    payload: Any,
    tasks: Sequence[tuple[Any, ...]],
    seconds_left: Callable[[], float | None],
) -> Generator[tuple[int, Any], None, None]:
    """Yield the number and the result of each task, in the order in which they finish.

    A task is ``function(payload, *arguments, seconds_left)``; with a time limit, it is submitted
    when a thread is free. Raises the exception of a failed task.
    """
    import distributed

    (shared,) = client.scatter([payload], broadcast=True, hash=False)
    waiting = list(range(len(tasks)))[::-1]
    attempts = [0] * len(tasks)
    running: dict[Any, int] = {}
    finished: Any = distributed.as_completed()  # type: ignore[no-untyped-call]

    def submit_more() -> None:
        n_threads = sum(client.ncores().values())
        most = max(1, n_threads)
        if seconds_left() is None:
            most = max(_LEAST_QUEUED, _QUEUED * n_threads)
        while waiting and len(running) < most:
            left = seconds_left()
            if left is not None and left <= 0:
                waiting.clear()
                return
            number = waiting.pop()
            attempts[number] += 1
            future = client.submit(
                function, shared, *tasks[number], left, pure=False, priority=-number
            )
            running[future] = number
            finished.add(future)

    try:
        submit_more()
        while running:
            future = next(finished)
            number = running.pop(future)
            error = future.exception() if future.status == "error" else None
            if future.status == "finished":
                yield number, future.result()
            elif not _is_lost(future, error) or attempts[number] >= _ATTEMPTS:
                raise error or RuntimeError("the cluster cancelled a task")
            else:
                waiting.append(number)
                if shared.status != "finished":  # its workers died, too
                    (shared,) = client.scatter([payload], broadcast=True, hash=False)
            submit_more()
    finally:
        with contextlib.suppress(Exception):  # the cluster may be gone
            client.cancel([*running, shared], force=True)


def _is_lost(future: Any, error: BaseException | None) -> bool:
    """Return whether a task ended because its workers, or its data, disappeared."""
    if future.status in ("cancelled", "lost"):
        return True
    lost = ("KilledWorker", "FutureCancelledError", "FuturesCancelledError", "CommClosedError")
    return isinstance(error, CancelledError) or type(error).__name__ in lost
