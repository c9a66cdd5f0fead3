"""Broken and lying npz files are refused before memory is taken."""

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from softmargin import datasets

X = np.arange(12.0).reshape(4, 3)
Y = np.array([0, 1, 0, 1])
CSR = {
    "data": np.ones(4),
    "indices": np.array([0, 2, 1, 2]),
    "indptr": np.array([0, 2, 2, 3, 4]),
    "shape": np.array([4, 3]),
    "y": Y,
}


@pytest.fixture
def refused(tmp_path):
    def check(match, arrays=None, raw=None):
        path = tmp_path / "bad.npz"
        if raw is None:
            np.savez_compressed(path, allow_pickle=True, **arrays)
        else:
            path.write_bytes(raw)
        with pytest.raises(ValueError, match=match) as refusal:
            datasets.read(path)
        assert repr(str(path)) in str(refusal.value)
        assert len(str(refusal.value)) < 500

    return check


@pytest.mark.parametrize(
    ("arrays", "match"),
    [
        ({"X": X}, "array 'y' not found, only X"),
        ({"y": Y}, "array 'X' not found, only y"),
        ({"X": X, "y": Y[:3]}, r"X has 4 rows, but y has shape \(3,\)"),
        ({"X": X, "y": Y[:, None]}, r"y has shape \(4, 1\)"),
        ({"X": X[0], "y": Y}, "X has shape"),
        ({"X": X[:0], "y": Y[:0]}, "X has shape"),
        ({"X": X.astype(str), "y": Y}, "X has dtype"),
        ({"X": X.astype(complex), "y": Y}, "X has dtype complex"),
        ({"X": np.where(X == 5, np.nan, X), "y": Y}, "NaN.*row 1, column 2"),
        ({"X": np.where(X == 5, np.inf, X), "y": Y}, "inf.*row 1, column 2"),
        ({"X": X, "y": np.array([0, np.nan, 1, 1])}, "y contains nan"),
        ({"X": X, "y": Y.astype("M8[s]")}, "y has labels of dtype datetime"),
        ({"X": X, "y": Y, "classes": np.array(["a"])}, "y must be integers from 0 to 0"),
        ({"X": X, "y": Y - 1, "classes": np.array(["a", "b"])}, "y must be"),
        ({"X": X, "y": Y + 0.0, "classes": np.array(["a", "b"])}, "y must be"),
        ({"X": X, "y": Y, "classes": np.array(["a", "a"])}, "classes has a duplicate label"),
        ({"X": X, "y": Y, "classes": np.array("a")}, "classes has shape"),
        ({"X": X, "y": Y, "n_train": 4}, "n_train = 4 is not valid"),
        ({"X": X, "y": Y, "n_train": 0}, "n_train = 0"),
        ({"X": X, "y": Y, "n_train": -1}, "n_train = -1"),
        ({"X": X, "y": Y, "n_train": 2.0}, "n_train = 2.0"),
        ({"X": X, "y": Y, "n_train": [1, 2]}, r"n_train = \[1, 2\]"),
        ({"X": X.astype(object), "y": Y}, "'X' contains Python objects"),
        ({"X": X, "y": np.array(["a", None, "b", "c"])}, "'y' contains Python objects"),
    ],
)
def test_what_is_wrong_with_dense_arrays_is_said(refused, arrays, match):
    refused(match, arrays)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"indices": [0, -1, 1, 2]}, "row 0 has a value in column -1"),
        ({"indices": [0, 2, 3, 2]}, "row 2 has a value in column 3"),
        ({"indices": [2, 2, 1, 2]}, "row 0 has two values in column 2"),
        ({"indices": [0.0, 2.0, 1.0, 2.0]}, "indices must be"),
        ({"indices": [0, 2, 1]}, "4,.*3,"),
        ({"indptr": [0, 3, 2, 3, 4]}, "indptr must ascend from 0 to 4"),
        ({"indptr": [1, 2, 2, 3, 4]}, "indptr must ascend"),
        ({"indptr": [0, 2, 2, 3, 9]}, "indptr must ascend"),
        ({"indptr": [0, 2, 4]}, r"4 rows, but indptr has shape \(3,\)"),
        ({"shape": [2**40, 3]}, "1099511627776 rows, but indptr"),
        ({"shape": [4, 2**40]}, "at most 2147483647 columns"),
        ({"shape": [4, 0]}, "shape = "),
        ({"shape": [4, 3, 1]}, "shape = "),
        ({"data": np.array([1, np.nan, 1, 1])}, "NaN.*row 0, column 2"),
        ({"data": np.array(list("abcd"))}, "data has dtype"),
    ],
)
def test_what_is_wrong_with_sparse_arrays_is_said(refused, change, match):
    refused(match, CSR | {name: np.asarray(value) for name, value in change.items()})


def packed(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


@pytest.mark.parametrize("keep", [0, 1, 30, 100, -30, -1])
def test_a_file_cut_short_is_refused(refused, keep):
    refused("not a valid npz file", raw=packed(X=X, y=Y)[:keep])


def test_bytes_flipped_inside_are_refused(refused):
    raw = bytearray(packed(X=np.random.default_rng(0).normal(size=(50, 3)), y=np.arange(50)))
    raw[200] ^= 0xFF
    refused("not a valid npz file", raw=raw)


def npz_of(compression, member):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr("X.npy", member)
        archive.writestr("y.npy", npy(Y))
    return stream.getvalue()


def npy(array, shape=None):
    """Return the bytes of an array whose header may state another shape."""
    stream = io.BytesIO()
    facts = np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(stream, facts | {"shape": shape or array.shape})
    return stream.getvalue() + array.tobytes()


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("shape", [(10**12, 3), (4, 2), (-4, -3), (4, 3, 2)])
def test_a_header_that_lies_about_the_shape_takes_no_memory(refused, compression, shape):
    tracemalloc.start()
    refused("according to its header, but 96 bytes", raw=npz_of(compression, npy(X, shape)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**7


def test_a_directory_of_the_archive_that_lies_about_the_length_takes_no_memory(refused):
    raw = bytearray(npz_of(zipfile.ZIP_STORED, npy(X, (2**27, 3))))
    entry = raw.index(b"PK\x01\x02")  # of X.npy, the first in the directory
    length = len(npy(X)) - X.nbytes + 2**27 * 3 * 8
    raw[entry + 24 : entry + 28] = length.to_bytes(4, "little")
    refused("longer than its compressed bytes allow|not a valid", raw=raw)


def test_a_packing_that_numpy_does_not_write_is_refused(refused):
    refused("unsupported compression method", raw=npz_of(zipfile.ZIP_LZMA, npy(X)))
