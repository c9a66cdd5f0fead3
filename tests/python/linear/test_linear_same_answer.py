"""What linear machines answer depends on the data and the parameters only."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from softmargin import GDSVC, SGDSVC, LinearSVC

MODELS = {
    "newton": LinearSVC(),
    "dual": LinearSVC(loss="hinge", tol=0.1, random_state=0),
    "l1": LinearSVC("l1"),
    "gd": GDSVC(eta0=0.1, max_iter=30, tol=1e-300),
    "pegasos": SGDSVC(epochs=2, random_state=0),
    "nag": SGDSVC("nag", epochs=2, random_state=0),
    "rmsprop": SGDSVC("rmsprop", epochs=2, random_state=0),
}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(n=9000, d=6, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(n, d)) + np.eye(k, d)[y]
    return X, y


def wide_problem(n=2500, d=400):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    X = sp.random(n, d, density=0.02, random_state=2, format="csr")
    X.data = X.data + 0.3 * y[np.repeat(np.arange(n), np.diff(X.indptr))]
    return X, y


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]


@pytest.mark.case(64)
@pytest.mark.parametrize("layout", ["dense", "sparse", "wide", "wide, dense"])
def test_threads_do_not_change_a_bit(model, layout):
    X, y = wide_problem() if "wide" in layout else problem()
    if layout == "sparse":
        X = sp.csr_matrix(X)
    elif layout == "wide, dense":
        X = X.toarray()
    one, two = (model.set_params(n_jobs=jobs).fit(X, y).coef_.copy() for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
    values = [model.set_params(n_jobs=jobs).decision_function(X) for jobs in (1, 2)]
    np.testing.assert_array_equal(*values)


@pytest.mark.case(38, 67)
def test_dense_and_sparse_rows_agree(model):
    X, y = problem(n=500)
    X = np.where(X > 0.5, X, 0.0)
    dense = model.fit(X, y).coef_.copy()
    values = model.decision_function(sp.csr_matrix(X))
    np.testing.assert_allclose(values, model.decision_function(X), rtol=1e-12, atol=1e-12)
    for layout in (sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_matrix):
        sparse = model.fit(layout(X), y).coef_
        np.testing.assert_allclose(sparse, dense, rtol=1e-6, atol=1e-8)


@pytest.mark.case(66)
def test_float32_rows_are_rows_of_float64(model):
    X, y = problem(n=500)
    narrow = X.astype(np.float32)
    wide = model.fit(narrow.astype(np.float64), y).coef_.copy()
    found = model.fit(narrow, y).coef_
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, wide, rtol=1e-6, atol=1e-8)


@pytest.mark.case(71)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_order_of_rows_and_the_seed_do_not_move_the_optimum(loss):
    X, y = problem(n=300)
    tight = {"loss": loss, "tol": 1e-9, "max_iter": 100_000}
    expected = LinearSVC(**tight, random_state=0).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    for other in (
        LinearSVC(**tight, random_state=1).fit(X, y),
        LinearSVC(**tight, random_state=0).fit(X[order], y[order]),
    ):
        np.testing.assert_allclose(other.coef_, expected.coef_, atol=1e-6)


def test_a_seed_is_a_result(model):
    X, y = problem(n=200)
    first = model.fit(X, y).coef_.copy()
    np.testing.assert_array_equal(model.fit(X, y).coef_, first)


@pytest.mark.case(72)
def test_negated_labels_mirror_the_machine(model):
    X, y = problem(n=200, k=2)
    expected = model.fit(X, y)
    coef, bias = expected.coef_.copy(), expected.intercept_.copy()
    mirrored = model.fit(X, -y)
    np.testing.assert_array_equal(mirrored.coef_, -coef)
    np.testing.assert_array_equal(mirrored.intercept_, -bias)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_attributes_have_the_shapes_of_scikit_learn(model, k):
    X, y = problem(n=200, k=k)
    theirs = svm.LinearSVC().fit(X, y)
    model.set_params(multi_class="ovr").fit(X, y)
    for name in ("coef_", "intercept_", "classes_"):
        assert getattr(model, name).shape == getattr(theirs, name).shape, name
        assert getattr(model, name).dtype == getattr(theirs, name).dtype, name
    assert isinstance(model.n_iter_, int)
    assert model.n_features_in_ == theirs.n_features_in_
    values = model.decision_function(X[:9])
    assert values.shape == theirs.decision_function(X[:9]).shape
    np.testing.assert_allclose(
        values if k > 2 else values[:, None], X[:9] @ model.coef_.T + model.intercept_, rtol=1e-9
    )
    n_pairs = {2: 1, 3: 3, 5: 10}[k]
    assert model.set_params(multi_class="ovo").fit(X, y).coef_.shape == (n_pairs, X.shape[1])
    assert model.decision_function(X[:9]).shape == values.shape
    assert model.set_params(multi_class="ordinal").fit(X, y).coef_.shape == (k - 1, X.shape[1])
    model.set_params(multi_class="ovr")


@pytest.mark.case(60, 61)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "params", [{}, {"dual": True}, {"loss": "hinge"}, {"penalty": "l1"}], ids=str
)
def test_a_limit_ends_with_a_warning_and_a_model(params):
    X, y = problem(n=2000)
    model = LinearSVC(C=10, max_iter=1, tol=1e-9, random_state=0, **params)
    with pytest.warns(ConvergenceWarning, match="3 of 3 binary classifiers.*'iteration limit'"):
        model.fit(X, y)
    assert model.n_iter_ == 1
    assert model.status_ == ["iteration limit"] * 3
    assert model.score(X, y) > 0.4
    with pytest.warns(ConvergenceWarning, match="time limit"):
        LinearSVC(C=10, time_limit=1e-9, tol=1e-9, **params).fit(X, y)


@pytest.mark.case(61)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [GDSVC, SGDSVC])
def test_a_time_limit_of_descent_ends_with_a_warning(kind):
    X, y = problem(n=2000)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = kind(time_limit=1e-9).fit(X, y)
    assert np.isfinite(model.coef_).all()
