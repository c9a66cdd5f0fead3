"""A failing call leaves an estimator as it was."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def kept_on_failure(estimator: object) -> Iterator[None]:
    """Restore all attributes of an estimator if the block raises, also on Ctrl-C."""
    before = estimator.__dict__.copy()
    try:
        yield
    except BaseException:
        estimator.__dict__ = before  # at once: a second Ctrl-C must not find half of it
        raise
