"""Limits on threads, memory and time of a call."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import time
from typing import Any

import joblib
from threadpoolctl import ThreadpoolController

from softmargin._checks import parameters

# This many threads start within half a second; thousands take minutes and ignore Ctrl-C.
_MAX_THREADS = 512


def thread_count(n_jobs: Any) -> int:
    """Return the number of threads for ``n_jobs``.

    As in scikit-learn, None means 1 unless set by ``joblib.parallel_config``, -1 all cores, and
    -2 all cores but one. The number of cores respects RAYON_NUM_THREADS and OMP_NUM_THREADS;
    inside a joblib worker it is the share of that worker. The maximum is 512, or the number of
    cores if that is larger.
    """
    check_jobs(n_jobs)
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    requested = int(joblib.effective_n_jobs(n_jobs))
    # Counting the cores takes longer than a small prediction.
    return 1 if requested <= 1 else min(requested, every_core())


def check_jobs(n_jobs: Any) -> None:
    """Raise an error if ``n_jobs`` is not a valid number of threads."""
    if n_jobs is None:
        return
    count = parameters.integer("n_jobs", n_jobs)
    if count == 0:
        raise ValueError("n_jobs = 0 is not valid: it must be positive, negative or None")
    if count > _MAX_THREADS:  # counting the cores takes longer than a small fit
        limit = max(_MAX_THREADS, int(joblib.cpu_count()))
        if count > limit:
            raise ValueError(f"n_jobs = {count} is not valid: it must be at most {limit}")


def every_core() -> int:
    """Return the number of cores of this process, or fewer if set in the environment."""
    cores = int(joblib.cpu_count())
    for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(name, "").split(",")[0]
        if text.isdigit() and int(text) > 0:
            return min(cores, int(text))
    return cores


def limited_blas(n_threads: int) -> contextlib.AbstractContextManager[Any]:
    """Limit BLAS to its share of the cores in one of several workers, as joblib does.

    More threads would not be faster, and would keep the cores busy for a while afterwards.
    """
    if n_threads == 1:
        return contextlib.nullcontext()
    libraries = [own for own in _blas().lib_controllers if own.user_api == "blas"]
    share = max(int(joblib.cpu_count()) // n_threads, 1)
    share = min([share, *(own.num_threads for own in libraries)])
    limited: contextlib.AbstractContextManager[Any] = _blas().limit(limits=share, user_api="blas")
    return limited


@functools.cache
def _blas() -> ThreadpoolController:
    """Return the BLAS libraries in use; finding them takes milliseconds."""
    return ThreadpoolController()


class Deadline:
    """A time limit that starts when the object is created and covers a whole call."""

    # Passed to the core when no time is left, since it requires a positive limit.
    _SHORTEST = 1e-9

    def __init__(self, time_limit: Any) -> None:
        self._end = math.inf
        if time_limit is not None:
            limit = parameters.real("time_limit", time_limit)
            if not limit > 0:
                raise ValueError(f"time_limit = {limit} is not valid: it must be positive")
            self._end = time.monotonic() + limit

    def seconds_left(self) -> float | None:
        """Return the remaining seconds, always positive; None without a limit."""
        if self._end == math.inf:
            return None
        return max(self._end - time.monotonic(), self._SHORTEST)

    def has_passed(self) -> bool:
        """Return whether the time limit has expired."""
        return time.monotonic() >= self._end


def cache_bytes(megabytes: Any) -> int:
    """Return a cache size in bytes, limited by the available memory."""
    size = check_cache(megabytes)
    return max(1, int(min(size * 2**20, memory_bytes())))


def check_cache(megabytes: Any) -> float:
    """Return a valid cache size in megabytes."""
    size = parameters.real("cache_size", megabytes)
    if not size > 0:
        raise ValueError(
            f"cache_size = {megabytes} is not valid: it must be a positive number of megabytes"
        )
    return size


def budget_bytes(memory_budget: Any) -> int:
    """Return a memory budget in bytes; None means half of the memory available now."""
    if memory_budget is None:
        return int(min(memory_bytes() / 1.6, 2**62))
    budget = parameters.real("memory_budget", memory_budget)
    if not budget > 0:
        raise ValueError(f"memory_budget = {memory_budget} is not valid: it must be positive")
    return max(1, int(min(budget, memory_bytes())))


def memory_bytes() -> float:
    """Return 80 % of the available memory in bytes, or an estimate where it is unknown."""
    with contextlib.suppress(OSError, ValueError), open("/proc/meminfo", "rb", 0) as file:
        # The start of the file is enough; reading all of it takes longer than a small fit.
        _, found, rest = file.read(256).partition(b"MemAvailable:")
        if found:
            return 0.8 * 1024 * float(rest.split(maxsplit=1)[0])
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return 0.5 * float(os.sysconf("SC_PHYS_PAGES")) * float(os.sysconf("SC_PAGE_SIZE"))
    return float(2**46)
