"""Threads, bytes and seconds that a call may use."""

from __future__ import annotations

import contextlib
import math
import os
import time
from pathlib import Path
from typing import Any

import joblib

from hinge import _parameters

# So many threads start within half a second; thousands take minutes, in which no Ctrl-C is heard.
_MOST_THREADS = 512


def threads(n_jobs: Any) -> int:
    """Return the number of threads that ``n_jobs`` means.

    As in scikit-learn: None is 1 unless a ``joblib.parallel_config`` says otherwise,
    -1 is every core, -2 all but one. "Every core" respects RAYON_NUM_THREADS and
    OMP_NUM_THREADS, and inside a worker of joblib it is that worker's share. At most 512, or
    as many as there are cores.
    """
    check_jobs(n_jobs)
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    asked = int(joblib.effective_n_jobs(n_jobs))
    # To count the cores takes longer than a small prediction.
    return 1 if asked <= 1 else min(asked, every_core())


def check_jobs(n_jobs: Any) -> None:
    """Refuse a number of jobs that means no number of threads."""
    if n_jobs is None:
        return
    count = _parameters.integer("n_jobs", n_jobs)
    if count == 0:
        raise ValueError("n_jobs = 0 is not valid: it must be positive, negative or None")
    if count > _MOST_THREADS:  # only now: to count the cores takes longer than a small fit
        most = max(_MOST_THREADS, int(joblib.cpu_count()))
        if count > most:
            raise ValueError(f"n_jobs = {count} is not valid: it must be at most {most}")


def every_core() -> int:
    """Return the cores of this process, or fewer if the environment says so."""
    cores = int(joblib.cpu_count())
    for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(name, "").split(",")[0]
        if text.isdigit() and int(text) > 0:
            return min(cores, int(text))
    return cores


class Deadline:
    """The end of a time limit that starts now and covers all of a call."""

    # What the core is given when no time is left: it needs a positive limit.
    _SHORTEST = 1e-9

    def __init__(self, time_limit: Any) -> None:
        self._end = math.inf
        if time_limit is not None:
            limit = _parameters.real("time_limit", time_limit)
            if not limit > 0:
                raise ValueError(f"time_limit = {limit} is not valid: it must be positive")
            self._end = time.monotonic() + limit

    def seconds_left(self) -> float | None:
        """Return the seconds that are left, never 0; None without a limit."""
        if self._end == math.inf:
            return None
        return max(self._end - time.monotonic(), self._SHORTEST)

    def has_passed(self) -> bool:
        """Tell whether no time is left."""
        return time.monotonic() >= self._end


def cache_bytes(megabytes: Any) -> int:
    """Return a cache size in bytes, capped by the memory of the machine."""
    size = check_cache(megabytes)
    return max(1, int(min(size * 2**20, memory_bytes())))


def check_cache(megabytes: Any) -> float:
    """Return a cache size that is one."""
    size = _parameters.real("cache_size", megabytes)
    if not size > 0:
        raise ValueError(f"cache_size = {megabytes} is not valid: it must be positive (megabytes)")
    return size


def budget_bytes(memory_budget: Any) -> int:
    """Return a budget in bytes; None is half of the memory that is free now."""
    if memory_budget is None:
        return int(min(memory_bytes() / 1.6, 2**62))
    budget = _parameters.real("memory_budget", memory_budget)
    if not budget > 0:
        raise ValueError(f"memory_budget = {memory_budget} is not valid: it must be positive")
    return max(1, int(min(budget, memory_bytes())))


def memory_bytes() -> float:
    """Return most of the memory that is free now, where the system tells."""
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        return 0.8 * 1024 * float(line.split()[1])
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return 0.5 * float(os.sysconf("SC_PHYS_PAGES")) * float(os.sysconf("SC_PAGE_SIZE"))
    return float(2**46)
