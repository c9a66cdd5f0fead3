"""SVC computes kernel values of many float64 samples in float32, and is as exact as in float64."""

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import make_classification

import softmargin

# From this number of samples on, kernel values are computed in float32.
N = 1000


def problem(seed, offset=0.0, scale=1.0):
    X, y = make_classification(N, 8, n_informative=5, flip_y=0.1, random_state=seed)
    return scale * X + offset, y


def dual_objective(model, X, gamma):
    """Return the dual objective of a model with two classes and an RBF kernel."""
    beta = model.dual_coef_[0]
    vectors = X[model.support_]
    squares = (vectors**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * vectors @ vectors.T
    K = np.exp(-gamma * distances)
    return np.abs(beta).sum() - 0.5 * beta @ K @ beta


@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("data", [{}, {"offset": 1e4}, {"offset": -1e7}, {"scale": 1e-5}], ids=str)
@pytest.mark.filterwarnings("error")
def test_the_violation_is_within_tol(C, data):
    model = softmargin.SVC(C=C).fit(*problem(0, **data))
    assert model.status_ == ["converged"]
    assert model.certificate_[0].violation <= model.tol * (1 + 1e-6)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_every_kernel_reaches_the_tolerance(kernel):
    X, y = problem(1)
    model = softmargin.SVC(kernel=kernel, gamma=0.01, coef0=0.1).fit(X, y)
    assert model.certificate_[0].violation <= model.tol * (1 + 1e-6)


def test_several_classes_and_sparse_samples_reach_the_tolerance():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    X, y = make_classification(1200, 10, n_informative=6, n_classes=3, flip_y=0.1, random_state=3)
    for samples in (X, scipy_sparse.csr_matrix(X)):
        model = softmargin.SVC(C=10).fit(samples, y)
        assert max(one.violation for one in model.certificate_) <= model.tol * (1 + 1e-6)


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_the_objective_is_that_of_scikit_learn(C):
    X, y = problem(2)
    own = softmargin.SVC(C=C, gamma=0.1, tol=1e-4).fit(X, y)
    peer = svm.SVC(C=C, gamma=0.1, tol=1e-4).fit(X, y)
    expected = dual_objective(peer, X, 0.1)
    assert dual_objective(own, X, 0.1) == pytest.approx(expected, rel=1e-6)


def test_support_vectors_are_the_samples_to_the_bit():
    X, y = problem(3, offset=1e5)
    model = softmargin.SVC().fit(X, y)
    assert model.support_vectors_.dtype == np.float64
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


def test_a_small_tolerance_is_reached_in_float64():
    X, y = problem(4)
    model = softmargin.SVC(C=10, tol=1e-7).fit(X, y)
    assert model.certificate_[0].violation <= 1e-7 * (1 + 1e-6)


def test_samples_that_float32_cannot_distinguish_are_trained_in_float64():
    """Differences of 1e-9 around two points are lost in float32, even after centering."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, N)
    X = 1e-9 * (rng.normal(size=(N, 2)) + 2 * y[:, None])
    X[::2] += 1.0
    model = softmargin.SVC(gamma=1e17).fit(X, y)
    assert model.certificate_[0].violation <= model.tol * (1 + 1e-6)
    assert model.score(X, y) > 0.85
