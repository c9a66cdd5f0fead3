"""SVCCV and LinearSVCCV choose hyperparameters by cross-validation and are what they chose."""

import pickle

import numpy as np
import pytest
from sklearn import datasets, model_selection
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import (
    GroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import softmargin
from softmargin import SVC, SVCCV, LinearSVC, LinearSVCCV
from softmargin._selection import tuning


@pytest.fixture(scope="module")
def wine():
    X, y = datasets.load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@parametrize_with_checks([SVCCV(Cs=[1.0, 10.0], gammas=[0.1], cv=2), LinearSVCCV(Cs=[1.0], cv=2)])
def test_scikit_learn_checks(estimator, check):
    """Some checks have fewer samples of a class than folds."""
    try:
        check(estimator)
    except ValueError as error:
        if "n_splits=2 cannot be greater" not in str(error):
            raise


def test_given_values_are_a_grid_search(wine):
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}
    model = SVCCV(Cs=grid["C"], gammas=grid["gamma"], cv=3, scoring="f1_macro", tol=1e-6)
    model.fit(*wine)
    search = model_selection.GridSearchCV(SVC(tol=1e-6), grid, cv=3, scoring="f1_macro")
    search.fit(*wine)
    assert {"C": model.C_, "gamma": model.gamma_} == search.best_params_
    assert model.best_score_ == pytest.approx(search.best_score_)
    np.testing.assert_allclose(
        model.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"]
    )
    assert model.cv_results_["params"] == search.cv_results_["params"]


def test_the_model_is_an_svc_with_the_chosen_values(wine):
    X, y = wine
    model = SVCCV().fit(X, y)
    plain = SVC(C=model.C_, gamma=model.gamma_).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(model.support_, plain.support_)
    assert model.certificate_[0].gap == plain.certificate_[0].gap
    assert model.to_svc().get_params() == plain.get_params()
    np.testing.assert_array_equal(model.to_svc().predict(X), plain.predict(X))


def test_refinement_finds_at_least_the_coarse_grid(wine):
    model = SVCCV().fit(*wine)
    scale = 1 / (wine[0].shape[1] * wine[0].var())
    coarse = {"C": [1e-2, 1.0, 100.0], "gamma": [scale * own for own in (0.01, 0.1, 1.0, 10.0)]}
    search = softmargin.GridSearchCV(SVC(), coarse).fit(*wine)
    assert model.best_score_ >= search.best_score_ - 1e-12
    assert model.cv_results_["rank_test_score"].min() == 1
    best = model.cv_results_["mean_test_score"].max()
    assert model.best_score_ == best


@pytest.mark.parametrize("kernel", ["linear", "poly", "precomputed", "function"])
def test_all_kernels_are_tuned(wine, kernel):
    X, y = wine
    if kernel == "precomputed":
        X = X @ X.T
    own = (lambda A, B: A @ B.T) if kernel == "function" else kernel
    model = SVCCV(kernel=own).fit(X, y)
    assert model.score(X, y) > 0.9
    has_gamma = kernel == "poly"
    assert isinstance(model.gamma_, float) is has_gamma
    assert ("param_gamma" in model.cv_results_) is has_gamma


def test_it_works_in_pipelines_and_is_nested_cross_validation(wine):
    X, y = datasets.load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVCCV(Cs=[1.0, 10.0], gammas=[0.01, 0.1], cv=3))
    outer = StratifiedKFold(3, shuffle=True, random_state=0)
    found = cross_val_score(model, X, y, cv=outer)
    expected = []
    for train, test in outer.split(X, y):
        scaler = StandardScaler().fit(X[train])
        search = model_selection.GridSearchCV(SVC(), {"C": [1.0, 10.0], "gamma": [0.01, 0.1]}, cv=3)
        search.fit(scaler.transform(X[train]), y[train])
        expected.append(search.score(scaler.transform(X[test]), y[test]))
    np.testing.assert_allclose(found, expected)


def test_results_do_not_depend_on_threads(wine):
    models = [SVCCV(n_jobs=n).fit(*wine) for n in (1, 2)]
    for name in ("mean_test_score", "param_C"):
        first, second = (model.cv_results_[name] for model in models)
        np.testing.assert_array_equal(first, second)
    assert models[0].C_ == models[1].C_


def test_weights_groups_and_probabilities(wine):
    X, y = wine
    groups = np.arange(len(y)) % 9
    model = SVCCV(cv=GroupKFold(3), probability=True, Cs=[1.0, 10.0], gammas=2)
    model.fit(X, y, groups=groups, sample_weight=np.linspace(0.5, 2.0, len(y)))
    assert model.predict_proba(X).shape == (len(y), 3)
    assert len(model.cv_results_["params"]) == 4


def test_many_samples_are_tuned_on_some_of_them_first():
    X, y = datasets.make_classification(4500, 5, random_state=0)
    model = SVCCV(n_jobs=2).fit(X, y)
    assert model.score(X, y) > 0.85
    assert len(model.cv_results_["params"]) < 30


