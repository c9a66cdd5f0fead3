"""GDSVC takes the steps of gradient descent on the squared hinge, and arrives."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from linear_reference import machines, violators_bias, with_constant
from softmargin import GDSVC, LinearSVC


def problem(n=80, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.7)
    y = (X[:, 0] - X[:, 1] + 0.4 + rng.normal(size=n) > 0).astype(int)
    return X, y


def gradient(Z, signs, w, lambda_, weights):
    lack = np.maximum(0, 1 - signs * (Z @ w))
    return lambda_ * w - 2 * (weights * signs * lack) @ Z / len(signs)


def descend(Z, signs, *, lambda_, eta, tol, max_iter, weights=None):
    """The weights at the end and the number of steps."""
    weights = np.ones(len(signs)) if weights is None else weights
    w, steps, first = np.zeros(Z.shape[1]), 0, None
    while True:
        g = gradient(Z, signs, w, lambda_, weights)
        first = np.linalg.norm(g) if first is None else first
        if steps == max_iter or np.linalg.norm(g) <= tol * first:
            return w, steps
        w, steps = w - eta * g, steps + 1


RUNS = {
    "defaults": {},
    "to the end": {"eta0": 0.1, "tol": 1e-6, "max_iter": -1},
    "few steps": {"eta0": 0.05, "max_iter": 7},
    "much norm": {"lambda_": 3.0, "eta0": 0.2, "tol": 1e-9},
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("fit_intercept", [True, False, "violators"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix, np.float32])
@pytest.mark.parametrize("run", RUNS)
def test_steps_are_those_of_the_formula(run, layout, fit_intercept, rng):
    X, y = problem()
    X = layout(X)
    weights = rng.uniform(0.5, 2, len(y))
    params = RUNS[run]
    model = GDSVC(fit_intercept=fit_intercept, class_weight={1: 1.5}, **params)
    model.fit(X, y, sample_weight=weights)
    both = weights * np.where(y == 1, 1.5, 1.0)
    w, steps = descend(
        with_constant(X, 1.0 if fit_intercept is True else 0.0),
        2 * y - 1,
        lambda_=params.get("lambda_", 1e-4),
        eta=params.get("eta0", 0.001),
        tol=params.get("tol", 1e-3),
        max_iter=params.get("max_iter", 1000),
        weights=both,
    )
    np.testing.assert_allclose(model.coef_[0], w[:-1], rtol=1e-9, atol=1e-12)
    bias = w[-1]
    if fit_intercept == "violators":
        bias = violators_bias(with_constant(X)[:, :-1], 2 * y - 1, w[:-1], both)
    assert model.intercept_[0] == pytest.approx(bias, rel=1e-9, abs=1e-12)
    assert model.n_iter_ == steps
    assert model.status_ == ["iteration limit" if steps in (7, 1000) else "converged"]


@pytest.mark.parametrize("C", [0.02, 0.5])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_the_way_ends_at_the_optimum_of_the_exact_machine(C, layout):
    X, y = problem(seed=1)
    slow = GDSVC(C=C, eta0=0.2, tol=1e-9, max_iter=-1).fit(layout(X), y)
    exact = LinearSVC(C=C, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(slow.coef_, exact.coef_, atol=1e-6)
    np.testing.assert_allclose(slow.intercept_, exact.intercept_, atol=1e-6)
    by_lambda = GDSVC(lambda_=1 / (C * len(y)), eta0=0.2, tol=1e-9, max_iter=-1).fit(X, y)
    np.testing.assert_allclose(by_lambda.coef_, exact.coef_, atol=1e-6)


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "ordinal"])
def test_every_machine_goes_its_own_way(scheme, three_classes):
    X, y = three_classes
    params = {"eta0": 0.3, "max_iter": -1, "C": 1.0}
    model = GDSVC(multi_class=scheme, **params).fit(X, y)
    found = []
    for machine, (rows, signs) in enumerate(machines(y, scheme)):
        w, steps = descend(
            with_constant(X[rows]),
            signs,
            lambda_=1 / len(rows),
            eta=0.3,
            tol=1e-3,
            max_iter=-1,
        )
        np.testing.assert_allclose(model.coef_[machine], w[:-1], rtol=1e-8, atol=1e-11)
        found.append(steps)
    assert model.n_iter_ == max(found)


@pytest.mark.case(60)
def test_a_limit_of_steps_is_told():
    X, y = problem()
    with pytest.warns(
        ConvergenceWarning, match=r"'iteration limit' after 3 iterations \(max_iter = 3\)"
    ):
        model = GDSVC(max_iter=3).fit(X, y)
    assert model.n_iter_ == 3


@pytest.mark.parametrize("fit_intercept", [True, "violators"])
def test_too_long_a_step_is_told_and_leaves_nothing(fit_intercept):
    X, y = problem()
    with pytest.warns(ConvergenceWarning, match="not finite"):
        model = GDSVC(eta0=100.0, fit_intercept=fit_intercept).fit(X, y)
    assert model.status_ == ["not finite"]
    np.testing.assert_array_equal(model.coef_, 0)
    assert np.isfinite(model.decision_function(X)).all()


def test_a_curve_that_leaves_the_numbers_is_no_reason_to_stop():
    X, y = problem()
    with pytest.warns() as caught:
        model = GDSVC(eta0=100.0, record_every=10).fit(X, y, eval_set=(X, y))
    assert {each.category for each in caught} == {ConvergenceWarning}
    assert not np.isnan(model.curve_["objective"]).any()
