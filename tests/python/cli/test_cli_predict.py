"""``softmargin predict`` writes labels and the accuracy, as svm-predict does."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import softmargin
from commands import call, facts_of_command, stdout_of


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The odd rows of wine as a test set, and two models of the even ones."""
    monkeypatch.chdir(tmp_path)
    X, y = load_wine(return_X_y=True)
    softmargin.dump_libsvm(X[::2], y[::2], "wine")
    softmargin.dump_libsvm(X[1::2], y[1::2], "wine.t")
    stdout_of("train", "wine", "-s", "ollawv", "--scale", "-g", 1)
    return softmargin.load("wine.model"), softmargin.load_libsvm("wine.t")[0], y[1::2]


def test_labels_and_accuracy_are_those_of_the_model(files, tmp_path):
    model, X, y = files
    said = stdout_of("predict", "wine.t", "wine.model", "labels.txt")
    n_right = int((model.predict(X) == y).sum())
    assert said == f"Accuracy = {100 * n_right / len(y):g}% ({n_right}/{len(y)}) (classification)\n"
    lines = (tmp_path / "labels.txt").read_text().split("\n")
    assert lines == [*map(str, model.predict(X)), ""]


@pytest.mark.parametrize("words", [[], ["-"]])
def test_labels_on_stdout_leave_the_accuracy_to_stderr(files, words):
    model, X, _ = files
    result = call("predict", "wine.t", "wine.model", *words)
    assert result.stdout.split() == [*map(str, model.predict(X))]
    assert result.stderr.startswith("Accuracy = ")
    assert call("predict", "wine.t", "wine.model", *words, "-q").stderr == ""


def test_scores_are_decision_values_to_the_bit(files):
    model, X, _ = files
    lines = stdout_of("predict", "wine.t", "wine.model", "--scores").splitlines()
    assert lines[0].split("\t") == ["label", "0", "1", "2"]
    values = np.array([line.split("\t")[1:] for line in lines[1:]], dtype=float)
    np.testing.assert_array_equal(values, model.decision_function(X))
    facts = facts_of_command("predict", "wine.t", "wine.model", "--scores")
    np.testing.assert_array_equal(facts["scores"], model.decision_function(X))
    assert facts["labels"] == model.predict(X).tolist()


def test_two_classes_have_one_score(files):
    X, y = load_iris(return_X_y=True)
    softmargin.dump_libsvm(X[50:], 2 * y[50:] - 3, "two")
    stdout_of("train", "two")
    lines = stdout_of("predict", "two", "two.model", "--scores").splitlines()
    assert lines[0] == "label\t1"
    assert all((line[0] == "1") == (float(line.split("\t")[1]) > 0) for line in lines[1:])


def test_rows_may_lack_the_last_features_but_have_no_others(files, tmp_path):
    model = files[0]
    (tmp_path / "short").write_text("1 1:13.2 3:2\n")
    (tmp_path / "long").write_text("1 1:13.2 14:1\n")
    row = np.zeros((1, 13))
    row[0, [0, 2]] = 13.2, 2
    assert stdout_of("predict", "short", "wine.model").split() == [str(model.predict(row)[0])]
    result = call("predict", "long", "wine.model")
    assert result.exit_code == 1
    assert "14 features" in result.stderr


def test_models_of_svm_train_are_read(files):
    stdout_of("train", "wine", "theirs", "--format", "libsvm")
    stdout_of("train", "wine", "ours")
    theirs, ours = (stdout_of("predict", "wine.t", name) for name in ("theirs", "ours"))
    assert theirs == ours


def test_rows_may_have_features_that_no_vector_of_a_libsvm_model_has(files):
    X, y = load_iris(return_X_y=True)
    np.savez("wide.npz", X=np.hstack([X, np.zeros((150, 2))]), y=y)
    stdout_of("train", "wide.npz", "theirs", "--format", "libsvm")
    stdout_of("train", "wide.npz", "ours")
    theirs, ours = (stdout_of("predict", "wide.npz", name) for name in ("theirs", "ours"))
    assert theirs == ours


def test_a_failure_leaves_the_old_labels(files, tmp_path):
    stdout_of("predict", "wine.t", "wine.model", "labels.txt")
    before = (tmp_path / "labels.txt").read_bytes()
    (tmp_path / "wine.model").write_bytes((tmp_path / "wine.model").read_bytes()[:-20])
    result = call("predict", "wine.t", "wine.model", "labels.txt")
    assert result.exit_code == 1
    assert result.stderr.startswith("softmargin: 'wine.model'")
    assert (tmp_path / "labels.txt").read_bytes() == before
