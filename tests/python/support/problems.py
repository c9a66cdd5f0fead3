"""Random small problems for property tests of solvers, and bounds on the difference of solutions.

The distance between the optimum and a solution with duality gap g is at most sqrt(2 g), in the norm
of the problem; this bounds the difference between two solutions.
"""

import itertools
import warnings
from typing import Any, NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from equality import dense
from linear_reference import machines
from reference import kernel
from softmargin import MNSVM, NNISDA, SVC, LinearSVC, NewtonSVC

# Exact estimators, which come close to the optimum or stop at max_iter.
KERNEL = {
    "SVC": (SVC, {"tol": 1e-7, "max_iter": 1_000_000}),
    "MNSVM": (MNSVM, {"eps": 1e-6, "max_iter": 30_000}),
    "NNISDA": (NNISDA, {"tol": 1e-6, "max_iter": 30_000}),
    "NewtonSVC": (NewtonSVC, {}),
    "NewtonSVC, bias in the norm": (NewtonSVC, {"bias": "penalized"}),
}
LINEAR = {
    "LinearSVC, hinge": (LinearSVC, {"loss": "hinge", "tol": 1e-8, "max_iter": 5_000}),
    "LinearSVC, dual": (LinearSVC, {"dual": True, "tol": 1e-8, "max_iter": 5_000}),
    "LinearSVC, Newton": (LinearSVC, {"tol": 1e-10}),
}
EXACT = KERNEL | LINEAR


class Problem(NamedTuple):
    X: Any
    y: Any
    weights: Any
    """Weights of the samples, or None."""
    params: dict[str, Any]
    """C and, for kernel methods, the parameters of the kernel."""
    scheme: str


def examples(count):
    """Return settings with ``count`` examples; a profile for fuzzing has its own number."""
    profile = settings()
    return settings(max_examples=count if profile.derandomize else profile.max_examples)


