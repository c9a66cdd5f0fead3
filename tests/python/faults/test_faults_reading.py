"""Files that are not LIBSVM text are refused by the number of the line."""

import bz2
import contextlib
import gzip
import io
import os
import zipfile

import numpy as np
import pytest

from softmargin import datasets, load_libsvm
from softmargin.datasets import _text_lines
from systems import posix

pytestmark = pytest.mark.case(88)

GOOD = b"1 1:2\n-1 2:3\n"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b"1:2 3:4", "label is missing"),
        (b"one 1:2", "one"),
        (b"nan 1:2", "nan"),
        (b"inf 1:2", "inf"),
        (b"1,2 1:2", "multiple labels"),
        (b"0x1 1:2", "0x1"),
        (b"1 1:two", "two"),
        (b"1 1:nan", "nan"),
        (b"1 1:-inf", "inf"),
        (b"1 1:1e999", "1e999"),
        (b"1 1:1_000", "1_000"),
        (b"1 1:2,5", "2,5"),
        (b"1 1:", "1:"),
        (b"1 1", "index:value"),
        (b"1 :2", ":2"),
        (b"1 1 :2", "index:value"),
        (b"1 1: 2", "1:"),
        (b"1 a:2", "a:2"),
        (b"1 1.5:2", "1.5:2"),
        (b"1 0:2", "index 0"),
        (b"1 -1:2", "-1:2"),
        (b"1 2:1 1:2", "ascend"),
        (b"1 2:1 2:2", "ascend"),
        (b"1 2147483648:1", "2147483647"),
        (b"1 99999999999999999999999:1", "2147483647"),
        (b"1 1:2\x00", "1:2"),
        (b"\x00", "label"),
        (b"1 1:\xff\xfe", "1:"),
        ("1 1:٣".encode(), "1:"),
        (b"1 qid:x 1:2", "qid"),
    ],
)
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b""])
def test_a_bad_line_is_named_by_its_number_and_its_word(line, word, newline):
    for before, number in ((b"", 1), (GOOD, 3), (b"# c\n\n" + GOOD, 5)):
        with pytest.raises(ValueError, match=rf"^line {number}: ") as refusal:
            load_libsvm(io.BytesIO(before + line + newline))
        assert word in str(refusal.value)
        assert len(str(refusal.value)) < 200


def test_an_index_beyond_the_number_of_features_is_named():
    with pytest.raises(ValueError, match=r"line 2: .*n_features"):
        load_libsvm(io.BytesIO(GOOD), n_features=1)


def test_a_value_beyond_float32_is_refused_for_float32_only():
    assert load_libsvm(io.BytesIO(b"1 1:1e39"))[0][0, 0] == 1e39
    with pytest.raises(ValueError, match=r"line 1: .*float32"):
        load_libsvm(io.BytesIO(b"1 1:1e39"), dtype=np.float32)


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_a_file_without_rows_is_refused(text):
    with pytest.raises(ValueError, match="no samples"):
        load_libsvm(io.BytesIO(text))


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_a_packed_file_cut_short_breaks_off_after_a_line(tmp_path, suffix, pack):
    packed = pack(b"".join(b"1 1:%d\n" % i for i in range(50_000)))
    path = tmp_path / f"cut{suffix}"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(ValueError, match=r"after line \d+"):
        load_libsvm(path)


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
@pytest.mark.parametrize("at", [10, 2000])
def test_a_packed_file_with_broken_bytes_is_refused(tmp_path, suffix, pack, at):
    packed = bytearray(pack(b"".join(b"1 1:%d\n" % i for i in range(50_000))))
    packed[at : at + 40] = b"\xff" * 40
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(packed)
    with pytest.raises(ValueError, match="line"):
        load_libsvm(path)


def test_a_file_that_is_not_packed_is_refused(tmp_path):
    path = tmp_path / "plain.gz"
    path.write_bytes(GOOD)
    with pytest.raises(ValueError, match=r"line 0.*[Nn]ot a gzipped"):
        load_libsvm(path)


def test_a_missing_file_and_a_directory_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt"):
        load_libsvm(tmp_path / "nowhere.txt")
    with pytest.raises((IsADirectoryError, PermissionError), match=tmp_path.name):
        load_libsvm(tmp_path)


@posix
def test_an_unreadable_file_is_named(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("nothing is unreadable for root")
    path = tmp_path / "secret.txt"
    path.write_bytes(GOOD)
    path.chmod(0)
    with pytest.raises(PermissionError, match=r"secret\.txt"):
        load_libsvm(path)


def test_a_text_stream_is_refused():
    with pytest.raises(TypeError, match="binary"):
        load_libsvm(io.StringIO("1 1:2\n"))


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"n_features": 0}, "n_features"),
        ({"n_features": -1}, "n_features"),
        ({"n_features": 2.5}, "n_features"),
        ({"n_features": 2**70}, "n_features"),
        ({"dtype": np.int32}, "dtype"),
        ({"dtype": "no such type"}, "dtype|no such type"),
    ],
)
def test_options_outside_their_domain_are_named(options, name):
    with pytest.raises((ValueError, TypeError), match=name):
        load_libsvm(io.BytesIO(GOOD), **options)


class AlarmError(TimeoutError):
    """What a handler of signals raises, in the middle of whatever is done."""


def interrupted(*_, **__):
    raise AlarmError


class Interrupted(io.BytesIO):
    read = read1 = readinto = readinto1 = interrupted


def test_the_exception_of_a_signal_handler_is_not_taken_for_a_broken_file(monkeypatch, tmp_path):
    with pytest.raises(AlarmError):
        load_libsvm(Interrupted())
    for name in ("rows.csv", "rows.npz"):
        (tmp_path / name).write_text("1,a\n2,b\n")
    monkeypatch.setattr(
        _text_lines, "open_binary", lambda path: contextlib.nullcontext(Interrupted())
    )
    monkeypatch.setattr(zipfile, "ZipFile", interrupted)
    for name in ("rows.csv", "rows.npz"):
        with pytest.raises(AlarmError):
            datasets.read(tmp_path / name)
