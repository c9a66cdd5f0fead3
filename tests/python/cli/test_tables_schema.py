"""A second file is read with the schema of the first: same columns, same codes."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from softmargin import datasets

HEAD = "@relation r\n@attribute size real\n@attribute colour {}\n@attribute tall {}\n"
KIND = "@attribute kind {}\n@data\n"
TRAIN = HEAD.format("{red,green,blue}", "{no,yes}") + KIND.format("{a,b}")
TRAIN += "1,red,no,a\n2,green,yes,b\n0,blue,no,a\n3,red,yes,b\n"
# The same values of other declarations, whose first values sparse rows leave out.
OTHER = HEAD.format("{violet,blue,red,green}", "{yes,no}") + KIND.format("{b,a,c}")
DENSE = OTHER + "1,red,no,a\n2,green,yes,b\n0,blue,no,a\n3,red,yes,b\n"
SPARSE = OTHER + "{0 1, 1 red, 2 no, 3 a}\n{0 2, 1 green}\n{1 blue, 2 no, 3 a}\n{0 3, 1 red}\n"
TABLE = "tall;kind;colour;size\nno;a;red;1\nyes;b;green;2\nno;a;blue;0\nyes;b;red;3\n"
FILES = {"dense.arff": DENSE, "sparse.arff": SPARSE, "table.csv": TABLE, "train.arff": TRAIN}


@pytest.fixture
def write(tmp_path):
    def to_file(text, name="some.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return to_file


def dense(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.case(99)
@pytest.mark.parametrize("first", FILES)
@pytest.mark.parametrize("second", FILES)
def test_every_format_is_read_by_the_schema_of_every_other(write, first, second):
    train = datasets.read(write(FILES[first], first), "kind")
    again = datasets.read(write(FILES[second], second), schema=train.schema)
    np.testing.assert_array_equal(dense(again.X), dense(train.X))
    assert sp.issparse(again.X) == sp.issparse(train.X)
    assert again.labels.tolist() == train.labels.tolist()
    assert again.y.tolist() == train.y.tolist()
    assert again.schema is train.schema


def test_a_first_value_that_training_does_not_know_is_refused_where_a_row_leaves_it_out(write):
    schema = datasets.read(write(TRAIN, "train.arff")).schema
    path = write(SPARSE + "{0 4}\n", "sparse.arff")
    with pytest.raises(ValueError, match="line 11: column 'colour' has the unknown category 'vio"):
        datasets.read(path, schema=schema)


@pytest.mark.parametrize("n_words", [2, 3, 40])
def test_rows_are_dense_or_sparse_as_in_training(write, rng, n_words):
    words = np.array([f"word {number}" for number in range(n_words)])
    frame = pd.DataFrame({"b": words[np.arange(300) % n_words], "a": rng.normal(size=300)})
    frame["kind"] = rng.integers(3, size=300)
    train = datasets.read(write(frame.to_csv(index=False)))
    part = frame[:30].assign(a=0)
    found = datasets.read(write(part[["kind", "a", "b"]].to_csv(index=False)), schema=train.schema)
    assert type(found.X) is type(train.X)
    assert sp.issparse(found.X) == (n_words == 40)
    expected = dense(train.X)[:30]
    expected[:, -1] = 0
    np.testing.assert_array_equal(dense(found.X), expected)


@pytest.mark.case(100)
@pytest.mark.parametrize("labels", [None, False])
def test_a_file_without_labels_has_none(write, labels):
    train = datasets.read(write("x,kind\n1,a\n2,b\n"))
    found = datasets.read(write("x\n5\n6\n"), schema=train.schema, labels=labels)
    assert (found.y, found.labels, len(found.classes)) == (None, None, 0)
    assert repr(found) == "Dataset('some': 2 samples, 1 features, no labels)"
    assert found.X.ravel().tolist() == [5, 6]
    with pytest.raises(ValueError, match=r"label column 'kind' is missing\. Use labels=False to"):
        datasets.read(write("x\n5\n6\n"), schema=train.schema, labels=True)


def test_without_a_schema_and_labels_all_columns_are_features(write, tmp_path):
    found = datasets.read(write("x,kind\n1,a\n2,b\n"), labels=False)
    assert found.X.tolist() == [[1, 0], [2, 1]]
    assert found.schema.label is None
    again = datasets.read(write("kind,x\nb,7\n"), schema=found.schema)
    assert again.X.tolist() == [[7, 1]]
    np.savez(tmp_path / "some.npz", X=np.eye(2))
    assert datasets.read(tmp_path / "some.npz", labels=False).y is None
    assert datasets.read(write("1 1:2\n", "some.svm"), labels=False).y is None


def test_new_labels_come_after_those_of_training(write):
    train = datasets.read(write("x,kind\n1,m\n2,k\n"))
    with pytest.warns(UserWarning, match="the labels 'a', 'z' did not occur in the training data"):
        found = datasets.read(write("x,kind\n1,z\n2,k\n3,a\n"), schema=train.schema)
    assert found.classes.tolist() == ["k", "m", "a", "z"]
    assert found.labels.tolist() == ["z", "k", "a"]


def test_options_that_do_not_go_together_are_refused(write, tmp_path):
    path = write("x,kind\n1,a\n2,b\n")
    schema = datasets.read(path).schema
    with pytest.raises(ValueError, match="label_column = 'kind' cannot be combined with labels"):
        datasets.read(path, "kind", labels=False)
    with pytest.raises(ValueError, match="label_column = 'x' is a feature of the training table"):
        datasets.read(path, "x", schema=schema)
    with pytest.raises(TypeError, match="schema = 'x' is not valid"):
        datasets.read(path, schema="x")
    with pytest.raises(TypeError, match=r"labels = 1\.5"):
        datasets.read(path, labels=1.5)
    with pytest.raises(ValueError, match="schema applies only to tables and ARFF files"):
        datasets.read(write("1 1:2\n", "some.svm"), schema=schema)
