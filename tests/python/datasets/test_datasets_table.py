"""The table of data sets: what is registered, what a folder has, and the phrases."""

import gzip

import numpy as np
import pytest

import softmargin
from softmargin import datasets

SMALL = ["iris", "teach", "wine", "cancer", "sonar", "glass", "vote", "heart", "dermatology"]
MEDIUM = ["prokaryotic", "eukaryotic", "optdigits", "satimage", "usps", "pendigits", "reuters"]
LARGE = ["letter", "adult", "w3a", "w8a", "shuttle", "ijcnn1", "intrusion", "mnist", "covtype"]
PHRASES = "PhraseId\tSentenceId\tPhrase\tSentiment\n1\t1\tA fine film\t3\n2\t1\tA film\t2\n"


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("SOFTMARGIN_DATA", raising=False)


def entries(folder=None):
    return {entry.name: entry for entry in datasets.table(folder)}


def test_every_set_of_the_papers_is_registered_with_its_shape():
    found = entries()
    assert {*SMALL, *MEDIUM, *LARGE} <= found.keys()
    letter = found["letter"]
    assert (letter.n_rows, letter.n_features, letter.n_classes) == (20_000, 16, 26)
    assert all(entry.source and entry.licence for entry in found.values())


def test_what_is_available_loads_and_what_is_not_does_not(tmp_path):
    np.savez(tmp_path / "glass.npz", X=np.eye(3), y=np.arange(3))
    (tmp_path / "mine.csv").write_text("x,kind\n1,a\n2,b\n")
    (tmp_path / "README.md").write_text("words")
    (tmp_path / "LICENSE").write_text("words")
    (tmp_path / ".hidden.csv").write_text("1,a\n")
    (tmp_path / "folder.csv").mkdir()
    found = entries(tmp_path)
    assert found.keys() - entries().keys() == {"mine"}
    for name, entry in found.items():
        if name == "phrases":
            continue
        assert (entry.where is not None) == entry.is_available
        if entry.is_available:
            assert datasets.load(name, tmp_path).name == name
        else:
            with pytest.raises(datasets.DatasetNotFound):
                datasets.load(name, tmp_path)


def test_the_sizes_of_npz_files_come_from_their_headers(tmp_path):
    np.savez_compressed(tmp_path / "glass.npz", X=np.eye(3), y=np.arange(3))
    np.savez_compressed(
        tmp_path / "mine.npz",
        data=np.ones(2),
        indices=np.zeros(2, dtype=int),
        indptr=np.arange(3),
        shape=np.array([2, 7]),
        y=np.zeros(2, dtype=int),
        classes=np.array(["a", "b", "c"]),
    )
    found = entries(tmp_path)
    sizes = {name: (e.n_rows, e.n_features, e.n_classes) for name, e in found.items()}
    assert sizes["glass"] == (3, 3, None)
    assert sizes["mine"] == (2, 7, 3)
    assert found["mine"].where == str(tmp_path / "mine.npz")


def test_sizes_of_text_are_not_read(tmp_path):
    (tmp_path / "mine.csv").write_bytes(b"\xff not even text")
    mine = entries(tmp_path)["mine"]
    assert (mine.n_rows, mine.n_features, mine.n_classes) == (None, None, None)


def test_a_broken_file_is_not_available_and_does_not_stop_the_table(tmp_path):
    (tmp_path / "iris.npz").write_bytes(b"PK broken")
    iris = entries(tmp_path)["iris"]
    assert not iris.is_available
    assert "cannot be read" in iris.note
    with pytest.raises(ValueError, match=r"iris\.npz.*not a valid npz file"):
        datasets.load("iris", tmp_path)


@pytest.mark.parametrize(
    "name", ["rotten_tomatoes_sst.tsv.gz", "rotten_tomatoes_sst.tsv", "train.tsv"]
)
def test_phrases_are_found_under_each_of_their_names(tmp_path, name):
    content = PHRASES.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    phrases, labels = datasets.phrases(tmp_path)
    assert phrases == ["A fine film", "A film"]
    np.testing.assert_array_equal(labels, softmargin.load_phrases(tmp_path / name)[1])
    assert entries(tmp_path)["phrases"].where == str(tmp_path / name)
    assert "rotten_tomatoes_sst" not in entries(tmp_path)


def test_missing_phrases_are_named_with_what_to_do(tmp_path):
    with pytest.raises(datasets.DatasetNotFound, match=r"SOFTMARGIN_DATA.*train\.tsv.*Kaggle"):
        datasets.phrases(tmp_path)
    with pytest.raises(ValueError, match=r"softmargin\.datasets\.phrases\(\)"):
        datasets.load("phrases")
