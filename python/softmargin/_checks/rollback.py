"""Rollback of an estimator when a call fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def restore_on_failure(estimator: object) -> Iterator[None]:
    """Restore all attributes of an estimator if the block raises, including on Ctrl-C."""
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        # A single step, so that a second Ctrl-C cannot leave it half restored.
        estimator.__dict__ = before
        raise
