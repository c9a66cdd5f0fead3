"""Of random problems: what does not change the problem does not change the machine."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from problems import (
    EXACT,
    KERNEL,
    LINEAR,
    assert_same_solution,
    error_of,
    examples,
    fitted,
    is_converged,
    outputs,
    problems,
)
from softmargin import GDSVC, NLSGD, OLLAWV, SGDSVC

# Methods that go from row to row: the same way gives the same machine, to the bit.
KERNEL_STEPS = {
    "OLLAWV": (OLLAWV, {"margin": 0.01}),
    "NLSGD": (NLSGD, {"random_state": 0}),
    "NLSGD, drawn rows": (NLSGD, {"random_state": 0, "order": "random", "step": "m"}),
}
LINEAR_STEPS = {
    f"SGDSVC, {optimizer}": (SGDSVC, {"optimizer": optimizer, "epochs": 2, "random_state": 0})
    for optimizer in ("pegasos", "sgd", "momentum", "nag", "rmsprop")
} | {"GDSVC": (GDSVC, {"max_iter": 20})}
STEPS = KERNEL_STEPS | LINEAR_STEPS


def drawn(data, name, **options):
    """Draw a problem and fit to it."""
    own = options | ({"weighted": False} if name == "OLLAWV" else {})
    problem = data.draw(problems(name, **own))
    if name in LINEAR_STEPS:
        problem = problem._replace(params={"lambda_": 0.1 * float(np.square(problem.X).max() + 1)})
    kind, settings = (EXACT | STEPS)[name]
    return problem, fitted(kind, problem, settings)


def refitted(name, problem, **changes):
    kind, settings = (EXACT | STEPS)[name]
    return fitted(kind, problem, settings, **changes)


@pytest.mark.case(71)
@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
@examples(12)
def test_the_order_of_rows_does_not_matter(name, data):
    problem, model = drawn(data, name)
    order = np.array(data.draw(st.permutations(range(len(problem.y)))))
    weights = None if problem.weights is None else problem.weights[order]
    other = problem._replace(X=problem.X[order], y=problem.y[order], weights=weights)
    permuted = refitted(name, other)
    assume(is_converged(model, permuted))
    assert_same_solution(model, permuted, problem.X, problem)


@pytest.mark.case(51)
@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
@examples(12)
def test_a_weight_is_a_number_of_equal_rows(name, data):
    problem = data.draw(problems(name, weighted=False))
    counts = drawn_counts(data, problem.y, most=3)
    problem = problem._replace(weights=counts.astype(float))
    rows = np.repeat(np.arange(len(counts)), counts)
    repeated = problem._replace(X=problem.X[rows], y=problem.y[rows], weights=None)
    model, other = refitted(name, problem), refitted(name, repeated)
    assume(is_converged(model, other))
    if name in KERNEL:
        assert (counts[model.support_] > 0).all()
    assert_same_solution(model, other, problem.X, problem)


def drawn_counts(data, y, most):
    """Draw how often each row is there; every class has a row."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    counts = rng.integers(0, most + 1, len(y))
    counts[np.unique(y, return_index=True)[1]] = most
    return counts


@pytest.mark.case(51)
@pytest.mark.parametrize("name", [*KERNEL, "NLSGD", "NLSGD, drawn rows"])
@given(data=st.data())
@examples(10)
def test_a_row_of_weight_zero_is_no_row(name, data):
    problem = data.draw(problems(name, weighted=False))
    is_used = drawn_counts(data, problem.y, most=1) > 0
    model = refitted(name, problem._replace(weights=is_used.astype(float)))
    other = refitted(name, problem._replace(X=problem.X[is_used], y=problem.y[is_used]))
    np.testing.assert_array_equal(outputs(model, problem.X), outputs(other, problem.X))


@pytest.mark.parametrize("name", KERNEL | KERNEL_STEPS)
@given(data=st.data(), power=st.integers(-8, 8))
@examples(12)
def test_the_unit_of_features_goes_into_gamma(name, data, power):
    problem, model = drawn(data, name, kernels=("rbf", "poly"))
    params = problem.params | {"gamma": problem.params["gamma"] / 4.0**power}
    scaled = problem._replace(X=problem.X * 2.0**power, params=params)
    other = refitted(name, scaled)
    np.testing.assert_array_equal(other.dual_coef_, model.dual_coef_)
    np.testing.assert_array_equal(other.intercept_, model.intercept_)
    np.testing.assert_array_equal(outputs(other, scaled.X), outputs(model, problem.X))


