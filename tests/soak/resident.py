"""Memory of this process as the system counts it (Linux)."""

import ctypes
import gc
import os
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident():
    """Return the bytes in memory once everything that is free was given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def address_space():
    """Return the bytes that RLIMIT_AS counts."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * PAGE


def status(name):
    """Return an entry of /proc/self/status in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def forget_peak():
    """Let VmHWM start from what is resident now."""
    Path("/proc/self/clear_refs").write_text("5")


def give_back_at_once():
    """Let the allocator keep no freed blocks, so that a limit is one for every block."""
    trim_threshold, mmap_threshold, least = -1, -3, 2**16
    for option in (trim_threshold, mmap_threshold):
        ctypes.CDLL(None).mallopt(option, least)
