"""A search calls the overridden methods of an estimator."""

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline

from softmargin import SVC, GridSearchCV, MinMaxScaler, PatternSearchCV, nested_cv

GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}
SEARCHES = [GridSearchCV, PatternSearchCV]


class Unchanged(SVC):
    pass


class Shy(SVC):
    """Predicts the first class more often than SVC does."""

    def predict(self, X):
        sure = np.max(self.decision_function(X), axis=1) > 2.25
        return np.where(sure, super().predict(X), self.classes_[0])


class Half(SVC):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X[::2], y[::2])


class Wrong(SVC):
    def score(self, X, y, sample_weight=None):
        return 1 - super().score(X, y, sample_weight)


def first_class(self, X):
    return np.full(len(X), self.classes_[0])


def linear(X, Y):
    return X @ Y.T


def scores(search):
    found = search.cv_results_
    names = [name for name in found if name.startswith("split") and name.endswith("test_score")]
    return np.array([found[name] for name in names])


def by_candidate(search):
    found = search.cv_results_
    params = [tuple(sorted(candidate.items())) for candidate in found["params"]]
    return dict(zip(params, found["mean_test_score"], strict=True))


@pytest.mark.case(101)
@pytest.mark.parametrize("model", [Shy(), Half(), Wrong()], ids=str)
@pytest.mark.parametrize("kind", SEARCHES)
def test_own_methods_of_a_subclass_count(three_classes, kind, model):
    ours = kind(model, GRID, cv=3).fit(*three_classes)
    theirs = model_selection.GridSearchCV(model, GRID, cv=3).fit(*three_classes)
    name = type(model).__name__
    assert not ours.used_engine_
    assert ours.engine_reason_ == f"{name} is a subclass of SVC, whose own methods must be called"
    expected = by_candidate(theirs)
    assert by_candidate(ours).items() <= expected.items()
    assert ours.best_score_ == by_candidate(ours)[tuple(sorted(ours.best_params_.items()))]
    base = model_selection.GridSearchCV(SVC(), GRID, cv=3).fit(*three_classes)
    assert by_candidate(base) != expected


@pytest.mark.case(101)
@pytest.mark.parametrize("kind", SEARCHES)
def test_a_subclass_without_changes_finds_the_same_in_the_same_order(three_classes, kind):
    shared = kind(SVC(tol=1e-8), GRID, cv=3).fit(*three_classes)
    own = kind(Unchanged(tol=1e-8), GRID, cv=3).fit(*three_classes)
    assert shared.engine_reason_ is None
    assert not own.used_engine_
    assert own.cv_results_["params"] == shared.cv_results_["params"]
    np.testing.assert_array_equal(scores(own), scores(shared))
    assert own.best_params_ == shared.best_params_


def loop(X, y, model, outer, inner):
    """Return the scores of all candidates on the inner splits, computed by a plain loop."""
    cells = model_selection.ParameterGrid(GRID)
    table = []
    for train, _ in outer.split(X, y):
        for a, b in inner.split(X[train], y[train]):
            fits = [clone(model).set_params(**cell).fit(X[train[a]], y[train[a]]) for cell in cells]
            found = [accuracy_score(y[train[b]], fit.predict(X[train[b]])) for fit in fits]
            table.append(found)
    return np.array(table)


@pytest.mark.case(101, of="nested_cv")
@pytest.mark.parametrize("model", [Shy(), Half()], ids=str)
def test_nested_cv_calls_the_methods_of_a_subclass(three_classes, model):
    X, y = three_classes
    outer, inner = (StratifiedKFold(3, shuffle=True, random_state=seed) for seed in (0, 1))
    options = {"outer": outer, "inner": inner, "scale": None, "n_jobs": 1}
    result = nested_cv(X, y, model, GRID, **options)
    expected = loop(X, y, model, outer, inner)
    np.testing.assert_array_equal(result.inner_scores.reshape(expected.shape), expected)
    assert "is a subclass of SVC" in result.engine_reason
    base = nested_cv(X, y, SVC(), GRID, **options)
    assert base.engine_reason is None
    assert not np.array_equal(base.inner_scores, result.inner_scores)
    assert type(result.refit()) is type(model)


