"""Probabilities agree with scikit-learn's SVC and with slow, independent solvers."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn import datasets, svm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import minmax_scale

from softmargin._estimators import probabilities
from softmargin._estimators.probabilities import (
    couple,
    fit_sigmoid,
    normalize_one_vs_rest,
    sigmoid,
)


def digits():
    X, y = datasets.load_digits(return_X_y=True)
    return X[:500], y[:500]


DATA = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "digits": digits,
    "breast_cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
}


# Platt scaling.


def targets(is_positive, weights):
    n_positive, n_negative = weights[is_positive].sum(), weights[~is_positive].sum()
    return np.where(is_positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))


def cross_entropy(parameters, decisions, is_positive, weights):
    """Return the objective and its gradient, in the form of the definition."""
    A, B = parameters
    t, z = targets(is_positive, weights), A * decisions + B
    losses = t * np.logaddexp(0, z) + (1 - t) * np.logaddexp(0, -z)
    slope = weights * (t - sigmoid(decisions, A, B))
    return weights @ losses, np.array([slope @ decisions, slope.sum()])


def problem(seed):
    """Return decisions of overlapping, separable or unrelated classes, of any scale."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 400))
    is_positive = rng.random(n) < rng.choice([0.05, 0.3, 0.5, 0.9])
    is_positive[:2] = False, True
    sign = np.where(is_positive, 1.0, -1.0)
    decisions = [
        sign + rng.normal(size=n),
        sign * rng.random(n),
        rng.normal(size=n) + 3,
        -sign + rng.standard_cauchy(n),
    ][seed % 4] * rng.choice([1e-3, 1.0, 1e3])
    weights = np.ones(n) if seed % 3 else rng.exponential(size=n)
    return decisions, is_positive, weights


@pytest.mark.parametrize("seed", range(60))
def test_fit_sigmoid_reaches_the_minimum_of_scipy(seed):
    decisions, is_positive, weights = problem(seed)
    A, B = fit_sigmoid(decisions, is_positive, weights)
    scale = np.abs(decisions).max()
    arguments = (decisions / scale, is_positive, weights)
    value, gradient = cross_entropy((A * scale, B), *arguments)
    options = {"gtol": 1e-9}
    expected = minimize(cross_entropy, [0, 0], arguments, "BFGS", jac=True, options=options).fun
    assert value <= expected * (1 + 1e-12)
    assert expected <= value * (1 + 1e-6)
    assert np.abs(gradient).max() < 1e-12 * weights.sum()


