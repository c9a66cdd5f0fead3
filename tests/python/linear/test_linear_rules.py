"""Every update rule of SGDSVC takes the steps of its formula, however the rows are packed."""

import numpy as np
import pytest
import scipy.sparse as sp

from linear_reference import (
    iterates,
    machines,
    result,
    violators_bias,
    visits,
    with_constant,
)
from softmargin import SGDSVC

# Rules with parameters that make each part of the formula count.
RULES = {
    "pegasos, last": {"average": 0, "lambda_": 0.05},
    "pegasos, half": {"average": 0.5, "lambda_": 0.05},
    "pegasos, a third": {"average": 0.34, "lambda_": 0.05},
    "pegasos, all": {"average": 1, "lambda_": 0.05},
    "pegasos, batch": {"average": 0, "lambda_": 0.05, "batch_size": 7},
    "pegasos, batch of all": {"average": 1, "lambda_": 0.05, "batch_size": 1000},
    "pegasos, ball": {"average": 0, "lambda_": 0.5, "project": True},
    "pegasos, ball and batch": {"average": 0.5, "lambda_": 0.5, "project": True, "batch_size": 8},
    "sgd": {"optimizer": "sgd", "average": 0, "lambda_": 0.05},
    "sgd, half": {"optimizer": "sgd", "average": 0.5, "lambda_": 0.05, "eta0": 0.3},
    "sgd, batch": {"optimizer": "sgd", "average": 0, "lambda_": 0.01, "batch_size": 7},
    "momentum": {"optimizer": "momentum", "lambda_": 0.05},
    "momentum, batch": {"optimizer": "momentum", "lambda_": 1.0, "eta0": 0.1, "batch_size": 7},
    "momentum, little": {"optimizer": "momentum", "lambda_": 0.05, "momentum": 0.3},
    "momentum, none": {"optimizer": "momentum", "lambda_": 0.05, "momentum": 0.0},
    "nag": {"optimizer": "nag", "lambda_": 0.05},
    "nag, batch": {"optimizer": "nag", "lambda_": 1.0, "eta0": 0.1, "batch_size": 7},
    "nag, little": {"optimizer": "nag", "lambda_": 0.05, "momentum": 0.3},
    "rmsprop": {"optimizer": "rmsprop", "lambda_": 0.05},
    "rmsprop, batch": {"optimizer": "rmsprop", "lambda_": 0.05, "eta0": 0.1, "batch_size": 7},
    "rmsprop, memory": {"optimizer": "rmsprop", "lambda_": 0.05, "decay": 0.5, "epsilon": 0.1},
    "pegasos as printed": {"average": 0, "lambda_": 0.05, "batch_size": 7, "as_printed": True},
    "pegasos as printed, ball": {
        "average": 0.5,
        "lambda_": 0.5,
        "batch_size": 8,
        "project": True,
        "as_printed": True,
    },
    "nag as printed": {"optimizer": "nag", "lambda_": 0.05, "as_printed": True},
    "nag as printed, batch": {
        "optimizer": "nag",
        "lambda_": 1.0,
        "eta0": 0.1,
        "batch_size": 7,
        "as_printed": True,
    },
    # A large epsilon, or else rounding errors of small gradients are amplified.
    "rmsprop as printed": {
        "optimizer": "rmsprop",
        "lambda_": 0.05,
        "epsilon": 0.01,
        "as_printed": True,
    },
}
LAYOUTS = {
    "dense": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sp.csr_matrix,
    "csr float32": lambda X: sp.csr_matrix(X.astype(np.float32)),
}


def problem(n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.6)
    y = (X[:, 0] + X[:, 1] - 0.3 + 0.7 * rng.normal(size=n) > 0).astype(int)
    return X, y


def expected(X, signs, params, *, epochs=3, weights=None, constant=1.0, order=None):
    """Weights of the features, and the one of the constant feature."""
    params = dict(params)
    average = params.pop("average", 0)
    params["eta"] = params.pop("eta0", None)
    order = visits(len(signs), epochs) if order is None else order
    found = iterates(with_constant(X, constant), signs, order, weights=weights, **params)
    w = result(found, average)
    return w[:-1], w[-1]


