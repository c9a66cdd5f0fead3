"""LIBSVM text is read and written as scikit-learn does, to the bit."""

import bz2
import gzip
import io
import locale
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from softmargin import dump_libsvm, load_libsvm

numbers = st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(
    st.tuples(numbers, st.dictionaries(st.integers(0, 40), numbers, max_size=6)),
    min_size=1,
    max_size=8,
)


def matrix_of(table, dtype=np.float64):
    X = sp.lil_matrix((len(table), 41), dtype=dtype)
    for i, (_, row) in enumerate(table):
        for j, value in row.items():
            X[i, j] = value
    return X.tocsr(), np.array([label for label, _ in table])


def assert_same(found, expected):
    (X, y), (Z, labels) = found, expected
    assert X.shape == Z.shape
    assert X.dtype == Z.dtype
    np.testing.assert_array_equal(X.toarray(), Z.toarray())
    np.testing.assert_array_equal(y, labels)


class Dribble(io.RawIOBase):
    """Gives its bytes in pieces that end anywhere."""

    def __init__(self, data, step):
        self.data, self.step = data, step

    def read(self, size=-1):
        piece, self.data = self.data[: self.step], self.data[self.step :]
        return piece


@pytest.fixture(params=[True, False], ids=["from 0", "from 1"])
def zero_based(request):
    return request.param


@given(table=rows)
def test_what_we_write_reads_back_to_the_bit(table):
    X, y = matrix_of(table)
    stream = io.BytesIO()
    dump_libsvm(X, y, stream)
    assert_same(load_libsvm(io.BytesIO(stream.getvalue()), n_features=41), (X, y))


@given(table=rows)
def test_what_we_write_scikit_learn_reads_to_the_bit(table):
    X, y = matrix_of(table)
    stream = io.BytesIO()
    dump_libsvm(X, y, stream)
    stream.seek(0)
    assert_same(load_svmlight_file(stream, n_features=41, zero_based=False), (X, y))


@given(table=rows, step=st.integers(1, 9))
def test_pieces_may_end_anywhere(table, step):
    X, y = matrix_of(table)
    stream = io.BytesIO()
    dump_libsvm(X, y, stream)
    assert_same(load_libsvm(Dribble(stream.getvalue(), step), n_features=41), (X, y))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_what_scikit_learn_writes_is_read_as_it_reads_it(
    three_classes, tmp_path, zero_based, dtype, layout
):
    X, y = three_classes
    path = tmp_path / "wine.txt"
    dump_svmlight_file(layout(X), y, str(path), zero_based=zero_based, comment="a\nlong comment")
    ours = load_libsvm(path, zero_based=zero_based, dtype=dtype)
    assert_same(ours, load_svmlight_file(str(path), zero_based=zero_based, dtype=dtype))


def test_single_precision_reads_back_to_the_bit(rng, zero_based):
    X = rng.normal(size=(50, 7)).astype(np.float32)
    y = rng.integers(-5, 5, size=50)
    stream = io.BytesIO()
    dump_libsvm(X, y, stream, zero_based=zero_based)
    stream.seek(0)
    found, labels = load_libsvm(stream, dtype=np.float32, zero_based=zero_based)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.toarray(), X)
    np.testing.assert_array_equal(labels, y)


def test_more_rows_than_are_written_at_once(tmp_path, rng):
    X, y = sp.csr_matrix(rng.normal(size=(9000, 2))), np.arange(9000.0)
    dump_libsvm(X, y, tmp_path / "long.txt")
    assert_same(load_libsvm(tmp_path / "long.txt"), (X, y))


@pytest.mark.parametrize(("suffix", "unpack"), [(".gz", gzip.open), (".bz2", bz2.open)])
@pytest.mark.parametrize("kind", [str, Path])
def test_packed_files_by_their_suffix(three_classes, tmp_path, suffix, unpack, kind):
    X, y = three_classes
    plain, packed = tmp_path / "wine.txt", tmp_path / f"wine.txt{suffix}"
    dump_libsvm(X, y, kind(plain))
    dump_libsvm(X, y, kind(packed))
    with unpack(packed, "rb") as stream:
        assert stream.read() == plain.read_bytes()
    assert_same(load_libsvm(kind(packed)), load_libsvm(plain))


