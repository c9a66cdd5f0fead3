"""Linear kernels: Newton solves in w, and every model predicts with one weight a feature."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets

from equality import dense
from softmargin import MNSVM, NLSGD, NNISDA, OLLAWV, SVC, LinearSVC, NewtonSVC

UNCONVERGED = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(n=200, d=5, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


@pytest.mark.parametrize("bias", [True, False, "penalized"])
@pytest.mark.parametrize("shape", [(200, 5), (60, 300)], ids=["factor", "conjugate gradients"])
def test_newton_in_w_reaches_the_optimum_of_newton_with_kernel_values(bias, shape):
    X, y = problem(*shape)
    settings = {"C": 0.1, "bias": bias}
    in_w = NewtonSVC(kernel="linear", **settings).fit(X, y)
    with_kernel = NewtonSVC(kernel="precomputed", **settings).fit(X @ X.T, y)
    assert in_w.n_kernel_evals_ == 0
    assert in_w.status_ == ["converged"]
    np.testing.assert_allclose(
        in_w.decision_function(X), with_kernel.decision_function(X @ X.T), atol=1e-5
    )
    ours, theirs = in_w.certificate_[0], with_kernel.certificate_[0]
    assert ours.primal == pytest.approx(theirs.primal, rel=1e-7)


@pytest.mark.parametrize("bias", [True, "penalized"])
@pytest.mark.parametrize("scale", [1.0, 1e2, 1e4])
def test_newton_in_w_finds_the_optimum_whatever_the_size_of_features(bias, scale):
    """The pulls of the losses, times C |x|^2, have no right digit of their own at the end."""
    y = np.arange(60) % 2
    X = (np.random.default_rng(0).normal(size=(60, 3)) + 10.8 * y[:, None]) * scale
    model = NewtonSVC(kernel="linear", bias=bias).fit(X, y)
    (found,) = model.certificate_
    assert model.status_ == ["converged"]
    assert model.score(X, y) == 1.0
    assert abs(found.gap) <= 1e-6 * found.primal
    assert found.violation <= 1e-3


def test_newton_in_w_separates_three_numbers_in_millions():
    X = np.array([[0.0], [1e6], [3e6]])
    model = NewtonSVC(kernel="linear").fit(X, [0, 0, 1])
    assert model.status_ == ["converged"]
    np.testing.assert_array_equal(model.predict(X), [0, 0, 1])
    # The middle between the two rows next to each other, which have a margin of 1.
    np.testing.assert_allclose(model.decision_function(X), [-2, -1, 1], atol=1e-6)


@UNCONVERGED
@pytest.mark.parametrize("bias", [True, "penalized"])
@pytest.mark.parametrize("C", [1.0, 1e4, 1e6, 1e7, 1e9])
@pytest.mark.parametrize("load", [datasets.load_wine, datasets.load_breast_cancer])
def test_newton_in_w_says_converged_of_an_optimum_only(load, C, bias):
    X, y = load(return_X_y=True)
    model = NewtonSVC(kernel="linear", C=C, bias=bias).fit(X, y)
    for status, found in zip(model.status_, model.certificate_, strict=True):
        assert status in ("converged", "stalled")
        assert found.violation <= (1.1e-3 if status == "converged" else 1.0)
    assert model.score(X, y) > 0.96


def test_newton_and_linear_svc_solve_the_same_problem():
    """A squared loss costs C here and C / 2 there, and the bias is part of the norm."""
    X, y = problem()
    newton = NewtonSVC(C=2.0, kernel="linear", bias="penalized").fit(X, y)
    exact = LinearSVC(C=1.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(newton.decision_function(X), exact.decision_function(X), atol=1e-6)


def test_newton_in_w_takes_weights_sparse_rows_classes_and_starts():
    X, y = problem(classes=3)
    weights = np.where(np.arange(len(y)) % 3, 1.0, 2.0)
    twice = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted = NewtonSVC(kernel="linear", C=0.5).fit(X, y, sample_weight=weights)
    repeated = NewtonSVC(kernel="linear", C=0.5).fit(X[twice], y[twice])
    sparse = NewtonSVC(kernel="linear", C=0.5).fit(sp.csr_matrix(X), y, sample_weight=weights)
    expected = repeated.decision_function(X)
    np.testing.assert_allclose(weighted.decision_function(X), expected, atol=1e-5)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_matrix(X)), expected, atol=1e-5)
    warm = NewtonSVC(kernel="linear", C=5.0, warm_start=True).fit(X, y)
    warm.set_params(C=0.5).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(warm.decision_function(X), expected, atol=1e-5)


@pytest.mark.parametrize("multi_class", ["ovo", "ordinal"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kind", [SVC, OLLAWV, NLSGD, MNSVM, NNISDA, NewtonSVC])
def test_outputs_are_sums_over_the_support_vectors(kind, layout, dtype, multi_class):
    X, y = problem(n=60, classes=3)
    X = layout(X.astype(dtype))
    model = kind(kernel="linear", multi_class=multi_class, decision_function_shape="ovo")
    if hasattr(model, "random_state"):
        model.set_params(random_state=0)
    model.fit(X, y)
    rows = dense(X).astype(float)
    kernel = rows @ rows[model.support_].T
    expected = machine_outputs(model, kernel, y[model.support_], multi_class)
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=2e-5, atol=2e-5)


def machine_outputs(model, kernel, labels, multi_class):
    """The sum over support vectors for each machine, by the layout of the coefficients."""
    pairs = [(0, 1), (0, 2), (1, 2)] if multi_class == "ovo" else [(0, 1), (1, 2)]
    columns, coefficients = [], dense(model.dual_coef_)
    for machine, (a, b) in enumerate(pairs):
        if multi_class == "ovo":
            own = np.where(labels == a, coefficients[b - 1], coefficients[a])
            own = np.where((labels == a) | (labels == b), own, 0)
        else:
            own = coefficients[machine]
        columns.append(kernel @ own + model.intercept_[machine])
    return np.stack(columns, axis=1)
