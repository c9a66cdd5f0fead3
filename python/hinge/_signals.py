"""Ctrl-C at moments when it would leave something by half."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Hold Ctrl-C back until the block has ended; for blocks that take a moment.

    Other threads, to which no signal comes, and signals that are ignored are left alone.
    """
    came: list[Any] = []
    before = signal.getsignal(signal.SIGINT)
    try:
        if callable(before):
            signal.signal(signal.SIGINT, lambda *signals: came.append(signals))
    except ValueError:  # not the main thread
        before = None
    try:
        yield
    finally:
        if callable(before):
            signal.signal(signal.SIGINT, before)
            if came:
                before(*came[0])
