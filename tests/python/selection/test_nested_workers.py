"""Under joblib's process backends the same call gives the same bits."""

import time

import joblib
import numpy as np
import pytest
from sklearn import datasets

import softmargin

GRID = {"svc": {"C": [1.0, 16.0], "gamma": [0.1, 1.0]}, "ollawv": {"gamma": [0.1, 1.0]}}


def run(method):
    X, y = datasets.load_wine(return_X_y=True)
    heard = []
    return softmargin.nested_cv(
        X, y, method, GRID[method], outer=3, inner=2, random_state=0, progress=heard.append
    ), heard


def check_same(method):
    result, heard = run(method)
    return result, heard[-1]["done"]


@pytest.mark.parametrize("method", GRID)
@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "dask"])
def test_workers_give_the_bits_of_the_local_run(method, backend):
    local, _ = run(method)
    if backend == "dask":
        distributed = pytest.importorskip("distributed")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
        with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
            spread, done = check_same(method)
    else:
        with joblib.parallel_config(backend=backend, n_jobs=2):
            spread, done = check_same(method)
    np.testing.assert_array_equal(spread.inner_scores, local.inner_scores)
    np.testing.assert_array_equal(spread.outer_scores, local.outer_scores)
    assert spread.best_params == local.best_params
    assert spread.counts == local.counts
    assert done == local.inner_scores.size


def test_threads_are_not_spread(monkeypatch):
    def refuse(*arguments):
        raise AssertionError("spread")

    monkeypatch.setattr(softmargin._selection.workers, "evaluate", refuse)
    for options in ({"backend": "threading"}, {"n_jobs": 2}, {}):
        with joblib.parallel_config(**options):
            assert run("svc")[0].complete


def test_a_time_limit_is_that_of_the_whole_run(monkeypatch):
    given = []

    def slow(candidates, rows, splits, scoring, resources, wanted):
        given.append(resources.time_limit)
        time.sleep(0.3)
        return softmargin._selection.table.Table(len(splits), len(candidates.cells))

    monkeypatch.setattr(softmargin._selection.workers, "uses_processes", lambda: True)
    monkeypatch.setattr(softmargin._selection.workers, "_evaluate_task", slow)
    X, y = datasets.load_wine(return_X_y=True)
    grid = {"gamma": [0.1, 0.2, 0.4, 0.8]}
    with joblib.parallel_config(backend="threading", n_jobs=1):
        result = softmargin.nested_cv(X, y, "svc", grid, random_state=0, time_limit=0.7)
    assert result.stopped == "time limit"
    assert 1 <= len(given) <= 3
    assert given == sorted(given, reverse=True)