@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_kernel_matrix_is_tuned_on_some_of_its_rows_and_columns_first(monkeypatch, is_weighted):
    monkeypatch.setattr(tuning, "_MAX_COARSE", 150)
    monkeypatch.setattr(tuning, "_N_COARSE", 90)
    X, y = datasets.make_classification(200, 6, n_classes=3, n_informative=4, random_state=0)
    weights = np.linspace(0.5, 2.0, len(y)) if is_weighted else None
    linear = SVCCV(kernel="linear", tol=1e-6).fit(X, y, weights)
    model = SVCCV(kernel="precomputed", tol=1e-6).fit(X @ X.T, y, weights)
    assert len(model.cv_results_["params"]) == 3  # only the refinement uses all samples
    assert model.cv_results_["params"] == linear.cv_results_["params"]
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_allclose(model.cv_results_[name], linear.cv_results_[name])
    assert model.C_ == linear.C_
    np.testing.assert_array_equal(model.predict(X @ X.T), linear.predict(X))


def test_the_coarse_grid_is_that_of_the_subset(monkeypatch):
    """The choice is the best C of a search on the same subset, and its neighbors on all samples."""
    monkeypatch.setattr(tuning, "_MAX_COARSE", 150)
    monkeypatch.setattr(tuning, "_N_COARSE", 90)
    X, y = datasets.make_classification(200, 6, n_classes=3, n_informative=4, random_state=0)
    K = X @ X.T
    model = SVCCV(kernel="precomputed", tol=1e-6).fit(K, y)
    draw = StratifiedShuffleSplit(1, train_size=90, random_state=0)
    subset = next(draw.split(X, y))[0]
    grid = {"C": 10.0 ** (np.arange(-4, 9) / 2)}
    grid["C"] = np.delete(grid["C"], [9, 11])  # above 100, only powers of 10
    search = model_selection.GridSearchCV(
        SVC(kernel="precomputed", tol=1e-6),
        grid,
        cv=StratifiedShuffleSplit(2, test_size=0.3, random_state=0),
    )
    search.fit(K[np.ix_(subset, subset)], y[subset])
    near = search.best_params_["C"] * 10.0 ** np.array([-0.5, 0.0, 0.5])
    np.testing.assert_allclose(model.cv_results_["param_C"], near, rtol=1e-5)
    search = model_selection.GridSearchCV(search.estimator, {"C": near}).fit(K, y)
    assert pytest.approx(search.best_params_["C"], rel=1e-5) == model.C_
    assert model.best_score_ == pytest.approx(search.best_score_)


def smallest_ratio(values):
    """Return the smallest ratio of two different values."""
    distinct = np.unique(values)
    return (distinct[1:] / distinct[:-1]).min()


@pytest.mark.parametrize("n_samples", [100, 1200])
def test_values_have_six_digits(n_samples):
    X, y = datasets.make_moons(n_samples, noise=0.2, random_state=0)
    found = SVCCV(cv=2).fit(X, y).cv_results_
    for name in ("param_C", "param_gamma"):
        assert found[name].tolist() == [float(f"{value:.6g}") for value in found[name]]
    assert smallest_ratio(found["param_C"]) > 1.2
    cells = {(f"{one['C']:.6g}", f"{one['gamma']:.6g}") for one in found["params"]}
    assert len(cells) == len(found["params"])


def test_the_refinement_does_not_evaluate_a_gamma_again(wine):
    assert smallest_ratio(SVCCV().fit(*wine).cv_results_["param_gamma"]) > 1.2


@pytest.mark.parametrize(("scale", "expected"), [(1e-3, 1e4), (1e3, 1e-2)], ids=["large", "small"])
def test_c_stays_in_its_range_if_an_end_is_the_best(scale, expected):
    X, y = datasets.load_iris(return_X_y=True)
    labels = y if expected > 1 else y > 0  # the latter are separable: the smallest C is as good
    model = SVCCV(kernel="linear").fit(X * scale, labels)
    assert expected == model.C_
    assert model.cv_results_["param_C"].min() >= 1e-2
    assert model.cv_results_["param_C"].max() <= 1e4


def test_linear_models_are_tuned(wine):
    X, y = wine
    model = LinearSVCCV(random_state=0).fit(X, y)
    plain = LinearSVC(C=model.C_, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_)
    assert model.to_linear_svc().get_params() == plain.get_params()
    sparse = LinearSVCCV(penalty="l1", random_state=0).fit(X, y)
    assert sparse.score(X, y) > 0.95


def test_a_time_limit_chooses_among_what_is_done(wine, monkeypatch):
    ticks = iter([False, True, True, True])
    monkeypatch.setattr(tuning.Deadline, "has_passed", lambda self: next(ticks))
    with pytest.warns(ConvergenceWarning, match="ended the search after"):
        model = SVCCV(time_limit=1e6).fit(*wine)
    assert model.score(*wine) > 0.9


def test_a_failure_leaves_the_estimator_as_it_was(wine):
    model = SVCCV(Cs=[1.0], gammas=[0.1]).fit(*wine)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full_like(wine[0], np.nan), wine[1])
    assert vars(model) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Cs": [0.0, 1.0]}, "Cs = .* positive"),
        ({"gammas": []}, "gammas = .* positive"),
        ({"Cs": 0}, "Cs = 0"),
        ({"scoring": "neg_log_loss", "probability": True}, "probabilities"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(wine, options, message):
    with pytest.raises(ValueError, match=message):
        SVCCV(**options).fit(*wine)


def test_files_contain_the_chosen_model(wine, tmp_path):
    X, y = wine
    model = SVCCV(Cs=[1.0, 10.0], gammas=[0.1]).fit(X, y)
    model.save(tmp_path / "own.model")
    loaded = softmargin.load(tmp_path / "own.model")
    assert type(loaded) is SVC
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()
