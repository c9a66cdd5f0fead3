"""A search validates its input and shows its results as scikit-learn's class does."""

import numpy as np
import pytest
import sklearn
from sklearn import model_selection
from sklearn.base import clone
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.utils._param_validation import InvalidParameterError

from softmargin import SVC, GridSearchCV, MinMaxScaler, PatternSearchCV

GRID = {"C": [0.1, 1.0, 10.0]}
LISTS = [{"C": [1, 10], "gamma": ["scale", 1]}, {"kernel": ["poly"], "degree": [2, 3]}]
SEARCHES = [GridSearchCV, PatternSearchCV]


def both(model, grid, data, fit=None, **options):
    """Return our search and scikit-learn's, both fitted."""
    return [
        kind(clone(model), grid, **options).fit(*data, **(fit or {}))
        for kind in (GridSearchCV, model_selection.GridSearchCV)
    ]


def assert_same(found, expected, name=""):
    assert type(found) is type(expected), name
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key in expected:
            if not str(key).endswith("_time"):
                assert_same(found[key], expected[key], str(key))
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, name
        np.testing.assert_array_equal(found, expected, err_msg=name)
    elif hasattr(expected, "get_params"):
        assert str(found) == str(expected)
    else:
        assert found == expected, name


@pytest.mark.parametrize("scoring", [None, "f1_macro"])
@pytest.mark.parametrize("refit", [True, False, "accuracy", lambda found: 1])
@pytest.mark.parametrize("grid", [GRID, LISTS, {}], ids=["grid", "lists", "nothing"])
def test_all_attributes_are_those_of_scikit_learn(iris, grid, refit, scoring):
    refit = refit if grid or not callable(refit) else True
    ours, theirs = both(SVC(tol=1e-9), grid, iris, refit=refit, scoring=scoring)
    assert ours.used_engine_
    added = {"used_engine_", "engine_reason_", "progress", "time_limit", "checkpoint"}
    assert vars(ours).keys() - added - {"memory_budget"} == vars(theirs).keys()
    for name in ("cv_results_", "best_index_", "best_params_", "n_splits_", "multimetric_"):
        assert_same(getattr(ours, name), getattr(theirs, name), name)
    assert repr(ours.scorer_) == repr(theirs.scorer_)
    for name in ("best_score_", "best_estimator_", "n_features_in_", "classes_"):
        assert hasattr(ours, name) == hasattr(theirs, name)
        if hasattr(theirs, name):
            assert_same(getattr(ours, name), getattr(theirs, name), name)
    assert isinstance(getattr(ours, "best_score_", np.float64(0)), np.float64)


def test_names_of_features_groups_and_routing_are_passed_on(iris):
    pandas = pytest.importorskip("pandas")
    X, y = pandas.DataFrame(iris[0], columns=list("abcd")), pandas.Series(iris[1]) + 5
    groups = np.arange(len(y)) % 7
    model = make_pipeline(MinMaxScaler(), SVC()).set_output(transform="pandas")
    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            ours, theirs = both(
                model, {"svc__C": [1, 10]}, (X, y), {"groups": groups}, cv=GroupKFold(3)
            )
        assert ours.used_engine_
        assert_same(ours.cv_results_, theirs.cv_results_)
        np.testing.assert_array_equal(ours.feature_names_in_, theirs.feature_names_in_)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_failing_candidates_rank_last_with_the_error_score(iris):
    for error_score in (np.nan, 0.25):
        ours, theirs = both(SVC(), {"C": [1, -1, 10]}, iris, error_score=error_score)
        assert ours.used_engine_
        assert_same(ours.cv_results_, theirs.cv_results_)
    with pytest.raises(ValueError, match="C = -1 is not valid"):
        GridSearchCV(SVC(), {"C": [-1]}, error_score="raise").fit(*iris)


@pytest.mark.case(54, of="GridSearchCV PatternSearchCV")
@pytest.mark.parametrize("kind", SEARCHES)
@pytest.mark.parametrize(
    "options",
    [
        {"n_jobs": "x"},
        {"error_score": "foo"},
        {"refit": 3},
        {"verbose": -1},
        {"pre_dispatch": 1.5},
        {"scoring": "no such score"},
        {"cv": 1.5},
    ],
    ids=str,
)
def test_parameters_of_a_search_are_validated_by_scikit_learn(iris, kind, options):
    with pytest.raises(InvalidParameterError) as theirs:
        model_selection.GridSearchCV(SVC(), GRID, **options).fit(*iris)
    with pytest.raises(InvalidParameterError) as ours:
        kind(SVC(), GRID, **options).fit(*iris)
    assert str(ours.value).split("Got")[1] == str(theirs.value).split("Got")[1]


@pytest.mark.case(19)
@pytest.mark.parametrize("kind", [*SEARCHES, model_selection.GridSearchCV])
def test_labels_of_another_length_are_scikit_learns_error(iris, kind):
    X, y = iris
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[150, 100\]"):
        kind(SVC(), GRID).fit(X, y[:100])


def test_splits_that_are_not_as_many_as_announced_are_scikit_learns_error(iris):
    class Announced(model_selection.KFold):
        def get_n_splits(self, X=None, y=None, groups=None):
            return 4

    with pytest.raises(ValueError, match=r"inconsistent results\. Expected 4 splits, got 3"):
        GridSearchCV(SVC(), GRID, cv=Announced(3)).fit(*iris)
