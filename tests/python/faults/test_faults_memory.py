"""Memory that is not there is an error, and memory that was used is given back."""

import pytest

from processes import facts_of
from systems import linux

# What a limited process does after a call that needs more memory than it has.
SHORT_OF_MEMORY = """
import resource
import scipy.sparse as sp

def tiny():
    return softmargin.OLLAWV(n_jobs=1).fit([[0.0], [1.0]], [0, 1]).predict([[0.0], [1.0]]).tolist()

def limited(gigabytes, call):
    pages = int(open("/proc/self/statm").read().split()[0])
    limit = pages * resource.getpagesize() + int(gigabytes * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        call()
        report(raised="nothing")
    except (MemoryError, ValueError) as error:
        report(raised=type(error).__name__, message=str(error))
    report(after=tiny())

tiny()
wide = sp.csr_matrix(
    (np.ones(4), np.array([0, 1, 2, 2**31 - 2], dtype=np.int64), np.arange(5, dtype=np.int64)),
    shape=(4, 2**31 - 1),
)
"""

HUNGRY = {
    "kernel matrix": "softmargin.kernel_matrix(np.zeros((60_000, 1)), n_jobs=1)",
    "kernel matrix, sparse": "softmargin.kernel_matrix(sp.csr_matrix((60_000, 1)), n_jobs=1)",
    "fit of 2^31 columns": "softmargin.OLLAWV(gamma=1.0).fit(wide, [0, 0, 1, 1])",
    "scaling of 2^31 columns": "softmargin.MinMaxScaler().fit(wide)",
}


@pytest.mark.case(76, 77)
@linux
@pytest.mark.parametrize("call", HUNGRY)
def test_memory_that_is_not_there_is_an_error(call):
    facts = facts_of(SHORT_OF_MEMORY + f"limited(2, lambda: {HUNGRY[call]})")
    assert facts["raised"] == "MemoryError"
    assert facts["message"]
    assert facts["after"] == [0, 1]


@pytest.mark.case(77)
@linux
@pytest.mark.parametrize(
    ("method", "raised"), [("decision_function", "MemoryError"), ("predict", "nothing")]
)
def test_scores_that_do_not_fit_are_an_error(method, raised):
    """50,000 rows by 1,000 classes are 0.4 GB; labels need no scores of all rows at once."""
    facts = facts_of(
        SHORT_OF_MEMORY
        + f"""
model = softmargin.OLLAWV(multi_class="ovr", max_sv_fraction=1e-9)
model.fit(np.arange(2000.0)[:, None], np.repeat(np.arange(1000), 2))
rows = np.zeros((50_000, 1))
limited(0.3, lambda: model.{method}(rows))
"""
    )
    assert facts["raised"] == raised
    assert facts["after"] == [0, 1]


@pytest.mark.case(78)
@linux
@pytest.mark.parametrize("leak", [0, 1], ids=["as it is", "one lost copy a round"])
def test_a_hundred_rounds_do_not_grow_the_memory(leak):
    """Rows as an array and sparse; growth by half a copy of the rows each round is allowed."""
    facts = facts_of(
        f"""
        import scipy.sparse as sp
        from soak.resident import resident
        rng = np.random.default_rng(0)
        X, y, lost = rng.normal(size=(200, 200)), rng.integers(0, 3, 200), []
        S, scaler = sp.csr_matrix(np.where(X < 0, 0, X)), softmargin.MinMaxScaler()

        def work():
            for rows in (X, S):
                model = softmargin.OLLAWV(n_jobs=2).fit(scaler.fit_transform(rows), y)
                model.decision_function(rows)
                model.support_vectors_
                softmargin.kernel_matrix(rows, n_jobs=2)
            try:
                softmargin.OLLAWV(gamma=-1.0).fit(X, y)
            except ValueError:
                lost.extend(X.copy() for _ in range({leak}))

        for _ in range(20):
            work()
        before = resident()
        for _ in range(100):
            work()
        report(copies=(resident() - before) / X.nbytes)
        """
    )
    assert (facts["copies"] > 50) == bool(leak)
