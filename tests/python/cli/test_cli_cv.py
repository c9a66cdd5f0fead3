"""``softmargin cv``, ``train -v`` and ``nested-cv`` give the numbers of Python."""

import json
import re
import signal

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import PredefinedSplit, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import softmargin
from commands import call, facts_of_command, stdout_of
from softmargin.cli import _nested_cv

GRID = ["--grid", "C=1,2^4", "--grid", "gamma=0.1,1"]


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1_macro"])
def test_folds_are_judged_as_scikit_learn_does(scoring):
    X, y = load_wine(return_X_y=True)
    peer = make_pipeline(MinMaxScaler(), svm.SVC(C=4, gamma=0.5))
    folds = PredefinedSplit(softmargin.fold_labels(y, 4, random_state=7).astype(int))
    expected = cross_val_score(peer, X, y, cv=folds, scoring=scoring)
    words = ["--scale", "-c", 4, "-g", 0.5, "--folds", 4, "--seed", 7, "--scoring", scoring]
    facts = facts_of_command("cv", "wine", *words)
    assert facts["scores"] == pytest.approx(expected)
    assert facts["mean_score"] == pytest.approx(expected.mean())
    assert f"{expected.mean():.4f} ± {expected.std():.4f}" in stdout_of("cv", "wine", *words)


def test_train_v_prints_what_svm_train_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = load_iris(return_X_y=True)
    folds = PredefinedSplit(softmargin.fold_labels(y, 5, random_state=0).astype(int))
    labels = cross_val_predict(svm.SVC(gamma="auto"), X, y, cv=folds)
    accuracy = 100 * np.mean(labels == y)
    assert stdout_of("train", "iris", "-v", 5) == f"Cross Validation Accuracy = {accuracy:g}%\n"
    assert list(tmp_path.iterdir()) == []


def test_nested_cv_is_that_of_python():
    X, y = load_iris(return_X_y=True)
    words = ["-s", "svc", "-s", "newton", "--outer", 3, "--inner", 4, "--seed", 5, *GRID]
    facts = facts_of_command("nested-cv", "iris", *words)
    grid = {"C": [1, 16], "gamma": [0.1, 1]}
    results = softmargin.nested_cv(X, y, ["svc", "newton"], grid, outer=3, inner=4, random_state=5)
    assert facts["complete"] is True
    for name, result in results.items():
        own = facts["methods"][name]
        assert own["outer_scores"] == result.outer_scores.tolist()
        assert own["best_params"] == result.best_params
        assert own["mean_score"] == result.mean_score
        assert own["support_fraction"] == result.support_fraction.tolist()
        np.testing.assert_array_equal(own["inner_scores"], result.inner_scores.mean(axis=1))


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["--search", "pattern"], {"search": "pattern"}),
        (["--scale", "none"], {"scale": None}),
        (
            ["--scale", "global", "--scoring", "f1_macro"],
            {"scale": "global", "scoring": "f1_macro"},
        ),
        (["--prune", "--memory", "1", "-j", "1"], {"prune": True, "memory_budget": 2**20}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_are_arguments_of_nested_cv(words, arguments):
    X, y = load_iris(return_X_y=True)
    facts = facts_of_command("nested-cv", "iris", "-s", "ollawv", "--outer", 3, *words)
    result = softmargin.nested_cv(X, y, "ollawv", outer=3, random_state=0, **arguments)
    assert facts["methods"]["ollawv"]["outer_scores"] == result.outer_scores.tolist()
    assert facts["methods"]["ollawv"]["best_params"] == result.best_params


def test_the_table_has_every_fold_and_the_mean():
    table = stdout_of("nested-cv", "iris", "--outer", 3, *GRID).splitlines()
    facts = facts_of_command("nested-cv", "iris", "--outer", 3, *GRID)["methods"]["svc"]
    assert table[0] == "iris: 150 samples, 4 features, 3 classes"
    rows = [line.split() for line in table if line.split()[0] == "svc"]
    assert [row[1] for row in rows] == ["0", "1", "2", "mean"]
    shown = [float(row[2]) for row in rows]
    assert shown == pytest.approx([*facts["outer_scores"], facts["mean_score"]], abs=5e-5)
    assert f"C={facts['best_params'][0]['C']}," in rows[0]


def test_a_time_limit_is_no_failure(tmp_path):
    words = ["nested-cv", "digits", "--time-limit", "0.3", "--checkpoint", tmp_path / "run"]
    result = call(*words, "--json")
    assert result.exit_code == 0
    assert '"complete": false' in result.stdout
    assert "time limit reached" in result.stderr
    assert (tmp_path / "run").exists()


@pytest.mark.case(79)
def test_an_ignored_ctrl_c_stays_ignored(monkeypatch):
    def interrupt(facts):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(_nested_cv, "cell_progress", lambda output: interrupt)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        grid = ["--grid", "gamma=0.1,1", "--outer", 2, "--inner", 2]
        facts = facts_of_command("nested-cv", "iris", *grid)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert facts["complete"] is True


def test_ctrl_c_shows_the_methods_that_are_done(monkeypatch):
    def interrupt_ollawv(facts):
        if facts["method"] == "ollawv":
            signal.raise_signal(signal.SIGINT)

    grid = ["--grid", "gamma=0.1,1", "--outer", 2, "--inner", 2]
    alone = facts_of_command("nested-cv", "iris", *grid)["methods"]["svc"]
    monkeypatch.setattr(_nested_cv, "cell_progress", lambda output: interrupt_ollawv)
    before = signal.getsignal(signal.SIGINT)
    result = call("nested-cv", "iris", *grid, "-s", "svc", "-s", "ollawv", "--json")
    assert signal.getsignal(signal.SIGINT) is before
    assert result.exit_code == 130
    assert result.stderr == "softmargin: interrupted; only finished results are reported\n"
    facts = json.loads(result.stdout)
    assert facts["complete"] is False
    assert facts["methods"]["svc"]["outer_scores"] == alone["outer_scores"]


@pytest.mark.case(103, of="nested_cv")
def test_ctrl_c_says_how_far_the_run_came(monkeypatch):
    def interrupt(facts):
        raise KeyboardInterrupt

    monkeypatch.setattr(_nested_cv, "cell_progress", lambda output: interrupt)
    grid = ["--grid", "gamma=0.1,1", "--outer", 2, "--inner", 2]
    shown = call("nested-cv", "iris", *grid, "-s", "svc", "-s", "ollawv").stdout
    assert re.search(r"svc: not complete, interrupted after \d of 10 trainings; finished: ", shown)
    assert re.search(r"best inner accuracy so far: 0\.\d{4} \(gamma=", shown)
    assert "not started: ollawv" in shown
    assert "nan" not in shown
