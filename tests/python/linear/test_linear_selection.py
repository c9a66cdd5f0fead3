"""Model selection over linear machines gives what a plain loop over the estimators gives."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets, model_selection
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.pipeline import make_pipeline

import softmargin
from softmargin import GDSVC, SGDSVC, GridSearchCV, LinearSVC, MinMaxScaler, nested_cv

METHODS = {
    "sgd": SGDSVC(epochs=3, random_state=0),
    "gd": GDSVC(eta0=0.3, max_iter=100),
    "linear": LinearSVC(random_state=0),
    "linear, hinge": LinearSVC(loss="hinge", max_iter=50, random_state=0),
    "linear, l1": LinearSVC("l1", max_iter=50, random_state=0),
}
SCHEMES = ["ovr", "ovo", "ordinal"]
GRID = {"C": [0.02, 0.5, 8.0]}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def wine():
    return datasets.load_wine(return_X_y=True)


def folds(n=3):
    return {
        "outer": StratifiedKFold(n, shuffle=True, random_state=0),
        "inner": StratifiedKFold(n, shuffle=True, random_state=1),
    }


def plain_loop(X, y, estimator, grid, scale, weights=None):
    """Inner scores, outer scores and choices of nested cross-validation, written down."""
    X = MinMaxScaler().fit_transform(X).astype(np.float32) if scale == "global" else X
    cells = sorted(ParameterGrid(grid), key=lambda cell: cell["C"])

    def score(cell, train, test):
        model = clone(estimator).set_params(**cell)
        name = type(model).__name__.lower()
        extra = {} if weights is None else {f"{name}__sample_weight": weights[train]}
        whole = make_pipeline(MinMaxScaler() if scale == "fold" else "passthrough", model)
        whole.steps[1] = (name, model)
        return whole.fit(X[train], y[train], **extra).score(X[test], y[test])

    split, tables, scores, best = folds(), [], [], []
    for train, test in split["outer"].split(X, y):
        inside = [(train[a], train[b]) for a, b in split["inner"].split(X[train], y[train])]
        tables.append([[score(cell, a, b) for cell in cells] for a, b in inside])
        best.append(cells[int(np.argmax(np.mean(tables[-1], axis=0)))])
        scores.append(score(best[-1], train, test))
    return np.array(tables), np.array(scores), best


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", ["fold", "global", None])
def test_nested_cv_equals_a_plain_loop(method, scheme, scale):
    X, y = wine()
    X = X / X.max(axis=0)
    estimator = clone(METHODS[method]).set_params(multi_class=scheme)
    found = nested_cv(X, y, estimator, GRID, scale=scale, n_jobs=1, **folds())
    inner, outer, best = plain_loop(X, y, estimator, GRID, scale)
    np.testing.assert_array_equal(found.inner_scores, inner)
    np.testing.assert_array_equal(found.outer_scores, outer)
    assert found.best_params == best
    assert found.complete
    assert found.counts["trainings"] == 9 * 3 + 3


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("method", METHODS)
def test_weights_of_rows_and_classes_reach_the_trainings(method, scheme, rng):
    X, y = wine()
    keep = np.r_[0:59, 59:90, 130:150]  # unequal classes
    X, y = X[keep], y[keep]
    weights = rng.uniform(0.05, 3, len(y))
    estimator = clone(METHODS[method]).set_params(multi_class=scheme, class_weight="balanced")
    found = nested_cv(X, y, estimator, GRID, sample_weight=weights, n_jobs=1, **folds())
    inner, outer, best = plain_loop(X, y, estimator, GRID, "fold", weights)
    np.testing.assert_array_equal(found.inner_scores, inner)
    np.testing.assert_array_equal(found.outer_scores, outer)
    assert found.best_params == best


@pytest.mark.parametrize("method", METHODS)
def test_threads_and_budgets_do_not_change_a_bit(method):
    X, y = wine()
    results = [
        nested_cv(X, y, METHODS[method], GRID, random_state=3, outer=3, inner=3, **options)
        for options in ({"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 2, "memory_budget": 1000})
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(other.inner_scores, results[0].inner_scores)
        np.testing.assert_array_equal(other.outer_scores, results[0].outer_scores)
        assert other.counts == results[0].counts


@pytest.mark.parametrize("method", METHODS)
def test_sparse_rows_give_the_answer_of_dense_ones(method):
    X, y = datasets.load_digits(return_X_y=True)
    X, y = X[:200] / 16, y[:200]
    common = {"grid": {"C": [0.05, 1.0]}, "outer": 2, "inner": 2, "random_state": 0, "n_jobs": 1}
    dense, sparse = (
        nested_cv(rows, y, METHODS[method], scale=None, **common) for rows in (X, sp.csr_matrix(X))
    )
    np.testing.assert_array_equal(sparse.inner_scores, dense.inner_scores)
    np.testing.assert_array_equal(sparse.outer_scores, dense.outer_scores)


@pytest.mark.parametrize("method", METHODS)
def test_sparse_rows_are_scaled_as_in_a_pipeline(method):
    X, y = datasets.load_digits(return_X_y=True)
    X, y = sp.csr_matrix(X[:200]), y[:200]
    model = make_pipeline(MinMaxScaler(), METHODS[method])
    grid = {f"{model.steps[1][0]}__C": [0.05, 1.0]}
    ours = GridSearchCV(model, grid, cv=2).fit(X, y)
    theirs = model_selection.GridSearchCV(model, grid, cv=2).fit(X, y)
    assert ours.used_engine_
    np.testing.assert_array_equal(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )


@pytest.mark.parametrize("method", ["sgd", "gd", "linear"])
def test_a_method_has_a_name_and_a_default_grid(method):
    X, y = wine()
    assert method in softmargin.methods()
    result = nested_cv(X, y, method, random_state=0, outer=2, inner=2, n_jobs=1)
    assert [cell.keys() for cell in result.cells] == [{"C"}] * 8
    assert result.mean_score > 0.5
    model = result.refit()
    assert model.steps[1][0] == type(softmargin.fit(X, y, method=method)).__name__.lower()
    assert model.score(X, y) > 0.5
    again = nested_cv(X, y, method, random_state=0, outer=2, inner=2, n_jobs=1)
    np.testing.assert_array_equal(again.inner_scores, result.inner_scores)


def test_methods_are_compared_on_the_same_folds():
    X, y = wine()
    names = ["linear", "sgd", "svc"]
    both = nested_cv(X, y, names, random_state=5, outer=3, inner=2, n_jobs=1)
    assert list(both) == names
    assert min(result.mean_score for result in both.values()) > 0.9


def test_a_model_by_name_takes_its_parameters():
    X, y = wine()
    for method, params in (
        ("sgd", {"optimizer": "nag", "random_state": 0}),
        ("gd", {"eta0": 1e-6}),
        ("linear", {"C": 0.1}),
    ):
        model = softmargin.fit(X, y, method=method, **params)
        assert {name: getattr(model, name) for name in params} == params
        np.testing.assert_array_equal(softmargin.predict(model, X), model.predict(X))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_class_missing_from_a_split_is_no_reason_to_stop(scheme):
    X, y = wine()
    y = y.copy()
    y[:2] = 7  # two rows only
    model = LinearSVC(multi_class=scheme)
    with pytest.warns(UserWarning, match="smallest class"):
        result = nested_cv(X, y, model, GRID, outer=3, inner=3, random_state=0, n_jobs=1)
    assert result.complete


@pytest.mark.filterwarnings("error")
def test_machines_that_did_not_converge_are_told():
    X, y = wine()
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        nested_cv(X, y, LinearSVC(max_iter=1), {"C": [9.0]}, random_state=0, n_jobs=1)
    search = GridSearchCV(GDSVC(max_iter=1), {"C": [1.0]}, cv=3, refit=False)
    with pytest.warns(
        ConvergenceWarning, match="binary classifiers in 3 trainings did not converge"
    ):
        search.fit(X, y)
    assert search.used_engine_


@pytest.mark.parametrize(
    ("model", "grid", "sentence"),
    [
        (LinearSVC(), {"gamma": [1.0]}, "gamma"),
        (LinearSVC(), {"C": [-1.0]}, "C = -1"),
        (SGDSVC(), {"lambda_": [0.0]}, "lambda_ = 0"),
        (SGDSVC(), {"optimizer": ["adam"]}, "optimizer = 'adam'"),
        (LinearSVC(time_limit=1.0), {"C": [1.0]}, "time_limit"),
        (LinearSVC(loss="hinge"), {"dual": [True, False]}, "dual"),
        (LinearSVC(loss="hinge"), {"penalty": ["l2", "l1"]}, "loss = 'hinge'.*penalty = 'l1'"),
    ],
    ids=str,
)
def test_what_cannot_be_evaluated_is_named(model, grid, sentence):
    with pytest.raises(ValueError, match=sentence):
        nested_cv(*wine(), model, grid)
