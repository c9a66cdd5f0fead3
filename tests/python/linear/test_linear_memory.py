"""Linear machines of very many features or classes: an error or a result, never the end."""

import numpy as np
import pytest

import softmargin
from processes import facts_of
from softmargin._estimators import linear
from systems import linux

LIMITED = """
import resource, warnings
import scipy.sparse as sp
warnings.simplefilter("ignore")

def limited(gigabytes, call):
    pages = int(open("/proc/self/statm").read().split()[0])
    limit = pages * resource.getpagesize() + int(gigabytes * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        call()
        report(raised="nothing")
    except MemoryError as error:
        report(raised="MemoryError", message=str(error))
    after = softmargin.LinearSVC(n_jobs=1).fit([[0.0], [1.0]], [0, 1])
    report(after=after.predict([[1.0]]).tolist())

"""
MODELS = {
    "LinearSVC": "softmargin.LinearSVC(n_jobs=2)",
    "LinearSVC hinge": "softmargin.LinearSVC(loss='hinge', n_jobs=2)",
    "LinearSVC l1": "softmargin.LinearSVC('l1', n_jobs=2)",
    "SGDSVC": "softmargin.SGDSVC(epochs=1, n_jobs=2)",
    "SGDSVC rmsprop": "softmargin.SGDSVC(epochs=1, optimizer='rmsprop', n_jobs=2)",
    "GDSVC": "softmargin.GDSVC(max_iter=2, n_jobs=2)",
}


@pytest.mark.case(76, 77, of="LinearSVC SGDSVC GDSVC")
@linux
@pytest.mark.parametrize("columns", [2**25, 2**31 - 1, 2**31 + 7])
@pytest.mark.parametrize("model", MODELS)
def test_weights_that_do_not_fit_are_an_error(model, columns):
    facts = facts_of(
        LIMITED
        + f"""
rows = sp.csr_matrix(
    (np.ones(4), np.array([0, 1, 2, {columns} - 1]), np.arange(5)), shape=(4, {columns})
)
model = {MODELS[model]}
model.fit(rows[:, :3], [0, 0, 1, 1])
limited(0.4, lambda: model.fit(rows, [0, 0, 1, 1]))
"""
    )
    assert facts["raised"] == "MemoryError"
    assert "the weights of all binary classifiers" in facts["message"]
    assert facts["after"] == [1]


@pytest.mark.case(76, of="LinearSVC")
@linux
def test_a_copy_of_the_samples_by_feature_that_does_not_fit_is_an_error():
    """The copy is in float64: it takes 400 MB for 200 MB of samples."""
    facts = facts_of(
        LIMITED
        + """
rows = np.ones((10_000, 5_000), dtype=np.float32)
labels = np.arange(10_000) % 2
model = softmargin.LinearSVC("l1", n_jobs=1)
limited(0.4, lambda: model.fit(rows, labels))
"""
    )
    assert facts["raised"] == "MemoryError"
    assert "the samples by feature" in facts["message"]
    assert facts["after"] == [1]


@linux
def test_predictions_of_many_pairs_fit_into_memory():
    """Outputs of all rows would take 1.6 GB."""
    facts = facts_of(
        LIMITED
        + """
y = np.arange(1000) % 500
X = 10 * np.random.default_rng(0).normal(size=(500, 2))[y]
model = softmargin.SGDSVC(epochs=1, multi_class="ovo", random_state=0, n_jobs=1).fit(X, y)
limited(0.4, lambda: (model.predict(np.tile(X, (2, 1))), model.decision_function(X)))
"""
    )
    assert facts["raised"] == "nothing"


@pytest.mark.parametrize("scheme", ["ovo", "ovr", "ordinal"])
@pytest.mark.parametrize("at_once", [1, 50, 1000])
def test_blocks_of_rows_do_not_change_predictions(ten_classes, monkeypatch, scheme, at_once):
    X, y = ten_classes
    for n_classes in (2, 10):
        few = y < n_classes
        model = softmargin.LinearSVC(multi_class=scheme, random_state=0).fit(X[few], y[few])
        expected = model.predict(X), model.decision_function(X)
        with monkeypatch.context() as patched:
            patched.setattr(linear, "_MAX_OUTPUTS", at_once)
            for rows in (X, X.tolist(), np.asfortranarray(X)):
                np.testing.assert_array_equal(model.predict(rows), expected[0])
                np.testing.assert_array_equal(model.decision_function(rows), expected[1])