def assert_weights(model, coef, intercept, machine=0):
    close = 1e-10 * max(1.0, np.abs(coef).max())
    np.testing.assert_allclose(model.coef_[machine], coef, rtol=1e-10, atol=close)
    assert model.intercept_[machine] == pytest.approx(intercept, rel=1e-10, abs=close)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rule", RULES)
def test_steps_are_those_of_the_formula(rule, layout):
    X, y = problem()
    X = LAYOUTS[layout](X)
    model = SGDSVC(epochs=3, shuffle=False, **RULES[rule]).fit(X, y)
    coef, bias = expected(X, 2 * y - 1, RULES[rule])
    assert_weights(model, coef, bias)
    assert model.n_iter_ == 3
    assert model.t_ == 3 * -(-len(y) // RULES[rule].get("batch_size", 1))
    assert model.status_ == ["converged"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("fit_intercept", [False, "violators"])
def test_a_bias_is_left_out_or_found_afterwards(rule, layout, fit_intercept):
    X, y = problem(seed=1)
    X = LAYOUTS[layout](X)
    params = RULES[rule] | {"fit_intercept": fit_intercept}
    model = SGDSVC(epochs=3, shuffle=False, **params).fit(X, y)
    coef, nothing = expected(X, 2 * y - 1, RULES[rule], constant=0.0)
    assert nothing == 0
    bias = violators_bias(with_constant(X), 2 * y - 1, np.r_[coef, 0.0]) if fit_intercept else 0
    assert_weights(model, coef, bias)


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("rule", RULES)
def test_weights_are_factors_of_the_loss(rule, layout, rng):
    X, y = problem(seed=2)
    given = rng.uniform(0.3, 2.5, len(y)) * (rng.uniform(size=len(y)) < 0.8)
    params = RULES[rule] | {"class_weight": {0: 0.5, 1: 1.7}}
    model = SGDSVC(epochs=3, shuffle=False, **params)
    model.fit(LAYOUTS[layout](X), y, sample_weight=given)
    used = given > 0  # rows of weight 0 are not there
    both = (given * np.where(y == 1, 1.7, 0.5))[used]
    coef, bias = expected(X[used], 2 * y[used] - 1, RULES[rule], weights=both)
    assert_weights(model, coef, bias)
    assert model.t_ == 3 * -(-used.sum() // params.get("batch_size", 1))


def test_violators_count_by_their_weights(rng):
    X, y = problem(seed=2)
    weights = rng.uniform(0.3, 2.5, len(y))
    model = SGDSVC(lambda_=0.1, epochs=2, shuffle=False, fit_intercept="violators", average=0)
    model.fit(X, y, sample_weight=weights)
    rule = {"lambda_": 0.1}
    coef, _ = expected(X, 2 * y - 1, rule, epochs=2, weights=weights, constant=0.0)
    bias = violators_bias(with_constant(X), 2 * y - 1, np.r_[coef, 0.0], weights)
    assert_weights(model, coef, bias)


def test_c_is_a_price_of_rows_that_are_there():
    X, y = problem(seed=3)
    weights = np.ones(len(y))
    weights[:15] = 0
    model = SGDSVC(C=0.5, epochs=2, shuffle=False, average=0).fit(X, y, sample_weight=weights)
    n = len(y) - 15
    coef, bias = expected(X[15:], 2 * y[15:] - 1, {"lambda_": 1 / (0.5 * n)}, epochs=2)
    assert_weights(model, coef, bias)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "params",
    [{"optimizer": "nag"}, {"optimizer": "rmsprop"}, {"batch_size": 7}],
    ids=lambda params: params.get("optimizer", "pegasos"),
)
def test_the_listing_takes_other_steps_than_the_text(params, layout):
    X, y = problem()
    X = LAYOUTS[layout](X)
    one, other = (
        SGDSVC(epochs=3, random_state=0, lambda_=0.05, as_printed=as_printed, **params).fit(X, y)
        for as_printed in (False, True)
    )
    assert np.abs(one.coef_ - other.coef_).max() > 1e-3


@pytest.mark.parametrize("params", [{"optimizer": "sgd"}, {"optimizer": "momentum"}, {}], ids=str)
def test_rules_whose_listing_is_the_text_do_not_change(params):
    X, y = problem()
    one, other = (
        SGDSVC(epochs=3, random_state=0, lambda_=0.05, as_printed=as_printed, **params).fit(X, y)
        for as_printed in (False, True)
    )
    np.testing.assert_array_equal(one.coef_, other.coef_)


@pytest.mark.parametrize("rule", RULES)
def test_rows_with_rare_features_take_the_same_steps(rule):
    """Features are brought up to date when a row has them, thousands of steps later at times."""
    rng = np.random.default_rng(4)
    n, d = 4500, 12
    X = np.where(rng.uniform(size=(n, d)) < 0.002, rng.normal(size=(n, d)), 0.0)
    X[:, 0] = rng.normal(size=n)
    X[[0, 4400], 1] = 1.0, -2.0  # more than 64^2 steps between the two
    X[:3, 2] = 1.0  # and never again
    X[700:760] = 0.0
    y = (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)
    model = SGDSVC(epochs=1, shuffle=False, **RULES[rule]).fit(sp.csr_matrix(X), y)
    dense = SGDSVC(epochs=1, shuffle=False, **RULES[rule]).fit(X, y)
    coef, bias = expected(X, 2 * y - 1, RULES[rule], epochs=1)
    for found in (model, dense):
        assert_weights(found, coef, bias)


@pytest.mark.parametrize("rule", RULES)
def test_more_features_than_rows(rule):
    rng = np.random.default_rng(5)
    X = sp.random(80, 3000, density=0.002, random_state=6, format="csr")
    y = np.arange(80) % 2
    X.data[:] = rng.normal(size=X.nnz)
    model = SGDSVC(epochs=4, shuffle=False, **RULES[rule]).fit(X, y)
    coef, bias = expected(X, 2 * y - 1, RULES[rule], epochs=4)
    assert_weights(model, coef, bias)


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "ordinal"])
@pytest.mark.parametrize("rule", ["pegasos, half", "momentum", "rmsprop"])
def test_each_machine_of_several_classes_takes_its_own_steps(rule, scheme, three_classes):
    X, y = three_classes
    X = X - X.mean(axis=0)
    model = SGDSVC(epochs=2, shuffle=False, multi_class=scheme, **RULES[rule]).fit(X, y)
    for machine, (rows, signs) in enumerate(machines(y, scheme)):
        coef, bias = expected(X[rows], signs, RULES[rule], epochs=2)
        assert_weights(model, coef, bias, machine)
    assert model.coef_.shape == (machine + 1, X.shape[1])


