"""Forked children and the workers of joblib give the same models."""

import os

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.model_selection import cross_val_score

from processes import facts_of
from softmargin import OLLAWV

FORK = """
rng = np.random.default_rng(0)
X, y = rng.normal(size=(3000, 20)), rng.integers(0, 3, 3000)

def fit(n_jobs=2):
    return softmargin.OLLAWV(n_jobs=n_jobs, max_sv_fraction=0.1).fit(X, y).dual_coef_.tolist()

def in_a_child(call):
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a hang ends the child by a signal
        os._exit(0 if call() == expected else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

expected = fit()
"""


@pytest.mark.case(81)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize(
    "body",
    [
        """
grandchild = lambda: fit() if in_a_child(fit) == 0 else None
report(codes=[in_a_child(call) for call in (fit, lambda: fit(1), fit, grandchild)])
""",
        """
worker = threading.Thread(target=lambda: [fit() for _ in range(20)])
worker.start()
report(codes=[in_a_child(fit) for _ in range(5)])
worker.join()
""",
        """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    results = pool.map_async(fit, [1, 2, 2, 1]).get(30)
report(codes=[int(result != expected) for result in results])
""",
    ],
    ids=["children", "fork during a fit", "multiprocessing"],
)
def test_a_forked_child_fits_to_the_same_model(body):
    facts = facts_of(FORK + body)
    assert set(facts["codes"]) == {0}


@pytest.mark.case(82)
@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_parallel_backends_give_equal_scores(iris, backend, n_jobs):
    X, y = iris
    model = OLLAWV(n_jobs=n_jobs)
    expected = cross_val_score(model, X, y, cv=4)
    with parallel_config(backend=backend, n_jobs=2):
        np.testing.assert_array_equal(cross_val_score(model, X, y, cv=4), expected)
