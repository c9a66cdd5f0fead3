"""Parameters outside their domain are named with their value; extreme ones inside it work."""

import numpy as np
import pytest

from hinge import OLLAWV, fit, kernel_matrix, methods

REFUSED = (ValueError, TypeError)
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("C", value) for value in (0, -1.0, NAN, INF, "1", None, True, 1j)),
        *(("margin", value) for value in (-0.1, NAN, INF, "0.1", None, True)),
        *(("gamma", value) for value in (-1.0, NAN, INF, "wide", None, True, 10**400)),
        *(("degree", value) for value in (-1, 2.5, "3", None, True, NAN, 2**40, 2**70)),
        *(("coef0", value) for value in (NAN, INF, "0", None)),
        *(("max_sv_fraction", value) for value in (0, -0.5, 1.5, NAN, "half", None, True)),
        *(("cache_size", value) for value in (0, -1, NAN, "big", None)),
        *(("n_jobs", value) for value in (0, 1.5, "all", 2**31, 2**70)),
        *(("kernel", value) for value in ("cosine", None, 3, "RBF", np.dot)),
        *(("multi_class", value) for value in ("crammer_singer", None, 1)),
        *(("decision_function_shape", value) for value in ("all", None, 1)),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_value_outside_its_domain_is_named(noisy, refuses, name, value):  # case 54
    message = refuses(*noisy, rf"\b{name}\b", REFUSED, **{name: value})
    if isinstance(value, int | str) and len(str(value)) < 30:
        assert str(value) in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gamma", -1.0),
        ("gamma", "wide"),
        ("degree", -1),
        ("coef0", NAN),
        ("kernel", "cosine"),
        ("n_jobs", 0),
    ],
)
def test_a_kernel_matrix_names_the_same_parameters(name, value):  # case 54
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        kernel_matrix([[1.0], [2.0]], **{name: value})


def test_an_unknown_method_is_named(noisy):
    for method in ("svm", None, []):
        with pytest.raises(ValueError, match=r"method = .*'ollawv'"):
            fit(*noisy, method=method)
    kernel = ["mnsvm", "newton", "nlsgd", "nnisda", "ollawv", "svc"]
    assert methods() == sorted([*kernel, "gd", "linear", "sgd"])
    with pytest.raises(TypeError, match="marjin"):
        fit(*noisy, marjin=1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("C", [1e-300, 1e-50, 1e39, 1e300])
def test_an_extreme_c_only_scales(noisy, C, dtype):  # case 55
    X, y = noisy
    X = X.astype(dtype)
    one, scaled = OLLAWV().fit(X, y), OLLAWV(C=C).fit(X, y)
    np.testing.assert_array_equal(scaled.dual_coef_, C * one.dual_coef_)
    scaled_back = scaled.decision_function(X) / C
    np.testing.assert_allclose(scaled_back, one.decision_function(X), rtol=1e-5, atol=2e-6)
    np.testing.assert_array_equal(scaled.predict(X), one.predict(X))


def test_a_c_beyond_the_range_of_coefficients_is_named(noisy, refuses):  # case 55
    refuses(*noisy, r"\bC\b", C=1e308)


@pytest.mark.parametrize(
    ("dtype", "gamma"), [(np.float64, 1e10), (np.float64, 1e300), (np.float32, 1e10)]
)
def test_a_huge_gamma_makes_the_kernel_the_identity(noisy, dtype, gamma):  # case 56
    X, y = noisy
    X = X.astype(dtype)
    np.testing.assert_array_equal(kernel_matrix(X, gamma=gamma), np.eye(len(X)))
    model = OLLAWV(gamma=gamma).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("gamma", [1e39, 1e60, 1e300])
def test_a_gamma_beyond_float32_makes_the_kernel_the_identity(noisy, gamma):  # case 56
    """In float32 such a gamma is infinite, and infinity times a distance of 0 is no number."""
    X, y = noisy
    X = X.astype(np.float32)
    np.testing.assert_array_equal(kernel_matrix(X, gamma=gamma), np.eye(len(X)))
    assert OLLAWV(gamma=gamma, margin=0.5).fit(X, y).score(X, y) == 1.0


def test_gamma_scale_of_tiny_float32_rows_is_no_exception(noisy):  # cases 4, 56
    """Variance 1e-50 and squared distances below the smallest float32."""
    X, _ = noisy
    tiny = (X * 1e-25).astype(np.float32)
    K = kernel_matrix(tiny, gamma="scale")
    np.testing.assert_array_equal(np.diag(K), 1)
    np.testing.assert_array_equal(K, K.T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gamma", [0.0, 1e-300, 1e-30])
def test_a_tiny_gamma_makes_the_kernel_all_ones(noisy, gamma, dtype):  # case 56
    X, y = noisy
    X = X.astype(dtype)
    assert (kernel_matrix(X, gamma=gamma) == 1).all()
    model = OLLAWV(gamma=gamma).fit(X, y)
    assert model.n_iter_[0] <= len(X)
    assert len(set(model.predict(X))) == 1


@pytest.mark.parametrize("options", [{"kernel": "sigmoid", "gamma": 3.0, "coef0": -5.0}, {}])
def test_an_indefinite_kernel_ends(noisy, rng, options):  # case 57
    X, y = noisy
    if not options:
        options = {"kernel": "precomputed"}
        X = rng.normal(size=(len(y), len(y)))
        X = X + X.T
    model = OLLAWV(margin=5.0, **options).fit(X, y)
    assert model.n_iter_[0] <= len(y)
    assert np.isfinite(model.decision_function(X)).all()


def test_a_matrix_that_is_no_kernel_is_refused(refuses, rng):  # case 58
    K, y = np.eye(120), np.arange(120) % 2
    refuses(K[:, :100], y, "120 x 100.*square", kernel="precomputed")
    K[7, 3] = 0.5
    refuses(K, y, r"not symmetric: X\[7, 3\] = 0.5", kernel="precomputed")


def test_other_kernel_values_at_predict_are_refused():  # case 58
    model = OLLAWV(kernel="precomputed").fit(np.eye(6), [0, 1] * 3)
    for columns in (5, 7):
        with pytest.raises(ValueError, match=f"{columns} features.*6 features"):
            model.predict(np.ones((2, columns)))


def test_an_unfitted_model_says_so(noisy):
    for call in (OLLAWV().predict, OLLAWV().decision_function):
        with pytest.raises(ValueError, match="not fitted"):
            call(noisy[0])
    assert not hasattr(OLLAWV(), "support_vectors_")


def test_the_largest_cache_is_capped_by_the_memory(noisy):  # case 75
    X, y = noisy
    expected = OLLAWV().fit(X, y)
    for cache_size in (1e30, INF, 1e-9):
        model = OLLAWV(cache_size=cache_size).fit(X, y)
        np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
