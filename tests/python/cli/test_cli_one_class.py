"""``softmargin train`` and ``predict`` for novelty detection, and the method nu-svc."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

import softmargin
from commands import call, facts_of_command, stdout_of
from softmargin import NuSVC, OneClassSVM


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Samples with labels of inliers and outliers, in files and as arrays."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(120, 2)), 6)
    y = np.where((X**2).sum(axis=1) < 3, 1, -1)
    softmargin.dump_libsvm(X, y, "points")
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.to_csv("plain.csv", index=False)
    signs = np.where(y > 0, "+1", "-1")
    frame.assign(kind=signs).to_csv("signs.csv", index=False)
    frame.assign(kind=np.where(y > 0, "good", "bad")).to_csv("words.csv", index=False)
    np.savez("plain.npz", X=X)
    return X, y


@pytest.mark.parametrize("name", ["2", "one-class"])
def test_the_model_is_that_of_the_estimator(files, name):
    X, y = softmargin.load_libsvm("points")  # sparse: sums are rounded in the same order
    facts = facts_of_command("train", "points", "m", "-s", name, "-n", 0.2, "-g", 0.5)
    own = OneClassSVM(nu=0.2, gamma=0.5).fit(X)
    again = softmargin.load("m")
    np.testing.assert_allclose(again.decision_function(X), own.decision_function(X), atol=1e-9)
    n_outliers = int((own.predict(X) == -1).sum())
    assert facts["outliers"] == n_outliers
    assert facts["outlier_fraction"] == n_outliers / 120
    assert len(facts["machines"]) == 1
    n_right = int((own.predict(X) == y).sum())
    said = stdout_of("predict", "points", "m", "out")
    assert said == f"Accuracy = {100 * n_right / 120:g}% ({n_right}/120) (classification)\n"
    with open("out", encoding="ascii") as stream:
        assert stream.read().split() == [str(label) for label in own.predict(X)]


def test_scores_are_decision_values(files):
    stdout_of("train", "points", "m", "-s", 2)
    lines = stdout_of("predict", "points", "m", "--scores").splitlines()
    assert lines[0] == "label\t1"
    values = np.array([line.split("\t")[1] for line in lines[1:]], dtype=float)
    rows = softmargin.load_libsvm("points")[0]
    np.testing.assert_array_equal(values, softmargin.load("m").decision_function(rows))


def test_a_libsvm_model_is_written_and_read(files):
    stdout_of("train", "points", "theirs", "-s", 2, "--format", "libsvm")
    stdout_of("train", "points", "ours", "-s", 2)
    with open("theirs", encoding="ascii") as stream:
        assert stream.readline() == "svm_type one_class\n"
    facts = [facts_of_command("predict", "points", name, "--scores") for name in ("theirs", "ours")]
    np.testing.assert_allclose(facts[0]["scores"], facts[1]["scores"], atol=1e-9)


def test_tables_with_and_without_labels_give_the_same_model(files):
    stdout_of("train", "plain.csv", "plain", "-s", "one-class", "--no-labels", "-n", 0.1)
    stdout_of("train", "signs.csv", "signs", "-s", "one-class", "-n", 0.1)
    stdout_of("train", "words.csv", "words", "-s", "one-class", "-n", 0.1)
    stdout_of("train", "plain.npz", "arrays", "-s", "one-class", "-n", 0.1)
    expected = stdout_of("predict", "plain.csv", "plain")
    for model in ("plain", "signs", "words", "arrays"):
        assert stdout_of("predict", "plain.csv", model) == expected
    for data in ("signs.csv", "words.csv"):
        assert stdout_of("predict", data, "signs") == expected
        assert stdout_of("predict", data, "plain", "--label-column", "kind") == expected


def test_the_accuracy_needs_signs_as_labels(files):
    _, y = files
    stdout_of("train", "signs.csv", "m", "-s", "one-class")
    facts = facts_of_command("predict", "signs.csv", "m")
    assert facts["right"] == int((np.array(facts["labels"]) == y).sum())
    result = call("predict", "words.csv", "m")
    assert result.exit_code == 0
    assert "no accuracy: the labels of inliers must be 1, and those of outliers -1" in result.stderr
    assert "warning" not in result.stderr
    result = call("predict", "plain.csv", "m")
    assert result.stderr == "no accuracy: the data has no labels\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("train points -s one-class -c 2", "the method 'one-class' has no parameter 'C'"),
        ("train points -s one-class -w 1=2", "the method 'one-class' has no classes"),
        ("train points -s one-class -v 3", "cross-validation needs labels to predict"),
        ("cv points -s one-class", "cross-validation needs labels to predict"),
        ("nested-cv points -s one-class", "which 'one-class' ignores"),
        (
            "train signs.csv -s one-class --no-labels --label-column kind",
            "it cannot be combined with --no-labels",
        ),
    ],
)
def test_wrong_usage_is_named(files, words, said):
    result = call(*words.split())
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


@pytest.mark.parametrize("name", ["1", "nu-svc"])
def test_nu_svc_is_trained_with_nu(files, name):
    facts = facts_of_command("train", "wine", "m", "-s", name, "-n", 0.2, "--scale")
    X, y = load_wine(return_X_y=True)
    scaled = softmargin.MinMaxScaler().fit_transform(X)
    own = NuSVC(nu=0.2, gamma="auto").fit(scaled, y)
    assert [machine["C"] for machine in facts["machines"]] == pytest.approx(own.C_.tolist())
    np.testing.assert_array_equal(softmargin.load("m").predict(X), own.predict(scaled))
    said = stdout_of("train", "wine", "-s", name, "-n", 0.2, "--scale", "-v", 5)
    assert said.startswith("Cross Validation Accuracy = 9")


def test_nu_svc_is_selected_with_given_candidates(files):
    words = ("--grid", "nu=0.1,0.3", "--grid", "gamma=0.5", "--outer", 2, "--inner", 2)
    facts = facts_of_command("nested-cv", "wine", "-s", "nu-svc", *words)
    assert {params["nu"] for params in facts["methods"]["nu-svc"]["best_params"]} <= {0.1, 0.3}


def test_an_infeasible_nu_is_named(files):
    result = call("train", "wine", "m", "-s", "nu-svc", "-n", 0.99)
    assert result.exit_code == 1
    assert "nu = 0.99 is infeasible" in result.stderr
