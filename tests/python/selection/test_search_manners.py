"""Searches have progress, time limits, checkpoints and Ctrl-C as nested_cv has."""

import warnings

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn import datasets, model_selection
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softmargin
from softmargin import SVC, GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV
from softmargin._selection import engine

GRID = {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.01, 0.1]}
MODEL = make_pipeline(StandardScaler(), SVC())


@pytest.fixture(scope="module")
def digits():
    X, y = datasets.load_digits(return_X_y=True)
    return X[:300], y[:300]


class Stopping:
    """A progress function that raises after some updates."""

    def __init__(self, after):
        self.after = after
        self.heard = []

    def __call__(self, facts):
        self.heard.append(facts)
        if facts["done"] >= self.after:
            raise KeyboardInterrupt


def test_progress_is_reported(digits, capfd):
    heard = []
    search = GridSearchCV(MODEL, GRID, cv=3, progress=heard.append).fit(*digits)
    assert heard[-1]["done"] == heard[-1]["total"] == 18
    assert heard[-1]["best"] == pytest.approx(search.best_score_)
    GridSearchCV(MODEL, GRID, cv=3, progress=True).fit(*digits)
    assert "18" in capfd.readouterr().err


def stop_after(monkeypatch, n_cells):
    """Interrupt the evaluation after some candidates."""
    evaluate = engine.evaluate

    def some(candidates, samples, splits, scoring, resources, table, wanted=None):
        wanted = np.zeros(table.done.shape, dtype=bool)
        wanted[:, :n_cells] = True
        evaluate(candidates, samples, splits, scoring, resources, table, wanted)
        return table, KeyboardInterrupt()

    monkeypatch.setattr(engine, "evaluate", some)


def test_ctrl_c_keeps_finished_candidates(digits, monkeypatch):
    whole = GridSearchCV(MODEL, GRID, cv=3).fit(*digits)
    search = clone(whole).fit(*digits)
    stop_after(monkeypatch, 4)
    with pytest.raises(KeyboardInterrupt):
        search.fit(*digits)
    assert len(search.cv_results_["params"]) == 4
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], whole.cv_results_["mean_test_score"][:4]
    )
    assert search.best_params_ in search.cv_results_["params"]
    assert not hasattr(search, "best_estimator_")


def test_ctrl_c_before_the_first_candidate_leaves_a_search_as_it_was(digits, monkeypatch):
    search = GridSearchCV(MODEL, GRID, cv=3).fit(*digits)
    before = dict(vars(search))
    stop_after(monkeypatch, 0)
    with pytest.raises(KeyboardInterrupt):
        search.fit(*digits)
    assert vars(search) == before


def test_a_checkpoint_resumes_a_search(digits, tmp_path, monkeypatch):
    path = tmp_path / "search.npz"
    whole = GridSearchCV(
        MODEL, GRID, cv=3, scoring=["roc_auc_ovr", "accuracy"][1:], refit="accuracy"
    )
    expected = clone(whole).fit(*digits)
    with monkeypatch.context() as patch:
        stop_after(patch, 4)
        with pytest.raises(KeyboardInterrupt):
            clone(whole).set_params(checkpoint=path).fit(*digits)
    trained = []
    evaluate = engine.evaluate

    def counted(candidates, samples, splits, scoring, resources, table, wanted=None):
        trained.append(int((~table.done).sum()))
        return evaluate(candidates, samples, splits, scoring, resources, table, wanted)

    monkeypatch.setattr(engine, "evaluate", counted)
    search = clone(whole).set_params(checkpoint=str(path)).fit(*digits)
    assert trained == [2 * 3]
    for name, values in expected.cv_results_.items():
        if name.endswith("accuracy"):
            np.testing.assert_array_equal(search.cv_results_[name], values)
    with pytest.raises(ValueError, match="belongs to a different run"):
        clone(whole).set_params(checkpoint=path, scoring="f1_macro", refit=True).fit(*digits)


def test_a_time_limit_reports_finished_candidates(digits, monkeypatch):
    def late(candidates, samples, splits, scoring, resources, table, wanted=None):
        assert resources.time_limit <= 60
        wanted = np.zeros(table.done.shape, dtype=bool)
        wanted[:, :2] = True
        return evaluate(candidates, samples, splits, scoring, resources, table, wanted)

    evaluate = engine.evaluate
    monkeypatch.setattr(engine, "evaluate", late)
    search = GridSearchCV(MODEL, GRID, cv=3, time_limit=60)
    with pytest.warns(ConvergenceWarning, match="after 2 of 6 candidates"):
        search.fit(*digits)
    assert len(search.cv_results_["params"]) == 2
    assert search.predict(digits[0]).shape == (300,)


def test_a_time_limit_that_is_too_short_is_an_error(digits):
    X, y = np.tile(digits[0], (8, 1)), np.tile(digits[1], 8)
    search = GridSearchCV(MODEL, {"svc__C": [1e4], "svc__gamma": [1e-3]}, time_limit=1e-6)
    with pytest.raises(TimeoutError, match="no candidate was evaluated"):
        search.fit(X + np.arange(len(y))[:, np.newaxis] * 1e-6, y)


@pytest.mark.parametrize("n_iter", [1, 12])
def test_random_candidates_are_those_of_scikit_learn(digits, n_iter):
    space = {"svc__C": loguniform(0.1, 100), "svc__gamma": [0.01, 0.1]}
    found = []
    for kind in (RandomizedSearchCV, model_selection.RandomizedSearchCV):
        model = make_pipeline(StandardScaler(), SVC(tol=1e-8))
        search = kind(model, space, n_iter=n_iter, random_state=5, cv=3)
        found.append(search.fit(*digits))
    assert found[0].used_engine_
    assert found[0].cv_results_["params"] == found[1].cv_results_["params"]
    np.testing.assert_allclose(
        found[0].cv_results_["mean_test_score"], found[1].cv_results_["mean_test_score"]
    )


def test_a_halving_search_with_another_resource_is_that_of_scikit_learn(digits):
    options = {"resource": "max_iter", "max_resources": 5000, "min_resources": 500, "cv": 3}
    found = []
    for kind in (HalvingGridSearchCV, model_selection.HalvingGridSearchCV):
        search = kind(SVC(gamma=1e-3), {"C": [0.1, 1, 10]}, random_state=0, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found.append(search.fit(*digits))
    for name in ("mean_test_score", "iter", "n_resources"):
        np.testing.assert_allclose(found[0].cv_results_[name], found[1].cv_results_[name])


def test_searches_can_be_cloned_and_shown(digits):
    names = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
    for name in names:
        kind = getattr(softmargin, name)
        search = kind(MODEL, GRID, progress=None, time_limit=5.0)
        assert clone(search).get_params()["time_limit"] == 5.0
        assert name in repr(search)
