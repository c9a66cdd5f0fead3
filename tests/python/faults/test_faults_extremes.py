"""Costs and kernels at the edge of what numbers can hold: the solver ends, and says how."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from estimators import CLASSIFIERS, KERNEL, each, problem
from softmargin import OLLAWV, SVC, LinearSVC, NewtonSVC, kernel_matrix

INF = float("inf")
UNCONVERGED = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@UNCONVERGED
@pytest.mark.case(55)
@pytest.mark.parametrize(
    ("estimator", "C"),
    [(name, C) for name in CLASSIFIERS for C in (1e300, INF) if (name, C) != ("OLLAWV", INF)],
    indirect=["estimator"],
)
def test_a_very_large_c_ends(estimator, C):
    X, y = problem()
    y[:10] = 1 - y[:10]
    if "max_iter" in estimator.get_params():
        estimator.set_params(max_iter=2000)
    model = estimator.set_params(C=C).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


@UNCONVERGED
@pytest.mark.case(55)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [1e200, 1e300, float("inf")])
@each(["SVC", "NNISDA", "MNSVM", "NewtonSVC"])
def test_a_very_large_c_has_a_certificate(estimator, kernel, C):
    """What is too large for a number is an infinite bound, and no exception."""
    X, y = problem()
    bias = {"bias": "penalized"} if isinstance(estimator, NewtonSVC) else {}
    model = estimator.set_params(C=C, kernel=kernel, max_iter=200, **bias).fit(X, y)
    (found,) = model.certificate_
    assert not np.isnan(found).any()
    assert found.dual <= found.primal
    assert found.gap == found.primal - found.dual


@pytest.mark.case(55)
@pytest.mark.parametrize("estimator", ["SVC", "LinearSVC"])
def test_a_large_c_that_is_not_reached_is_told(estimator):
    X, y = problem()
    y[:10] = 1 - y[:10]
    model = {"SVC": SVC(gamma=0.01), "LinearSVC": LinearSVC(loss="hinge")}[estimator]
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        model.set_params(C=1e300, max_iter=100).fit(X, y)


@pytest.mark.case(55, of="OLLAWV")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("C", [1e-300, 1e-50, 1e39, 1e300])
def test_an_extreme_c_only_scales(noisy, C, dtype):
    X, y = noisy
    X = X.astype(dtype)
    one, scaled = OLLAWV().fit(X, y), OLLAWV(C=C).fit(X, y)
    np.testing.assert_array_equal(scaled.dual_coef_, C * one.dual_coef_)
    scaled_back = scaled.decision_function(X) / C
    np.testing.assert_allclose(scaled_back, one.decision_function(X), rtol=1e-5, atol=2e-6)
    np.testing.assert_array_equal(scaled.predict(X), one.predict(X))


@pytest.mark.case(55)
@pytest.mark.parametrize("C", [1e308, INF])
@each(["OLLAWV"])
def test_a_c_beyond_the_range_of_coefficients_is_named(noisy, refuses, C):
    """Its coefficients are multiples of C."""
    refuses(*noisy, r"\bC\b", C=C)


@pytest.mark.case(56)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gamma", [1e10, 1e39, 1e60, 1e300])
@each(KERNEL)
def test_a_huge_gamma_makes_the_kernel_the_identity(estimator, noisy, dtype, gamma):
    """Beyond 1e38 a gamma is infinite in float32, and infinity times 0 is no number."""
    X, y = noisy
    X = X.astype(dtype)
    np.testing.assert_array_equal(kernel_matrix(X, gamma=gamma), np.eye(len(X)))
    if isinstance(estimator, OLLAWV):
        estimator.set_params(margin=0.5)
    model = estimator.set_params(gamma=gamma).fit(X, y)
    assert set(getattr(model, "status_", ["converged"])) == {"converged"}
    assert model.score(X, y) == 1.0


@pytest.mark.case(4, 56)
@pytest.mark.parametrize("estimator", ["kernel_matrix"])
def test_gamma_scale_of_tiny_float32_rows_is_no_exception(estimator, noisy):
    """Variance 1e-50 and squared distances below the smallest float32."""
    X, _ = noisy
    tiny = (X * 1e-25).astype(np.float32)
    K = kernel_matrix(tiny, gamma="scale")
    np.testing.assert_array_equal(np.diag(K), 1)
    np.testing.assert_array_equal(K, K.T)


@pytest.mark.case(56)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gamma", [0.0, 1e-300, 1e-30])
@each(KERNEL)
def test_a_tiny_gamma_makes_the_kernel_all_ones(estimator, noisy, gamma, dtype):
    X, y = noisy
    X = X.astype(dtype)
    assert (kernel_matrix(X, gamma=gamma) == 1).all()
    model = estimator.set_params(gamma=gamma).fit(X, y)
    assert set(getattr(model, "status_", ["converged"])) == {"converged"}
    assert len(set(model.predict(X))) == 1


@UNCONVERGED
@pytest.mark.case(57)
@pytest.mark.parametrize("kernel", ["sigmoid", "precomputed"])
@each(KERNEL)
def test_an_indefinite_kernel_ends_and_is_told(estimator, noisy, rng, kernel):
    X, y = noisy
    if kernel == "precomputed":
        X = rng.normal(size=(len(y), len(y)))
        X = X + X.T
    if "max_iter" in estimator.get_params():
        estimator.set_params(max_iter=2000)
    model = estimator.set_params(kernel=kernel, gamma=3.0, coef0=-5.0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    known = {"converged", "iteration limit", "stalled", "indefinite kernel"}
    assert set(getattr(model, "status_", ["converged"])) <= known


@pytest.mark.case(75)
@each(KERNEL)
def test_the_largest_cache_is_capped_by_the_memory(estimator, noisy):
    X, y = noisy
    expected = clone(estimator).fit(X, y).decision_function(X)
    for cache_size in (1e30, float("inf")):
        model = clone(estimator).set_params(cache_size=cache_size).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X), expected)
