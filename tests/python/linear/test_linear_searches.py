"""Searches over linear machines find what scikit-learn's search finds."""

import numpy as np
import pytest
from sklearn import datasets, model_selection
from sklearn.pipeline import make_pipeline

from softmargin import (
    GDSVC,
    SGDSVC,
    GridSearchCV,
    LinearSVC,
    MinMaxScaler,
    PatternSearchCV,
    nested_cv,
)

SCHEMES = ["ovr", "ovo", "ordinal"]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def wine():
    return datasets.load_wine(return_X_y=True)


SEARCHES = [
    (LinearSVC(), {"C": [0.1, 1, 10], "fit_intercept": [True, False]}),
    (
        LinearSVC(random_state=0, max_iter=100),
        {"C": [0.1, 1], "loss": ["hinge", "squared_hinge"], "multi_class": SCHEMES},
    ),
    (
        LinearSVC(random_state=0, max_iter=100),
        {"C": [0.1, 1], "penalty": ["l1", "l2"], "multi_class": SCHEMES},
    ),
    (LinearSVC(random_state=0), {"dual": [True, "auto"], "intercept_scaling": [1.0, 5.0]}),
    (
        SGDSVC(epochs=2, random_state=0),
        {"optimizer": ["pegasos", "sgd", "momentum", "nag", "rmsprop"], "lambda_": [1e-3, 1e-1]},
    ),
    (SGDSVC(epochs=2, random_state=0), {"C": [0.1, 5], "average": [0, 0.5], "batch_size": [1, 8]}),
    (
        SGDSVC(epochs=9, random_state=0, n_iter_no_change=1),
        {"early_stopping": [True, False], "shuffle": [True, False, "draw"], "tol": [None, 0.01]},
    ),
    (
        SGDSVC(epochs=2, random_state=0, class_weight="balanced"),
        {"project": [True, False], "fit_intercept": [True, "violators"], "lambda_": [0.01, 1.0]},
    ),
    (GDSVC(eta0=0.3), {"lambda_": [1e-3, 1e-1], "max_iter": [10, 50], "multi_class": SCHEMES}),
    (make_pipeline(MinMaxScaler(), LinearSVC()), {"linearsvc__C": [0.1, 1, 10]}),
    (
        make_pipeline(MinMaxScaler(), SGDSVC(random_state=0)),
        {"sgdsvc__epochs": [1, 3], "sgdsvc__lambda_": [0.01, 0.1]},
    ),
]


@pytest.mark.parametrize(("estimator", "grid"), SEARCHES, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("scoring", [None, "f1_macro"])
def test_a_grid_search_is_that_of_scikit_learn(estimator, grid, scoring):
    X, y = wine()
    X = X if "pipeline" in type(estimator).__name__.lower() else X / X.max(axis=0)
    ours = GridSearchCV(estimator, grid, scoring=scoring, cv=3).fit(X, y)
    theirs = model_selection.GridSearchCV(estimator, grid, scoring=scoring, cv=3).fit(X, y)
    assert ours.used_engine_
    for name, expected in theirs.cv_results_.items():
        if name.endswith("test_score"):
            np.testing.assert_allclose(ours.cv_results_[name], expected, err_msg=name)
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("kind", [SGDSVC, GDSVC])
@pytest.mark.parametrize("swapped", [False, True])
def test_c_and_lambda_in_one_grid_keep_their_meaning(kind, swapped):
    X, y = wine()
    X = X / X.max(axis=0)
    estimator = SGDSVC(epochs=2, random_state=0) if kind is SGDSVC else GDSVC(eta0=0.01)
    grid = [{"C": [0.001, 10.0]}, {"lambda_": [1e-3, 1.0]}][:: -1 if swapped else 1]
    ours = GridSearchCV(estimator, grid, cv=3).fit(X, y)
    theirs = model_selection.GridSearchCV(estimator, grid, cv=3).fit(X, y)
    assert ours.used_engine_
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )


def test_a_pattern_search_and_pruning_change_no_choice():
    X, y = wine()
    grid = {"C": [4.0**power for power in range(-5, 6)]}
    model = make_pipeline(MinMaxScaler(), LinearSVC(loss="hinge", random_state=0))
    search = PatternSearchCV(model, {"linearsvc__C": grid["C"]}, cv=3).fit(X, y)
    assert search.used_engine_
    assert len(search.cv_results_["params"]) < 11
    whole, pruned = (
        nested_cv(X, y, LinearSVC(), grid, random_state=0, outer=3, inner=4, prune=prune, n_jobs=1)
        for prune in (False, True)
    )
    assert pruned.best_params == whole.best_params
    np.testing.assert_array_equal(pruned.outer_scores, whole.outer_scores)
