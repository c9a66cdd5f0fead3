"""Files that are no tables, or no files, are refused with the file, the line and the fault."""

import bz2
import gc
import gzip
import tracemalloc

import pytest

from softmargin import datasets
from softmargin._checks import resources

FORMATS = [".csv", ".tsv", ".data", ".arff", ".svm", ".npz", ".txt"]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("1,2,a\n3,b\n", "line 2 has 2 values, but line 1 has 3"),
        ("a,b,kind\n1,2,u\n\n3,4,5,v\n", "line 4 has 4 values, but line 1 has 3"),
        ("1,2,a\n3,?,b\n", r"line 2: missing value '\?' in column '1'.*missing='drop'"),
        ("x,y,kind\n1,,a\n", "line 2: missing value '' in column 'y'"),
        ("1,2,a\n3,4,\n", "line 2: missing value '' in column '2'"),
        ("1,2,a\n3,inf,b\n", "line 2: 'inf' in column '1' is not a finite number"),
        ("1,2,a\n3,1e999,b\n", "line 2: '1e999' in column '1'"),
        ('1,2,a\n3,"4,b\n', "line 2: unexpected end of data"),
        ('1,2,a\n3,"4"x,b\n', "line 2: "),
        ("1\n2\n", "one column"),
        ("a,b,kind\n", "no samples"),
        ("1,2,a\n3,4\0,b\n", "line 2 contains a NUL byte"),
        (b"1,2,a\n3,4,\xff\n", "line 2 is not valid UTF-8"),
        (f"1,2,{'a' * 300}\n3,4,b\n", "label 'aaa.* of 300 characters"),
        (f"1,2,{'a' * 100_000}\n3,4,b\n", "of 100,000 characters"),
        # Python's own limit for a field, which any library may raise.
        (f"1,2,{'a' * 200_000}\n3,4,b\n", r"line 1: field larger|of 200,000 characters"),
    ],
)
def test_a_bad_line_is_named(refused, text, match):
    is_named = isinstance(text, str) and "kind" in text
    refused(text, match, header=None if is_named else False)


@pytest.mark.parametrize(
    ("label_column", "match"),
    [
        ("colour", "no column has this name; the columns are 'a', 'b', 'a'"),
        ("a", "two columns have this name"),
        (3, "label_column = 3 is not valid: there are 3 columns"),
        (-4, "label_column = -4"),
    ],
)
def test_a_column_that_is_not_there_is_named(refused, label_column, match):
    refused("a,b,a\n1,2,3\n", match, label_column=label_column)


def test_a_name_needs_names(refused):
    refused("1,2\n3,4\n", "the columns have no names", label_column="kind", header=False)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("content", [b"", b"\n", b" \n\n"])
def test_an_empty_file_is_refused(refused, ending, content):
    refused(content, "no samples|is empty|line @data is missing|not a valid npz", f"bad{ending}")


@pytest.mark.parametrize("ending", FORMATS)
def test_a_missing_file_and_a_folder_are_named(tmp_path, ending):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        datasets.read(tmp_path / f"nowhere{ending}")
    folder = tmp_path / f"folder{ending}"
    folder.mkdir()
    with pytest.raises((IsADirectoryError, PermissionError), match="folder"):
        datasets.read(folder)


