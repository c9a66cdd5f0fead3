"""The best score so far belongs to a finished candidate, so it never decreases."""

import itertools
import math

import numpy as np
import pytest

from softmargin._selection import progress as progress_module
from softmargin._selection.table import Table

N_OUTER, N_INNER, N_CELLS = 3, 4, 5


@pytest.fixture
def clock(monkeypatch):
    """A clock that advances a second with every call, so that every update is shown."""
    monkeypatch.setattr(progress_module.time, "monotonic", itertools.count().__next__)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_score_never_falls(clock, scoring, seed):
    rng = np.random.default_rng(seed)
    table = Table(N_OUTER * N_INNER, N_CELLS)
    scores = rng.random(table.done.shape)
    heard = []
    progress = progress_module.watcher_of(heard.append, "svc", "shown", scoring, N_INNER)
    places = rng.permutation(N_OUTER * N_INNER * N_CELLS)
    for split, cell in zip(*np.unravel_index(places, table.done.shape), strict=True):
        table.done[split, cell] = True
        table.column(scoring)[split, cell] = scores[split, cell]
        progress.update(table)
    best = np.array([facts["best"] for facts in heard])
    known = best[~np.isnan(best)]
    assert len(best) == len(places)
    assert len(known) > N_OUTER * N_CELLS / 2
    assert (np.diff(known) >= 0).all()
    assert not np.isnan(best[np.argmin(np.isnan(best)) :]).any()
    assert best[-1] == scores.reshape(N_OUTER, N_INNER, N_CELLS).mean(axis=1).max()


def test_before_the_first_finished_cell_no_score_is_shown(clock, capfd, monkeypatch):
    monkeypatch.setattr(progress_module, "_bar", lambda: None)
    table = Table(2, 1)
    progress = progress_module.watcher_of(True, "svc", "accuracy", "score", 2)
    for split in range(2):
        table.done[split] = True
        table.column("score")[split] = 0.875
        progress.update(table)
    first, last = capfd.readouterr().err.splitlines()
    assert first.startswith("svc: best accuracy -, 1 of 2")
    assert last.startswith("svc: best accuracy 0.8750, 2 of 2")
    table.done[:] = False
    best = progress_module.Progress("svc", "accuracy", "score", 2, print)._best
    assert math.isnan(best(table))
