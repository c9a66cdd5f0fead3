"""Limits, weights and parameters of the exact classifier: named refusals, honest warnings."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from hinge import SVC

REFUSED = (ValueError, TypeError)
NAN, INF = float("nan"), float("inf")


# Weights equal repeated rows to seven digits only if both are solved to more, and with the
# same gamma: "scale" depends on how often a row is there.
SOLVED = {"gamma": 0.5, "tol": 1e-9}
ESTIMATORS = [
    SVC(**SOLVED),
    SVC(**SOLVED, multi_class="ovr"),
    SVC(**SOLVED, kernel="linear", n_jobs=2),
]


@parametrize_with_checks(ESTIMATORS)
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("C", value) for value in (0, -1.0, NAN, "1", None, True)),
        *(("tol", value) for value in (0.0, -1e-3, NAN, INF, "small", None)),
        *(("gamma", value) for value in (-1.0, NAN, INF, "wide", None)),
        *(("max_iter", value) for value in (0, -2, 1.5, "all", None)),
        *(("working_set_size", value) for value in (0, 1, -5, 2.5, "all")),
        *(("time_limit", value) for value in (0.0, -1.0, NAN, "soon")),
        *(("cache_size", value) for value in (0, -1, NAN)),
        *(("n_jobs", value) for value in (0, 1.5, "all")),
    ],
    ids=str,
)
def test_a_value_outside_its_domain_is_named(noisy, name, value):  # case 54
    with pytest.raises(REFUSED, match=name):
        SVC(**{name: value}).fit(*noisy)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0] * 119, "sample_weight has shape"),  # case 20
        ([1.0] * 119 + [-1.0], r"sample_weight\[119\] = -1"),  # case 47
        ([1.0] * 119 + [NAN], r"sample_weight\[119\] = nan"),  # case 48
        ([INF] + [1.0] * 119, r"sample_weight\[0\] = inf"),  # case 49
        ([0.0] * 120, "every sample_weight is zero"),  # case 50
    ],
)
def test_impossible_sample_weights_are_named(noisy, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        SVC().fit(*noisy, sample_weight=weights)


def test_a_class_lost_to_zero_weights_is_named(noisy):  # case 41
    X, y = noisy
    with pytest.raises(ValueError, match="class 1 is lost"):
        SVC().fit(X, y, sample_weight=(y == 0).astype(float))


def test_an_iteration_limit_warns_and_leaves_a_model(noisy):  # case 60
    X, y = noisy
    with pytest.warns(ConvergenceWarning, match="1 of 1 machines.*iteration limit.*max_iter = 1"):
        model = SVC(max_iter=1).fit(X, y)
    assert model.n_iter_.tolist() == [1]
    assert model.status_ == ["iteration limit"]
    assert np.isfinite(model.decision_function(X)).all()


def test_a_time_limit_warns_and_leaves_a_model(rng):  # case 61
    X = rng.normal(size=(3000, 3))
    y = rng.integers(0, 2, 3000)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = SVC(C=1e5, gamma=0.1, time_limit=1e-6).fit(X, y)
    assert model.score(X[:5], y[:5]) >= 0


@pytest.mark.parametrize("gamma", [1e-12, 1e12])
def test_a_kernel_of_all_ones_or_the_identity_converges(noisy, gamma):  # case 56
    assert SVC(gamma=gamma).fit(*noisy).status_ == ["converged"]


def test_an_indefinite_kernel_terminates(noisy):  # case 57
    model = SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0, C=100.0, max_iter=20_000)
    try:
        model.fit(*noisy)
    except ConvergenceWarning:
        return
    assert model.status_[0] in {"converged", "stalled"}


def test_a_huge_c_stops(noisy):  # case 55
    X, y = noisy
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        SVC(C=1e300, max_iter=1000, gamma=0.01).fit(X, np.arange(len(y)) % 2)


def test_equal_rows_with_opposite_labels_end_at_the_bound():  # case 22
    X = np.zeros((10, 2))
    y = np.arange(10) % 2
    model = SVC(C=3.0).fit(X, y)
    assert np.abs(model.dual_coef_).max() == 3.0
    assert model.status_ == ["converged"]


def test_two_points_are_solved_exactly():  # case 70
    """Points -1 and 1 on a line: alpha = 1/2 each, f(x) = x."""
    model = SVC(kernel="linear", C=10.0).fit([[-1.0], [1.0]], [0, 1])
    assert model.dual_coef_.tolist() == [[-0.5, 0.5]]
    assert model.intercept_.tolist() == [0.0]


def test_probabilities_come_from_calibration(noisy):
    X, y = noisy
    probabilities = CalibratedClassifierCV(SVC(), cv=3).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
