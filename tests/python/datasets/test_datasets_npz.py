"""npz files: dense and sparse rows, any type of labels."""

import numpy as np
import pytest
import scipy.sparse as sp

from softmargin import datasets


def write(path, **arrays):
    np.savez_compressed(path, **arrays)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.npz"


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([3, 1, 3, 2], [1, 2, 3]),
        ([1.0, -1.0, -1.0, 1.0], [-1, 1]),
        ([0.5, 1.5, 0.5, 1.0], [0.5, 1.0, 1.5]),
        ([True, False, True, True], [0, 1]),
        (["b", "a", "b", "c"], ["a", "b", "c"]),
        (["10", "9", "-1", "9"], [-1, 9, 10]),
        (["1.5", "2", "-1.0", "2"], [-1.0, 1.5, 2.0]),
        (["1.5", "2", "2.0", "1e1"], ["1.5", "1e1", "2", "2.0"]),
        (["001", "1", "01", "1"], ["001", "01", "1"]),
        ([b"yes", b"no", b"yes", b"no"], ["no", "yes"]),
        (["1", "one", "nan", "1"], ["1", "nan", "one"]),
        (["12345678901234567890", "1", "1", "2"], ["1", "12345678901234567890", "2"]),
    ],
)
def test_labels_become_codes_of_ascending_classes(path, labels, classes):
    found = datasets.read(write(path, X=np.eye(4), y=np.array(labels)))
    assert found.classes.tolist() == classes
    assert found.classes.dtype == np.array(classes).dtype
    assert found.y.dtype == np.int64
    originals = [label.decode() if isinstance(label, bytes) else label for label in labels]
    for label, original in zip(found.labels.tolist(), originals, strict=True):
        assert label == type(label)(original)


def test_given_classes_keep_their_order_and_y_is_their_places(path):
    y = np.array([2, 0, 1, 0], dtype=np.int32)
    found = datasets.read(write(path, X=np.eye(4), y=y, classes=np.array(["9", "10", "-1"])))
    assert found.y.tolist() == y.tolist()
    assert found.labels.tolist() == [-1, 9, 10, 9]


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (">f4", np.float32),
        (">f8", np.float64),
        (np.float16, np.float32),
        (np.uint8, np.float32),
        (bool, np.float32),
        (np.int32, np.float64),
        (np.int64, np.float64),
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_keep_their_values(path, stored, expected, order):
    X = np.array([[1, 0, 1], [0, 1, 1]]).astype(stored, order=order)
    found = datasets.read(write(path, X=X, y=np.arange(2)))
    assert found.X.dtype == expected
    assert found.X.flags.c_contiguous
    np.testing.assert_array_equal(found.X, X)


@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint32])
def test_sparse_rows_in_any_order_of_columns(path, rng, index):
    X = sp.random(20, 9, density=0.3, random_state=0, format="csr")
    X.indices[: X.indptr[1]] = X.indices[: X.indptr[1]][::-1]
    X.data[: X.indptr[1]] = X.data[: X.indptr[1]][::-1]
    parts = {name: getattr(X, name).astype(index) for name in ("indices", "indptr")}
    y = rng.integers(3, size=20)
    write(path, data=X.data, shape=np.array(X.shape), y=y, n_train=np.array(15), **parts)
    found = datasets.read(path)
    np.testing.assert_array_equal(found.X.toarray(), X.toarray())
    assert found.X.has_sorted_indices
    assert [part.shape[0] for part in found.split()] == [15, 15, 5, 5]


def test_the_published_parts_follow_each_other(path):
    X, y = np.arange(10.0)[:, None], np.arange(10) % 2
    found = datasets.read(write(path, X=X, y=y, n_train=7))
    X_train, y_train, X_test, y_test = found.split()
    assert X_train.ravel().tolist() == list(range(7))
    assert X_test.ravel().tolist() == [7, 8, 9]
    assert [*y_train, *y_test] == y.tolist()
    assert repr(found) == (
        "Dataset('some': 10 samples, 1 features, 2 classes, the first 7 for training)"
    )


def test_without_a_published_part_there_is_no_split(path):
    with pytest.raises(ValueError, match="'some' has no published training part"):
        datasets.read(write(path, X=np.eye(2), y=np.arange(2))).split()


def test_a_data_set_cannot_be_changed(path):
    found = datasets.read(write(path, X=np.eye(2), y=np.arange(2)))
    with pytest.raises(AttributeError):
        found.name = "other"


def test_an_uncompressed_file_and_arrays_beside_are_read_too(path):
    np.savez(path, X=np.eye(2), y=np.arange(2), feature_names=np.array(["a", "b"]))
    assert datasets.read(path).n_rows == 2
