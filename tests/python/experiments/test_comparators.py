"""The methods that are no SVMs: densities, rules, and the same folds as ours."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

import softmargin
from softmargin.datasets import Dataset
from softmargin.experiments._comparators import COMPARATORS, NaiveBayes, Rules
from softmargin.experiments._evaluation import evaluate, evaluate_other
from softmargin.experiments._study import Settings


def unit_rows(load=load_wine):
    X, y = load(return_X_y=True)
    return softmargin.MinMaxScaler().fit_transform(X), y


def dataset(X, y, name="a set"):
    return Dataset(name=name, X=X, y=y, classes=np.unique(y), n_train=None, source="", licence="")


def test_kernel_densities_agree_with_sums_of_normal_densities():
    X, y = unit_rows()
    model = NaiveBayes(use_kernel=True).fit(X, y)
    logs = []
    for label in model.classes_:
        rows = X[y == label]
        values = norm.pdf(X[:, None], rows[None], 1 / np.sqrt(len(rows))).mean(axis=1)
        logs.append(np.log(values + 1e-300).sum(axis=1) + np.log(np.mean(y == label)))
    assert np.mean(model.predict(X) == np.argmax(logs, axis=0)) > 0.99


def test_normal_densities_are_those_of_scikit_learn():
    X, y = unit_rows()
    ours = NaiveBayes(use_kernel=False).fit(X, y).predict(X)
    np.testing.assert_array_equal(ours, GaussianNB().fit(X, y).predict(X))


def test_a_value_far_outside_of_the_training_rows_does_not_break_kernel_densities():
    X, y = unit_rows()
    model = NaiveBayes(use_kernel=True).fit(X, y)
    assert set(model.predict(np.full((2, X.shape[1]), [[-100.0], [1e30]]))) <= set(y)


@pytest.mark.parametrize("prune", [True, False])
def test_rules_tell_two_classes_apart(prune):
    pytest.importorskip("wittgenstein")
    X, y = unit_rows(load_iris)
    labels = np.where(y == 2, "virginica", "other")
    model = Rules(prune=prune).fit(X[::2], labels[::2])
    assert model.score(X[1::2], labels[1::2]) > 0.75


def test_a_row_without_a_rule_belongs_to_the_larger_class():
    pytest.importorskip("wittgenstein")
    X = np.repeat([[0.0], [1.0]], [10, 30], axis=0)
    y = np.repeat(["a", "b"], [10, 30])
    assert Rules().fit(X, y).predict([[1.0], [0.0]]).tolist() == ["b", "a"]


def test_rules_of_three_classes_are_refused():
    pytest.importorskip("wittgenstein")
    with pytest.raises(ValueError, match="two classes only, but y has 3"):
        Rules().fit(*unit_rows(load_iris))


def test_others_are_judged_on_the_folds_of_nested_cv():
    X, y = unit_rows(load_iris)
    data = dataset(X, y)
    knn = COMPARATORS["knn"]
    found = evaluate_other(data, knn.estimator, knn.grid, Settings(n_jobs=1))
    outer, inner = softmargin.nested_fold_labels(y, 5, 5, random_state=0)
    for fold in range(5):
        train = outer != fold
        folds = inner[fold][train]
        splits = [(np.flatnonzero(folds != i), np.flatnonzero(folds == i)) for i in range(5)]
        search = GridSearchCV(knn.estimator, knn.grid, cv=splits).fit(X[train], y[train])
        assert found["chosen"][fold] == search.best_params_
        assert found["folds"][fold] == pytest.approx(100 * search.score(X[~train], y[~train]))
    assert found["deviation"] == pytest.approx(np.std(found["folds"], ddof=1))


def test_ours_are_judged_as_nested_cv_judges():
    X, y = load_iris(return_X_y=True)
    grid = {"C": [1.0, 4.0, 16.0], "gamma": [0.25, 1.0]}
    found = evaluate(dataset(X, y), "svc", Settings(n_jobs=1), grid)
    same = softmargin.nested_cv(
        X, y, method="svc", grid=grid, search="pattern", scale="global", random_state=0
    )
    np.testing.assert_array_equal(found["folds"], 100 * same.outer_scores)
    assert found["complete"]
    assert found["support_vectors"] == pytest.approx(100 * np.mean(same.support_fraction))
