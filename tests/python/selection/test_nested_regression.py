"""nested_cv of regressors and detectors of outliers equals scikit-learn's nested loop."""

import numpy as np
import pytest
from sklearn import datasets, model_selection, svm
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softmargin
from softmargin import SVC, SVR, OneClassSVM, nested_cv

OUTER = KFold(3, shuffle=True, random_state=1)
INNER = KFold(3, shuffle=True, random_state=2)
GRID = {"C": [1.0, 10.0], "gamma": [0.01, 0.1], "epsilon": [0.01, 1.0]}


@pytest.fixture(scope="module")
def friedman():
    return datasets.make_friedman1(150, n_features=8, noise=1.0, random_state=0)


def plain_loop(X, y, model, grid, outer=OUTER, inner=INNER, scoring=None, groups=None):
    """Return the outer scores and choices of scikit-learn's nested loop."""
    scores, chosen = [], []
    for train, test in outer.split(X, y, groups):
        search = model_selection.GridSearchCV(clone(model), grid, scoring=scoring, cv=inner)
        own = {} if groups is None else {"groups": groups[train]}
        search.fit(X[train], y[train], **own)
        scores.append(search.score(X[test], y[test]))
        chosen.append(search.best_params_)
    return scores, chosen


def assert_same(result, expected):
    np.testing.assert_allclose(result.outer_scores, expected[0], rtol=1e-4, atol=1e-5)
    assert result.best_params == expected[1]
    assert result.complete


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_regression_is_nested_as_in_a_plain_loop(friedman, scoring):
    X, y = friedman
    result = nested_cv(X, y, SVR(tol=1e-6), GRID, OUTER, INNER, scale=None, scoring=scoring)
    assert_same(result, plain_loop(X, y, svm.SVR(tol=1e-6), GRID, scoring=scoring))
    assert result.scoring == (scoring or "r2")


def test_scaling_inside_the_folds(friedman):
    X, y = friedman
    result = nested_cv(X, y, SVR(tol=1e-6), GRID, OUTER, INNER, scale="standard")
    grid = {f"svr__{name}": values for name, values in GRID.items()}
    scores, chosen = plain_loop(X, y, make_pipeline(StandardScaler(), svm.SVR(tol=1e-6)), grid)
    chosen = [{name.removeprefix("svr__"): own[name] for name in own} for own in chosen]
    assert_same(result, (scores, chosen))


def test_targets_are_scaled_inside_the_folds(friedman):
    X, y = friedman

    def model(kind):
        steps = make_pipeline(StandardScaler(), kind(tol=1e-7))
        return TransformedTargetRegressor(steps, transformer=StandardScaler())

    grid = {"regressor__svr__C": [0.1, 1.0, 10.0]}
    result = nested_cv(X, 100 * y, model(SVR), grid, OUTER, INNER)
    assert_same(result, plain_loop(X, 100 * y, model(svm.SVR), grid))
    fitted = result.refit()
    assert fitted.score(X, 100 * y) > 0.8


def test_numbers_of_folds_mean_shuffled_folds(friedman):
    X, y = friedman
    one, other = (nested_cv(X, y, "svr", {"C": [1.0]}, random_state=s) for s in (0, 0))
    np.testing.assert_array_equal(one.outer_scores, other.outer_scores)
    another = nested_cv(X, y, "svr", {"C": [1.0]}, random_state=1)
    assert (another.outer_scores != one.outer_scores).any()
    # Sorted targets do not matter.
    order = np.argsort(y)
    assert nested_cv(X[order], y[order], "svr", {"C": [10.0]}, random_state=0).mean_score > 0.5


def test_groups_are_kept_together(friedman):
    X, y = friedman
    groups = np.arange(len(y)) // 10
    splitters = GroupKFold(3), GroupKFold(3)
    grid = {"C": [1.0, 10.0]}
    options = {"scale": None, "groups": groups}
    result = nested_cv(X, y, SVR(tol=1e-6), grid, *splitters, **options)
    assert_same(result, plain_loop(X, y, svm.SVR(tol=1e-6), grid, *splitters, groups=groups))
    counted = nested_cv(X, y, SVR(tol=1e-6), grid, 3, 3, random_state=0, **options)
    assert counted.complete


def test_regressors_are_compared(friedman):
    found = nested_cv(*friedman, ["svr", "nu-svr"], random_state=0, grid={"C": [1.0, 10.0]})
    assert list(found) == ["svr", "nu-svr"]
    assert "r2" in str(found)


def test_a_subclass_is_fitted_by_its_own_methods(friedman):
    class Shifted(SVR):
        def predict(self, X):
            return super().predict(X) + 1.0

    result = nested_cv(*friedman, Shifted(tol=1e-6), {"C": [10.0]}, OUTER, INNER, scale=None)
    plain = nested_cv(*friedman, SVR(tol=1e-6), {"C": [10.0]}, OUTER, INNER, scale=None)
    assert "subclass" in result.engine_reason
    assert (result.outer_scores < plain.outer_scores).all()


def test_a_checkpoint_belongs_to_its_targets(friedman, tmp_path):
    X, y = friedman
    options = {"grid": {"C": [1.0]}, "random_state": 0, "checkpoint": tmp_path / "run.npz"}
    first = nested_cv(X, y, "svr", **options)
    again = nested_cv(X, y, "svr", **options)
    np.testing.assert_array_equal(again.outer_scores, first.outer_scores)
    with pytest.raises(ValueError, match="different run"):
        nested_cv(X, y + 1, "svr", **options)


def test_detectors_are_scored_by_labels():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X, y = X[::3], np.where(y[::3] == 1, 1, -1)
    X = StandardScaler().fit_transform(X)
    folds = [StratifiedKFold(3, shuffle=True, random_state=seed) for seed in (0, 1)]
    grid = {"nu": [0.1, 0.5], "gamma": [0.01, 0.1]}
    model = OneClassSVM(tol=1e-6)
    result = nested_cv(X, y, model, grid, *folds, scale=None, scoring="roc_auc")
    expected = plain_loop(X, y, svm.OneClassSVM(tol=1e-6), grid, *folds, scoring="roc_auc")
    assert_same(result, expected)
    with pytest.raises(ValueError, match="name a score"):
        nested_cv(X, y, "one-class")


def test_methods_of_several_kinds_are_rejected(friedman):
    with pytest.raises(ValueError, match="SVR, a regressor, and SVC, a classifier"):
        nested_cv(*friedman, [SVR(), SVC()])


def test_too_few_samples_for_the_folds(friedman):
    X, y = friedman
    with pytest.raises(ValueError, match="4 samples cannot be divided into 5 folds"):
        nested_cv(X[:4], y[:4], "svr")


def test_default_grids_of_regression_have_64_candidates(friedman):
    X, y = friedman
    for method in ("svr", "nu-svr"):
        result = nested_cv(X[:60], y[:60], method, outer=2, inner=2, random_state=0)
        assert len(result.cells) == 64


def test_processes_return_the_same_scores(friedman):
    import joblib

    options = {
        "method": SVR(),
        "grid": {"C": [1.0, 10.0]},
        "random_state": 0,
        "outer": 2,
        "inner": 2,
    }
    threads = nested_cv(*friedman, **options)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        processes = softmargin.nested_cv(*friedman, **options)
    np.testing.assert_array_equal(processes.outer_scores, threads.outer_scores)
