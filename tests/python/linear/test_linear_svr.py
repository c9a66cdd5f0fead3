"""LinearSVR finds the optimum of scikit-learn's problem, and proves it."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from softmargin import SVR, LinearSVR

SOLVERS = {
    "faster": {"loss": "epsilon_insensitive"},
    "dual": {"loss": "epsilon_insensitive", "dual": True},
    "faster, squared": {"loss": "squared_epsilon_insensitive"},
    "newton": {"loss": "squared_epsilon_insensitive", "dual": False},
    "dual, squared": {"loss": "squared_epsilon_insensitive", "dual": True},
}
LAYOUTS = {"dense": np.asarray, "csr": sp.csr_matrix, "float32": np.float32}
TIGHT = {"tol": 1e-9, "max_iter": 300_000, "random_state": 0}
BIASES = [{}, {"fit_intercept": False}, {"intercept_scaling": 3.0}]


def problem(n=120, d=5, seed=0, offset=1.0):
    """Return samples that are exact in float32, and targets with heavy tails."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)) * 16) / 16 * (rng.uniform(size=(n, d)) < 0.7)
    return X, 2 * X[:, 0] - X[:, 1] + offset + rng.standard_t(2, size=n)


def objective(model, X, y, weights=1.0):
    """1/2 |w|^2 + sum of losses, with the intercept in the norm, from its definition."""
    slack = np.maximum(0, np.abs(y - model.predict(X)) - model.epsilon)
    bias = model.intercept_ / model.intercept_scaling
    losses = slack**2 if model.loss.startswith("squared") else slack
    norm = np.sum(model.coef_**2) + np.sum(bias**2)
    return float(0.5 * norm + model.C * np.sum(weights * losses))


def generic(X, y, costs, loss, epsilon):
    """Return the value that L-BFGS-B finds: of the primal, or of the dual with two sides."""
    Z = np.c_[X, np.ones(len(X))]

    def primal(w):
        error = y - Z @ w
        slack = np.maximum(0, np.abs(error) - epsilon)
        return 0.5 * w @ w + costs @ slack**2, w - 2 * (costs * np.sign(error) * slack) @ Z

    Q = Z @ Z.T

    def dual(ab):
        up, down = np.split(ab, 2)
        g = Q @ (up - down)
        value = 0.5 * (up - down) @ g - y @ (up - down) + epsilon * ab.sum()
        return value, np.r_[g - y + epsilon, y - g + epsilon]

    options = {"ftol": 1e-16, "gtol": 1e-10, "maxiter": 100_000, "maxfun": 1_000_000}
    if loss.startswith("squared"):
        start = np.zeros(Z.shape[1])
        return minimize(primal, start, jac=True, method="L-BFGS-B", options=options).fun
    bounds = [(0, cost) for cost in np.r_[costs, costs]]
    start = np.zeros(2 * len(y))
    found = minimize(dual, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    return -found.fun


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("C", "epsilon"), [(0.01, 0.1), (1.0, 0.0), (5.0, 1.0)])
@pytest.mark.parametrize("bias", BIASES, ids=str)
def test_the_optimum_is_that_of_scikit_learn(solver, layout, C, epsilon, bias):
    X, y = problem()
    params = SOLVERS[solver] | TIGHT | bias | {"C": C, "epsilon": epsilon}
    ours = LinearSVR(**params).fit(LAYOUTS[layout](X), y)
    theirs = svm.LinearSVR(**{"dual": "auto"} | params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit(X, y)
    own = objective(ours, X, y)
    assert own <= objective(theirs, X, y) * (1 + 1e-9)
    assert own == pytest.approx(objective(theirs, X, y), rel=1e-4)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-3)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) in (np.shape(theirs.intercept_), (1,))
    assert isinstance(ours.n_iter_, int)
    certificate = ours.certificate_
    assert certificate.primal == pytest.approx(own, rel=1e-12)
    assert abs(certificate.gap) <= 1e-7 * own
    assert ours.status_ == "converged"


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("C", "epsilon"), [(0.05, 0.5), (2.0, 0.0)])
@pytest.mark.parametrize("seed", range(2))
def test_the_certificate_holds_the_optimum_of_a_generic_minimizer(solver, C, epsilon, seed, rng):
    X, y = problem(n=60, seed=seed)
    weights = rng.uniform(0.2, 3, len(y))
    params = SOLVERS[solver] | TIGHT | {"C": C, "epsilon": epsilon}
    model = LinearSVR(**params).fit(X, y, sample_weight=weights)
    optimum = generic(X, y, C * weights, model.loss, epsilon)
    found = model.certificate_
    assert found.primal == pytest.approx(objective(model, X, y, weights), rel=1e-12)
    assert found.primal == pytest.approx(optimum, rel=1e-6)
    assert found.dual <= found.primal * (1 + 1e-12)
    assert found.gap == pytest.approx(found.primal - found.dual)
    assert found.gap <= 1e-7 * optimum