@pytest.mark.parametrize("ending", [".csv", ".arff", ".svm"])
@pytest.mark.parametrize(("packed", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_packed_bytes_that_are_broken_or_none_are_refused(refused, ending, packed, pack):
    text = b"@attribute a real\n@attribute b real\n@data\n" if ending == ".arff" else b""
    text += b"".join(b"%d%s\n" % (n, b"" if ending == ".svm" else b",1") for n in range(1, 50_000))
    name = f"bad{ending}{packed}"
    refused(text, "cannot read the file after line 0", name)
    refused(pack(text)[:-1000], r"cannot read the file after line \d", name)


@pytest.mark.parametrize("name", ["bad.xlsx", "bad.npy", "bad.npz.gz", "bad.parquet"])
def test_an_unknown_ending_is_refused_with_the_known_ones(refused, name):
    refused(b"1,2\n", r"expected one of \.npz .*\.svm .*\.csv .*\.arff", name)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("some.npz", {"label_column": 0}),
        ("some.svm", {"missing": "drop"}),
        ("some.arff", {"header": True}),
        ("some.csv", {"missing": "ignore"}),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, name, options):
    (tmp_path / name).write_bytes(b"1,2\n")
    with pytest.raises(ValueError, match=next(iter(options))):
        datasets.read(tmp_path / name, **options)


@pytest.mark.parametrize("option", ["label_column", "header"])
def test_an_option_of_another_type_is_named(tmp_path, option):
    (tmp_path / "some.csv").write_bytes(b"1,2\n3,4\n")
    with pytest.raises(TypeError, match=rf"{option} = 1\.5"):
        datasets.read(tmp_path / "some.csv", **{option: 1.5})


def test_a_line_of_libsvm_text_is_named_with_its_file(refused):
    refused(b"1 1:2\n1 1:x\n", "line 2: ", "bad.svm")


def test_a_column_where_every_word_differs_takes_no_square_of_memory(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("".join(f"w{number},{number % 2}\n" for number in range(20_000)))
    (tmp_path / "few.csv").write_text("a,1\nb,2\n")
    datasets.read(tmp_path / "few.csv", header=False)  # imports are not counted
    gc.collect()
    tracemalloc.start()
    found = datasets.read(path, header=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.X.shape == (20_000, 20_000)
    assert peak < 5e7


def test_labels_that_floats_do_not_tell_apart_stay_apart(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(f"1,{2**53}\n2,{2**53 + 1}\n")
    assert datasets.read(path).classes.tolist() == [2**53, 2**53 + 1]


def test_labels_that_are_declared_as_numbers_and_not_told_apart_are_refused(refused):
    text = f"@attribute a real\n@attribute b real\n@data\n1,{2**53}\n2,{2**53 + 1}\n"
    refused(text, r"column 'b' has a label of 2\^53 or more", "bad.arff")


@pytest.mark.parametrize(
    ("cells", "match"),
    [
        ([f"{number},5" for number in range(40)], r"column 'x' looks numeric, but '0,5' has a"),
        ([*map(str, range(40)), "1.2O"], r"column 'x' looks numeric, but '1.2O' is not a number"),
    ],
    ids=["comma", "letter"],
)
def test_numbers_that_become_words_are_told(tmp_path, cells, match):
    path = tmp_path / "rows.csv"
    path.write_text("x;kind\n" + "".join(f"{cell};{cell in cells[:9]}\n" for cell in cells))
    with pytest.warns(UserWarning, match=match):
        found = datasets.read(path)
    assert found.X.shape[1] == len(cells)


@pytest.mark.parametrize(
    "cells", [[f"word {number}" for number in range(40)], ["1", "2", "3", "more"] * 10]
)
def test_words_are_words(tmp_path, cells):
    path = tmp_path / "rows.csv"
    path.write_text("x;kind\n" + "".join(f"{c};{place % 2}\n" for place, c in enumerate(cells)))
    assert datasets.read(path).X.shape[1] == len(set(cells))


def test_rows_that_need_more_memory_than_there_is_are_refused_first(tmp_path, monkeypatch):
    path = tmp_path / "rows.arff"
    attributes = "".join(f"@attribute a{number} {{x,y,z}}\n" for number in range(100))
    path.write_text("@relation r\n" + attributes + "@data\n" + "{}\n{0 y}\n" * 500)
    assert datasets.read(path, "a0").X.shape == (1000, 297)
    monkeypatch.setattr(resources, "memory_bytes", lambda: 4e6)
    with pytest.raises(MemoryError, match=r"99 nominal attributes of 1,000 rows"):
        datasets.read(path, "a0")
