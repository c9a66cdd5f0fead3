"""Several runs that share a checkpoint do not lose or change each other's results."""

import numpy as np
import pytest
from sklearn import datasets

from softmargin import nested_cv
from softmargin._selection.checkpoint import Checkpoint
from softmargin._selection.table import Table

pytestmark = pytest.mark.case(117, of="nested_cv")

X, Y = datasets.load_iris(return_X_y=True)
N_TEST = np.array([10])


def table(*done):
    filled = Table(1, 3)
    filled.done[0, list(done)] = True
    filled.column("score")[0, list(done)] = 0.5
    return filled


def test_processes_of_one_run_keep_what_each_of_them_did(tmp_path):
    path = tmp_path / "run.npz"
    first, second = Checkpoint(path, "svc", "a"), Checkpoint(path, "svc", "a")
    first.save(table(0, 1))
    second.save(table(1, 2))
    found = Table(1, 3)
    Checkpoint(path, "svc", "a").load(found, N_TEST, "score")
    assert found.done.all()
    assert (found.scores("score") == 0.5).all()


def test_a_run_does_not_write_over_another_one_that_began_meanwhile(tmp_path):
    path = tmp_path / "run.npz"
    first, second = Checkpoint(path, "svc", "a"), Checkpoint(path, "svc", "b")
    first.save(table(0, 1))
    with pytest.warns(RuntimeWarning, match=r"could not be written: .*different run"):
        second.save(table(2))
    found = Table(1, 3)
    Checkpoint(path, "svc", "a").load(found, N_TEST, "score")
    np.testing.assert_array_equal(found.done, [[True, True, False]])


def test_a_pattern_search_does_not_choose_cells_of_a_grid_search(tmp_path):
    X, y = datasets.make_classification(
        300, 20, n_informative=8, n_classes=3, flip_y=0.2, random_state=0
    )
    grid = {"C": [4.0**p for p in range(-2, 6)], "gamma": [4.0**p for p in range(-5, 3)]}
    options = {"grid": grid, "outer": 3, "inner": 3, "random_state": 0}
    alone = nested_cv(X, y, "svc", search="pattern", **options)
    whole = nested_cv(X, y, "svc", checkpoint=tmp_path / "run.npz", **options)
    assert whole.best_params != alone.best_params
    again = nested_cv(X, y, "svc", search="pattern", checkpoint=tmp_path / "run.npz", **options)
    np.testing.assert_array_equal(again.inner_scores, alone.inner_scores)
    assert again.best_params == alone.best_params
