"""The engine gives the results of plain loops over ordinal estimators."""

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics import accuracy_score

import softmargin
from ordinal_methods import METHODS, ordinal
from softmargin import SVC, nested_cv

PATHS = {"ollawv": {"margin": [0.05, 0.5]}}


def grades(n=120):
    rng = np.random.default_rng(8)
    X = rng.uniform(size=(n, 3))
    level = 4 * X[:, 0] + 2 * X[:, 1] ** 2 + 0.5 * rng.normal(size=n)
    return X, np.searchsorted([1.5, 2.5, 3.5], level)


def grid(method):
    return PATHS.get(method, {"C": [0.5, 5.0]}) | {"gamma": [0.5, 4.0]}


@pytest.mark.parametrize("method", METHODS)
def test_a_grid_search_is_that_of_scikit_learn(method):
    X, y = grades()
    estimator = clone(METHODS[method])
    cells = grid(method) | {"multi_class": ["ordinal", "ovo"]}
    ours = softmargin.GridSearchCV(estimator, cells, cv=3, n_jobs=2).fit(X, y)
    theirs = model_selection.GridSearchCV(estimator, cells, cv=3).fit(X, y)
    assert ours.used_engine_
    assert ours.best_params_ == theirs.best_params_
    for split in range(3):
        name = f"split{split}_test_score"
        np.testing.assert_array_equal(ours.cv_results_[name], theirs.cv_results_[name])


@pytest.mark.parametrize("method", METHODS)
def test_budgets_and_threads_change_nothing(method):
    X, y = grades()
    estimator = ordinal(METHODS[method])
    one, two, tiny = (
        nested_cv(
            X,
            y,
            estimator,
            grid(method),
            outer=3,
            inner=2,
            random_state=0,
            n_jobs=n,
            memory_budget=budget,
        )
        for n, budget in ((1, None), (2, None), (2, 1000))
    )
    np.testing.assert_array_equal(two.inner_scores, one.inner_scores)
    assert two.counts == one.counts
    np.testing.assert_array_equal(tiny.inner_scores, one.inner_scores)
    np.testing.assert_array_equal(tiny.outer_scores, one.outer_scores)


@pytest.mark.parametrize("budget", [None, 1000])
def test_weights_of_rows_are_counted(budget):
    """Random labels, so that the weights decide which label a pattern gets."""
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(120, 3)).astype(np.float32), rng.integers(0, 4, size=120)
    arguments = {"sample_weight": rng.uniform(0.1, 5.0, size=120), "memory_budget": budget}
    estimator = SVC(C=0.5, gamma=0.5, tol=1e-7, multi_class="ordinal")
    split = model_selection.StratifiedKFold(4, shuffle=True, random_state=0)
    found = nested_cv(X, y, estimator, {"C": [0.5]}, outer=split, inner=2, scale=None, **arguments)
    scores = []
    for train, test in split.split(X, y):
        weights = arguments["sample_weight"][train]
        model = clone(estimator).fit(X[train], y[train], sample_weight=weights)
        scores.append(accuracy_score(y[test], model.predict(X[test])))
    np.testing.assert_array_equal(found.outer_scores, scores)


def test_a_class_that_is_missing_from_a_split_leaves_neighbours():
    X, y = load_wine(return_X_y=True)
    X, y = X / X.max(axis=0), np.where(np.arange(len(y)) < 20, 3, y)
    everything = np.arange(len(y))
    train = np.flatnonzero(y != 1)
    searches = [
        kind(SVC(gamma=0.5, multi_class="ordinal"), {"C": [1.0, 10.0]}, cv=[(train, everything)])
        for kind in (softmargin.GridSearchCV, model_selection.GridSearchCV)
    ]
    ours, theirs = (search.fit(X, y).cv_results_["split0_test_score"] for search in searches)
    assert searches[0].used_engine_
    np.testing.assert_array_equal(ours, theirs)
