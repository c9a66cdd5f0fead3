"""Several classes are the binary machines of the algorithm, and a vote."""

import numpy as np
import pytest

import reference
from softmargin import OLLAWV


@pytest.fixture
def muddle(rng):
    """Five classes without structure: many votes end in a tie."""
    return rng.normal(size=(90, 3)), rng.integers(0, 5, size=90), rng.normal(size=(700, 3))


def outputs(machines, X, Z, **kernel):
    K = reference.kernel(Z, X, **kernel)
    return np.column_stack([machine.decide(K) for machine in machines])


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("options", [{}, {"bias": False}, {"max_sv_fraction": 0.3}])
def test_each_machine_takes_the_steps_of_the_algorithm(muddle, multi_class, options):
    X, y, _ = muddle
    K = reference.kernel(X, X, gamma=0.5)
    train = reference.one_vs_one if multi_class == "ovo" else reference.one_vs_rest
    model = OLLAWV(margin=0.2, gamma=0.5, multi_class=multi_class, **options).fit(X, y)
    machines = train(K, y, 0.2, **options)
    assert model.n_iter_.tolist() == [len(machine.rows) for machine in machines]
    for m, machine in enumerate(machines):
        coefs = reference.coefficients(model, m, 5, multi_class)
        assert reference.order_of_steps(model, coefs) == machine.rows
        np.testing.assert_allclose(model.intercept_[m], machine.bias, rtol=1e-10, atol=1e-14)


def test_class_weights_reach_every_machine(muddle):
    X, y, Z = muddle
    weights = np.array([1.0, 0.5, 2.0, 1.0, 4.0])
    model = OLLAWV(gamma=0.5, multi_class="ovr", class_weight=dict(enumerate(weights))).fit(X, y)
    machines = reference.one_vs_rest(reference.kernel(X, X, gamma=0.5), y, 0.1, weights=weights[y])
    expected = outputs(machines, X, Z, gamma=0.5)
    np.testing.assert_allclose(model.decision_function(Z), expected, atol=1e-10)


def test_one_vs_one_predicts_by_votes_then_sums_then_the_lower_label(muddle):
    X, y, Z = muddle
    labels = np.array(["e", "a", "d", "b", "c"])
    model = OLLAWV(gamma=0.5, decision_function_shape="ovo").fit(X, labels[y])
    codes = np.searchsorted(model.classes_, labels[y])
    machines = reference.one_vs_one(reference.kernel(X, X, gamma=0.5), codes, 0.1)
    values = outputs(machines, X, Z, gamma=0.5)
    np.testing.assert_allclose(model.decision_function(Z), values, atol=1e-10)
    np.testing.assert_array_equal(model.predict(Z), model.classes_[reference.vote(values, 5)])


def test_one_vs_rest_predicts_the_largest_output(muddle):
    X, y, Z = muddle
    model = OLLAWV(gamma=0.5, multi_class="ovr").fit(X, y)
    machines = reference.one_vs_rest(reference.kernel(X, X, gamma=0.5), y, 0.1)
    values = outputs(machines, X, Z, gamma=0.5)
    np.testing.assert_allclose(model.decision_function(Z), values, atol=1e-10)
    np.testing.assert_array_equal(model.predict(Z), values.argmax(axis=1))


@pytest.mark.parametrize("C", [1e-18, 1e-6, 1e6, 1e18])
def test_no_c_decides_a_tie_of_votes(muddle, C):
    """The sums of decision values scale with C, so their order does not."""
    X, y, Z = muddle
    one, scaled = OLLAWV(gamma=0.5).fit(X, y), OLLAWV(gamma=0.5, C=C).fit(X, y)
    np.testing.assert_array_equal(scaled.predict(Z), one.predict(Z))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_two_classes_are_one_machine_in_either_scheme(noisy, multi_class):
    X, y = noisy
    model = OLLAWV(gamma=0.5, multi_class=multi_class).fit(X, y)
    machine = reference.ollawv(reference.kernel(X, X, gamma=0.5), np.where(y == 1, 1.0, -1.0), 0.1)
    expected = machine.decide(reference.kernel(X, X, gamma=0.5))
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-10)
    np.testing.assert_array_equal(model.predict(X), (expected > 0).astype(int))


def test_equal_scores_go_to_the_lower_label():
    """Far from every row an RBF machine without bias says 0: all votes tie, all sums are 0."""
    X, y = np.eye(3), np.array([7, 5, 6])
    far = np.full((1, 3), 1e3)
    for multi_class in ("ovo", "ovr"):
        model = OLLAWV(gamma=1.0, bias=False, multi_class=multi_class).fit(X, y)
        assert model.predict(far).tolist() == [5]