@pytest.mark.case(88)
@pytest.mark.parametrize(
    ("text", "X", "y"),
    [
        (b"1 1:2 3:4", [[2, 0, 4]], [1]),
        (b"1 1:2\r\n-1 2:3\r\n", [[2, 0], [0, 3]], [1, -1]),
        (b"1\t1:2\t2:3 \n", [[2, 3]], [1]),
        (b"\xef\xbb\xbf1 1:2\n", [[2]], [1]),
        (b"# head\n\n  \n1 1:2 # tail 9:9\n#\n", [[2]], [1]),
        (b"1 qid:7 1:2\n", [[2]], [1]),
        (b"+1 +1:+2.50e+0 02:.5 3:5.\n", [[2.5, 0.5, 5]], [1]),
        (b"-0 1:1e-400\n2 4:0\n", [[0, 0, 0, 0], [0, 0, 0, 0]], [0, 2]),
        (b"1\n2 1:1\n", [[0], [1]], [1, 2]),
        (b"1e3 1:1#x\n", [[1]], [1000]),
    ],
)
def test_accepted_by_the_documentation(text, X, y):
    found, labels = load_libsvm(io.BytesIO(text))
    assert found.toarray().tolist() == X
    assert labels.tolist() == y


@pytest.mark.case(88)
def test_a_very_long_line(rng):
    X = sp.csr_matrix(rng.normal(size=(1, 400_000)))
    stream = io.BytesIO()
    dump_libsvm(X, [1.0], stream)
    stream.seek(0)
    assert_same(load_libsvm(stream), (X, np.array([1.0])))


def test_the_number_of_features_can_be_given():
    X, _ = load_libsvm(io.BytesIO(b"1 2:5\n"), n_features=6)
    assert X.shape == (1, 6)


@pytest.fixture
def decimal_comma():
    before = locale.setlocale(locale.LC_NUMERIC)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "it_IT.UTF-8"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
        except locale.Error:
            continue
        yield
        locale.setlocale(locale.LC_NUMERIC, before)
        return
    pytest.skip("no locale with a decimal comma is installed")


@pytest.mark.case(97)
@pytest.mark.usefixtures("decimal_comma")
def test_a_decimal_comma_of_the_locale_does_not_matter():
    stream = io.BytesIO()
    dump_libsvm(np.array([[0.5, 1.25]]), [1.5], stream)
    assert stream.getvalue() == b"1.5 1:0.5 2:1.25\n"
    stream.seek(0)
    assert load_libsvm(stream)[0].toarray().tolist() == [[0.5, 1.25]]


@pytest.mark.parametrize(
    "labels",
    [
        np.array([2**53, 2**53 + 1]),
        np.array([0, -(2**60)]),
        [1, 10**30],
        np.array([1, 2], dtype=complex),
        np.array(["2020", "2021"], dtype="datetime64[Y]"),
    ],
    ids=["int64", "negative", "int", "complex", "dates"],
)
def test_labels_that_would_become_others_are_not_written(tmp_path, labels):
    with pytest.raises(ValueError, match=r"row [01] is .*below 2\^53|must be numeric"):
        dump_libsvm(np.eye(2), labels, tmp_path / "rows.svm")
    assert not (tmp_path / "rows.svm").exists()


@pytest.mark.case(88)
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gz", "bz2"])
def test_a_packed_file_that_breaks_off_says_after_which_line(tmp_path, pack):
    path = tmp_path / f"rows.{'gz' if pack is gzip.compress else 'bz2'}"
    random = np.random.default_rng(0)
    lines = [f"1 1:{value}\n" for value in random.normal(size=200_000)]  # bz2 has blocks
    path.write_bytes(pack("".join(lines).encode())[:-1000])
    with pytest.raises(ValueError, match="cannot read the file after line") as refusal:
        load_libsvm(path)
    said = int(re.search(r"after line (\d+)", str(refusal.value))[1])
    assert 100_000 < said < 200_000
