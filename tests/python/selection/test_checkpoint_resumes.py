"""A run resumed from a checkpoint gives the same bits, or raises an error before it starts."""

import os

import numpy as np
import pytest
from sklearn import datasets
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from softmargin import MNSVM, NLSGD, SGDSVC, SVC, LinearSVC, nested_cv
from softmargin._selection import checkpoint as checkpoint_module
from softmargin._selection import engine

pytestmark = pytest.mark.case(117, of="nested_cv")

X, Y = datasets.load_iris(return_X_y=True)
GRID = {"C": [1.0, 16.0, 64.0], "gamma": [0.1, 1.0, 4.0]}
LINEAR = {"C": [0.1, 1.0, 10.0]}
SEEDED = StratifiedKFold(3, shuffle=True, random_state=0)


class Restless:
    """A shuffling splitter without a random_state."""

    def split(self, X, y):
        yield from StratifiedKFold(3, shuffle=True).split(X, y)

    def __repr__(self):
        return "Restless()"


REFUSED = {
    "drawn inner folds": (StratifiedKFold(3), 3, None, "svc", r"inner = 3 .*random_state = None"),
    "drawn outer folds": (3, StratifiedKFold(3), None, "svc", r"outer = 3 .*random_state = None"),
    "a generator as seed": (3, 3, np.random.RandomState(0), "svc", "set it to an int"),
    "a shuffled splitter": (StratifiedKFold(3, shuffle=True), SEEDED, 0, "svc", "set its random"),
    "an inner one": (SEEDED, KFold(3, shuffle=True), 0, "svc", r"inner = KFold.*set its random"),
    "repeated hold-out": (StratifiedShuffleSplit(3), SEEDED, 0, "svc", "set its random_state"),
    "repeated folds": (SEEDED, RepeatedStratifiedKFold(n_splits=3), 0, "svc", "set its random"),
    "a splitter with a generator": (
        ShuffleSplit(3, random_state=np.random.RandomState(0)),
        SEEDED,
        0,
        "svc",
        "set its random_state",
    ),
    "a splitter of one's own": (Restless(), 3, 0, "svc", r"Restless\(\).*different splits"),
    "splits that come once": (SEEDED.split(X, Y), 3, 0, "svc", "only once; pass a list"),
    "a method by its name": (SEEDED, SEEDED, None, "nlsgd", "set random_state to an int"),
    "a method without a seed": (3, 3, 0, NLSGD(), r"'nlsgd' has random_state = None; set its"),
    "a method with a generator": (
        3,
        3,
        0,
        SGDSVC(random_state=np.random.RandomState(0)),
        "'sgd' has random_state = RandomState.*set its",
    ),
    "the last of several": (3, 3, 0, ["svc", LinearSVC(loss="hinge")], "'linear'.*set its"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_could_not_be_resumed_is_refused_before_the_work(tmp_path, monkeypatch, what):
    outer, inner, random_state, method, match = REFUSED[what]
    monkeypatch.setattr(engine, "evaluate", None)  # nothing is trained
    grid = GRID if method == "svc" else LINEAR
    with pytest.raises(ValueError, match=match):
        nested_cv(
            *(X, Y, method, grid, outer, inner),
            random_state=random_state,
            checkpoint=tmp_path / "run.npz",
        )
    assert os.listdir(tmp_path) == []


def test_seeds_of_a_grid_count(tmp_path):
    arguments = {"outer": 2, "inner": 2, "random_state": 0, "checkpoint": tmp_path / "run.npz"}
    with pytest.raises(ValueError, match="'nlsgd' has random_state = None"):
        nested_cv(X, Y, NLSGD(random_state=0), {"random_state": [1, None]}, **arguments)
    assert nested_cv(X, Y, NLSGD(), {"random_state": [1, 2]}, **arguments).complete


class StopError(Exception):
    pass


def stopped_and_resumed(monkeypatch, path, *args, **options):
    """Stop a run whenever new results were saved, and rerun it until it is complete."""
    monkeypatch.setattr(checkpoint_module, "_SECONDS_BETWEEN", 0.0)
    update, saved, n_stops = checkpoint_module.Checkpoint.update, set(), 0

    def stop(checkpoint, table):
        update(checkpoint, table)
        found = checkpoint._name, int(table.done.sum())
        if found not in saved:
            saved.add(found)
            raise StopError

    monkeypatch.setattr(checkpoint_module.Checkpoint, "update", stop)
    while True:
        try:
            return nested_cv(X, Y, *args, checkpoint=path, **options), n_stops
        except StopError:
            n_stops += 1


RUNS = {
    "folds": ("svc", GRID, 3, 3, 0, "grid", False),
    "pattern search": ("svc", GRID, 3, 3, 0, "pattern", False),
    "pruning": ("ollawv", {"margin": [0.01, 0.1], "gamma": GRID["gamma"]}, 3, 3, 0, "grid", True),
    "splitters": ("svc", GRID, SEEDED, StratifiedKFold(2), None, "grid", False),
    "pairs": ("svc", GRID, list(SEEDED.split(X, Y)), 2, 0, "grid", False),
    "a method by its name": ("nlsgd", GRID, 2, 2, 0, "grid", False),
    "a seeded method": (NLSGD(random_state=3), GRID, 2, 2, 0, "pattern", False),
    "stochastic descent": (SGDSVC(random_state=3, epochs=2), LINEAR, 2, 2, 0, "grid", False),
    "a method that draws nothing": (LinearSVC(dual=False), LINEAR, 2, 2, 0, "grid", False),
    "draws by choice": (MNSVM(selection="random", random_state=3), GRID, 2, 2, 0, "grid", False),
}


@pytest.mark.parametrize("what", RUNS)
def test_a_run_resumes_to_the_bits_of_an_uninterrupted_one(tmp_path, monkeypatch, what):
    method, grid, outer, inner, random_state, search, prune = RUNS[what]
    args = (method, grid, outer, inner, search)
    options = {"random_state": random_state, "prune": prune, "n_jobs": 2}
    alone = nested_cv(X, Y, *args, **options)
    again, n_stops = stopped_and_resumed(monkeypatch, tmp_path / "run.npz", *args, **options)
    assert n_stops >= 1
    assert again.inner_scores.tobytes() == alone.inner_scores.tobytes()
    assert again.outer_scores.tobytes() == alone.outer_scores.tobytes()
    assert again.best_params == alone.best_params


def test_a_list_of_methods_resumes_to_the_same_bits(tmp_path, monkeypatch):
    methods = ["svc", NLSGD(random_state=0), SVC(kernel="linear")]
    args, options = (methods, LINEAR, 2, 2), {"random_state": 0}
    alone = nested_cv(X, Y, *args, **options)
    again, n_stops = stopped_and_resumed(monkeypatch, tmp_path / "run.npz", *args, **options)
    assert n_stops >= len(methods)
    assert list(again) == list(alone) == ["svc", "nlsgd", "svc-2"]
    for name, result in alone.items():
        assert again[name].inner_scores.tobytes() == result.inner_scores.tobytes()
        assert again[name].outer_scores.tobytes() == result.outer_scores.tobytes()


DRAWING = {
    "NLSGD": (NLSGD(), True),
    "MNSVM": (MNSVM(), False),
    "MNSVM, random": (MNSVM(selection="random"), True),
    "LinearSVC": (LinearSVC(dual=False), False),
    "LinearSVC, dual": (LinearSVC(dual=True, C=0.1, tol=0.1), True),
    "LinearSVC, hinge": (LinearSVC(loss="hinge", C=0.1, tol=0.1), True),
    "SGDSVC": (SGDSVC(epochs=2), True),
    "SGDSVC, in order": (SGDSVC(epochs=2, shuffle=False), False),
    "SGDSVC, held-out samples": (SGDSVC(epochs=2, shuffle=False, early_stopping=True), True),
    "SVC": (SVC(), False),
}


@pytest.mark.parametrize("name", DRAWING)
def test_methods_tell_whether_their_seed_matters(name):
    model, is_random = DRAWING[name]
    outputs = [
        model.set_params(random_state=seed).fit(X, Y).decision_function(X) for seed in range(3)
    ]
    differ = any(other.tobytes() != outputs[0].tobytes() for other in outputs[1:])
    assert model._is_random() == is_random == differ
