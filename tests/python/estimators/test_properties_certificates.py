"""Of random problems: a certificate says what the definitions say, and bounds the optimum."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from linear_reference import machines, with_constant
from problems import EXACT, KERNEL, LINEAR, examples, fitted, is_converged, machines_of, problems


def plain_certificate(name, machine):
    """Primal, dual and largest violation, and the size of what rounding can do to each of them."""
    y, beta, prices, K, bias = machine
    alpha, f = y * beta, K @ beta + bias
    loss = np.maximum(0, 1 - y * f)
    square = beta @ K @ beta
    size = np.abs(beta) @ np.abs(K) @ np.abs(beta) + np.abs(beta).sum() + bias**2
    if name == "SVC":
        v = y - K @ beta
        rises = np.where(y > 0, alpha < prices, alpha > 0)
        falls = np.where(y > 0, alpha > 0, alpha < prices)
        violation = v[rises].max(initial=-np.inf) - v[falls].min(initial=np.inf)
        primal, dual = 0.5 * square + prices @ loss, alpha.sum() - 0.5 * square
        size += prices @ (1 + np.abs(f))
    else:
        error = 1 - y * f - alpha / prices
        violation = max(np.where(alpha > 0, np.abs(error), error).max(), (-alpha / prices).max())
        primal = 0.5 * square + 0.5 * prices @ loss**2
        dual = alpha.sum() - 0.5 * square - 0.5 * alpha @ (alpha / prices)
        size += prices @ (1 + np.abs(f)) ** 2 + alpha @ (alpha / prices)
        if name != "NewtonSVC":
            primal, dual = primal + 0.5 * bias**2, dual - 0.5 * beta.sum() ** 2
    outputs = 1 + np.abs(K) @ np.abs(beta) + abs(bias) + np.abs(alpha / prices)
    return primal, dual, max(violation, 0.0), size, outputs.max()


@pytest.mark.parametrize("name", KERNEL)
@given(data=st.data())
@examples(15)
def test_a_certificate_is_that_of_the_definitions(name, data):
    problem = data.draw(problems(name))
    kind, settings = KERNEL[name]
    model = fitted(kind, problem, settings)
    for found, machine in zip(model.certificate_, machines_of(model, problem), strict=True):
        primal, dual, violation, size, outputs = plain_certificate(name, machine)
        close, near = 1e-10 * size, 1e-10 * outputs
        assert abs(found.primal - primal) <= close
        assert abs(found.violation - violation) <= near
        assert found.gap == found.primal - found.dual
        alpha = machine.y * machine.beta
        if alpha.min() < -1e-9 * max(alpha.max(), 0):
            # Outside the dual, as Newton's method may end: this alpha bounds nothing.
            assert name.startswith("NewtonSVC")
            assert found.dual == -np.inf
            continue
        assert abs(found.dual - dual) <= close
        assert found.gap >= -close
        # What the violation of each row can cost.
        total = machine.prices.sum()
        worst = violation * total if name == "SVC" else 2 * violation**2 * total
        if name != "NewtonSVC":
            assert found.gap <= worst + close


@pytest.mark.parametrize("name", KERNEL)
@given(data=st.data())
@examples(15)
def test_what_converged_is_feasible_and_at_the_optimum(name, data):
    problem = data.draw(problems(name))
    kind, settings = KERNEL[name]
    model = fitted(kind, problem, settings)
    assert np.isfinite(model.decision_function(problem.X)).all()
    assume(is_converged(model))
    for found, machine in zip(model.certificate_, machines_of(model, problem), strict=True):
        y, beta, prices, _, bias = machine
        _, _, violation, size, outputs = plain_certificate(name, machine)
        alpha, total = y * beta, np.abs(beta).sum()
        assert alpha.min() >= -1e-9 * max(alpha.max(), 0)
        if name == "SVC":
            assert (alpha <= prices).all()
        if name in ("SVC", "NewtonSVC"):
            assert abs(beta.sum()) <= 1e-6 * total
        else:
            assert abs(bias - beta.sum()) <= 1e-6 * total
        if "tol" in settings:
            assert violation <= settings["tol"] + 1e-9 * outputs
        assert found.gap <= 1e-4 * found.primal + violation * prices.sum() + 1e-9 * size


@pytest.mark.parametrize("name", LINEAR)
@given(data=st.data())
@examples(15)
def test_a_linear_certificate_holds(name, data):
    problem = data.draw(problems(name))
    kind, settings = LINEAR[name]
    model = fitted(kind, problem, settings)
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    Z = with_constant(problem.X)
    for m, (rows, signs) in enumerate(machines(problem.y, problem.scheme)):
        found = model.certificate_[m]
        w = np.r_[model.coef_[m], model.intercept_[m]]
        lack = np.maximum(0, 1 - signs * (Z[rows] @ w))
        loss = lack if "hinge" in name else lack**2
        primal = 0.5 * w @ w + problem.params["C"] * weights[rows] @ loss
        assert found.primal == pytest.approx(primal, rel=1e-9)
        assert found.dual <= found.primal * (1 + 1e-9)
        assert found.gap == found.primal - found.dual
        if model.status_[m] == "converged":
            assert found.gap <= 1e-3 * found.primal


@given(data=st.data())
@examples(15)
def test_no_dual_is_above_the_primal_of_another_method(data):
    """NN-ISDA, MN-SVM and Newton with the bias in the norm solve the same problem."""
    problem = data.draw(problems())
    names = ("NNISDA", "MNSVM", "NewtonSVC, bias in the norm")
    models = [fitted(EXACT[name][0], problem, EXACT[name][1]) for name in names]
    for one in models:
        for other in models:
            for mine, theirs in zip(one.certificate_, other.certificate_, strict=True):
                assert mine.dual <= theirs.primal * (1 + 1e-9)
