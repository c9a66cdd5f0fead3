"""Under joblib's process backends the same call gives the same bits."""

import os
import signal
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
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
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


@pytest.fixture
def three_workers():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client, joblib.parallel_config(backend="dask"):
        yield client


def run_long(progress=None):
    """Run many small tasks."""
    X, y = datasets.load_wine(return_X_y=True)
    grid = {"C": [1.0, 16.0, 256.0], "gamma": np.geomspace(0.001, 1, 12)}
    return softmargin.nested_cv(
        X, y, "svc", grid, outer=4, inner=4, random_state=0, progress=progress
    )


@pytest.mark.case(108, of="nested_cv")
def test_a_killed_worker_does_not_change_the_result(three_workers):
    """Also if all workers that hold the data are killed, one after the other."""
    killed = []

    def kill_one(facts):
        if facts["done"] and len(killed) < 2:
            pids = three_workers.run(os.getpid)
            victim = next(pid for pid in pids.values() if pid not in killed)
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    with joblib.parallel_config(backend="threading"):
        local = run_long()
    spread = run_long(kill_one)
    assert len(killed) == 2
    assert spread.complete
    np.testing.assert_array_equal(spread.inner_scores, local.inner_scores)
    np.testing.assert_array_equal(spread.outer_scores, local.outer_scores)


@pytest.mark.case(108, of="nested_cv")
def test_a_killed_process_does_not_change_the_result(tmp_path):
    first = tmp_path / "first"

    class Fatal(softmargin.SVC):
        def fit(self, X, y, **params):
            if not first.exists() and os.getpid() != parent:
                first.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().fit(X, y, **params)

    parent = os.getpid()
    X, y = datasets.load_wine(return_X_y=True)
    options = {"grid": {"C": [1.0, 16.0], "gamma": [0.1, 1.0]}, "random_state": 0, "inner": 2}
    local = softmargin.nested_cv(X, y, Fatal(), **options)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        spread = softmargin.nested_cv(X, y, Fatal(), **options)
    assert first.exists()
    assert spread.complete
    np.testing.assert_array_equal(spread.inner_scores, local.inner_scores)


def test_an_interrupt_cancels_the_tasks_of_a_cluster(three_workers):
    def interrupt(facts):
        if facts["done"]:
            raise KeyboardInterrupt

    result = run_long(interrupt)
    assert result.stopped == "interrupt"
    assert 0 < np.isfinite(result.inner_scores).sum() < result.inner_scores.size
    deadline = time.monotonic() + 10
    while any(three_workers.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(three_workers.processing().values())


def test_a_time_limit_on_a_cluster(three_workers):
    X, y = datasets.make_classification(1500, 20, random_state=0)
    grid = {"C": [10.0**power for power in range(7)], "gamma": np.geomspace(0.001, 10, 12)}
    start = time.monotonic()
    result = softmargin.nested_cv(X, y, "svc", grid, random_state=0, time_limit=3.0)
    assert result.stopped == "time limit"
    assert time.monotonic() - start < 30


def test_an_error_of_a_task_is_that_of_a_local_run(three_workers):
    class Failing(softmargin.SVC):
        def fit(self, X, y, **params):
            raise ValueError("this fold fails")

    X, y = datasets.load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="this fold fails"):
        softmargin.nested_cv(X, y, Failing(), {"C": [1.0]}, outer=2, inner=2, random_state=0)


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
