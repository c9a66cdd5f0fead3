"""Kernel values are used as they were given, and kernel functions are called once per value."""

import numpy as np
import pytest
from sklearn import datasets, model_selection, svm
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from softmargin import SVC, GridSearchCV, nested_cv

GRID = {"C": [0.01, 0.1, 1.0]}
OUTER = StratifiedKFold(3, shuffle=True, random_state=1)
INNER = StratifiedKFold(3, shuffle=True, random_state=2)
SHIFT = 3e4


@pytest.fixture(scope="module")
def flowers():
    X, y = datasets.load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X[50:]), y[50:]


def shifted(X, Y):
    """Return a linear kernel after a translation, which changes no SVM.

    The values are about 4e9 and differ by about 1: float32 cannot represent the differences.
    """
    return (X + SHIFT) @ (Y + SHIFT).T


def form_of(X, form):
    """Return samples or their kernel matrix, and the kernel."""
    return (shifted(X, X), "precomputed") if form == "matrix" else (X, shifted)


each_form = pytest.mark.parametrize("form", ["matrix", "function"])


def test_float32_cannot_hold_the_values(flowers):
    """Otherwise, the tests below would not notice that values are rounded."""
    X, y = flowers
    rounded = shifted(X, X).astype(np.float32)
    search = GridSearchCV(SVC(kernel="precomputed"), GRID, cv=3, refit=False).fit(rounded, y)
    assert (search.cv_results_["mean_test_score"] < 0.6).all()


@each_form
def test_values_of_a_kernel_are_not_rounded(flowers, form):
    """Scikit-learn's SVC stores kernel values in float32, which suffices before the translation."""
    X, y = flowers
    values, kernel = form_of(X, form)
    options = {"cv": 3, "refit": False, "return_train_score": True}
    ours, single = (
        kind(SVC(kernel=kernel, tol=1e-6), GRID, **options).fit(values, y)
        for kind in (GridSearchCV, model_selection.GridSearchCV)
    )
    linear = svm.SVC(kernel="linear", tol=1e-6)
    theirs = model_selection.GridSearchCV(linear, GRID, **options).fit(X, y)
    assert ours.used_engine_
    for name in ("test", "train"):
        for split in range(3):
            column = f"split{split}_{name}_score"
            found = ours.cv_results_[column]
            np.testing.assert_allclose(found, single.cv_results_[column], err_msg=column)
            np.testing.assert_allclose(found, theirs.cv_results_[column], err_msg=column)


@each_form
def test_nested_values_of_a_kernel_are_not_rounded(flowers, form):
    X, y = flowers
    values, kernel = form_of(X, form)
    model = SVC(kernel=kernel, tol=1e-6)
    result = nested_cv(values, y, model, GRID, OUTER, INNER, scale=None)
    linear = svm.SVC(kernel="linear", tol=1e-6)
    for fold, (train, test) in enumerate(OUTER.split(X, y)):
        search = model_selection.GridSearchCV(linear, GRID, cv=INNER).fit(X[train], y[train])
        assert result.best_params[fold] == search.best_params_
        assert result.outer_scores[fold] == pytest.approx(search.score(X[test], y[test]))


class Counted:
    """A linear kernel that counts the requested values."""

    def __init__(self):
        self.n_values = 0

    def __call__(self, X, Y):
        self.n_values += len(X) * len(Y)
        return X @ Y.T

    def __deepcopy__(self, memo):
        return self  # copies of the estimator count together


@pytest.mark.parametrize("refit", [False, True])
def test_a_kernel_function_is_evaluated_once_for_all_splits(refit):
    X, y = datasets.load_digits(return_X_y=True)
    X, y = X[:200] / 16, y[:200]
    kernel = Counted()
    search = GridSearchCV(SVC(kernel=kernel), GRID, cv=4, refit=refit).fit(X, y)
    assert search.used_engine_
    n_whole = 2 if refit else 1
    # Some rows are compared with another call, to find out whether values depend on pairs only.
    assert n_whole * len(X) ** 2 <= kernel.n_values <= n_whole * len(X) ** 2 + 32 * len(X)
