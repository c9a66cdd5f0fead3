"""More features than samples: the work counted in steps does not grow with the features."""

import numpy as np
import pytest
from sklearn import svm

from estimators import CLASSIFIERS, KERNEL, each
from softmargin import LinearSVC

UNCONVERGED = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
N = 60


def wide(d, k=2):
    """Samples of k classes with many more features than there are samples."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % k
    return rng.normal(size=(N, d)) / np.sqrt(d) + np.eye(k, d)[y], y


@UNCONVERGED
@pytest.mark.case(110)
@each(CLASSIFIERS)
def test_steps_do_not_grow_with_the_features(estimator):
    few, many = (estimator.fit(*wide(d)).n_iter_ for d in (200, 5_000))
    assert np.max(many) <= 4 * np.max(few) + 20


@UNCONVERGED
@pytest.mark.case(110)
@each(KERNEL)
def test_kernel_values_do_not_grow_with_the_features(estimator):
    few, many = (estimator.fit(*wide(d)).n_kernel_evals_ for d in (200, 5_000))
    assert many <= 4 * few + N * N


@pytest.mark.case(110, of="LinearSVC")
@pytest.mark.parametrize("k", [2, 4])
def test_wide_data_is_solved_in_the_dual_as_by_scikit_learn(k):
    X, y = wide(5_000, k)
    chosen = LinearSVC(random_state=0).fit(X, y)
    dual = LinearSVC(random_state=0, dual=True).fit(X, y)
    np.testing.assert_array_equal(chosen.coef_, dual.coef_)
    peer = svm.LinearSVC(dual="auto", tol=1e-8, max_iter=100_000).fit(X, y)
    exact = LinearSVC(tol=1e-8, max_iter=100_000, random_state=0).fit(X, y)
    np.testing.assert_allclose(exact.coef_, peer.coef_, atol=1e-5)


@pytest.mark.case(110, of="LinearSVC")
def test_tall_data_stays_in_the_primal():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(500, 20)), np.arange(500) % 2
    chosen, primal = (LinearSVC(dual=dual).fit(X, y) for dual in ("auto", False))
    np.testing.assert_array_equal(chosen.coef_, primal.coef_)