@st.composite
def problems(draw, name="SVC", classes=(2, 4), kernels=("linear", "rbf", "poly"), weighted=True):
    """Draw a problem for an estimator, with ties, repeated samples and extreme scales."""
    k, d = draw(st.integers(*classes)), draw(st.integers(1, 6))
    n = draw(st.integers(k, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, d))
    kind = draw(st.sampled_from(["normal", "whole", "repeated", "sparse"]))
    if kind == "whole":
        X = np.rint(2 * X)
    elif kind == "repeated":
        X = X[rng.integers(0, max(1, n // 3), n)]
    elif kind == "sparse":
        X = X * (rng.uniform(size=X.shape) < 0.3)
    y = rng.permutation(np.r_[np.arange(k), rng.integers(0, k, n - k)])
    if draw(st.booleans()):  # separable classes
        y = y[np.argsort(y)][np.argsort(np.argsort(X[:, 0], kind="stable"))]
    scale = 10.0 ** draw(st.integers(-3, 3))
    params = {"C": draw(st.sampled_from([1e-3, 0.03, 1.0, 30.0, 1e3]))}
    if name in LINEAR:
        params["C"] /= scale**2
    else:
        params |= draw(kernel_params(kernels, scale, d))
    weights = rng.uniform(0.1, 3, n) if weighted and draw(st.booleans()) else None
    scheme = draw(st.sampled_from(["ovo", "ovr", "ordinal"]))
    return Problem(scale * X, y, weights, params, scheme)


@st.composite
def kernel_params(draw, kernels, scale, d):
    name = draw(st.sampled_from(kernels))
    gamma = draw(st.sampled_from([0.1, 1.0, 10.0])) / (d * scale**2)
    return {"linear": {"kernel": "linear"}, "rbf": {"gamma": gamma}}.get(
        name, {"kernel": name, "gamma": gamma, "degree": 2, "coef0": 1.0}
    )


def fitted(kind, problem, settings, **changes):
    """Fit an estimator without convergence warnings; ``status_`` shows if it converged."""
    params = problem.params | {"multi_class": problem.scheme} | settings | changes
    if "decision_function_shape" in kind._get_param_names():
        params["decision_function_shape"] = "ovo"
    arguments = {} if problem.weights is None else {"sample_weight": problem.weights}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return kind(**params).fit(problem.X, problem.y, **arguments)


def is_converged(*models):
    return all(status == "converged" for model in models for status in model.status_)


def outputs(model, X):
    """Return the output of each binary classifier for each sample."""
    if hasattr(model, "_model"):
        return model.decision_function(X).reshape(X.shape[0], -1)
    return np.asarray(X @ model.coef_.T) + model.intercept_


def gram(model, X, Z):
    name, gamma = model._model.kernel, model._model.gamma
    return kernel(X, Z, name, gamma, model.degree, model.coef0)


class Machine(NamedTuple):
    """A binary classifier by its definition."""

    y: Any
    """+1 and -1."""
    beta: Any
    """Signed coefficients."""
    prices: Any
    """C times the weight of each sample."""
    K: Any
    bias: float


def machines_of(model, problem):
    """Yield the binary classifiers of a model with a kernel."""
    X, codes, k = problem.X, problem.y, len(model.classes_)
    coefficients = dense(model.dual_coef_)
    whole = np.zeros((len(coefficients), len(codes)))
    whole[:, model.support_] = coefficients
    prices = problem.params["C"] * (
        np.ones(len(codes)) if problem.weights is None else problem.weights
    )
    K = gram(model, X, X)
    pairs = list(itertools.combinations(range(k), 2))
    for m, (rows, signs) in enumerate(machines(codes, problem.scheme)):
        if k > 2 and problem.scheme == "ovo":
            a, b = pairs[m]
            beta = np.where(signs > 0, whole[b - 1, rows], whole[a, rows])
        else:
            beta = whole[m, rows]
        yield Machine(signs, beta, prices[rows], K[np.ix_(rows, rows)], model.intercept_[m])


def error_of(model, certificate):
    """Return an upper bound on the suboptimality of a solution.

    With squared losses and a bias that is not penalized, the dual solution is feasible only up to
    rounding.
    """
    is_loose = isinstance(model, NewtonSVC) and model.bias is True
    return max(certificate.gap, 0.0) + (1e-5 if is_loose else 1e-9) * certificate.primal


def assert_same_solution(one, other, X, problem):
    """Check that two models of a problem differ at most as their certificates allow."""
    mine, theirs = outputs(one, X), outputs(other, X)
    if hasattr(one, "_model"):
        lengths = np.diag(gram(one, X, X)).max()
        is_free = isinstance(one, SVC) or getattr(one, "bias", None) is True
    else:
        lengths, is_free = (X**2).sum(axis=1).max(), False
    for m, (first, second) in enumerate(zip(one.certificate_, other.certificate_, strict=True)):
        errors = error_of(one, first), error_of(other, second)
        assert abs(first.primal - second.primal) <= sum(errors)
        reach = sum(np.sqrt(2 * error) for error in errors)
        size = 1e-9 * (1 + np.abs(mine[:, m]).max())
        difference = mine[:, m] - theirs[:, m]
        if is_free:
            difference = difference - (one.intercept_[m] - other.intercept_[m])
        most = reach * np.sqrt(lengths + (not is_free)) + size
        assert np.abs(difference).max() <= most, (m, np.abs(difference).max(), most)
        if isinstance(one, SVC):
            low, high = interval(list(machines_of(one, problem))[m])
            assert low - 2 * most - 1e-6 <= other.intercept_[m] <= high + 2 * most + 1e-6
        elif is_free:
            assert abs(one.intercept_[m] - other.intercept_[m]) <= 10 * most + 1e-5


def interval(machine):
    """Return the interval of optimal biases of a classifier with hinge loss."""
    v = machine.y - machine.K @ machine.beta
    alpha, near = machine.y * machine.beta, 1e-6 * machine.prices
    is_low, is_high = alpha < machine.prices - near, alpha > near
    rises = np.where(machine.y > 0, is_low, is_high)
    falls = np.where(machine.y > 0, is_high, is_low)
    ends = v[rises].max(initial=-np.inf), v[falls].min(initial=np.inf)
    return min(ends), max(ends)