@pytest.mark.parametrize("shuffle", [True, "draw"])
@pytest.mark.parametrize("rule", ["pegasos, ball and batch", "sgd", "nag", "rmsprop, batch"])
def test_rows_come_in_the_order_of_the_random_numbers(rule, shuffle):
    X, y = problem()
    model = SGDSVC(epochs=3, shuffle=shuffle, random_state=7, **RULES[rule]).fit(X, y)
    order = visits(len(y), 3, shuffle, 7)
    coef, bias = expected(X, 2 * y - 1, RULES[rule], order=order)
    assert_weights(model, coef, bias)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rule", RULES)
def test_looking_at_the_weights_changes_nothing(rule, layout):
    X, y = problem()
    X = LAYOUTS[layout](X)
    plain = SGDSVC(epochs=3, random_state=0, **RULES[rule]).fit(X, y)
    for every in (1, 7, 10_000):
        seen = SGDSVC(epochs=3, random_state=0, record_every=every, **RULES[rule]).fit(X, y)
        np.testing.assert_array_equal(seen.coef_, plain.coef_)
        np.testing.assert_array_equal(seen.intercept_, plain.intercept_)


def test_a_scale_that_gets_tiny_is_multiplied_out():
    """Pegasos shrinks by 1 - 1/t: the product underflows only with a projection as well."""
    X, y = problem(seed=8)
    X = X * 1e3
    rule = {"lambda_": 30.0, "project": True, "average": 0.5}
    model = SGDSVC(epochs=20, shuffle=False, **rule).fit(X, y)
    coef, bias = expected(X, 2 * y - 1, rule, epochs=20)
    assert_weights(model, coef, bias)
