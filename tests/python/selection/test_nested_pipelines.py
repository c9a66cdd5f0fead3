"""nested_cv with pipelines, groups, any score and random candidates equals a plain loop."""

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn import datasets, model_selection
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.metrics import get_scorer, make_scorer, roc_auc_score
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer, StandardScaler

from softmargin import OLLAWV, SVC, GridSearchCV, LinearSVC, nested_cv

OUTER = StratifiedKFold(3, shuffle=True, random_state=1)
INNER = StratifiedKFold(3, shuffle=True, random_state=2)
MODEL = make_pipeline(StandardScaler(), SVC(tol=1e-6))
GRID = {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.01, 0.1]}


@pytest.fixture(scope="module")
def tumors():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return X[::2], y[::2]


def plain_loop(X, y, model, grid, scoring=None, outer=OUTER, inner=INNER, groups=None):
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
    np.testing.assert_allclose(result.outer_scores, expected[0], rtol=1e-9)
    assert result.best_params == expected[1]
    assert result.complete


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "f1", "average_precision"])
def test_a_pipeline_is_nested_as_in_a_plain_loop(tumors, scoring):
    result = nested_cv(*tumors, MODEL, GRID, OUTER, INNER, scoring=scoring)
    assert_same(result, plain_loop(*tumors, MODEL, GRID, scoring))
    assert result.scoring == scoring


def test_steps_with_parameters_are_fitted_to_training_samples_only(tumors):
    X, y = tumors
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    model = make_pipeline(SimpleImputer(), StandardScaler(), PCA(), SVC(tol=1e-6))
    grid = {"pca__n_components": [2, 5], "svc__C": [1.0, 10.0], "simpleimputer__strategy": ["mean"]}
    grid = [grid, {"pca": ["passthrough"], "svc__C": [1.0]}]
    assert_same(nested_cv(X, y, model, grid, OUTER, INNER), plain_loop(X, y, model, grid))


@pytest.mark.parametrize("method", ["svc", "ollawv"])
def test_standardization_is_that_of_scikit_learn(tumors, method):
    model = {"svc": SVC(tol=1e-6), "ollawv": OLLAWV()}[method]
    path = {"svc": "C", "ollawv": "margin"}[method]
    grid = {path: [0.1, 1.0], "gamma": [0.01, 0.1]}
    result = nested_cv(*tumors, model, grid, OUTER, INNER, scale="standard")
    named = {f"{method}__{name}": values for name, values in grid.items()}
    pipeline = make_pipeline(StandardScaler(), model)
    scores, chosen = plain_loop(*tumors, pipeline, named)
    if method == "svc":  # the other uses float32
        np.testing.assert_allclose(result.outer_scores, scores)
        plain = [{name.split("__")[1]: own for name, own in cell.items()} for cell in chosen]
        assert result.best_params == plain
    else:
        np.testing.assert_allclose(result.outer_scores, scores, atol=0.05)
    assert result.refit().steps[0][0] == "standardscaler"


def test_groups_are_kept_together_inside_and_outside(tumors):
    X, y = tumors
    groups = np.random.default_rng(0).integers(0, 12, len(y))
    outer, inner = GroupKFold(3), GroupKFold(2)
    result = nested_cv(X, y, MODEL, GRID, outer, inner, groups=groups)
    assert_same(result, plain_loop(X, y, MODEL, GRID, None, outer, inner, groups))
    numbered = nested_cv(X, y, MODEL, GRID, 3, 2, groups=groups, random_state=4)
    splits = (StratifiedGroupKFold(n, shuffle=True, random_state=4) for n in (3, 2))
    assert_same(numbered, plain_loop(X, y, MODEL, GRID, None, *splits, groups))


def test_several_scores_are_reported_and_one_decides(tumors):
    scoring = {"area": "roc_auc", "right": "accuracy"}
    result = nested_cv(*tumors, MODEL, GRID, OUTER, INNER, scoring=scoring, refit="area")
    alone = nested_cv(*tumors, MODEL, GRID, OUTER, INNER, scoring="roc_auc")
    np.testing.assert_array_equal(result.outer_scores, alone.outer_scores)
    assert result.best_params == alone.best_params
    assert list(result.other_scores) == ["right"]
    assert (result.other_scores["right"] > 0.9).all()


