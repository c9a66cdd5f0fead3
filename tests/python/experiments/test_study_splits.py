"""Training and test parts of the studies of Lu and Jin (2017) and Nguyen and Ho (2005)."""

import numpy as np
import pytest
import scipy.sparse as sp

from softmargin.datasets import DatasetNotFound
from softmargin.experiments._train_test_sets import load_split


@pytest.fixture
def folder(tmp_path, rng):
    X, y = rng.normal(size=(200, 3)), np.repeat(np.arange(4), 50)
    order = rng.permutation(200)
    np.savez(tmp_path / "published.npz", X=X, y=y[order], n_train=150)
    np.savez(tmp_path / "whole.npz", X=X, y=y[order])
    parts = sp.csr_matrix(X)
    of_csr = {"data": parts.data, "indices": parts.indices, "indptr": parts.indptr}
    np.savez(tmp_path / "sparse.npz", **of_csr, shape=parts.shape, y=y[order], n_train=150)
    return str(tmp_path)


@pytest.mark.parametrize("lower", [0.0, -1.0])
def test_rows_are_scaled_on_the_training_part(folder, lower):
    split = load_split("published", folder, lower)
    assert split.how == "as published"
    assert (len(split.y), len(split.y_test), split.n_classes) == (150, 50, 4)
    np.testing.assert_allclose(split.X.min(axis=0), lower, atol=1e-6)
    np.testing.assert_allclose(split.X.max(axis=0), 1, atol=1e-6)
    raw = np.load(f"{folder}/published.npz")["X"]
    low, high = raw[:150].min(axis=0), raw[:150].max(axis=0)
    expected = lower + (1 - lower) * (raw[150:] - low) / (high - low)
    np.testing.assert_allclose(split.X_test, expected, atol=1e-5)


def test_a_set_without_a_training_part_is_split_in_proportion(folder):
    split = load_split("whole", folder)
    assert "random" in split.how
    assert set(np.bincount(split.y_test)) <= {12, 13}
    assert len(split.y_test) == 50
    again = load_split.__wrapped__("whole", folder)
    np.testing.assert_array_equal(split.X, again.X)


def test_sparse_rows_are_made_dense_and_missing_sets_are_told(folder):
    split, dense = load_split("sparse", folder), load_split("published", folder)
    np.testing.assert_allclose(split.X, dense.X, atol=1e-6)
    with pytest.raises(DatasetNotFound):
        load_split("alpha", folder)
