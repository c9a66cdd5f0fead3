"""Kernel methods on what is hard for them: kernels, weights, limits and starts at the edge."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.exceptions import ConvergenceWarning

import softmargin
from softmargin import MNSVM, NLSGD, NNISDA, SVC, NewtonSVC


@pytest.fixture(name="rows")
def _rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    three = np.digitize(X[:, 0] + 0.3 * rng.normal(size=90), [-0.5, 0.5])
    return X, (three > 0).astype(int), three


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "poly", "degree": 5, "gamma": 2.0, "coef0": 1.0},
        {"kernel": "linear", "scale": [1, 10, 100]},
        {"gamma": 0.3, "class_weight": {0: 1e-5}},
        {"gamma": 0.3, "C": 1e-160},
    ],
    ids=str,
)
def test_mnsvm_ends_near_the_optimum_where_rows_differ_in_size(rows, settings):
    X, y, _ = rows
    settings = dict(settings)
    X = X * settings.pop("scale", 1)
    (found,) = MNSVM(**settings).fit(X, y).certificate_
    (best,) = NewtonSVC(bias="penalized", **settings).fit(X, y).certificate_
    assert found.primal == pytest.approx(best.primal, rel=0.05)


def test_mnsvm_forgets_a_first_row_of_hardly_any_weight(rows):
    X, y, _ = rows
    weights = np.ones(len(y))
    weights[0] = 1e-8
    found = MNSVM(gamma=0.3).fit(X, y, sample_weight=weights).certificate_[0]
    best = MNSVM(gamma=0.3).fit(X[1:], y[1:]).certificate_[0]
    assert found.primal == pytest.approx(best.primal, rel=0.01)


def test_a_start_whose_signs_do_not_fit_changes_nothing(rows):
    X, y, _ = rows
    model = MNSVM(C=10, gamma=0.3, warm_start=True).fit(X, y)
    flipped = y.copy()
    flipped[:30] = 1 - flipped[:30]
    warm = model.fit(X, flipped).certificate_[0]
    cold = MNSVM(C=10, gamma=0.3).fit(X, flipped).certificate_[0]
    assert warm.primal == pytest.approx(cold.primal, rel=0.02)


@pytest.mark.case(57)
@pytest.mark.parametrize("kind", [MNSVM, NNISDA, NewtonSVC])
def test_a_kernel_that_is_not_definite_ends_with_a_status(rows, kind):
    X, y, _ = rows
    model = kind(kernel="sigmoid", gamma=2, coef0=-1, max_iter=1000)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert model.status_ != ["converged"]
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.case(57)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n", range(20, 90, 5))
def test_a_machine_that_left_the_range_of_numbers_is_no_machine(rows, n):
    X, y, _ = rows
    model = NNISDA(kernel="sigmoid", gamma=1.0, C=100).fit(X[:n], y[:n])
    assert np.isfinite(model.decision_function(X)).all()
    if model.status_ == ["not finite"]:
        assert len(model.support_) == 0


@pytest.mark.parametrize("budget", [None, 1000])
def test_an_indefinite_kernel_does_not_end_a_selection(rows, budget):
    X, y, _ = rows
    estimator = NNISDA(kernel="sigmoid", coef0=-1, max_iter=1000)
    grid = {"C": [1.0, 1000.0], "gamma": [2.0]}
    with pytest.warns(ConvergenceWarning):
        result = softmargin.nested_cv(
            X, y, estimator, grid, outer=3, inner=3, random_state=0, memory_budget=budget
        )
    assert result.complete
    assert result.counts["unfinished"] > 0


@pytest.mark.parametrize("kind", [MNSVM, NNISDA, NLSGD])
def test_weights_that_vanish_times_c_are_refused_or_harmless(rows, kind):
    X, y, _ = rows
    model = kind(C=1e-300, class_weight={0: 1e-20}, random_state=0)
    if kind is NLSGD:
        assert np.isfinite(model.fit(X, y).decision_function(X)).all()
        return
    with pytest.raises(ValueError, match="too small"):
        model.fit(X, y)


def test_newton_says_that_rounding_stopped_it(rows):
    X, y, _ = rows
    with pytest.warns(ConvergenceWarning):
        model = NewtonSVC(C=1e18, gamma=0.5).fit(X, y)
    assert model.status_ == ["stalled"]


def test_newton_looks_at_the_clock_at_every_step():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 5)), rng.integers(0, 2, 3000)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        NewtonSVC(C=0.1, time_limit=0.01).fit(X, y)


def test_nlsgd_that_is_stopped_has_the_machine_of_that_step(rows):
    X, y, _ = rows
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = NLSGD(time_limit=1e-9, average=0, random_state=0).fit(X, y)
    (steps,) = model.n_iter_
    assert 0 < steps < 2 * len(y)
    np.testing.assert_allclose(np.abs(model.dual_coef_), 1 / steps)


def test_too_many_epochs_are_refused(rows):
    X, y, _ = rows
    with pytest.raises(ValueError, match="epochs"):
        NLSGD(epochs=2**62, average=1.0).fit(X, y)


@pytest.mark.parametrize("kind", [SVC, MNSVM, NNISDA, NewtonSVC])
def test_a_scheme_that_changed_is_a_cold_start(rows, kind):
    X, _, three = rows
    model = kind(gamma=0.5, warm_start=True).fit(X, three).set_params(multi_class="ovr")
    assert len(model.certificate_) == 3
    warm = model.fit(X, three)
    cold = kind(gamma=0.5, multi_class="ovr").fit(X, three)
    np.testing.assert_array_equal(warm.dual_coef_, cold.dual_coef_)


def test_an_empty_test_fold_is_left_to_scikit_learn(rows):
    X, y, _ = rows
    cv = [(np.arange(60), np.arange(60, 90)), (np.arange(30, 90), np.arange(0))]
    search = softmargin.PatternSearchCV(SVC(), {"C": [1.0, 2.0, 3.0]}, cv=cv)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # no score of this fold
        search.fit(X, y)
    assert not search.used_engine_


def test_weights_in_a_search_are_those_of_scikit_learn(rows):
    X, _, three = rows
    weights = np.where(np.arange(90) < 45, 5.0, 1.0)
    searches = [
        kind(SVC(gamma=0.5), {"C": [1.0, 10.0]}).fit(X, three, sample_weight=weights)
        for kind in (softmargin.GridSearchCV, model_selection.GridSearchCV)
    ]
    ours, theirs = (search.cv_results_["mean_test_score"] for search in searches)
    np.testing.assert_array_equal(ours, theirs)


def test_two_estimators_of_a_kind_keep_two_results(rows, tmp_path):
    X, y, _ = rows
    both = [SVC(kernel="linear"), SVC(kernel="rbf")]
    arguments = {"grid": {"C": [1.0, 4.0]}, "outer": 3, "inner": 3, "random_state": 0}
    results = softmargin.nested_cv(X, y, both, checkpoint=tmp_path / "run.npz", **arguments)
    assert list(results) == ["svc", "svc-2"]
    for estimator, result in zip(both, results.values(), strict=True):
        alone = softmargin.nested_cv(X, y, estimator, **arguments)
        np.testing.assert_array_equal(alone.outer_scores, result.outer_scores)
        again = pickle.loads(pickle.dumps(result))
        np.testing.assert_array_equal(again.inner_scores, result.inner_scores)
        assert again.refit().predict(X).shape == y.shape