def test_functions_and_scorers_are_scores(tumors):
    def area(estimator, X, y):
        return roc_auc_score(y, estimator.decision_function(X))

    expected = nested_cv(*tumors, MODEL, GRID, OUTER, INNER, scoring="roc_auc")
    for scoring in (area, make_scorer(roc_auc_score, response_method="decision_function")):
        result = nested_cv(*tumors, MODEL, GRID, OUTER, INNER, scoring=scoring)
        np.testing.assert_array_equal(result.outer_scores, expected.outer_scores)
    with pytest.raises(ValueError, match=r"it needs the attribute support_"):
        nested_cv(*tumors, SVC(), {"C": [1]}, scoring=lambda model, X, y: len(model.support_))


def test_random_candidates_are_those_of_scikit_learn(tumors):
    space = {"svc__C": loguniform(0.1, 100), "svc__gamma": loguniform(0.001, 1)}
    result = nested_cv(
        *tumors, MODEL, space, OUTER, INNER, search="random", n_iter=5, random_state=3
    )
    expected = list(model_selection.ParameterSampler(space, 5, random_state=3))
    assert result.cells == expected
    assert set(map(str, result.best_params)) <= set(map(str, expected))


def test_text_is_nested(tmp_path):
    rng = np.random.default_rng(0)
    words = [["goal", "team", "ball"], ["vote", "law", "state"]]
    y = np.array([0, 1] * 30)
    common = ["the", "of", "and", "day"]
    X = np.array([" ".join(rng.choice(words[label] + common, 8)) for label in y], dtype=object)
    model = make_pipeline(TfidfVectorizer(), LinearSVC(random_state=0))
    grid = {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2)], "linearsvc__C": [0.1, 1.0]}
    result = nested_cv(X, y, model, grid, OUTER, INNER, checkpoint=tmp_path / "run.npz")
    assert_same(result, plain_loop(X, y, model, grid))
    again = nested_cv(X, y, model, grid, OUTER, INNER, checkpoint=tmp_path / "run.npz")
    np.testing.assert_array_equal(again.inner_scores, result.inner_scores)
    assert result.refit().predict(["goal team"]).tolist() == [0]


def test_a_kernel_matrix_is_sliced(tumors):
    X, y = tumors
    X = StandardScaler().fit_transform(X)
    grid = {"C": [0.1, 1.0, 10.0]}
    result = nested_cv(X @ X.T, y, SVC(kernel="precomputed", tol=1e-6), grid, OUTER, INNER)
    linear = nested_cv(X, y, SVC(kernel="linear", tol=1e-6), grid, OUTER, INNER, scale=None)
    np.testing.assert_allclose(result.outer_scores, linear.outer_scores)
    assert result.best_params == linear.best_params


def test_a_kernel_matrix_is_transformed_and_sliced(tumors):
    X, y = tumors
    X = StandardScaler().fit_transform(X)
    results = []
    for kind in (GridSearchCV, model_selection.GridSearchCV):
        model = make_pipeline(KernelCenterer(), SVC(kernel="precomputed", tol=1e-8))
        search = kind(model, {"svc__C": [0.1, 1.0]}, cv=3, return_train_score=True)
        results.append(search.fit(X @ X.T, y))
    assert results[0].used_engine_
    for name in ("mean_test_score", "mean_train_score"):
        np.testing.assert_allclose(results[0].cv_results_[name], results[1].cv_results_[name])


def test_methods_and_pipelines_are_compared_on_the_same_folds(tumors):
    X, y = tumors
    other = make_pipeline(StandardScaler(), PCA(5), SVC())
    results = nested_cv(X, y, [MODEL, other], GRID, 3, 2, random_state=0)
    assert list(results) == ["pipeline", "pipeline-2"]
    with pytest.raises(ValueError, match="not valid for a pipeline"):
        nested_cv(X, y, MODEL, GRID, scale="fold")
    with pytest.raises(ValueError, match="must be an estimator of softmargin"):
        nested_cv(X, y, make_pipeline(StandardScaler(), PCA()), GRID)


def test_results_do_not_depend_on_threads_or_budget(tumors):
    X, y = tumors
    runs = [
        nested_cv(X, y, MODEL, GRID, 3, 3, random_state=0, scoring="roc_auc", **options)
        for options in ({"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 2, "memory_budget": 200_000})
    ]
    np.testing.assert_array_equal(runs[0].inner_scores, runs[1].inner_scores)
    np.testing.assert_allclose(runs[0].inner_scores, runs[2].inner_scores, atol=2e-3)
    assert get_scorer("roc_auc") is not None
