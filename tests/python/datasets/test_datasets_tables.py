"""Tables in text: values as pandas reads them, words as scikit-learn encodes them."""

import bz2
import gzip

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder

from softmargin import datasets


@pytest.fixture
def write(tmp_path):
    def to_file(text, name="some.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return to_file


def dense(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_numbers_read_back_to_the_bit(tmp_path, rng, header, separator):
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=list("abc"))
    frame["kind"] = rng.choice(["u", "v", "w"], size=50)
    path = tmp_path / "some.csv"
    frame.to_csv(path, index=False, header=header, sep=separator)
    found = datasets.read(path)
    np.testing.assert_array_equal(found.X, frame[list("abc")].to_numpy())
    assert found.labels.tolist() == frame["kind"].tolist()


@pytest.mark.parametrize("n_words", [1, 2, 3, 40])
def test_words_become_what_scikit_learns_one_hot_encoder_makes(tmp_path, rng, n_words):
    words = np.array([f"word {number}" for number in range(n_words)])
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.choice(words, size=300)})
    frame["c"], frame["kind"] = rng.integers(5, size=300), rng.integers(3, size=300)
    frame.to_csv(tmp_path / "some.csv", index=False)
    encoder = make_column_transformer(
        ("passthrough", ["a"]),
        (OneHotEncoder(drop="if_binary") if n_words > 1 else "drop", ["b"]),
        ("passthrough", ["c"]),
    )
    expected = dense(encoder.fit_transform(frame))
    found = datasets.read(tmp_path / "some.csv")
    if n_words == 1:  # one word tells nothing: a column of zeros
        expected = np.insert(expected, 1, 0, axis=1)
    np.testing.assert_array_equal(dense(found.X), expected)
    assert sp.issparse(found.X) == (n_words == 40)
    assert found.labels.tolist() == frame["kind"].tolist()


@settings(max_examples=30)
@given(
    table=st.lists(
        st.tuples(st.text(min_size=1, max_size=5), st.floats(-9, 9)), min_size=3, max_size=20
    )
)
def test_any_quoted_word_is_a_label(tmp_path_factory, table):
    frame = pd.DataFrame(table, columns=["kind", "a"])
    kinds = "_" + frame["kind"].str.replace(r"[\s\0\ud800-\udfff]", "", regex=True)
    frame["kind"] = kinds
    path = tmp_path_factory.mktemp("words") / "some.csv"
    frame.to_csv(path, index=False, quoting=2)
    found = datasets.read(path, "kind")
    assert found.labels.tolist() == kinds.tolist()
    np.testing.assert_array_equal(found.X[:, 0], frame["a"])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("height,kind\n1,a\n2,b\n", 2),
        ("height,kind\n1,0\n2,1\n", 2),
        ("1,a\n2,b\n3,a\n", 3),
        ("red,a\nblue,b\nred,a\n", 3),
        ("colour,kind\nblue,b\nred,a\n", 2),
        ("0,1,target\n5,6,0\n7,8,1\n", 2),
        ("x1,x2,y\n?,2,a\n3,4,b\n", 1),
        ("5more,2,a\n3,4,b\n5more,2,b\n", 3),
    ],
)
def test_a_line_of_names_is_told_from_a_row(write, text, rows):
    assert datasets.read(write(text), missing="drop").n_rows == rows


def test_names_can_be_asked_for_or_denied(write):
    path = write("red,a\nblue,b\n")
    assert datasets.read(path, header=True).n_rows == 1
    assert datasets.read(path, header=False).n_rows == 2


@pytest.mark.parametrize("column", ["kind", 1, -2, np.int64(1)])
def test_the_labels_are_in_any_column(write, column):
    found = datasets.read(write("a,kind,b\n1,u,2\n3,v,4\n"), column)
    assert found.labels.tolist() == ["u", "v"]
    assert found.X.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("mark", ["", "?", "NA", "nan", "NaN", "null", " "])
def test_rows_with_a_missing_value_can_be_left_out(write, mark):
    found = datasets.read(write(f"a,b,kind\n1,2,u\n3,{mark},v\n5,6,w\n"), missing="drop")
    assert found.X.tolist() == [[1, 2], [5, 6]]
    assert found.classes.tolist() == ["u", "w"]


@pytest.mark.parametrize(
    "text",
    [
        "1, 2, u\r\n3, 4, v\r\n",
        "\n1,2,u\n\n3,4,v",
        '"1","2","u"\n3,4,v\n',
        "\ufeff1,2,u\n3,4,v\n",
        "1,2,u\n+3.,.4e1,v\n",
    ],
)
def test_spaces_blank_lines_quotes_and_byte_order_marks_do_not_matter(write, text):
    found = datasets.read(write(text), header=False)
    assert found.X.tolist() == [[1, 2], [3, 4]]
    assert found.labels.tolist() == ["u", "v"]


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_packed_tables(tmp_path, ending, pack):
    path = tmp_path / f"some.data{ending}"
    path.write_bytes(pack(b"1,u\n2,v\n"))
    found = datasets.read(path, header=False)
    assert (found.name, found.X.ravel().tolist()) == ("some", [1, 2])


def test_many_blocks_and_a_word_at_the_end_of_a_column(write):
    lines = [f"{number},{number % 3}" for number in range(10_000)]
    assert datasets.read(write("\n".join(lines))).X.ravel().tolist() == list(range(10_000))
    with pytest.warns(UserWarning, match="looks numeric, but 'last' is not a number"):
        found = datasets.read(write("\n".join([*lines, "last,1"])))
    assert found.X.shape == (10_001, 10_001)  # numbers and a word: all are words
    assert found.X.nnz == 10_001