class Identity(ClassifierMixin, BaseEstimator):
    """A classifier whose only feature is the decision value."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return X[:, 0] > 0


@pytest.mark.filterwarnings("ignore:Since FrozenEstimator:UserWarning")
@pytest.mark.parametrize("seed", [0, 3, 4, 8])
def test_fit_sigmoid_agrees_with_the_calibration_of_scikit_learn(seed):
    decisions, is_positive, weights = problem(seed)
    decisions = decisions / np.abs(decisions).max()
    model = FrozenEstimator(Identity().fit(decisions[:, None], is_positive))
    calibrated = CalibratedClassifierCV(model, method="sigmoid")
    calibrated.fit(decisions[:, None], is_positive, sample_weight=weights)
    P = sigmoid(decisions, *fit_sigmoid(decisions, is_positive, weights))
    np.testing.assert_allclose(P, calibrated.predict_proba(decisions[:, None])[:, 1], atol=1e-4)


def test_the_slope_is_negative_where_large_decisions_mean_the_positive_class():
    decisions = np.array([-2.0, -1.0, 1.0, 2.0])
    A, _ = fit_sigmoid(decisions, decisions > 0)
    assert A < 0
    assert fit_sigmoid(-decisions, decisions > 0)[0] == -A
    P = sigmoid(decisions, *fit_sigmoid(decisions, decisions > 0))
    # Separable classes approach their targets, which are 3/4 and 1/4.
    np.testing.assert_allclose(P[[0, 3]] + P[[1, 2]], [0.5, 1.5], atol=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_exchanging_the_classes_exchanges_the_probabilities(seed):
    decisions, is_positive, weights = problem(seed)
    P = sigmoid(decisions, *fit_sigmoid(decisions, is_positive, weights))
    Q = sigmoid(decisions, *fit_sigmoid(decisions, ~is_positive, weights))
    np.testing.assert_allclose(P + Q, 1, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e300])
def test_scaling_the_decisions_does_not_change_the_probabilities(seed, scale):
    decisions, is_positive, weights = problem(seed)
    decisions = decisions / np.abs(decisions).max()
    expected = sigmoid(decisions, *fit_sigmoid(decisions, is_positive, weights))
    scaled = decisions * scale
    P = sigmoid(scaled, *fit_sigmoid(scaled, is_positive, weights))
    np.testing.assert_allclose(P, expected, atol=1e-9)


def test_integer_weights_are_repeated_samples():
    rng = np.random.default_rng(0)
    decisions, is_positive = rng.normal(size=50), rng.random(50) < 0.4
    counts = rng.integers(0, 4, size=50)
    repeated = fit_sigmoid(np.repeat(decisions, counts), np.repeat(is_positive, counts))
    weighted = fit_sigmoid(decisions, is_positive, counts.astype(float))
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 50])
@pytest.mark.parametrize("is_positive", [False, True])
def test_a_single_class_gets_its_target(n, is_positive):
    decisions = np.linspace(-1, 1, n)
    A, B = fit_sigmoid(decisions, np.full(n, is_positive))
    expected = (n + 1) / (n + 2) if is_positive else 1 / (n + 2)
    assert A == 0
    np.testing.assert_allclose(sigmoid(decisions, A, B), expected, rtol=1e-14)


@pytest.mark.parametrize("constant", [0.0, 0.1, -1e-320, 1e300, -np.finfo(float).max])
def test_constant_decisions_give_the_mean_target(constant):
    is_positive = np.arange(10) < 3
    A, B = fit_sigmoid(np.full(10, constant), is_positive)
    assert A == 0
    expected = targets(is_positive, np.ones(10)).mean()
    np.testing.assert_allclose(sigmoid(np.array([constant, 7.0]), A, B), expected, rtol=1e-14)


def test_decisions_that_differ_by_rounding_are_constant():
    decisions = np.where(np.arange(10) < 3, 0.1, np.nextafter(0.1, 1))
    assert fit_sigmoid(decisions, np.arange(10) < 3)[0] == 0


@pytest.mark.parametrize("weights", [None, np.empty(0)])
def test_no_samples_give_one_half(weights):
    assert fit_sigmoid(np.empty(0), np.empty(0, dtype=bool), weights) == (0, 0)


def test_samples_of_weight_zero_are_ignored():
    assert fit_sigmoid(np.array([1.0, 2.0]), np.array([True, False]), np.zeros(2)) == (0, 0)


@pytest.mark.parametrize("outlier", [1e6, 1e30, 1e300, np.finfo(float).max])
@pytest.mark.parametrize("sign", [-1, 1])
def test_an_outlier_of_any_size_gives_the_minimum(outlier, sign):
    rng = np.random.default_rng(1)
    is_positive = np.arange(60) % 2 == 0
    decisions = rng.normal(size=60) + is_positive
    decisions[0] = sign * outlier
    A, B = fit_sigmoid(decisions, is_positive)
    scaled = A * outlier, B
    _, gradient = cross_entropy(scaled, decisions / outlier, is_positive, np.ones(60))
    assert np.abs(gradient).max() < 1e-9


@pytest.mark.parametrize("n", [10, 1000, 100_000])
def test_separable_classes_get_a_finite_slope(n):
    decisions = np.concatenate([np.linspace(-2, -1, n), np.linspace(1, 2, n)])
    is_positive = decisions > 0
    A, B = fit_sigmoid(decisions, is_positive)
    assert np.isfinite([A, B]).all()
    P = sigmoid(decisions, A, B)
    assert ((P > 0.5) == is_positive).all()
    np.testing.assert_allclose(P.mean(), 0.5, rtol=1e-10)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_decisions_that_are_not_finite_are_refused(value):
    with pytest.raises(ValueError, match=f"decision 1 is {value}"):
        fit_sigmoid(np.array([0.0, value]), np.array([True, False]))


def test_sigmoid_is_accurate_in_both_tails():
    z = np.array([-800.0, -40.0, 0.0, 40.0, 700.0, 800.0])
    expected = [1.0, 1.0, 0.5, np.exp(-40.0), np.exp(-700.0), 0.0]
    np.testing.assert_allclose(sigmoid(z, 1, 0), expected, rtol=1e-15)
    np.testing.assert_allclose(sigmoid(-z, -1, 0), expected, rtol=1e-15)


def test_sigmoid_takes_infinite_decisions():
    decisions = np.array([-np.inf, -1e300, 1e300, np.inf])
    np.testing.assert_array_equal(sigmoid(decisions, -1e30, 5), [0, 0, 1, 1])
    np.testing.assert_array_equal(sigmoid(decisions, 0, 0), 0.5)


def test_sigmoid_takes_parameters_for_each_column():
    decisions, A, B = np.random.default_rng(0).normal(size=(3, 7, 4))
    expected = [sigmoid(decisions[:, j], A[0, j], B[0, j]) for j in range(4)]
    np.testing.assert_array_equal(sigmoid(decisions, A[0], B[0]), np.transpose(expected))


# Pairwise coupling.


def number_of_classes(n_pairs):
    return next(k for k in itertools.count(1) if k * (k - 1) // 2 == n_pairs)


def published_iteration(r, tolerance):
    """Couple the probabilities of one sample by Algorithm 2 of Wu, Lin and Weng (2004)."""
    k = number_of_classes(len(r))
    r = np.clip(r, 1e-7, 1 - 1e-7)
    R = np.zeros((k, k))
    R[np.triu_indices(k, 1)] = r
    R.T[np.triu_indices(k, 1)] = 1 - r
    Q = np.diag((R**2).sum(axis=0)) - R * R.T
    p = np.full(k, 1 / k)
    for _ in range(100_000):
        if np.abs(Q @ p - p @ Q @ p).max() < tolerance:
            break
        for t in range(k):
            p[t] += (p @ Q @ p - Q[t] @ p) / Q[t, t]
            p /= p.sum()
    return p


def pairwise_probabilities(kind, k, n=40):
    rng = np.random.default_rng(k)
    shape = n, k * (k - 1) // 2
    return {
        "uniform": rng.random(shape),
        "confident": 1 / (1 + np.exp(20 * rng.normal(size=shape))),
        "certain": rng.integers(0, 2, size=shape).astype(float),
    }[kind]


@pytest.mark.skipif("probability" not in svm.SVC().get_params(), reason="scikit-learn >= 1.11")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", DATA)
def test_the_probabilities_of_svc_are_reproduced(name):
    X, y = DATA[name]()
    X = minmax_scale(X)
    model = svm.SVC(probability=True, random_state=0, decision_function_shape="ovo").fit(X, y)
    expected = model.predict_proba(X)
    k = len(model.classes_)
    # With two classes, scikit-learn reverses the sign of LIBSVM.
    decisions = model.decision_function(X) if k > 2 else -model.decision_function(X)[:, None]
    pairwise = sigmoid(decisions, model.probA_, model.probB_)
    stopped = [published_iteration(r, 0.005 / k) for r in pairwise]
    np.testing.assert_allclose(stopped, expected, atol=1e-8)
    exact = [published_iteration(r, 1e-12) for r in pairwise[::5]]
    np.testing.assert_allclose(couple(pairwise[::5]), exact, atol=1e-10)
    # LIBSVM stops the iteration early.
    np.testing.assert_allclose(couple(pairwise), expected, atol=0.01)


@pytest.mark.parametrize("k", [2, 3, 4, 10])
@pytest.mark.parametrize("kind", ["uniform", "confident", "certain"])
def test_the_published_iteration_converges_to_the_solution(kind, k):
    pairwise = pairwise_probabilities(kind, k)
    expected = [published_iteration(r, 1e-12) for r in pairwise]
    np.testing.assert_allclose(couple(pairwise), expected, atol=1e-9)


@pytest.mark.parametrize("k", [2, 3, 10, 60])
@pytest.mark.parametrize("kind", ["uniform", "confident", "certain"])
def test_probabilities_are_positive_and_sum_to_one(kind, k):
    P = couple(pairwise_probabilities(kind, k))
    assert P.shape == (40, k)
    assert (P > 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-14)


@pytest.mark.parametrize("k", [2, 3, 10, 60])
def test_consistent_pairwise_probabilities_are_recovered(k):
    p = np.random.default_rng(k).dirichlet(np.ones(k), size=50)
    i, j = np.triu_indices(k, 1)
    # No ratio of two classes is clipped.
    p = normalize_one_vs_rest(np.maximum(p, 1e-4))
    np.testing.assert_allclose(couple(p[:, i] / (p[:, i] + p[:, j])), p, rtol=1e-9)


@pytest.mark.parametrize("kind", ["uniform", "confident", "certain"])
def test_permuting_the_classes_permutes_the_probabilities(kind):
    k = 7
    pairwise = pairwise_probabilities(kind, k)
    i, j = np.triu_indices(k, 1)
    R = np.zeros((len(pairwise), k, k))
    R[:, i, j], R[:, j, i] = pairwise, 1 - pairwise
    order = np.random.default_rng(0).permutation(k)
    permuted = R[:, order[i], order[j]]
    np.testing.assert_allclose(couple(permuted), couple(pairwise)[:, order], rtol=1e-6, atol=1e-14)


def test_two_classes_keep_their_probability():
    r = np.array([[0.0], [0.3], [1.0], [1e-7]])
    expected = [[1e-7, 1 - 1e-7], [0.3, 0.7], [1 - 1e-7, 1e-7], [1e-7, 1 - 1e-7]]
    np.testing.assert_allclose(couple(r), expected, rtol=1e-8)


def test_a_class_that_wins_every_pair_gets_almost_all_probability():
    pairwise = np.array([[1.0, 1.0, 1.0, 0.5, 0.5, 0.5]])
    np.testing.assert_allclose(couple(pairwise), [[1, 0, 0, 0]], atol=1e-6)


@pytest.mark.parametrize(("k", "n"), [(3, 2500), (10, 1030), (120, 90)])
def test_a_sample_does_not_depend_on_the_other_samples(k, n):
    pairwise = pairwise_probabilities("uniform", k, n)
    P = couple(pairwise)
    for sample in (0, 1, n // 2, n - 1):
        np.testing.assert_array_equal(couple(pairwise[sample : sample + 1])[0], P[sample])
    np.testing.assert_array_equal(couple(np.asfortranarray(pairwise)), P)


def test_blocks_stay_within_the_memory_limit(monkeypatch):
    pairwise = pairwise_probabilities("uniform", 10, n=50)
    expected = couple(pairwise)
    monkeypatch.setattr(probabilities, "_BLOCK_BYTES", 1)
    np.testing.assert_array_equal(couple(pairwise), expected)


@pytest.mark.parametrize(("n_pairs", "k"), [(0, 1), (1, 2), (3, 3), (45, 10)])
def test_no_samples_give_no_probabilities(n_pairs, k):
    assert couple(np.empty((0, n_pairs))).shape == (0, k)


@pytest.mark.parametrize("n_pairs", [2, 4, 44])
def test_numbers_of_pairs_that_match_no_number_of_classes_are_refused(n_pairs):
    with pytest.raises(ValueError, match=f"pairwise has {n_pairs} columns"):
        couple(np.full((1, n_pairs), 0.5))


# One-vs-rest.


def test_one_vs_rest_probabilities_are_normalized():
    P = np.array([[0.2, 0.2, 0.4], [1.0, 1.0, 1.0], [0.0, 0.0, 0.3], [1e-320, 0.0, 1e-320]])
    expected = [[0.25, 0.25, 0.5], [1 / 3, 1 / 3, 1 / 3], [0, 0, 1], [0.5, 0, 0.5]]
    np.testing.assert_allclose(normalize_one_vs_rest(P), expected, rtol=1e-14)


def test_one_vs_rest_probabilities_that_are_all_zero_become_uniform():
    np.testing.assert_array_equal(normalize_one_vs_rest(np.zeros((2, 4))), 0.25)
