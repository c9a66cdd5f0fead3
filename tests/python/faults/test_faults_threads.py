"""No more threads than asked for, and the same numbers from any of them."""

import threading

import numpy as np
import pytest
from sklearn.base import clone

from estimators import CLASSIFIERS, PREDICTORS, each
from processes import facts_of
from systems import linux

COUNT_THREADS = """
import glob

def native_threads():
    found = {}
    for folder in glob.glob("/proc/self/task/*"):
        try:
            if open(folder + "/comm").read().startswith("softmargin-"):
                times = open(folder + "/stat").read().rsplit(")", 1)[1].split()
                found[folder] = int(times[11]) + int(times[12])
        except FileNotFoundError:
            pass
    return found

rng = np.random.default_rng(0)
X, y = rng.normal(size=(4000, 3)), rng.integers(0, 2, 4000)

def fit(n_jobs):
    softmargin.OLLAWV(kernel="sigmoid", gamma=0.1, margin=1e9, n_jobs=n_jobs).fit(X, y)

def most_during_a_fit(n_jobs):
    worker, most = threading.Thread(target=fit, args=(n_jobs,)), 0
    worker.start()
    while worker.is_alive():
        most = max(most, len(native_threads()))
        time.sleep(0.005)
    return most
"""


@linux
@pytest.mark.parametrize(
    ("n_jobs", "environment", "allowed"),
    [
        ("None", {}, 1),
        ("3", {}, 3),
        ("-1", {"RAYON_NUM_THREADS": "1"}, 1),
    ],
)
@pytest.mark.case(83)
def test_no_more_threads_run_than_were_asked_for(n_jobs, environment, allowed):
    facts = facts_of(COUNT_THREADS + f"report(most=most_during_a_fit({n_jobs}))", **environment)
    assert 1 <= facts["most"] <= allowed


@linux
@pytest.mark.case(83)
def test_the_threads_of_an_earlier_call_stay_idle():
    facts = facts_of(
        COUNT_THREADS
        + """
fit(4)
before = native_threads()
fit(1)
after = native_threads()
report(worked=sum(after[t] > before.get(t, 0) + 1 for t in after))
"""
    )
    assert facts["worked"] == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.case(84)
@pytest.mark.parametrize("n_jobs", [1, 2])
@each(PREDICTORS)
def test_threads_with_estimators_of_their_own_equal_serial_runs(estimator, rng, n_jobs):
    problems = [(rng.normal(size=(100, 8)), rng.integers(0, 3, 100)) for _ in range(6)]
    estimator.set_params(n_jobs=n_jobs)
    serial = [clone(estimator).fit(X, y).decision_function(X) for X, y in problems]
    found = [None] * len(problems)

    def work(place):
        X, y = problems[place]
        for _ in range(3):
            found[place] = clone(estimator).fit(X, y).decision_function(X)

    threads = [
        threading.Thread(target=work, args=(place,), daemon=True) for place in range(len(problems))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    for one, other in zip(serial, found, strict=True):
        np.testing.assert_array_equal(other, one)


@pytest.mark.case(84)
@each(CLASSIFIERS)
def test_one_model_predicts_in_several_threads_at_once(estimator, ten_classes):
    X, y = ten_classes
    model = estimator.set_params(n_jobs=2).fit(X, y)
    expected, wrong = model.decision_function(X), []

    def work():
        for _ in range(10):
            if not np.array_equal(model.decision_function(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert not wrong
