"""Weights of rows that cannot be used are named; 0 is no row, and 2 is a row twice."""

import numpy as np
import pytest
from sklearn.base import clone

from estimators import CLASSIFIERS, EXACT, WEIGHTED, each, problem
from softmargin import OLLAWV

NAN, INF = float("nan"), float("inf")


def fault(case, weights, sentence):
    return pytest.param(np.asanyarray(weights), sentence, marks=pytest.mark.case(case))


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        fault(20, [1.0] * 119, "sample_weight has shape .* 120 samples"),
        fault(20, [[1.0] * 60] * 2, "sample_weight has shape .* 120 samples"),
        fault(47, [1.0] * 119 + [-1.0], r"sample_weight\[119\] = -1"),
        fault(48, [1.0] * 119 + [NAN], r"sample_weight\[119\] = nan"),
        fault(49, [INF] + [1.0] * 119, r"sample_weight\[0\] = inf"),
        fault(50, [0.0] * 120, "every sample_weight is zero"),
    ],
)
@each(WEIGHTED)
def test_impossible_weights_are_named(noisy, refuses, weights, sentence):
    refuses(*noisy, sentence, weights=weights)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        fault(9, np.ones(120) * 1j, "[Cc]omplex.*sample_weight"),
        fault(10, ["1"] * 120, "sample_weight has dtype <U1"),
        fault(10, np.array(["1"] * 120, np.dtypes.StringDType()), "sample_weight has dtype String"),
        fault(10, np.array([1.0] * 119 + ["1"], object), "sample_weight contains '1'"),
        fault(10, np.array({"a": 1}, dtype=object), "sample_weight is not valid"),
        fault(11, np.arange(120).astype("M8[s]"), "sample_weight has dtype datetime64"),
        fault(11, np.arange(120).astype("m8[s]"), "sample_weight has dtype timedelta64"),
        fault(28, np.ma.array(np.ones(120), mask=np.arange(120) == 7), "sample_weight has masked"),
    ],
)
@each(WEIGHTED)
def test_weights_that_are_no_numbers_are_refused_by_name(noisy, refuses, weights, sentence):
    refuses(*noisy, sentence, weights=weights)


@pytest.mark.case(41)
@each(WEIGHTED)
def test_a_class_lost_to_zero_weights_is_named(noisy, refuses):
    X, y = noisy
    refuses(X, y, "class 1 has no remaining samples", weights=(y == 0).astype(float))


def test_ollawv_takes_no_weights_of_rows(noisy):
    with pytest.raises(TypeError, match="sample_weight"):
        OLLAWV().fit(*noisy, sample_weight=np.ones(120))


# The same gamma for all: "scale" depends on how often a row is there.
SOLVED = {
    "SVC": {"gamma": 0.5, "tol": 1e-10},
    "NNISDA": {"gamma": 0.5, "tol": 1e-11},
    "MNSVM": {"gamma": 0.5, "eps": 1e-10},
    "NewtonSVC": {"gamma": 0.5},
    "LinearSVC": {"tol": 1e-10},
}


@pytest.mark.case(51)
@each(EXACT)
def test_a_weight_of_two_is_a_row_twice_and_of_zero_no_row(estimator, rng):
    X, y = problem(n=60)
    estimator.set_params(**SOLVED[type(estimator).__name__])
    times = rng.integers(0, 3, len(y))
    weighted = clone(estimator).fit(X, y, sample_weight=times)
    repeated = estimator.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    (one,), (other,) = weighted.certificate_, repeated.certificate_
    assert one.primal == pytest.approx(other.primal, rel=1e-7)
    assert one.dual == pytest.approx(other.dual, rel=1e-7)
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-4
    )


@pytest.mark.case(51)
@each([name for name in CLASSIFIERS if name in WEIGHTED])
def test_a_row_without_weight_changes_nothing(estimator):
    X, y = problem()
    wrong = np.r_[X, X + 3], np.r_[y, 1 - y]
    weights = np.r_[np.ones(len(y)), np.zeros(len(y))]
    gamma = {"gamma": 0.5} if hasattr(estimator, "gamma") else {}
    estimator.set_params(**gamma)
    expected = clone(estimator).fit(X, y).decision_function(X)
    found = estimator.fit(*wrong, sample_weight=weights).decision_function(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.case(51)
@each(["nested_cv"])
def test_folds_have_no_rows_without_weight(noisy, refuses):
    weights = np.ones(120)
    weights[7] = 0
    refuses(*noisy, r"sample_weight\[7\] = 0", weights=weights)
