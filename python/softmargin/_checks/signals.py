"""Delivery of Ctrl-C while a block must not be interrupted halfway."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def defer_interrupts() -> Iterator[None]:
    """Defer Ctrl-C until the end of the block, which should be short.

    Has no effect in other threads, which receive no signals, or if SIGINT is ignored.
    """
    received: list[Any] = []
    previous = signal.getsignal(signal.SIGINT)
    try:
        if callable(previous):
            signal.signal(signal.SIGINT, lambda *signals: received.append(signals))
    except ValueError:  # not the main thread
        previous = None
    try:
        yield
    finally:
        if callable(previous):
            signal.signal(signal.SIGINT, previous)
            if received:
                previous(*received[0])
