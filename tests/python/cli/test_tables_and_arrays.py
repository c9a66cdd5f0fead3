"""Models of tables and rows without names, and the reverse: by position, or refused."""

import numpy as np
import pandas as pd
import pytest

import softmargin
from commands import call, stdout_of

X = np.random.default_rng(0).normal(size=(30, 3))
Y = 1 + (X[:, 0] > 0)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The same rows in files of all kinds."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(X, columns=list("abc")).assign(kind=Y + 0.0)
    frame.to_csv("table.csv", index=False)
    frame.to_csv("plain.csv", index=False, header=False)
    frame[list("abc")].to_csv("bare.csv", index=False, header=False)
    frame.assign(b="red").to_csv("text.csv", index=False)
    softmargin.dump_libsvm(X, Y, "some.svm")
    np.savez("some.npz", X=X, y=Y)
    np.savez("bare.npz", X=X)
    return tmp_path


@pytest.mark.parametrize("options", [[], ["--scale"]])
def test_rows_without_names_go_with_a_table_of_numbers(files, options):
    stdout_of("train", "table.csv", "m", *options)
    expected = stdout_of("predict", "table.csv", "m")
    assert set(expected.split()) == {"1.0", "2.0"}
    for name in ("some.svm", "some.npz", "bare.npz"):
        assert stdout_of("predict", name, "m") == expected
    for name in ("some.svm", "some.npz"):
        assert call("predict", name, "m").stderr == call("predict", "table.csv", "m").stderr
    assert "no accuracy" in call("predict", "bare.npz", "m").stderr
    assert "no accuracy" in call("predict", "some.svm", "m", "--no-labels").stderr


@pytest.mark.case(99)
@pytest.mark.parametrize("name", ["some.svm", "some.npz", "iris"])
def test_rows_without_names_do_not_go_with_text_columns(files, name):
    stdout_of("train", "text.csv", "m")
    result = call("predict", name, "m")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert "the model was trained on a table with the text column 'b'" in line


@pytest.mark.parametrize("file_format", ["softmargin", "libsvm"])
def test_a_table_goes_with_a_model_of_rows_without_names_by_position(files, file_format):
    stdout_of("train", "some.svm", "m", "--format", file_format)
    expected = stdout_of("predict", "some.svm", "m")
    assert stdout_of("predict", "plain.csv", "m") == expected
    assert call("predict", "plain.csv", "m").stderr == call("predict", "some.svm", "m").stderr
    assert stdout_of("predict", "bare.csv", "m") == expected
    assert "no accuracy" in call("predict", "bare.csv", "m").stderr
    result = call("predict", "table.csv", "m")
    assert result.stdout == expected
    assert "matched by position" in result.stderr
    if file_format == "softmargin":
        assert stdout_of("predict", "plain.csv", "m", "--no-labels") == expected


@pytest.mark.case(99)
def test_text_does_not_go_with_a_model_of_rows_without_names(files):
    stdout_of("train", "some.npz", "m")
    result = call("predict", "text.csv", "m")
    assert result.exit_code == 1
    assert "line 2: 'red' in column 'b' is not a number; the model was not" in result.stderr


def test_a_libsvm_model_does_not_keep_categories(files):
    result = call("train", "text.csv", "m", "--format", "libsvm")
    assert result.exit_code == 2
    assert "cannot store the categories of the text column 'b'" in " ".join(result.stderr.split())
    assert not (files / "m").exists()


def test_labels_that_no_class_of_the_model_has_are_warned_about(files):
    stdout_of("train", "some.svm", "m")
    softmargin.dump_libsvm(X, Y + 1, "other.svm")
    said = call("predict", "other.svm", "m").stderr
    assert "warning: the label '3' did not occur in the training data" in said


@pytest.mark.case(99, 100)
def test_a_table_of_a_folder_is_read_by_the_model_too(files, monkeypatch):
    monkeypatch.setenv("SOFTMARGIN_DATA", str(files))
    frame = pd.read_csv("table.csv").assign(b=np.array(["u", "v", "w"])[np.arange(30) % 3])
    frame.to_csv("mine.csv", index=False)
    frame[["b", "a", "c"]][10:11].to_csv("one.csv", index=False)
    stdout_of("train", "mine", "m")
    expected = stdout_of("predict", "mine.csv", "m")
    monkeypatch.chdir("/")
    assert stdout_of("predict", "mine", files / "m") == expected
    assert stdout_of("predict", "one", files / "m") == expected.splitlines(keepends=True)[10]
