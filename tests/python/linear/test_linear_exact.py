"""LinearSVC finds the optimum of scikit-learn's problem, and proves it."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from linear_reference import machines, violators_bias, with_constant
from softmargin import LinearSVC

SOLVERS = {
    "newton": {"loss": "squared_hinge", "dual": "auto"},
    "dual, squared": {"loss": "squared_hinge", "dual": True},
    "dual, hinge": {"loss": "hinge", "dual": True},
    "hinge": {"loss": "hinge", "dual": "auto"},
}
LAYOUTS = {"dense": np.asarray, "csr": sp.csr_matrix}
TIGHT = {"tol": 1e-10, "max_iter": 100_000, "random_state": 0}


def problem(n=120, d=5, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.7)
    y = (X[:, 0] - X[:, 1] + 0.4 + noise * rng.normal(size=n) > 0).astype(int)
    return X, y


def wide_problem():
    """150 rows, 800 features: more weights than a Hessian is made for."""
    X = sp.random(150, 800, density=0.03, random_state=1, format="csr")
    X.data = np.random.default_rng(2).normal(size=X.nnz)
    y = np.asarray(X[:, :40].sum(axis=1) > 0).ravel().astype(int)
    return X, y


def objective(w, X, signs, prices, loss, scaling=1.0):
    """1/2 |w|^2 + sum of losses, the weight of the constant feature last."""
    lack = np.maximum(0, 1 - signs * (with_constant(X, scaling) @ w))
    return 0.5 * w @ w + prices @ (lack**2 if loss == "squared_hinge" else lack)


def weights_of(model, scaling=1.0):
    """Of the first machine, the weight of the constant feature last."""
    bias = np.ravel(model.intercept_)[0]
    return np.r_[model.coef_[0], bias / scaling if scaling else 0.0]


def generic(X, signs, prices, loss, scaling=1.0):
    """The value that L-BFGS-B finds: of the primal problem, or for the hinge of the dual one."""
    Z = with_constant(X, scaling)

    def primal(w):
        lack = np.maximum(0, 1 - signs * (Z @ w))
        return 0.5 * w @ w + prices @ lack**2, w - 2 * (prices * signs * lack) @ Z

    Q = (signs[:, None] * Z) @ (signs[:, None] * Z).T
    options = {"ftol": 1e-16, "gtol": 1e-10, "maxiter": 100_000, "maxfun": 1_000_000}
    if loss == "squared_hinge":
        start, bounds, value = np.zeros(Z.shape[1]), None, primal
    else:
        start, bounds = np.zeros(len(signs)), [(0, price) for price in prices]

        def value(a):
            return 0.5 * a @ Q @ a - a.sum(), Q @ a - 1

    found = minimize(value, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    return found.fun if loss == "squared_hinge" else -found.fun


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize(
    "bias", [{}, {"fit_intercept": False}, {"intercept_scaling": 3.0}], ids=str
)
def test_the_optimum_is_that_of_scikit_learn(solver, layout, C, bias):
    X, y = problem()
    params = SOLVERS[solver] | TIGHT | bias | {"C": C}
    ours = LinearSVC(**params).fit(LAYOUTS[layout](X), y)
    theirs = svm.LinearSVC(**params | {"tol": 1e-8})
    theirs.fit(X, y)
    scaling = bias.get("intercept_scaling", 1.0) if bias.get("fit_intercept", True) else 0.0
    arguments = X, 2 * y - 1, np.full(len(y), C), params["loss"], scaling
    own = objective(weights_of(ours, scaling), *arguments)
    assert own == pytest.approx(objective(weights_of(theirs, scaling), *arguments), rel=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(np.ravel(ours.intercept_), np.ravel(theirs.intercept_), atol=1e-4)
    (certificate,) = ours.certificate_
    assert certificate.primal == pytest.approx(own, rel=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [0.05, 4.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_certificate_holds_the_optimum_of_a_generic_minimiser(solver, C, seed, rng):
    X, y = problem(n=70, seed=seed)
    weights = rng.uniform(0.2, 3, len(y))
    params = SOLVERS[solver] | TIGHT | {"C": C, "class_weight": {1: 2.0}}
    model = LinearSVC(**params).fit(X, y, sample_weight=weights)
    prices = C * weights * np.where(y == 1, 2.0, 1.0)
    optimum = generic(X, 2 * y - 1, prices, params["loss"])
    (certificate,) = model.certificate_
    primal = objective(weights_of(model), X, 2 * y - 1, prices, params["loss"])
    assert certificate.primal == pytest.approx(primal, rel=1e-12)
    assert certificate.primal == pytest.approx(optimum, rel=1e-7)
    assert certificate.dual <= certificate.primal * (1 + 1e-12)
    assert certificate.gap == pytest.approx(certificate.primal - certificate.dual)
    assert certificate.gap <= 1e-7 * optimum
    assert certificate.violation <= (2e-10 if params["dual"] is True else 1e-8)
    assert model.status_ == ["converged"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
def test_a_certificate_is_honest_at_any_tolerance(solver, tol):
    X, y = problem(seed=3)
    params = SOLVERS[solver] | TIGHT
    optimum = LinearSVC(**params).fit(X, y).certificate_[0].primal
    (found,) = LinearSVC(**params | {"tol": tol}).fit(X, y).certificate_
    assert found.dual <= optimum * (1 + 1e-9)
    assert found.primal >= optimum * (1 - 1e-9)
    if params["dual"] is True:
        assert found.violation <= 1.5 * tol
        assert found.gap <= 30 * tol * optimum


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_many_features_are_solved_by_conjugate_gradients(layout, C):
    X, y = wide_problem()
    prices = np.full(len(y), C)
    newton, dual = (
        LinearSVC(C=C, **TIGHT | {"dual": dual}).fit(X if layout == "csr" else X.toarray(), y)
        for dual in ("auto", True)
    )
    theirs = svm.LinearSVC(C=C, dual=True, tol=1e-9, max_iter=100_000, random_state=0).fit(X, y)
    expected = objective(weights_of(theirs), X, 2 * y - 1, prices, "squared_hinge")
    for model in (newton, dual):
        assert model.certificate_[0].primal == pytest.approx(expected, rel=1e-6)
        assert abs(model.certificate_[0].gap) <= 1e-7 * expected
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tiny_c_leaves_every_row_at_its_price(solver):
    X, y = problem()
    C = 1e-9
    model = LinearSVC(C=C, **SOLVERS[solver] | TIGHT).fit(X, y)
    factor = 1.0 if SOLVERS[solver]["loss"] == "hinge" else 2.0
    expected = factor * C * (2 * y - 1) @ with_constant(X)
    np.testing.assert_allclose(weights_of(model), expected, rtol=1e-6)


@pytest.mark.case(55, 70)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [1e6, 1e12, 1e150, 1e300, np.inf])
def test_a_huge_c_separates_two_points_exactly(solver, C):
    model = LinearSVC(C=C, fit_intercept=False, random_state=0, **SOLVERS[solver])
    model.fit([[2.0, 0.0], [-2.0, 0.0]], [1, 0])
    np.testing.assert_allclose(model.coef_, [[0.5, 0.0]], rtol=1e-5, atol=1e-12)
    if C < 1e100:  # beyond, rounding costs more than the objective, and the status says so
        assert model.status_ == ["converged"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("C", [1e4, 1e8, 1e20, 1e300, np.inf])
def test_a_machine_of_any_c_is_near_the_optimum_or_says_that_it_is_not(solver, noise, C):
    """Case 55; also where rows can be separated, and the first gradient is huge."""
    X, y = problem(noise=noise)
    model = LinearSVC(C=C, **SOLVERS[solver] | {"max_iter": 50, "random_state": 0}).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.status_ != ["not finite"]
    (certificate,) = model.certificate_
    if model.status_ == ["converged"]:
        assert abs(certificate.gap) <= 0.01 * certificate.primal


@pytest.mark.case(51)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_weight_is_a_number_of_rows(solver):
    X, y = problem()
    twice, gone = np.arange(len(y)) % 3 == 0, np.arange(len(y)) % 5 == 1
    weights = np.where(gone, 0.0, np.where(twice, 2.0, 1.0))
    params = SOLVERS[solver] | TIGHT
    one = LinearSVC(**params).fit(X, y, sample_weight=weights)
    rows = np.r_[np.flatnonzero(~gone), np.flatnonzero(twice & ~gone)]
    two = LinearSVC(**params).fit(X[rows], y[rows])
    assert one.certificate_[0].primal == pytest.approx(two.certificate_[0].primal, rel=1e-9)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-6)


@pytest.mark.case(51)
@pytest.mark.parametrize("solver", SOLVERS)
def test_balanced_classes_follow_the_weights_as_in_scikit_learn(solver, rng):
    X, y = problem()
    weights = rng.choice([0.0, 0.5, 2.0], len(y)) * (1 + 3 * (y == y[0]))
    params = SOLVERS[solver] | TIGHT | {"class_weight": "balanced"}
    ours = LinearSVC(**params).fit(X, y, sample_weight=weights)
    theirs = svm.LinearSVC(**params | {"max_iter": 100_000}).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scheme", ["ovr", "ovo", "ordinal"])
def test_every_machine_is_a_problem_of_two_classes(solver, scheme, three_classes):
    X, y = three_classes
    params = SOLVERS[solver] | TIGHT | {"C": 2.0}
    model = LinearSVC(multi_class=scheme, **params).fit(X, y)
    for machine, (rows, signs) in enumerate(machines(y, scheme)):
        alone = LinearSVC(**params).fit(X[rows], signs)
        assert model.certificate_[machine].primal == pytest.approx(
            alone.certificate_[0].primal, rel=1e-9
        )
        np.testing.assert_allclose(model.coef_[machine], alone.coef_[0], atol=1e-5)
    assert len(model.certificate_) == len(model.status_) == machine + 1
    if scheme == "ovr":
        theirs = svm.LinearSVC(**params | {"tol": 1e-8}).fit(X, y)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-4)
        np.testing.assert_array_equal(model.predict(X), theirs.predict(X))


def test_a_bias_of_violators_follows_the_weights():
    X, y = problem()
    for solver in SOLVERS.values():
        model = LinearSVC(fit_intercept="violators", **solver | TIGHT).fit(X, y)
        plain = LinearSVC(fit_intercept=False, **solver | TIGHT).fit(X, y)
        np.testing.assert_array_equal(model.coef_, plain.coef_)
        expected = violators_bias(X, 2 * y - 1, model.coef_[0])
        assert model.intercept_[0] == pytest.approx(expected, rel=1e-12)


def uneven_problem(n=400, d=12, seed=0):
    """Correlated features of very different scales, on which coordinate descent is slow."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(n, 1))
    y = (X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)
    return X * 3.0 ** rng.uniform(-2, 2, d), y


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
def test_the_hinge_loss_converges_where_coordinate_descent_is_slow(layout, C, rng):
    X, y = uneven_problem()
    weights = rng.uniform(0.5, 2, len(y))
    model = LinearSVC(loss="hinge", C=C, tol=1e-4).fit(LAYOUTS[layout](X), y, weights)
    primal = objective(weights_of(model), X, 2 * y - 1, C * weights, "hinge")
    (certificate,) = model.certificate_
    assert model.status_ == ["converged"]
    assert certificate.primal == pytest.approx(primal, rel=1e-9)
    # The dual objective bounds the optimum from below: feasible dual variables give it.
    assert -1e-9 * primal <= certificate.gap <= 1e-3 * primal
    assert certificate.violation <= 1.1e-4


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_solution_does_not_depend_on_the_number_of_threads(layout, loss):
    X, y = uneven_problem(n=9000, d=30)
    data = LAYOUTS[layout](X)
    one, two, three = (
        LinearSVC(loss=loss, tol=1e-3, n_jobs=n_jobs).fit(data, y) for n_jobs in (1, 2, 3)
    )
    for model in (two, three):
        np.testing.assert_array_equal(model.coef_, one.coef_)
        np.testing.assert_array_equal(model.intercept_, one.intercept_)
        assert model.n_iter_ == one.n_iter_


@pytest.mark.parametrize("max_iter", [3, 12, 20])
def test_a_limit_of_iterations_leaves_a_valid_certificate(max_iter):
    X, y = uneven_problem(seed=1)
    best = LinearSVC(loss="hinge", C=10, tol=1e-5).fit(X, y).certificate_[0]
    with pytest.warns(ConvergenceWarning):
        model = LinearSVC(loss="hinge", C=10, tol=1e-5, max_iter=max_iter).fit(X, y)
    (found,) = model.certificate_
    assert model.status_ == ["iteration limit"]
    assert model.n_iter_ == max_iter
    assert found.dual <= best.primal * (1 + 1e-9)
    assert found.primal >= best.dual * (1 - 1e-9)
