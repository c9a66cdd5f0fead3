"""The exact classifier reaches scikit-learn's optimum: same objective, same decision values."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets, svm
from sklearn.metrics.pairwise import pairwise_kernels

from softmargin import SVC

TOL = 1e-6


def kernel_of(name, X, Z, gamma, degree=3, coef0=1.0):
    options = {"rbf": {"gamma": gamma}, "linear": {}, "sigmoid": {"gamma": gamma, "coef0": coef0}}
    options["poly"] = {"gamma": gamma, "degree": degree, "coef0": coef0}
    return pairwise_kernels(X, Z, metric=name, **options[name])


def dual_objective(model, X, name, gamma):
    """Sum of alpha less half the squared length of the machine, for two classes."""
    beta = np.zeros(len(X))
    dual_coef = model.dual_coef_
    beta[model.support_] = (dual_coef.toarray() if sp.issparse(dual_coef) else dual_coef)[0]
    return np.abs(beta).sum() - 0.5 * beta @ kernel_of(name, X, X, gamma) @ beta


def two_classes(seed, n=150, d=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.7 * rng.normal(size=n) > 0.3, 1, 0)


@pytest.mark.parametrize(
    ("kernel", "C"),
    # With a large C the indefinite sigmoid kernel has several local optima.
    [(k, C) for k in ("rbf", "linear", "poly") for C in (0.1, 1.0, 100.0)] + [("sigmoid", 0.5)],
)
def test_two_classes_reach_the_optimum_of_libsvm(kernel, C):
    gamma = 0.02 if kernel == "sigmoid" else 0.3
    X, y = two_classes(1)
    settings = {"C": C, "kernel": kernel, "gamma": gamma, "coef0": 1.0, "tol": TOL}
    ours, theirs = SVC(**settings).fit(X, y), svm.SVC(**settings).fit(X, y)
    objectives = [dual_objective(model, X, kernel, gamma) for model in (ours, theirs)]
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)
    scale = 1 + np.abs(theirs.decision_function(X)).max()
    error = np.abs(ours.decision_function(X) - theirs.decision_function(X)).max()
    assert error < 1e-4 * scale
    assert ours.status_ == ["converged"]


@pytest.mark.parametrize("weights", ["classes", "balanced", "rows", "both"])
def test_weights_reach_the_optimum_of_libsvm(weights):
    X, y = two_classes(2)
    rng = np.random.default_rng(3)
    class_weight = {"classes": {0: 0.3, 1: 4.0}, "balanced": "balanced", "both": {1: 5.0}}
    settings = {"gamma": 0.5, "C": 2.0, "tol": TOL, "class_weight": class_weight.get(weights)}
    rows = rng.uniform(0.1, 3, len(y)) if weights in ("rows", "both") else None
    ours = SVC(**settings).fit(X, y, sample_weight=rows)
    theirs = svm.SVC(**settings).fit(X, y, sample_weight=rows)
    objectives = [dual_objective(model, X, "rbf", 0.5) for model in (ours, theirs)]
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=1e-4
    )


@pytest.mark.parametrize("load", [datasets.load_iris, datasets.load_wine, datasets.load_digits])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_many_classes_have_the_decision_values_of_libsvm(load, as_sparse):
    X, y = load(return_X_y=True)
    X = X[:600] / (np.abs(X).max(axis=0) + 1e-9)
    y = y[:600]
    X = sp.csr_matrix(X) if as_sparse else X
    settings = {"C": 4.0, "gamma": 0.25, "tol": TOL, "decision_function_shape": "ovo"}
    ours, theirs = SVC(**settings).fit(X, y), svm.SVC(**settings).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=2e-4
    )
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    assert ours.intercept_.shape == theirs.intercept_.shape
    assert set(ours.support_) == set(theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)


def test_the_linear_kernel_has_the_weights_of_libsvm():
    for load in (datasets.load_iris, datasets.load_breast_cancer):
        X, y = load(return_X_y=True)
        X = X / np.abs(X).max(axis=0)
        ours = SVC(kernel="linear", tol=TOL).fit(X, y)
        theirs = svm.SVC(kernel="linear", tol=TOL).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    with pytest.raises(AttributeError, match="linear"):
        _ = SVC().fit(X, y).coef_


@pytest.mark.case(51)
def test_a_weight_of_two_is_a_row_twice_and_of_zero_no_row():
    X, y = two_classes(4)
    weights = np.arange(len(y)) % 3
    repeated = np.repeat(np.arange(len(y)), weights)
    by_weight = SVC(tol=TOL, gamma=0.3).fit(X, y, sample_weight=weights)
    by_rows = SVC(tol=TOL, gamma=0.3).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(
        by_weight.decision_function(X), by_rows.decision_function(X), rtol=0, atol=1e-4
    )
    assert (weights[by_weight.support_] > 0).all()


@pytest.mark.parametrize("size", [2, 3, 10, 64, None])
@pytest.mark.parametrize("cache_size", [0.001, 1000])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_working_set_cache_and_threads_do_not_change_the_optimum(size, cache_size, n_jobs):
    X, y = two_classes(5, n=400)
    expected = svm.SVC(C=10.0, gamma=0.3, tol=TOL).fit(X, y)
    settings = {"working_set_size": size, "cache_size": cache_size, "n_jobs": n_jobs}
    model = SVC(C=10.0, gamma=0.3, tol=1e-5, **settings).fit(X, y)
    objectives = [dual_objective(m, X, "rbf", 0.3) for m in (model, expected)]
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)


def test_a_precomputed_kernel_gives_the_model_of_its_rows():
    X, y = two_classes(6)
    K = kernel_of("rbf", X, X, 0.3)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    for rows in (None, weights):
        direct = SVC(gamma=0.3, tol=TOL).fit(X, y, sample_weight=rows)
        given = SVC(kernel="precomputed", tol=TOL).fit(K, y, sample_weight=rows)
        np.testing.assert_allclose(
            given.decision_function(K), direct.decision_function(X), rtol=0, atol=1e-5
        )


def test_the_core_reports_loops_and_kernel_values():
    X, y = two_classes(7, n=500)
    model = SVC(working_set_size=50, gamma=1.0).fit(X, y)
    assert model.n_loops_[0] > 1
    assert model.n_iter_[0] > model.n_loops_[0]
    assert 0 < model.n_kernel_evals_ <= 500 * 500 * model.n_loops_[0]


def plain_certificate(model, X, y, C, gamma):
    """Primal, dual and violation of a machine of two classes, from the definitions."""
    K = kernel_of("rbf", X, X, gamma)
    sign = np.where(y == 1, 1.0, -1.0)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    f = K @ beta + model.intercept_[0]
    square = beta @ K @ beta
    primal = 0.5 * square + C * np.maximum(0, 1 - sign * f).sum()
    v = sign - K @ beta
    alpha = sign * beta
    rises = np.where(sign > 0, alpha < C, alpha > 0)
    falls = np.where(sign > 0, alpha > 0, alpha < C)
    return primal, alpha.sum() - 0.5 * square, v[rises].max() - v[falls].min()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-5])
def test_a_certificate_holds_and_is_that_of_the_definitions(dtype, tol):
    X, y = two_classes(8)
    X = X.astype(dtype)
    model = SVC(C=5.0, gamma=0.3, tol=tol).fit(X, y)
    (found,) = model.certificate_
    primal, dual, violation = plain_certificate(model, X.astype(np.float64), y, 5.0, 0.3)
    assert found.primal == pytest.approx(primal, rel=1e-9)
    assert found.dual == pytest.approx(dual, rel=1e-9)
    assert found.gap == pytest.approx(primal - dual, abs=1e-8)
    assert found.violation == pytest.approx(max(violation, 0), abs=1e-9)
    assert found.violation < tol + (1e-4 if dtype == np.float32 else 1e-9)
    assert 0 <= found.gap < 5 * len(y) * tol


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_every_machine_of_many_classes_has_a_certificate(multi_class, as_sparse):
    X, y = datasets.load_digits(return_X_y=True)
    X = X[:500] / 16
    y = y[:500]
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    rows = sp.csr_matrix(X) if as_sparse else X
    model = SVC(C=2.0, multi_class=multi_class, class_weight={3: 2.0}, tol=1e-4)
    model.fit(rows, y, sample_weight=weights)
    assert len(model.certificate_) == len(model.intercept_)
    for found in model.certificate_:
        assert found.violation < 1e-4 + 1e-9
        assert -1e-9 < found.gap < 0.02 * (1 + found.primal)


def test_a_pickled_model_keeps_its_certificate_but_not_the_rows():
    X, y = two_classes(9)
    model = SVC().fit(X, y)
    with pytest.raises(AttributeError, match="training data"):
        _ = pickle.loads(pickle.dumps(model)).certificate_
    found = model.certificate_
    assert pickle.loads(pickle.dumps(model)).certificate_ == found
    assert model._training is None


def test_the_number_of_threads_does_not_change_a_bit():
    X, y = datasets.load_digits(return_X_y=True)
    large = two_classes(10, n=6000, d=200)  # parallel inside
    for rows, labels in ((X / 16, y), large):
        models = [SVC(gamma=0.02, n_jobs=n).fit(rows, labels) for n in (1, 2, 8)]
        for other in models[1:]:
            np.testing.assert_array_equal(other.dual_coef_, models[0].dual_coef_)
            np.testing.assert_array_equal(other.intercept_, models[0].intercept_)
            np.testing.assert_array_equal(other.n_iter_, models[0].n_iter_)
