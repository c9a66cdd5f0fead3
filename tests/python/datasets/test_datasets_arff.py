"""ARFF files: as scipy reads them where it can, sparse rows as the dense ones they stand for."""

import io

import numpy as np
import pytest
import scipy.io.arff
import scipy.sparse as sp

from softmargin import datasets

HEAD = """% made by hand
@RELATION 'some plants'

@attribute height REAL
@Attribute colour {red, 'light green', blue}
@attribute 'is tall' {no,yes}
@ATTRIBUTE leaves integer
@attribute class {oak,elm,ash}
@data
"""
DENSE = (
    HEAD
    + """1.5,'light green',yes,3,oak
% a comment
-2e-1 , red , no , 0 , elm

0,blue,no,-7,oak
"""
)
SPARSE = (
    HEAD
    + """{0 1.5, 1 'light green', 2 yes, 3 3}
{0 -2e-1, 4 elm}
{ 1 blue , 3 -7 }
"""
)


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "plants.arff"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return datasets.read(path, **options)

    return from_text


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def test_values_are_those_of_scipy(read):
    found = read(DENSE)
    rows, meta = scipy.io.arff.loadarff(io.StringIO(DENSE.replace(" , ", ",")))
    np.testing.assert_array_equal(found.X[:, 0], rows["height"])
    np.testing.assert_array_equal(found.X[:, 5], rows["leaves"])
    colours = np.array(meta["colour"][1])[found.X[:, 1:4].argmax(axis=1)]
    np.testing.assert_array_equal(colours, rows["colour"].astype(str))
    np.testing.assert_array_equal(found.X[:, 4], rows["is tall"] == b"yes")
    np.testing.assert_array_equal(found.labels, rows["class"].astype(str))


def test_nominal_values_are_in_the_order_of_their_declaration(read):
    assert dense(read(DENSE).X).tolist() == [
        [1.5, 0, 1, 0, 1, 3],
        [-0.2, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, -7],
    ]


def test_a_sparse_file_is_the_dense_one_it_stands_for(read):
    plain, sparse = read(DENSE), read(SPARSE)
    assert sp.issparse(sparse.X)
    np.testing.assert_array_equal(sparse.X.toarray(), dense(plain.X))
    assert sparse.labels.tolist() == plain.labels.tolist()
    assert (sparse.X.data != 0).all()


def test_classes_that_do_not_occur_are_left_out(read):
    assert read(DENSE).classes.tolist() == ["elm", "oak"]


@pytest.mark.parametrize(
    ("label_column", "labels"),
    [
        ("is tall", ["yes", "no", "no"]),
        (1, ["light green", "red", "blue"]),
        ("leaves", [3, 0, -7]),
        (-1, ["oak", "elm", "oak"]),
    ],
)
@pytest.mark.parametrize("text", [DENSE, SPARSE])
def test_any_attribute_can_be_the_label(read, label_column, labels, text):
    assert read(text, label_column=label_column).labels.tolist() == labels


def test_without_an_attribute_class_the_last_is_the_label(read):
    head = "@relation r\n@attribute {0} {{1,2}}\n@attribute b {{3,4}}\n@data\n1,3\n2,3\n"
    assert read(head.format("a")).labels.tolist() == [3, 3]
    assert read(head.format("Class")).labels.tolist() == [1, 2]


def test_words_may_be_labels(read):
    text = "@attribute a real\n@attribute b string\n@data\n1,'x, y'\n2,\"it's\"\n3,it\\s\n"
    assert read(text).labels.tolist() == ["x, y", "it's", "it\\s"]


def test_quotes_and_comments_in_declarations(read):
    head = '@attribute "a b" real % in metres\n@attribute b {\'it\\\'s\', "a \\"b\\""} % words\n'
    found = read(head + '@data\n1,\'it\\\'s\'\n2,"a \\"b\\""\n')
    assert found.labels.tolist() == ["it's", 'a "b"']


@pytest.mark.parametrize("row", ["4,?,no,1,elm\n", "?,red,no,1,elm\n", "4,red,no,1,?\n"])
def test_rows_with_a_missing_value_can_be_left_out(read, row):
    assert read(DENSE + row, missing="drop").n_rows == 3


def test_a_sparse_row_with_a_missing_value_can_be_left_out(read):
    assert read(SPARSE + "{3 ?}\n{}\n", missing="drop").labels.tolist() == [
        "oak",
        "elm",
        "oak",
        "oak",
    ]


def test_comments_may_be_in_any_encoding(read):
    assert read(b"% Universit\xe4t\n" + DENSE.encode()).n_rows == 3


def test_more_rows_than_a_block(read, rng):
    X = np.round(rng.normal(size=(5000, 3)), 6) * (rng.random((5000, 3)) < 0.4)
    head = "".join(f"@attribute {name} real\n" for name in "abc")
    head += "@attribute class {0,1}\n@data\n"
    y = rng.integers(2, size=5000)
    lines = [
        "{" + ", ".join([*(f"{j} {v!r}" for j, v in enumerate(row.tolist()) if v), f"3 {k}"]) + "}"
        for row, k in zip(X, y, strict=True)
    ]
    found = read(head + "\n".join(lines))
    np.testing.assert_array_equal(found.X.toarray(), X)
    np.testing.assert_array_equal(found.y, y)
