"""A search treats splits and candidates as scikit-learn does, valid or not."""

import warnings

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import StratifiedKFold

from estimators import problem
from softmargin import SVC, GridSearchCV, LinearSVC, PatternSearchCV

NUMBERS = np.arange(60)
MASK = NUMBERS < 40
GRID = {"C": [0.1, 1.0, 10.0]}


@pytest.fixture
def rows():
    return problem(n=60, k=3)


def results(kind, rows, grid=GRID, model=None, **options):
    """Return the results of a search, ignoring failed fits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        warnings.filterwarnings(
            "ignore", message="One or more of the test scores", module="sklearn"
        )
        return kind(model or SVC(gamma=0.5), grid, **options).fit(*rows)


def by_candidate(search, name):
    """Return the mean score for each value of a parameter, with the value as text."""
    found = search.cv_results_
    return dict(zip(map(str, found[f"param_{name}"]), found["mean_test_score"], strict=True))


@pytest.mark.parametrize("kind", [GridSearchCV, PatternSearchCV])
@pytest.mark.parametrize(
    ("split", "is_shared"),
    [
        ((MASK, ~MASK), True),
        ((MASK.tolist(), NUMBERS[~MASK].tolist()), True),
        ((NUMBERS[MASK][::-1].astype(np.uint8), NUMBERS[~MASK][::-1]), True),
        ((NUMBERS[MASK], NUMBERS[~MASK] - 60), False),
    ],
    ids=["masks", "lists", "descending", "negative"],
)
def test_splits_mean_what_they_mean_to_scikit_learn(kind, rows, split, is_shared):
    ours = results(kind, rows, cv=[split])
    theirs = results(model_selection.GridSearchCV, rows, cv=[split])
    assert ours.used_engine_ is is_shared
    assert by_candidate(ours, "C") == by_candidate(theirs, "C")
    assert len(set(by_candidate(theirs, "C").values())) > 1


@pytest.mark.parametrize("kind", [GridSearchCV, PatternSearchCV])
@pytest.mark.parametrize(
    "splits",
    [
        [],
        [(MASK[:50], ~MASK[:50])],
        [(NUMBERS[MASK].astype(float), NUMBERS[~MASK].astype(float))],
        [(NUMBERS[MASK][:, None], NUMBERS[~MASK][:, None])],
        [(NUMBERS[MASK], NUMBERS[~MASK] + 2**32)],
        [(NUMBERS, NUMBERS, NUMBERS)],
    ],
    ids=["none", "short masks", "floats", "two dimensions", "wide numbers", "three parts"],
)
def test_splits_that_scikit_learn_refuses_are_refused(kind, rows, splits):
    for search in (kind, model_selection.GridSearchCV):
        with pytest.raises((ValueError, IndexError)):
            results(search, rows, cv=splits)


@pytest.mark.parametrize("kind", [GridSearchCV, PatternSearchCV])
def test_splits_that_come_only_once_are_enough(kind, rows):
    """An invalid candidate makes the engine fall back after the splits are drawn."""
    cv = iter([(NUMBERS[MASK], NUMBERS[~MASK])])
    search = results(kind, rows, {"C": [1.0, -1.0]}, cv=cv)
    theirs = results(model_selection.GridSearchCV, rows, {"C": [1.0]}, cv=[(MASK, ~MASK)])
    assert search.best_score_ == theirs.best_score_
    assert search.cv is cv


def test_splits_are_drawn_once(rows):
    def search(kind):
        cv = StratifiedKFold(3, shuffle=True, random_state=np.random.RandomState(0))
        return results(kind, rows, {"C": [1.0, -1.0]}, cv=cv)

    ours, theirs = search(GridSearchCV), search(model_selection.GridSearchCV)
    assert ours.best_score_ == theirs.best_score_


@pytest.mark.case(54)
@pytest.mark.parametrize("kind", [GridSearchCV, PatternSearchCV])
@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (SVC(), {"C": [2.0, "a", None, True]}),
        (SVC(), {"cache_size": [100, 0]}),
        (SVC(), {"warm_start": [True, "maybe"]}),
        (SVC(), {"decision_function_shape": ["ovo", "all"]}),
        (SVC(), {"n_jobs": [1, 0]}),
        (LinearSVC(random_state=0), {"record_every": [None, 0]}),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_candidates_that_cannot_be_fitted_have_no_score(kind, rows, model, grid):
    (name,) = grid
    scores = by_candidate(results(kind, rows, grid, model), name)
    good, *bad = map(str, grid[name])
    assert scores[good] > 0.5
    assert all(np.isnan(scores[value]) for value in bad if value in scores)


@pytest.mark.parametrize(
    "grid",
    [
        {"C": [0.1, 1, 10]},
        {"C": np.array([1, 2])},
        {"C": [1, 2], "gamma": ["scale", 0.1]},
        [{"C": [1, 2]}, {"gamma": [0.1]}],
        {"shrinking": [True, False]},
        {"class_weight": [None, {0: 2.0}]},
    ],
    ids=str,
)
def test_columns_of_parameters_have_the_types_of_scikit_learn(rows, grid):
    ours, theirs = (
        results(kind, rows, grid, cv=2).cv_results_
        for kind in (GridSearchCV, model_selection.GridSearchCV)
    )
    for name in (name for name in theirs if name.startswith("param_")):
        assert ours[name].dtype == theirs[name].dtype
        assert ours[name].tolist() == theirs[name].tolist()


@pytest.mark.case(54)
@pytest.mark.parametrize("model", [SVC(), SVC(kernel="precomputed")], ids=str)
@pytest.mark.parametrize("kind", [GridSearchCV, PatternSearchCV])
def test_a_grid_without_candidates_is_named(kind, rows, model):
    with pytest.raises(ValueError, match=r"param_grid = \[\] is empty"):
        kind(model, []).fit(*rows)
