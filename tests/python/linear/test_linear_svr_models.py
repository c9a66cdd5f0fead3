"""Models of LinearSVR: attributes, copies, files, searches."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

import softmargin
from softmargin import LinearSVC, LinearSVR


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(60, 4)) * (rng.uniform(size=(60, 4)) < 0.8)
    return X, X @ [1.0, -2.0, 0.0, 0.5] + 0.1 * rng.normal(size=60)


def assert_same(one, other, X):
    assert one.get_params() == other.get_params()
    assert type(one.coef_) is type(other.coef_)
    assert one.coef_.shape == other.coef_.shape
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert one.certificate_ == other.certificate_
    assert (one.status_, one.n_iter_) == (other.status_, other.n_iter_)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_copies_and_files_predict_the_same_to_the_bit(problem, tmp_path, is_sparse):
    X, y = problem
    model = LinearSVR(epsilon=0.1, C=2.0).fit(X, y)
    if is_sparse:
        model.sparsify()
    path = tmp_path / "model.softmargin"
    model.save(path)
    for other in (softmargin.load(path), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_same(other, model, X)


def test_a_file_of_another_class_is_not_a_regressor(problem, tmp_path):
    X, y = problem
    path = tmp_path / "model.softmargin"
    LinearSVC().fit(X, y > 0).save(path)
    assert isinstance(softmargin.load(path), LinearSVC)
    state = LinearSVR().fit(X, y).__getstate__()
    with pytest.raises(ValueError, match="coef_ has shape"):
        LinearSVR().__setstate__(state | {"coef_": np.zeros((2, 4))})
    with pytest.raises(ValueError, match="not finite"):
        LinearSVR().__setstate__(state | {"coef_": np.full(4, np.nan)})


def test_sparsify_and_densify_keep_predictions(problem):
    X, y = problem
    model = LinearSVR().fit(X, y)
    expected, coef = model.predict(X), model.coef_
    model.sparsify()
    assert sp.issparse(model.coef_)
    assert model.coef_.shape == (1, 4)
    np.testing.assert_array_equal(model.predict(X), expected)
    model.densify()
    np.testing.assert_array_equal(model.coef_, coef)
    assert model.coef_.shape == (4,)


def test_weights_that_the_user_sets_are_used(problem):
    X, y = problem
    model = LinearSVR().fit(X, y)
    model.coef_, model.intercept_ = np.array([1.0, 0.0, 0.0, 0.0]), 2.0
    np.testing.assert_array_equal(model.predict(X), X[:, 0] + 2.0)


def test_predictions_need_a_fitted_model_and_its_features(problem):
    X, y = problem
    with pytest.raises(NotFittedError):
        LinearSVR().predict(X)
    model = LinearSVR().fit(X, y)
    with pytest.raises(ValueError, match="4"):
        model.predict(X[:, :3])


def test_searches_of_scikit_learn_choose_c_and_epsilon(problem):
    X, y = problem
    grid = {"C": [1e-4, 1.0], "epsilon": [0.0, 3.0]}
    search = GridSearchCV(LinearSVR(), grid, cv=3).fit(X, y)
    assert search.best_params_ == {"C": 1.0, "epsilon": 0.0}
    assert search.best_score_ > 0.95


def test_the_method_has_a_name(problem):
    X, y = problem
    assert "linear-svr" in softmargin.methods()
    model = softmargin.fit(X, y, method="linear-svr", C=2.0)
    np.testing.assert_array_equal(softmargin.predict(model, X), model.predict(X))
    assert "LinearSVR" in repr(model)
