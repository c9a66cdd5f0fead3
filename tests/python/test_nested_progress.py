"""The best score so far is that of a finished cell: it never falls, whatever is done first."""

import itertools
import math

import numpy as np
import pytest

from hinge import _engine, _progress

N_OUTER, N_INNER, N_CELLS = 3, 4, 5


@pytest.fixture
def clock(monkeypatch):
    """A clock by which every look is a second later, so that every update is shown."""
    monkeypatch.setattr(_progress.time, "monotonic", itertools.count().__next__)


@pytest.mark.parametrize("scoring", _engine.SCORINGS)
@pytest.mark.parametrize("seed", range(5))
def test_the_best_score_never_falls(clock, scoring, seed):
    rng = np.random.default_rng(seed)
    table = _engine.empty_table(N_OUTER * N_INNER, N_CELLS, 2)
    confusion = rng.integers(1, 20, size=table.confusion.shape)
    heard = []
    progress = _progress.watcher(heard.append, "svc", scoring, N_INNER)
    places = rng.permutation(N_OUTER * N_INNER * N_CELLS)
    for split, cell in zip(*np.unravel_index(places, table.done.shape), strict=True):
        table.done[split, cell] = True
        table.confusion[split, cell] = confusion[split, cell]
        progress.update(table)
    best = np.array([facts["best"] for facts in heard])
    known = best[~np.isnan(best)]
    assert len(best) == len(places)
    assert len(known) > N_OUTER * N_CELLS / 2
    assert (np.diff(known) >= 0).all()
    assert not np.isnan(best[np.argmin(np.isnan(best)) :]).any()
    scores = _engine.scores(confusion, scoring).reshape(N_OUTER, N_INNER, N_CELLS)
    assert best[-1] == scores.mean(axis=1).max()


def test_before_the_first_finished_cell_no_score_is_shown(clock, capfd, monkeypatch):
    monkeypatch.setattr(_progress, "_bar", lambda: None)
    table = _engine.empty_table(2, 1, 2)
    progress = _progress.watcher(True, "svc", "accuracy", 2)
    for split in range(2):
        table.done[split] = True
        table.confusion[split] = [[3, 1], [0, 4]]
        progress.update(table)
    first, last = capfd.readouterr().err.splitlines()
    assert first.startswith("svc: best accuracy -, 1 of 2")
    assert last.startswith("svc: best accuracy 0.8750, 2 of 2")
    assert math.isnan(
        _progress.Progress("svc", "accuracy", 2, print)._best(
            table._replace(done=np.zeros_like(table.done))
        )
    )
