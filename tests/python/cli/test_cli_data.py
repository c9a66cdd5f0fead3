"""DATA of the command line: files of several kinds and names, data sets, standard input."""

import bz2

import numpy as np
import pytest
from sklearn.datasets import load_iris

import softmargin
from commands import call, facts_of_command, stdout_of

WORDS = np.array(["ä", "b b", "1c"])


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table_of(X, y):
    rows = [[repr(value) for value in row] for row in X.tolist()]
    return [",".join([*row, word]) for row, word in zip(rows, WORDS[y], strict=True)]


def write_files(folder):
    """Iris in files of all kinds."""
    X, y = load_iris(return_X_y=True)
    np.savez(folder / "iris-rows.npz", X=X, y=y)
    softmargin.dump_libsvm(X, y, folder / "ünïcode wörds.svm")
    softmargin.dump_libsvm(X, y, folder / "-odd")
    softmargin.dump_libsvm(X, y, folder / "packed.svm.gz")
    lines = table_of(X, y)
    (folder / "table.csv").write_text("\n".join(["a,b,c,d,kind", *lines]), encoding="utf-8")
    (folder / "plain.csv.bz2").write_bytes(bz2.compress("\n".join(lines).encode()))
    head = ["@relation r", *(f"@attribute {name} numeric" for name in "abcd")]
    head += ["@attribute kind {ä,'b b',1c}", "@data"]
    quoted = [line.replace("b b", "'b b'") for line in lines]
    (folder / "weka.arff").write_text("\n".join([*head, *quoted]), encoding="utf-8")


FILES = ["iris-rows.npz", "ünïcode wörds.svm", "./-odd", "packed.svm.gz"]
TABLES = ["table.csv", "plain.csv.bz2", "weka.arff"]


@pytest.mark.parametrize("name", FILES + TABLES)
def test_every_kind_of_file_has_the_same_rows(here, name):
    write_files(here)
    expected = facts_of_command("cv", "iris", "-t", "linear")
    found = facts_of_command("cv", name, "-t", "linear")
    assert found["data"]["rows"] == 150
    assert found["data"]["features"] == 4
    # Folds depend on the order of labels, which words may change.
    if name in FILES:
        assert found["scores"] == expected["scores"]
    else:
        assert sorted(found["data"]["classes"]) == sorted(WORDS)
        assert found["mean_score"] == pytest.approx(expected["mean_score"], abs=0.03)


def test_a_name_that_begins_with_a_dash_goes_after_two(here):
    write_files(here)
    assert stdout_of("cv", "--", "-odd").startswith("-odd: 150 samples")


def test_standard_input_is_libsvm_text(here):
    write_files(here)
    text = (here / "-odd").read_text()
    result = call("train", "-", "-v", 3, stdin=text)
    assert result.stdout == stdout_of("train", "./-odd", "-v", 3)
    assert call("train", "-", stdin=text).exit_code == 2  # no name for the model
    assert call("train", "-", "m", stdin=text).exit_code == 0
    stdout_of("train", "./-odd", "other")
    assert (here / "m").read_bytes() == (here / "other").read_bytes()
    assert "line 151" in call("predict", "-", "m", stdin=text + "1 0:0\n").stderr


def test_a_file_comes_before_a_data_set_of_its_name(here):
    softmargin.dump_libsvm([[0.0], [1.0], [0.0], [1.0]], [0, 1, 0, 1], "iris")
    assert facts_of_command("cv", "iris", "--folds", 2)["data"]["rows"] == 4


def test_a_folder_has_data_sets_with_a_published_part(here, monkeypatch):
    X, y = load_iris(return_X_y=True)
    rows = np.random.default_rng(0).permutation(150)
    np.savez(here / "mine.npz", X=X[rows], y=y[rows], n_train=100)
    for words in (["--folder", here], []):
        monkeypatch.setenv("SOFTMARGIN_DATA", "" if words else str(here))
        monkeypatch.chdir("/")
        sizes = [
            facts_of_command("cv", "mine", "--part", part, *words)["data"]["rows"]
            for part in ("all", "train", "test")
        ]
        assert sizes == [150, 100, 50]
    assert call("cv", "iris", "--part", "test").exit_code == 1


def test_a_column_of_labels_has_a_name_or_a_number(here):
    write_files(here)
    by_name = facts_of_command("cv", "table.csv", "--label-column", "kind")
    by_number = facts_of_command("cv", "plain.csv.bz2", "--label-column", "4")
    from_the_end = facts_of_command("cv", "plain.csv.bz2", "--label-column", "-1")
    assert by_name["scores"] == by_number["scores"] == from_the_end["scores"]
    assert call("cv", "iris", "--label-column", "kind").exit_code == 2
    assert "no column has this name" in call("cv", "table.csv", "--label-column", "none").stderr
