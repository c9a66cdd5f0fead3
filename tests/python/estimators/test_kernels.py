"""Kernel matrices against scikit-learn's, and the properties that rounding must not break."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel

import reference
from softmargin import OLLAWV, kernel_matrix

THEIRS = {
    "rbf": lambda X, gamma, degree, coef0: rbf_kernel(X, gamma=gamma),
    "linear": lambda X, gamma, degree, coef0: linear_kernel(X),
    "poly": lambda X, gamma, degree, coef0: polynomial_kernel(X, None, degree, gamma, coef0),
    "sigmoid": lambda X, gamma, degree, coef0: sigmoid_kernel(X, None, gamma, coef0),
}
# A few roundings for each feature, relative to the largest value.
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-12}
LAYOUTS = {"dense": np.asarray, "csr": sp.csr_matrix}


@settings(max_examples=150)
@given(
    n=st.integers(1, 200),
    d=st.integers(1, 70),
    name=st.sampled_from(list(THEIRS)),
    dtype=st.sampled_from(list(TOLERANCE)),
    layout=st.sampled_from(list(LAYOUTS)),
    degree=st.integers(1, 4),
    coef0=st.sampled_from([0.0, -0.5, 1.0]),
    gamma=st.floats(1e-3, 4.0),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_shape_gives_the_values_of_scikit_learn(
    n, d, name, dtype, layout, degree, coef0, gamma, seed
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    X[rng.random(size=X.shape) < 0.3] = 0
    gamma = gamma / d
    expected = THEIRS[name](X.astype(np.float64), gamma, degree, coef0)
    K = kernel_matrix(LAYOUTS[layout](X), name, gamma, degree, coef0, n_jobs=1)
    assert K.dtype == dtype
    assert K.shape == (n, n)
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(K, expected, rtol=0, atol=TOLERANCE[dtype] * scale)
    np.testing.assert_array_equal(K, K.T)
    if name == "rbf":
        np.testing.assert_array_equal(np.diag(K), 1)
        assert ((K >= 0) & (K <= 1)).all()


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", list(TOLERANCE))
@pytest.mark.parametrize("n", [383, 384, 385, 800])
def test_a_large_matrix_of_long_rows_is_as_good(rng, n, dtype, layout):
    """Values below the diagonal may be copies of those above it, band by band."""
    X = rng.normal(size=(n, 80)).astype(dtype)
    K = kernel_matrix(layout(X), gamma=0.01, n_jobs=2)
    expected = rbf_kernel(X.astype(np.float64), gamma=0.01)
    np.testing.assert_allclose(K, expected, rtol=0, atol=TOLERANCE[dtype])
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.diag(K), 1)


@pytest.mark.parametrize("n_jobs", [2, 8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_matrix_does_not_depend_on_the_number_of_threads(rng, layout, dtype, n_jobs):
    X = layout(rng.normal(size=(333, 17)).astype(dtype))
    one, many = kernel_matrix(X, n_jobs=1), kernel_matrix(X, n_jobs=n_jobs)
    np.testing.assert_array_equal(many, one)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize(("dtype", "offset"), [(np.float32, 1e4), (np.float64, 1e4)])
def test_an_offset_of_the_data_costs_the_rbf_kernel_no_digits(rng, dtype, offset, layout):
    """Differences of rows are exact; sums of squares minus products would have lost them."""
    X = (rng.normal(size=(60, 12)) + offset).astype(dtype)
    expected = reference.kernel(X, X, gamma=0.2)
    K = kernel_matrix(layout(X), gamma=0.2, n_jobs=1)
    np.testing.assert_allclose(K, expected, rtol=1e-3)
    np.testing.assert_array_equal(np.diag(K), 1)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gamma_scale_is_one_over_features_times_variance(rng, layout, dtype):
    X = (3 * rng.normal(size=(50, 6)) + 2).astype(dtype)
    X[X < 1] = 0
    gamma = OLLAWV(gamma="scale").fit(layout(X), np.arange(50) % 2)._model.gamma
    np.testing.assert_allclose(gamma, 1 / (6 * X.astype(np.float64).var()), rtol=1e-12)
    np.testing.assert_array_equal(
        kernel_matrix(layout(X), gamma="scale"), kernel_matrix(layout(X), gamma=gamma)
    )


def test_gamma_scale_does_not_suffer_from_an_offset(rng):
    X = rng.normal(size=(50, 6)) + 1e7
    gamma = OLLAWV().fit(X, np.arange(50) % 2)._model.gamma
    np.testing.assert_allclose(gamma, 1 / (6 * (X - 1e7).var()), rtol=1e-6)


def test_gamma_auto_is_one_over_features(rng):
    X = rng.normal(size=(20, 8))
    np.testing.assert_array_equal(kernel_matrix(X, gamma="auto"), kernel_matrix(X, gamma=1 / 8))


@pytest.mark.case(21)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("value", [0.0, 5.0])
def test_gamma_scale_of_equal_values_is_one(layout, value):
    X = layout(np.full((10, 3), value))
    assert OLLAWV().fit(X, np.arange(10) % 2)._model.gamma == 1.0


def test_the_matrix_is_what_the_solver_sees(noisy):
    X, y = noisy
    by_rows = OLLAWV(gamma=0.7).fit(X, y)
    by_matrix = OLLAWV(kernel="precomputed").fit(kernel_matrix(X, gamma=0.7), y)
    np.testing.assert_array_equal(by_matrix.dual_coef_, by_rows.dual_coef_)
    np.testing.assert_array_equal(by_matrix.support_, by_rows.support_)
    np.testing.assert_array_equal(by_matrix.intercept_, by_rows.intercept_)


def test_sparse_rows_are_not_taken_for_a_precomputed_matrix():
    with pytest.raises(ValueError, match="precomputed"):
        kernel_matrix(sp.csr_matrix(np.eye(3)), kernel="precomputed")


@pytest.mark.parametrize("coef0", [0.0, 2.0])
def test_a_polynomial_of_degree_zero_is_one(rng, coef0):
    X = np.r_[rng.normal(size=(5, 3)), np.zeros((1, 3))]
    assert (kernel_matrix(X, "poly", degree=0, coef0=coef0) == 1).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exp_underflows_to_zero_without_a_warning(dtype):
    X = np.array([[0.0], [1.0], [3.0], [1e6]], dtype=dtype)
    K = kernel_matrix(X, gamma=30.0)
    expected = reference.kernel(X, X, gamma=30.0)
    np.testing.assert_allclose(K, expected, rtol=1e-5, atol=np.finfo(dtype).tiny)
    assert K[0, 3] == 0
