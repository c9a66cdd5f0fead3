"""A search prints the same lines and calls the same callbacks as scikit-learn's class."""

import re

import numpy as np
import pytest
from sklearn import model_selection

from softmargin import OLLAWV, SVC, GridSearchCV, LinearSVC, PatternSearchCV

GRIDS = {
    "grid": {"C": [0.1, 1.0, 10.0]},
    "lists": [{"C": [1, 10], "gamma": ["scale", 1]}, {"kernel": ["poly"], "degree": [2, 3]}],
    "nothing": {},
}
SEARCHES = [GridSearchCV, PatternSearchCV]


@pytest.mark.parametrize("verbose", [0, 1, 2, 3, 10])
@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_verbose_prints_what_scikit_learn_prints(iris, capsys, grid, verbose):
    printed = []
    for kind in (GridSearchCV, model_selection.GridSearchCV):
        search = kind(SVC(tol=1e-9), grid, cv=3, verbose=verbose).fit(*iris)
        lines = capsys.readouterr().out.splitlines()
        lines = [re.sub(r"total time= +[\d.]+(s|min)", "total time=", line) for line in lines]
        printed.append([re.sub(r"\.{2,}", "..", line) for line in lines])
        if kind is GridSearchCV:
            assert search.used_engine_
    assert printed[0] == printed[1]
    assert bool(printed[0]) is (verbose > 0)


class Recorder:
    """A callback of scikit-learn 1.9 that records its calls."""

    def __init__(self):
        self.calls = []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context):
        self.calls.append(("end", context.task_name, context.task_id))

    def teardown(self, estimator, context):
        self.calls.append("teardown")


def test_callbacks_are_called_for_each_fit(iris):
    pytest.importorskip("sklearn.callback")
    calls = {}
    for kind in (*SEARCHES, model_selection.GridSearchCV):
        recorder = Recorder()
        search = kind(OLLAWV(), {"margin": [0.1, 0.2, 0.3]}, cv=2)
        search.set_callbacks(recorder).fit(*iris)
        calls[kind] = recorder.calls
    assert calls[GridSearchCV] == calls[model_selection.GridSearchCV]
    fits = [call for call in calls[PatternSearchCV] if "candidate-split-evaluation" in call]
    assert len(fits) == 2 * 2 * 3
    assert GridSearchCV(OLLAWV(), {}).set_callbacks(Recorder()).fit(*iris).used_engine_


def test_a_search_with_its_own_schedule_uses_the_engine(iris):
    class First(GridSearchCV):
        def _run_search(self, evaluate_candidates):
            evaluate_candidates([{"C": 0.1}])

    search = First(SVC(), {}).fit(*iris)
    assert search.used_engine_
    assert search.cv_results_["params"] == [{"C": 0.1}]


def test_a_pattern_search_of_several_scores_follows_refit(iris):
    X, y = iris
    grid = {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}
    several = {"scoring": ["balanced_accuracy", "accuracy"]}
    search = PatternSearchCV(LinearSVC(), grid, refit="accuracy", **several).fit(X, y)
    alone = PatternSearchCV(LinearSVC(), grid, scoring="accuracy").fit(X, y)
    assert alone.used_engine_
    assert search.best_params_ == alone.best_params_
    with pytest.raises(ValueError, match="must name the score that guides the search"):
        PatternSearchCV(LinearSVC(), grid, refit=False, **several).fit(X, y)


def test_a_pattern_search_draws_its_splits_once(iris):
    """Also if the search falls back to scikit-learn, in several rounds."""

    class Own(SVC):
        pass

    def search(kind):
        cv = model_selection.ShuffleSplit(3, random_state=np.random.RandomState(0))
        grid = {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}
        return PatternSearchCV(kind(tol=1e-9), grid, cv=cv).fit(*iris)

    ours, theirs = search(SVC), search(Own)
    assert (ours.used_engine_, theirs.used_engine_) == (True, False)
    for name, expected in theirs.cv_results_.items():
        if not name.endswith("_time"):
            np.testing.assert_array_equal(ours.cv_results_[name], expected, err_msg=name)
