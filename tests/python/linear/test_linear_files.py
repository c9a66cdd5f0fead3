"""Files of rows, larger than memory perhaps, block after block."""

import bz2
import gzip
import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import softmargin
from softmargin import SGDSVC, LibsvmBlocks, dump_libsvm, load_libsvm


def problem(n=120, d=5, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    X = np.round(rng.normal(size=(n, d)) + np.eye(k, d)[y], 3)
    return X * (rng.uniform(size=(n, d)) < 0.7), y


@pytest.fixture
def text(tmp_path):
    """A function that writes bytes to a file."""

    def write(content, name="rows.txt"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


@pytest.fixture
def small_pieces(monkeypatch):
    """Files are read a few bytes at a time: a piece ends in the middle of a line."""
    monkeypatch.setattr(softmargin._files.libsvm_text, "_SMALL_PIECE", 7)


@pytest.mark.parametrize("ending", [".txt", ".txt.gz", ".txt.bz2"])
@pytest.mark.parametrize("block_rows", [1, 30, 1000])
def test_a_file_has_the_rows_that_are_read_at_once(tmp_path, small_pieces, block_rows, ending):
    X, y = problem()
    path = tmp_path / f"rows{ending}"
    dump_libsvm(X, y, path)
    blocks = LibsvmBlocks(path, block_rows)
    for _ in range(2):  # as often as one likes
        parts = list(blocks)
        assert all(block_rows <= len(labels) < block_rows + 3 for _, labels in parts[:-1])
        assert all(rows.shape == (len(labels), 5) for rows, labels in parts)
        np.testing.assert_array_equal(sp.vstack([rows for rows, _ in parts]).toarray(), X)
        np.testing.assert_array_equal(np.concatenate([labels for _, labels in parts]), y)
    assert blocks.classes.tolist() == [0, 1, 2]
    assert blocks.n_features == 5
    model = SGDSVC(epochs=2, shuffle=False).fit_blocks(blocks)
    by_hand = SGDSVC(shuffle=False)
    for rows, labels in parts * 2:
        by_hand.partial_fit(rows, labels, classes=[0, 1, 2])
    np.testing.assert_array_equal(model.coef_, by_hand.coef_)
    np.testing.assert_array_equal(model.intercept_, by_hand.intercept_)


def test_two_readers_of_a_file_do_not_meet(tmp_path, small_pieces):
    X, y = problem()
    dump_libsvm(X, y, tmp_path / "rows.txt")
    blocks = LibsvmBlocks(tmp_path / "rows.txt", 20)
    for (one, _), (two, _) in zip(blocks, blocks, strict=True):
        assert (one != two).nnz == 0


def test_real_pieces_make_real_blocks(tmp_path):
    X, y = problem(n=30_000)
    dump_libsvm(X, y, tmp_path / "rows.txt")
    parts = list(LibsvmBlocks(tmp_path / "rows.txt", 5000, n_features=7, dtype=np.float32))
    assert len(parts) > 2
    rows, labels = load_libsvm(tmp_path / "rows.txt", n_features=7, dtype=np.float32)
    assert all(part.dtype == np.float32 for part, _ in parts)
    assert (sp.vstack([part for part, _ in parts]) != rows).nnz == 0
    np.testing.assert_array_equal(np.concatenate([part for _, part in parts]), labels)


@pytest.mark.case(88)
@pytest.mark.parametrize(
    "content",
    [
        b"1 1:0.5\n-1 2:1.5",
        b"1 1:0.5\r\n-1 2:1.5\r\n",
        b"# rows\n1 1:0.5\n\n-1 2:1.5 # the second\n\n",
        b"\xef\xbb\xbf1 1:0.5\n-1\t2:1.5\n",
    ],
    ids=["no newline", "crlf", "comments", "byte order mark"],
)
def test_accepted_files_have_the_same_rows(text, small_pieces, content):
    path = text(content)
    parts = list(LibsvmBlocks(path, 1))
    expected, labels = load_libsvm(path)
    np.testing.assert_array_equal(
        sp.vstack([rows for rows, _ in parts]).toarray(), expected.toarray()
    )
    assert np.concatenate([y for _, y in parts]).tolist() == labels.tolist() == [1, -1]
    assert LibsvmBlocks(path).classes.tolist() == [-1, 1]


@pytest.mark.case(88)
@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (b"1 one:1", "line 41"),
        (b"1 2:1 1:1", "line 41"),
        (b"1 0:1", "line 41"),
        (b"x 1:1", "line 41"),
        (b"1 1:nan", "line 41"),
        (b"1 9:1", "line 41"),
    ],
)
def test_an_error_names_its_line(text, small_pieces, bad, sentence):
    path = text(b"1 1:0.5\n" * 40 + bad)
    blocks = LibsvmBlocks(path, 10, n_features=5)
    each = iter(blocks)
    assert sum(len(labels) for _, labels in itertools.islice(each, 4)) == 40
    with pytest.raises(ValueError, match=sentence):
        next(each)
    with pytest.raises(ValueError, match=sentence):
        SGDSVC().fit_blocks(blocks)
    with pytest.raises(ValueError, match=sentence):
        SGDSVC(epochs=1).fit_blocks(blocks, classes=[1, 2])


def test_files_that_cannot_be_read_are_named(text, tmp_path, small_pieces):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        list(LibsvmBlocks(tmp_path / "nowhere.txt"))
    for path in (text(b""), text(b"# nothing\n\n")):
        with pytest.raises(ValueError, match=r"rows\.txt.*no samples"):
            SGDSVC().fit_blocks(LibsvmBlocks(path))
        with pytest.raises(ValueError, match=r"rows\.txt.*no samples"):
            list(LibsvmBlocks(path))
    packed = gzip.compress(b"1 1:0.5\n0 2:1.5\n" * 400)
    with pytest.raises(ValueError, match="cannot read the file after line"):
        list(LibsvmBlocks(text(packed[:-20], "rows.txt.gz")))
    packed = bz2.compress(b"1 1:0.5\n0 2:1.5\n" * 400)
    with pytest.raises(ValueError, match="cannot read the file after line"):
        list(LibsvmBlocks(text(packed[:-20], "rows.txt.bz2")))


@pytest.mark.parametrize(
    "bad", [{"block_rows": 0}, {"block_rows": 1.5}, {"n_features": 0}, {"dtype": np.int32}], ids=str
)
def test_a_value_outside_its_domain_is_named(text, bad):
    (name,) = bad
    with pytest.raises((ValueError, TypeError), match=name):
        LibsvmBlocks(text(b"1 1:1\n"), **bad)