def test_without_intercept_the_function_is_that_of_the_linear_kernel_without_bias():
    # An intercept of SVR is free: symmetric samples have none.
    X, y = problem(offset=0.0)
    X, y = np.r_[X, -X], np.r_[y, -y]
    linear = LinearSVR(C=0.5, epsilon=0.3, fit_intercept=False, **TIGHT).fit(X, y)
    for kernel in (SVR, svm.SVR):
        model = kernel(kernel="linear", C=0.5, epsilon=0.3, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(linear.coef_, np.ravel(model.coef_), atol=1e-4)
        assert model.intercept_ == pytest.approx(0, abs=1e-4)
    assert linear.intercept_ == 0


def test_a_large_constant_feature_approaches_the_free_intercept_of_svr():
    X, y = problem(offset=30.0)
    linear = LinearSVR(C=0.5, epsilon=0.3, intercept_scaling=1e4, **TIGHT).fit(X, y)
    kernel = SVR(kernel="linear", C=0.5, epsilon=0.3, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(linear.coef_, np.ravel(kernel.coef_), atol=1e-3)
    np.testing.assert_allclose(linear.predict(X), kernel.predict(X), atol=1e-2)


@pytest.mark.parametrize("solver", SOLVERS)
def test_integer_weights_are_repeated_samples(solver, rng):
    X, y = problem()
    counts = rng.integers(0, 4, len(y))
    params = SOLVERS[solver] | TIGHT | {"epsilon": 0.2}
    weighted = LinearSVR(**params).fit(X, y, sample_weight=counts)
    repeated = LinearSVR(**params).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-5)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("shape", [(9000, 30), (600, 900)])
@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_threads_do_not_change_a_bit(loss, shape, layout):
    X, y = problem(*shape)
    X = LAYOUTS[layout](X)
    one, two = (LinearSVR(C=10, loss=loss, epsilon=0.1, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    assert one.certificate_ == two.certificate_


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_features_without_scaling_converge(loss, C):
    X, y = problem(n=500, d=10)
    X = X * np.logspace(-2, 3, 10)
    model = LinearSVR(C=C, loss=loss, epsilon=0.1).fit(X, y)
    assert model.status_ == "converged"
    assert abs(model.certificate_.gap) <= 2e-3 * model.certificate_.primal
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = svm.LinearSVR(C=C, loss=loss, epsilon=0.1, dual="auto").fit(X, y)
    assert objective(model, X, y) <= objective(theirs, X, y) * (1 + 1e-4)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("unit", [2.0**-300, 2.0**20, 2.0**300])
def test_the_model_follows_the_unit_of_the_targets(loss, unit):
    X, y = problem()
    factor = 1.0 if loss.startswith("squared") else unit
    plain = LinearSVR(C=0.5, epsilon=0.25, loss=loss).fit(X, y)
    scaled = LinearSVR(C=0.5 * factor, epsilon=0.25 * unit, loss=loss).fit(X, unit * y)
    np.testing.assert_array_equal(scaled.coef_, unit * plain.coef_)
    np.testing.assert_array_equal(scaled.intercept_, unit * plain.intercept_)
    assert scaled.certificate_.violation == unit * plain.certificate_.violation


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
def test_a_certificate_is_honest_at_any_tolerance(solver, tol):
    X, y = problem(seed=3)
    params = SOLVERS[solver] | TIGHT
    optimum = LinearSVR(**params).fit(X, y).certificate_.primal
    found = LinearSVR(**params | {"tol": tol}).fit(X, y).certificate_
    assert found.dual <= optimum * (1 + 1e-9)
    assert found.primal >= optimum * (1 - 1e-9)
    if params.get("dual") is True:
        assert found.violation <= 2 * tol * np.mean(np.abs(y - y.mean()))


def test_limits_warn_and_leave_a_usable_model():
    X, y = problem(n=2000, d=20)
    for params, status in (({"max_iter": 1}, "iteration"), ({"time_limit": 1e-9}, "time")):
        model = LinearSVR(C=100, **params)
        with pytest.warns(ConvergenceWarning, match=f"LinearSVR did not converge.*{status} limit"):
            model.fit(X, y)
        assert model.status_ == f"{status} limit"
        assert np.isfinite(model.predict(X)).all()
        assert model.certificate_.dual <= model.certificate_.primal
