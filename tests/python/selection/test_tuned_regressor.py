"""SVRCV chooses C, gamma and epsilon by cross-validation and is what it chose."""

import pickle

import numpy as np
import pytest
from sklearn import datasets, model_selection
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import softmargin
from softmargin import SVR, SVRCV
from softmargin._selection import tuning


@pytest.fixture(scope="module")
def friedman():
    return datasets.make_friedman1(200, n_features=8, noise=1.0, random_state=0)


@parametrize_with_checks([SVRCV(Cs=[1.0, 10.0], gammas=[0.1], epsilons=[0.1], cv=2)])
def test_scikit_learn_checks(estimator, check):
    """Some checks have fewer samples than folds."""
    try:
        check(estimator)
    except ValueError as error:
        if "greater than the number of samples" not in str(error):
            raise


def test_given_values_are_a_grid_search(friedman):
    grid = {"C": [0.1, 1.0, 10.0], "epsilon": [0.1, 1.0], "gamma": [0.01, 0.1]}
    cv = KFold(3, shuffle=True, random_state=1)
    model = SVRCV(grid["C"], grid["gamma"], grid["epsilon"], cv=cv, tol=1e-6).fit(*friedman)
    search = model_selection.GridSearchCV(SVR(tol=1e-6), grid, cv=cv).fit(*friedman)
    chosen = {"C": model.C_, "epsilon": model.epsilon_, "gamma": model.gamma_}
    assert chosen == search.best_params_
    assert model.best_score_ == pytest.approx(search.best_score_)
    name = "mean_test_score"
    np.testing.assert_allclose(model.cv_results_[name], search.cv_results_[name], rtol=1e-5)


def test_the_model_is_an_svr_with_the_chosen_values(friedman):
    X, y = friedman
    model = SVRCV().fit(X, y)
    plain = SVR(C=model.C_, gamma=model.gamma_, epsilon=model.epsilon_).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert model.certificate_.gap == plain.certificate_.gap
    assert model.to_svr().get_params() == plain.get_params()
    np.testing.assert_array_equal(model.to_svr().predict(X), plain.predict(X))


def test_the_choice_follows_the_units_of_the_targets(friedman):
    """The same data in other units has the same candidates, in these units."""
    X, y = friedman
    one, other = SVRCV(tol=1e-5).fit(X, y), SVRCV(tol=1e-2).fit(X, 1000 * y)
    assert pytest.approx(1000 * one.C_, rel=1e-4) == other.C_
    assert other.epsilon_ == pytest.approx(1000 * one.epsilon_, rel=1e-4)
    assert other.gamma_ == pytest.approx(one.gamma_)
    assert other.best_score_ == pytest.approx(one.best_score_, abs=1e-3)


def test_it_beats_the_defaults_of_svr(friedman):
    X, y = friedman
    tuned = cross_val_score(make_pipeline(StandardScaler(), SVRCV()), X, y).mean()
    assert tuned > cross_val_score(make_pipeline(StandardScaler(), SVR()), X, y).mean() + 0.05


@pytest.mark.parametrize("kernel", ["linear", "poly", "precomputed", "function"])
def test_all_kernels_are_tuned(friedman, kernel):
    X, y = friedman
    if kernel == "precomputed":
        model = SVRCV(kernel=kernel).fit(X @ X.T, y)
        assert model.predict(X @ X.T).shape == y.shape
    else:
        model = SVRCV(kernel=linear_values if kernel == "function" else kernel).fit(X, y)
    assert (model.gamma_ == "scale") == (kernel != "poly")
    assert model.best_score_ > 0.5


def linear_values(A, B):
    return A @ B.T


def test_many_samples_are_searched_on_some_of_them():
    X, y = datasets.make_friedman1(2200, n_features=8, noise=1.0, random_state=0)
    model = SVRCV(n_jobs=2).fit(X, y)
    assert model.best_score_ > 0.8
    assert model.shape_fit_ == X.shape


def test_weights_groups_and_constant_targets(friedman):
    X, y = friedman
    weight = np.random.default_rng(0).uniform(0.1, 2, len(y))
    small = {"Cs": [1.0, 10.0], "gammas": [0.1], "epsilons": [0.1]}
    weighted = SVRCV(**small, cv=GroupKFold(3)).fit(X, y, weight, groups=np.arange(200) % 5)
    assert weighted.best_score_ > 0
    constant = SVRCV(**small).fit(X, np.full(len(y), 3.0))
    np.testing.assert_allclose(constant.predict(X), 3.0)


def test_a_time_limit_chooses_among_what_is_done(friedman, monkeypatch):
    with pytest.raises(TimeoutError):
        SVRCV(time_limit=1e-6).fit(*friedman)
    ticks = iter([False, True, True, True])
    monkeypatch.setattr(tuning.Deadline, "has_passed", lambda self: next(ticks))
    with pytest.warns(ConvergenceWarning, match="ended the search after"):
        model = SVRCV(time_limit=1e6).fit(*friedman)
    assert model.score(*friedman) > 0.8


def test_copies_pickles_and_files(friedman, tmp_path):
    X, y = friedman
    model = SVRCV(Cs=[1.0, 10.0], gammas=[0.1], epsilons=[0.1]).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert not hasattr(clone(model), "C_")
    model.save(tmp_path / "model")
    loaded = softmargin.load(tmp_path / "model")
    assert type(loaded) is SVR
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("name", ["Cs", "gammas", "epsilons"])
def test_invalid_values_are_rejected(friedman, name):
    with pytest.raises(ValueError, match=f"{name} = .* is not valid"):
        SVRCV(**{name: [1.0, -1.0]}).fit(*friedman)
