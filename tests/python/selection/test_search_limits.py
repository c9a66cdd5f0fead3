"""max_iter and random_state have the same effect in a search as in separate fits."""

import numpy as np
import pytest
from sklearn import model_selection, svm

from estimators import problem
from softmargin import (
    GDSVC,
    MNSVM,
    NLSGD,
    NNISDA,
    SGDSVC,
    SVC,
    GridSearchCV,
    LinearSVC,
    NewtonSVC,
    nested_cv,
)

GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.1, 1.0]}
RANDOM = [NLSGD(order="random"), MNSVM(selection="random"), LinearSVC(loss="hinge"), SGDSVC()]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def overlapping():
    X, y = problem(n=120, k=3)
    return X, np.where(np.random.default_rng(1).random(120) < 0.15, (y + 1) % 3, y)


def drawn():
    """Bootstrap samples, in which repeated samples tie exactly."""
    rng = np.random.default_rng(0)
    samples = [rng.integers(0, 120, size=120) for _ in range(3)]
    return [(sample, np.setdiff1d(np.arange(120), sample)) for sample in samples]


def scores(search):
    found = search.cv_results_
    return np.array([found[f"split{split}_test_score"] for split in range(3)])


@pytest.mark.parametrize("cv", [3, drawn()], ids=["folds", "drawn"])
@pytest.mark.parametrize(
    ("model", "grid"),
    [
        *((SVC(max_iter=limit, tol=1e-6), GRID) for limit in (1, 5, 40, 100_000)),
        (NNISDA(max_iter=30), GRID),
        (MNSVM(max_iter=30), GRID),
        (NewtonSVC(max_iter=3), GRID),
        (NewtonSVC(kernel="linear"), {"C": [1e2, 1e12]}),
        (LinearSVC(max_iter=5, loss="hinge", random_state=0), {"C": GRID["C"]}),
        (GDSVC(max_iter=5), {"lambda_": [0.1, 0.01]}),
    ],
    ids=str,
)
def test_a_limit_of_steps_gives_what_single_fits_give(model, grid, cv):
    ours, theirs = (
        kind(model, grid, cv=cv, refit=False).fit(*overlapping())
        for kind in (GridSearchCV, model_selection.GridSearchCV)
    )
    assert ours.used_engine_
    np.testing.assert_array_equal(scores(ours), scores(theirs))


def test_a_limit_of_steps_gives_what_single_fits_give_in_nested_cv():
    X, y = overlapping()
    outer = model_selection.StratifiedKFold(2)
    result = nested_cv(X, y, SVC(max_iter=5), GRID, outer=outer, inner=outer, scale=None)
    for found, (train, _) in zip(result.inner_scores, outer.split(X, y), strict=True):
        for own, (a, b) in zip(found, outer.split(X[train], y[train]), strict=True):
            models = (
                SVC(max_iter=5, **cell).fit(X[train[a]], y[train[a]]) for cell in result.cells
            )
            expected = [model.score(X[train[b]], y[train[b]]) for model in models]
            np.testing.assert_array_equal(own, expected)
    assert result.counts["unfinished"] > 0


@pytest.mark.parametrize("model", RANDOM, ids=str)
def test_a_random_state_object_is_copied_for_each_fit(model):
    """As in scikit-learn, each fit draws the same numbers, and the generator does not change."""
    grid = {model._path[0]: [0.1, 1.0]}
    found = []
    for kind in (GridSearchCV, model_selection.GridSearchCV):
        state = np.random.RandomState(7)
        search = kind(type(model)(**model.get_params() | {"random_state": state}), grid, cv=3)
        found.append(scores(search.fit(*overlapping())))
        assert_state(state, np.random.RandomState(7))
        assert_state(search.best_estimator_.random_state, advanced(7))
    assert search.best_params_
    np.testing.assert_array_equal(*found)


RECORDED = [LinearSVC(loss="hinge", record_every=100), SGDSVC(record_every=100)]


@pytest.mark.parametrize("model", [*RANDOM, *RECORDED, SVC()], ids=str)
def test_a_random_state_object_is_advanced_once_in_a_fit(model):
    state = np.random.RandomState(3)
    type(model)(**model.get_params() | {"random_state": state}).fit(*overlapping())
    assert_state(state, advanced(3))


@pytest.mark.parametrize("kind", [SVC, LinearSVC], ids=["SVC", "LinearSVC"])
def test_a_random_state_object_is_then_what_scikit_learn_leaves(kind):
    ours, theirs = np.random.RandomState(5), np.random.RandomState(5)
    kind(random_state=ours).fit(*overlapping())
    getattr(svm, kind.__name__)(random_state=theirs).fit(*overlapping())
    assert_state(ours, theirs)


def advanced(seed):
    """A generator after an estimator of scikit-learn has drawn a seed from it."""
    state = np.random.RandomState(seed)
    state.randint(np.iinfo(np.int32).max)
    return state


def assert_state(found, expected):
    assert str(found.get_state()) == str(expected.get_state())
    assert found.randint(2**31) == expected.randint(2**31)