@pytest.mark.case(101, of="nested_cv")
def test_nested_cv_refuses_a_score_that_it_would_not_call(three_classes):
    with pytest.raises(ValueError, match="Wrong has its own score method"):
        nested_cv(*three_classes, Wrong(), GRID, random_state=0)


def test_nested_cv_refuses_a_prediction_that_is_no_label(three_classes):
    class Strange(SVC):
        def predict(self, X):
            return np.full(len(X), 99)

    with pytest.raises(ValueError, match="it must return a label of y for each sample"):
        nested_cv(*three_classes, Strange(), GRID, random_state=0)


@pytest.mark.case(101, of="nested_cv")
@pytest.mark.parametrize("search", [{"search": "pattern"}, {"prune": True}], ids=str)
def test_single_fits_choose_what_the_engine_chooses(three_classes, search):
    X, y = three_classes
    options = {"outer": 2, "inner": 3, "random_state": 0, "n_jobs": 1} | search
    shared, own = (nested_cv(X, y, kind(tol=1e-8), GRID, **options) for kind in (SVC, Unchanged))
    np.testing.assert_array_equal(own.inner_scores, shared.inner_scores)
    np.testing.assert_array_equal(own.outer_scores, shared.outer_scores)
    np.testing.assert_array_equal(own.support_fraction, shared.support_fraction)


@pytest.mark.case(101)
@pytest.mark.parametrize("kind", SEARCHES)
def test_a_method_that_was_replaced_counts(three_classes, kind, monkeypatch):
    monkeypatch.setattr(SVC, "predict", first_class)
    search = kind(SVC(), GRID, cv=3).fit(*three_classes)
    theirs = model_selection.GridSearchCV(SVC(), GRID, cv=3).fit(*three_classes)
    assert search.engine_reason_ == "SVC.predict was replaced"
    assert search.best_score_ == theirs.best_score_ < 0.5


def test_a_method_that_was_replaced_on_the_object_is_left_to_scikit_learn(three_classes):
    model = SVC()
    model.predict = first_class
    search = GridSearchCV(model, GRID, cv=3).fit(*three_classes)
    assert search.engine_reason_ == "predict of this SVC object was replaced"
    theirs = model_selection.GridSearchCV(model, GRID, cv=3).fit(*three_classes)
    np.testing.assert_array_equal(scores(search), scores(theirs))


class Doubtful(Pipeline):
    predict = first_class


class Halves(MinMaxScaler):
    def transform(self, X):
        return super().transform(X) / 2


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Doubtful([("a", MinMaxScaler()), ("svc", SVC())]), "Doubtful is a subclass of Pipeline"),
        (make_pipeline(Halves(), SVC()), None),
        (Pipeline([("a", MinMaxScaler()), ("svc", Shy())]), "Shy is a subclass of SVC"),
        (Pipeline([("a", MinMaxScaler()), ("b", "passthrough"), ("svc", SVC())]), None),
        (Pipeline([("a", MinMaxScaler()), ("svc", SVC(kernel=linear))]), None),
    ],
    ids=["subclass", "own scaler", "subclass of SVC", "passthrough", "kernel function"],
)
def test_a_pipeline_is_shared_unless_its_own_methods_must_be_called(three_classes, model, reason):
    ours, theirs = (
        kind(model, {"svc__C": [0.1, 1.0]}, cv=3).fit(*three_classes)
        for kind in (GridSearchCV, model_selection.GridSearchCV)
    )
    assert ours.engine_reason_ is None if reason is None else reason in ours.engine_reason_
    np.testing.assert_array_equal(scores(ours), scores(theirs))
