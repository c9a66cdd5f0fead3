"""Training samples keep the order and the repetitions of the splitter."""

import joblib
import numpy as np
import pytest
from sklearn import model_selection
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline

from estimators import problem
from softmargin import (
    GDSVC,
    MNSVM,
    NLSGD,
    NNISDA,
    OLLAWV,
    SGDSVC,
    SVC,
    GridSearchCV,
    LinearSVC,
    MinMaxScaler,
    NewtonSVC,
    PatternSearchCV,
    nested_cv,
)

KERNEL_GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}
# SVC starts from the solution for the previous C; a small tolerance removes the difference.
MODELS = {
    "OLLAWV": (OLLAWV(), {"margin": [0.01, 0.1, 0.4], "gamma": [0.1, 1.0]}),
    "NLSGD": (NLSGD(random_state=0, order="random"), KERNEL_GRID),
    "SVC": (SVC(tol=1e-9), KERNEL_GRID),
    "NNISDA": (NNISDA(), KERNEL_GRID),
    "MNSVM": (MNSVM(random_state=0, selection="random"), KERNEL_GRID),
    "NewtonSVC": (NewtonSVC(), KERNEL_GRID),
    "LinearSVC": (LinearSVC(random_state=0, loss="hinge"), {"C": [0.1, 1.0, 10.0]}),
    "SGDSVC": (SGDSVC(epochs=2, random_state=0), {"lambda_": [0.1, 0.01]}),
    "GDSVC": (GDSVC(eta0=0.1, max_iter=50, tol=0.1), {"lambda_": [0.1, 0.01]}),
}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def permuted():
    rng = np.random.default_rng(0)
    orders = [rng.permutation(90) for _ in range(3)]
    return [(order[:60], order[60:]) for order in orders]


def drawn():
    """Bootstrap samples for training; the rest, some of it twice, for testing."""
    rng = np.random.default_rng(0)
    samples = [rng.integers(0, 90, size=90) for _ in range(3)]
    rests = [np.setdiff1d(np.arange(90), sample) for sample in samples]
    tested = [np.r_[rest[::-1], rest[:5]] for rest in rests]
    return list(zip(samples, tested, strict=True))


SPLITTERS = {
    "stratified": model_selection.StratifiedShuffleSplit(3, test_size=0.3, random_state=0),
    "shuffled": model_selection.ShuffleSplit(3, test_size=0.3, random_state=0),
    "folds": model_selection.KFold(3, shuffle=True, random_state=0),
    "repeated": model_selection.RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
    "permuted": permuted(),
    "drawn": drawn(),
}


def noisy(k=3):
    """Return overlapping classes, so that different models have different scores."""
    X, y = problem(n=90, k=k)
    return X, np.where(np.random.default_rng(1).random(90) < 0.15, (y + 1) % k, y)


def scores(search):
    found = search.cv_results_
    names = [name for name in found if name.startswith("split") and name.endswith("test_score")]
    return np.array([found[name] for name in names])


@pytest.mark.case(113)
@pytest.mark.parametrize("cv", SPLITTERS.values(), ids=SPLITTERS)
@pytest.mark.parametrize("is_scaled", [False, True], ids=["alone", "scaled"])
@pytest.mark.parametrize("name", MODELS)
def test_a_search_is_scikit_learns_whatever_the_order(name, is_scaled, cv):
    model, grid = MODELS[name]
    if is_scaled:
        model = make_pipeline(MinMaxScaler(), model)
        grid = {f"{name.lower()}__{parameter}": values for parameter, values in grid.items()}
    ours, theirs = (
        kind(model, grid, cv=cv, refit=False).fit(*noisy())
        for kind in (GridSearchCV, model_selection.GridSearchCV)
    )
    assert ours.used_engine_
    np.testing.assert_array_equal(scores(ours), scores(theirs))


@pytest.mark.case(113, of="PatternSearchCV GridSearchCV")
def test_workers_and_a_pattern_search_keep_the_order():
    model, grid = MODELS["OLLAWV"]
    options = {"cv": SPLITTERS["stratified"], "refit": False}
    theirs = model_selection.GridSearchCV(model, grid, **options).fit(*noisy())
    expected = dict(zip(map(str, ParameterGrid(grid)), scores(theirs).T.tolist(), strict=True))
    assert len(set(map(tuple, expected.values()))) > 1
    found = PatternSearchCV(model, grid, **options).fit(*noisy())
    own = zip(map(str, found.cv_results_["params"]), scores(found).T.tolist(), strict=True)
    assert all(expected[candidate] == each for candidate, each in own)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        spread = GridSearchCV(model, grid, **options).fit(*noisy())
    assert spread.used_engine_
    np.testing.assert_array_equal(scores(spread), scores(theirs))


@pytest.mark.case(113, of="nested_cv")
@pytest.mark.parametrize("name", MODELS)
def test_nested_cv_is_a_loop_over_the_splits_as_they_come(name):
    model, grid = MODELS[name]
    X, y = noisy()
    outer = model_selection.StratifiedShuffleSplit(2, test_size=0.2, random_state=0)
    inner = model_selection.StratifiedShuffleSplit(2, test_size=0.3, random_state=1)
    result = nested_cv(X, y, model, grid, outer=outer, inner=inner, scale=None, n_jobs=1)
    for found, (train, _) in zip(result.inner_scores, outer.split(X, y), strict=True):
        for own, (a, b) in zip(found, inner.split(X[train], y[train]), strict=True):
            rows, others = train[a], train[b]
            expected = [
                clone(model).set_params(**cell).fit(X[rows], y[rows]).score(X[others], y[others])
                for cell in result.cells
            ]
            np.testing.assert_array_equal(own, expected)
