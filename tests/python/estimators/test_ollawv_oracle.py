"""A binary OLLAWV is algorithm 1.1, step by step."""

import numpy as np
import pytest

import reference
from softmargin import OLLAWV

KERNELS = {
    "rbf": {"gamma": 0.4},
    "linear": {},
    "poly": {"gamma": 0.3, "degree": 3, "coef0": 0.5},
    "sigmoid": {"gamma": 0.1, "coef0": -0.2},
}


def assert_same_run(model, machine, weights=1.0, C=1.0):
    """Same violators in the same order, same alphas, same bias."""
    coefs = model.dual_coef_[0]
    assert reference.order_of_steps(model, coefs, weights, C) == machine.rows
    found = dict(zip(model.support_.tolist(), coefs, strict=True))
    np.testing.assert_allclose([found[i] for i in machine.rows], machine.alphas, rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, [machine.bias], rtol=1e-10, atol=1e-14)
    assert model.n_iter_.tolist() == [len(machine.rows)]


def signs(y):
    return np.where(y == 1, 1.0, -1.0)


@pytest.mark.parametrize("fraction", [1.0, 0.13])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", KERNELS)
def test_a_fit_takes_the_steps_of_the_algorithm(noisy, name, bias, fraction):
    X, y = noisy
    K = reference.kernel(X, X, name, **KERNELS[name])
    machine = reference.ollawv(K, signs(y), 0.3, bias=bias, max_sv_fraction=fraction)
    model = OLLAWV(margin=0.3, kernel=name, bias=bias, max_sv_fraction=fraction, **KERNELS[name])
    assert_same_run(model.fit(X, y), machine)


@pytest.mark.parametrize("margin", [0.0, 0.01, 1.0, 50.0])
def test_the_margin_decides_when_to_stop(noisy, margin):
    X, y = noisy
    machine = reference.ollawv(reference.kernel(X, X, gamma=0.4), signs(y), margin)
    assert_same_run(OLLAWV(margin=margin, gamma=0.4).fit(X, y), machine)


def test_a_margin_out_of_reach_uses_every_row_once(noisy):
    X, y = noisy
    model = OLLAWV(margin=1e6, gamma=0.4).fit(X, y)
    assert sorted(model.support_) == list(range(len(X)))


@pytest.mark.parametrize("fraction", [1e-9, 0.07, 0.5, 0.999])
def test_at_most_the_ceiling_of_the_fraction_of_rows_are_used(noisy, fraction):
    X, y = noisy
    model = OLLAWV(margin=1e6, max_sv_fraction=fraction).fit(X, y)
    assert model.n_iter_[0] == len(model.support_) == int(np.ceil(fraction * len(X)))


def test_a_precomputed_kernel_takes_the_same_steps(noisy):
    X, y = noisy
    K = reference.kernel(X, X, gamma=0.4)
    machine = reference.ollawv(K, signs(y), 0.3)
    assert_same_run(OLLAWV(margin=0.3, kernel="precomputed").fit(K, y), machine)


@pytest.mark.parametrize("class_weight", [{0: 5.0, 1: 0.25}, {1: 3.0}, "balanced"])
def test_a_class_weight_multiplies_the_steps_of_its_class(noisy, class_weight):
    X, y = noisy
    if class_weight == "balanced":
        by_class = len(y) / (2 * np.bincount(y))
    else:
        by_class = np.array([class_weight.get(0, 1.0), class_weight[1]])
    K = reference.kernel(X, X, gamma=0.4)
    machine = reference.ollawv(K, signs(y), 0.3, weights=by_class[y])
    model = OLLAWV(margin=0.3, gamma=0.4, class_weight=class_weight).fit(X, y)
    assert_same_run(model, machine, weights=by_class[y[model.support_]])


@pytest.mark.parametrize("C", [0.25, 3.7, 1e5])
def test_c_scales_the_machine_and_nothing_else(noisy, C):
    X, y = noisy
    one, scaled = OLLAWV(gamma=0.4).fit(X, y), OLLAWV(gamma=0.4, C=C).fit(X, y)
    np.testing.assert_array_equal(scaled.support_, one.support_)
    np.testing.assert_array_equal(scaled.dual_coef_, C * one.dual_coef_)
    np.testing.assert_array_equal(scaled.intercept_, C * one.intercept_)
    np.testing.assert_array_equal(scaled.predict(X), one.predict(X))
    machine = reference.ollawv(reference.kernel(X, X, gamma=0.4), signs(y), 0.1, C=C)
    assert_same_run(scaled, machine, C=C)


@pytest.mark.parametrize("first_class", [0, 1])
def test_the_first_violator_is_the_first_row_of_the_caller(noisy, first_class):
    X, y = noisy
    first = int(np.flatnonzero(y == first_class)[0])
    order = np.r_[first, np.delete(np.arange(len(y)), first)]
    model = OLLAWV(max_sv_fraction=1e-9).fit(X[order], y[order])
    assert model.support_.tolist() == [0]
    assert model.dual_coef_.tolist() == [[2.0 if first_class == 1 else -2.0]]


@pytest.mark.parametrize("seed", range(6))
def test_equal_rows_are_used_in_the_order_of_the_caller(seed):
    """Every row comes five times: each choice is a tie inside a class."""
    rng = np.random.default_rng(seed)
    distinct = rng.normal(size=(14, 3))
    copies = rng.permutation(np.repeat(np.arange(14), 5))
    X, y = distinct[copies], (copies % 2)
    K = reference.kernel(distinct, distinct, gamma=0.4)[np.ix_(copies, copies)]
    machine = reference.ollawv(K, signs(y), 2.0)
    assert_same_run(OLLAWV(margin=2.0, gamma=0.4).fit(X, y), machine)


@pytest.mark.parametrize("seed", range(6))
def test_ties_between_classes_go_to_the_lower_row_of_the_caller(seed):
    """x of one class and -x of the other have the same output, to the bit."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(30, 3))
    order = rng.permutation(60)
    X, y = np.r_[half, -half][order], np.r_[np.ones(30, int), np.zeros(30, int)][order]
    machine = reference.ollawv(reference.kernel(X, X, "linear"), signs(y), 1.0, bias=False)
    assert_same_run(OLLAWV(margin=1.0, kernel="linear", bias=False).fit(X, y), machine)


def test_equal_rows_everywhere_are_used_in_turn():
    y = np.array([0, 0, 1, 1, 0, 1, 1, 0])
    machine = reference.ollawv(np.ones((8, 8)), signs(y), 0.1)
    assert_same_run(OLLAWV().fit(np.full((8, 2), 3.0), y), machine)