@pytest.mark.parametrize("name", ["SVC", "NewtonSVC", *LINEAR])
@given(data=st.data(), factor=st.sampled_from([1e-3, 0.3, 7.0, 1e3]))
@examples(12)
def test_the_unit_of_features_goes_into_c(name, data, factor):
    """Of a linear machine whose bias is not in the norm, or counts in the same unit."""
    problem, model = drawn(data, name, kernels=("linear",))
    params = problem.params | {"C": problem.params["C"] / factor**2}
    scaled = problem._replace(X=problem.X * factor, params=params)
    other = refitted(name, scaled, **({"intercept_scaling": factor} if name in LINEAR else {}))
    assume(is_converged(model, other))
    for mine, theirs in zip(model.certificate_, other.certificate_, strict=True):
        errors = error_of(model, mine) + factor**2 * error_of(other, theirs)
        assert abs(mine.primal - factor**2 * theirs.primal) <= errors


@pytest.mark.parametrize("name", [name for name in LINEAR_STEPS if "rmsprop" not in name])
@given(data=st.data(), power=st.integers(-8, 8))
@examples(10)
def test_the_unit_of_features_goes_into_lambda(name, data, power):
    problem, _ = drawn(data, name)
    factor = 2.0**power
    params = {"lambda_": problem.params["lambda_"] * factor**2}
    scaled = problem._replace(X=problem.X * factor, params=params)
    step = {"eta0": 1e-3 / problem.params["lambda_"]} if name == "GDSVC" else {}
    steps = {"eta0": step["eta0"] / factor**2} if step else {}
    model = refitted(name, problem, fit_intercept=False, **step)
    other = refitted(name, scaled, fit_intercept=False, **steps)
    np.testing.assert_array_equal(outputs(other, scaled.X), outputs(model, problem.X))


@pytest.mark.case(72)
@pytest.mark.parametrize("name", EXACT | STEPS)
@given(data=st.data())
@examples(12)
def test_two_classes_that_change_places_mirror_the_machine(name, data):
    problem, model = drawn(data, name, classes=(2, 2))
    other = refitted(name, problem._replace(y=1 - problem.y))
    mine, theirs = outputs(model, problem.X), -outputs(other, problem.X)
    if name in STEPS:
        close = 1e-12 * (1 + np.abs(mine).max())
        np.testing.assert_allclose(theirs, mine, rtol=0, atol=close)
        return
    assume(is_converged(model, other))
    for attribute in ("coef_", "intercept_") if name in LINEAR else ("intercept_",):
        setattr(other, attribute, -getattr(other, attribute))
    if name in KERNEL:
        other.decision_function = lambda X: -type(other).decision_function(other, X)
    assert_same_solution(model, other, problem.X, problem)


@pytest.mark.case(67)
@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
@examples(12)
def test_dense_and_sparse_rows_are_the_same_problem(name, data):
    problem, model = drawn(data, name)
    other = refitted(name, problem._replace(X=sp.csr_matrix(problem.X)))
    assume(is_converged(model, other))
    assert_same_solution(model, other, problem.X, problem)
    mine, theirs = outputs(other, problem.X), outputs(other, sp.csr_matrix(problem.X))
    np.testing.assert_allclose(theirs, mine, rtol=0, atol=1e-9 * (1 + np.abs(mine).max()))


@pytest.mark.parametrize("name", EXACT | STEPS)
@given(data=st.data())
@examples(10)
def test_every_row_gets_one_of_the_labels(name, data):
    problem, model = drawn(data, name)
    assert set(model.predict(problem.X)) <= set(problem.y)
    assert model.classes_.tolist() == sorted(set(problem.y))
    status = set(getattr(model, "status_", ["converged"]))
    if "not finite" not in status:
        assert np.isfinite(model.decision_function(problem.X)).all()
