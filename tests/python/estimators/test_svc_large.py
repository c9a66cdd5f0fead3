"""Large binary problems, whose kernel rows are computed while working sets are solved."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from softmargin import SVC


@pytest.fixture(scope="module")
def many():
    return make_classification(9000, 8, n_informative=6, flip_y=0.05, random_state=0)


@pytest.mark.case(64)
@pytest.mark.parametrize("cache_size", [10, 1000])
def test_threads_change_neither_the_model_nor_the_work(many, cache_size):
    X, y = many
    one, *others = (
        SVC(C=10, gamma=0.2, cache_size=cache_size, n_jobs=n_jobs).fit(X, y)
        for n_jobs in (1, 2, 3, 8)
    )
    for other in others:
        np.testing.assert_array_equal(other.support_, one.support_)
        np.testing.assert_array_equal(other.dual_coef_, one.dual_coef_)
        np.testing.assert_array_equal(other.intercept_, one.intercept_)
        np.testing.assert_array_equal(other.n_iter_, one.n_iter_)
        assert other.n_kernel_evals_ == one.n_kernel_evals_


@pytest.mark.case(63)
def test_the_size_of_the_cache_does_not_change_the_optimum(many):
    X, y = many
    models = [SVC(C=10, gamma=0.2, cache_size=size).fit(X, y) for size in (2, 20, 1000)]
    certificates = [model.certificate_[0] for model in models]
    assert all(found.violation <= 1e-3 for found in certificates)
    best = max(found.dual for found in certificates)
    assert all(best <= found.primal for found in certificates)


@pytest.mark.case(71)
def test_the_order_of_the_samples_does_not_change_the_optimum(many):
    X, y = many
    order = np.random.default_rng(0).permutation(len(y))
    one, other = (
        SVC(C=10, gamma=0.2, tol=1e-4).fit(*data) for data in (many, (X[order], y[order]))
    )
    np.testing.assert_allclose(
        one.decision_function(X[:500]), other.decision_function(X[:500]), atol=2e-3
    )
