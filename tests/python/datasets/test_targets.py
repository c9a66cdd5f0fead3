"""Files with the targets of a regression, in every format."""

import dataclasses
import gzip

import numpy as np
import pandas as pd
import pytest

import softmargin
from softmargin import SVR, OneClassSVM, datasets

TARGETS = np.array([1.0, 2.0, 2.5, -3.25, 1e-3, 7.0])
COLORS = ["red", "blue", "red", "green", "blue", "red"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The same six samples in files of all formats, in the current folder."""
    monkeypatch.chdir(tmp_path)
    size = np.arange(6.0)
    frame = pd.DataFrame({"size": size, "color": COLORS, "price": TARGETS})
    frame.to_csv("some.csv", index=False)
    frame.to_csv("some.tsv", index=False, sep="\t", header=False)
    rows = frame.to_csv(index=False, header=False)
    attributes = ["size numeric", "color {red,blue,green}", "price real"]
    head = "".join(f"@attribute {each}\n" for each in attributes)
    (tmp_path / "some.arff").write_text(f"@relation r\n{head}@data\n{rows}")
    softmargin.dump_libsvm(size[:, None], TARGETS, "some.svm")
    np.savez("some.npz", X=size[:, None], y=TARGETS)
    return tmp_path


@pytest.mark.parametrize("name", ["some.csv", "some.tsv", "some.arff", "some.svm", "some.npz"])
def test_targets_are_numbers_in_every_format(folder, name):
    data = datasets.read(name, targets=True)
    assert data.y.dtype == np.float64
    np.testing.assert_array_equal(data.y, TARGETS)
    np.testing.assert_array_equal(data.labels, TARGETS)
    assert data.has_targets
    assert data.n_classes == len(data.classes) == 0
    assert repr(data).endswith("targets)")
    assert not datasets.read(name).has_targets


def test_whole_numbers_are_targets_too(folder):
    pd.DataFrame({"a": [1, 2, 3], "b": [10, 20, 10]}).to_csv("whole.csv", index=False)
    np.savez("whole.npz", X=np.eye(3), y=np.array([10, 20, 10]))
    np.savez("codes.npz", X=np.eye(3), y=np.array([0, 1, 0]), classes=np.array([10, 20]))
    np.savez("text.npz", X=np.eye(3), y=np.array(["10", "20", "10"]))
    for name in ("whole.csv", "whole.npz", "codes.npz", "text.npz"):
        found = datasets.read(name, targets=True)
        assert found.y.dtype == np.float64
        assert found.y.tolist() == [10.0, 20.0, 10.0]


@pytest.mark.case(109)
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "size,price\n1,2\n2,cheap\n3,dear\n", "line 3: 'cheap' in column 'price' is not"),
        ("a.csv", "size,price\n1,2\n2,\n", "line 3: missing value '' in column 'price'"),
        ("a.csv", "size,price\n1,2\n2,inf\n", "line 3: 'inf' in column 'price' is not a finite"),
        ("a.csv", "size,price\n1,2\n2,1e999\n", "line 3: '1e999' in column 'price'"),
        (
            "a.csv",
            "size,price\n" + "1,2\n" * 5000 + "x,2\n1,cheap\n",
            "line 5003: 'cheap' in column 'price'",
        ),
        (
            "a.arff",
            "@relation r\n@attribute a real\n@attribute p {x,y}\n@data\n1,x\n2,y\n",
            "line 5: 'x' in column 'p' is not a number; the targets of a regression are numbers",
        ),
        ("a.svm", "1.5 1:2\ncheap 1:3\n", "line 2"),
    ],
)
def test_text_in_the_target_column_is_named(folder, name, content, said):
    (folder / name).write_text(content)
    with pytest.raises(ValueError, match=said):
        datasets.read(name, targets=True)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"y": np.array(["1", "cheap", "3"])}, "label of row 1 is 'cheap', but the targets of"),
        ({"y": np.array([1j, 2, 3])}, "y has dtype complex128"),
        ({"y": np.array([1.0, np.nan, 3.0])}, "y contains NaN at row 1"),
        ({"y": np.array([1.0, np.inf, 3.0])}, "y contains inf at row 1"),
        ({"y": np.array([1, 0, 1]), "classes": np.array(["3", "b"])}, "label of row 0 is 'b'"),
    ],
)
def test_arrays_that_are_no_targets_are_refused(folder, arrays, said):
    np.savez("a.npz", X=np.eye(3), **arrays)
    with pytest.raises(ValueError, match=rf"a\.npz.*{said}"):
        datasets.read("a.npz", targets=True)


def test_a_nominal_attribute_of_numbers_is_a_target(folder):
    text = "@relation r\n@attribute p {10,2.5}\n@attribute a real\n@data\n10,1\n2.5,2\n"
    (folder / "a.arff").write_text(text)
    assert datasets.read("a.arff", "p", targets=True).y.tolist() == [10.0, 2.5]
    (folder / "sparse.arff").write_text(text.split("10,1")[0] + "{1 3}\n{0 2.5,1 4}\n")
    assert datasets.read("sparse.arff", "p", targets=True).y.tolist() == [10.0, 2.5]
    numeric = "@relation r\n@attribute a real\n@attribute p real\n@data\n{0 1}\n{0 2,1 -1.5}\n"
    (folder / "numeric.arff").write_text(numeric)
    assert datasets.read("numeric.arff", targets=True).y.tolist() == [0.0, -1.5]


def test_samples_with_a_missing_target_are_dropped_if_asked(folder):
    (folder / "a.csv").write_text("size,price\n1,2\n2,?\n3,4\n")
    assert datasets.read("a.csv", targets=True, missing="drop").y.tolist() == [2.0, 4.0]


def test_another_table_is_read_by_the_schema(folder):
    first = datasets.read("some.csv", targets=True)
    assert first.schema.has_targets
    frame = pd.read_csv("some.csv")[::-1]
    frame[["price", "color", "size"]].to_csv("other.csv", index=False)
    for options in ({}, {"targets": True}):
        other = datasets.read("other.csv", schema=first.schema, **options)
        np.testing.assert_array_equal(other.y, TARGETS[::-1])
        np.testing.assert_array_equal(other.X, first.X[::-1])
    frame.assign(price=np.arange(6) * 100.5).to_csv("new.csv", index=False)  # no classes
    assert datasets.read("new.csv", schema=first.schema).y[-1] == 502.5
    frame.drop(columns="price").to_csv("none.csv", index=False)
    assert datasets.read("none.csv", schema=first.schema).y is None
    frame.assign(price=None).to_csv("empty.csv", index=False)
    assert datasets.read("empty.csv", schema=first.schema).y is None
    frame.assign(price=[1, 2, None, 4, 5, 6]).to_csv("some-missing.csv", index=False)
    with pytest.raises(ValueError, match="line 4: the target is missing, but other samples have"):
        datasets.read("some-missing.csv", schema=first.schema)
    assert datasets.read("some-missing.csv", schema=first.schema, labels=False).y is None
    frame.assign(price="cheap").to_csv("text.csv", index=False)
    with pytest.raises(ValueError, match="line 2: 'cheap' in column 'price' is not a number"):
        datasets.read("text.csv", schema=first.schema)
    by_position = datasets.read("some.tsv", targets=True).schema
    again = datasets.read("some.tsv", schema=by_position)
    np.testing.assert_array_equal(again.y, TARGETS)


def test_a_table_of_classes_is_not_read_as_targets(folder):
    classes = datasets.read("some.csv").schema
    with pytest.raises(ValueError, match="targets=True cannot be combined with the schema"):
        datasets.read("some.csv", schema=classes, targets=True)
    with pytest.raises(TypeError, match="targets = 'yes'"):
        datasets.read("some.csv", targets="yes")


def test_the_schema_is_stored_with_a_regressor(folder):
    data = datasets.read("some.csv", targets=True)
    model = SVR(C=100).fit(data.X, data.labels)
    softmargin.save(model, "m", schema=data.schema)
    schema = datasets.load_schema("m")
    assert schema == data.schema
    np.testing.assert_array_equal(datasets.read("some.csv", schema=schema).y, TARGETS)
    with pytest.raises(ValueError, match="the model is a regressor, but the schema is"):
        softmargin.save(model, "n", schema=datasets.read("some.csv").schema)
    with pytest.raises(ValueError, match="the schema has 4 features, but the model has 3"):
        softmargin.save(SVR().fit(data.X[:, :3], data.y), "n", schema=data.schema)
    classifier = softmargin.SVC().fit(data.X, data.y > 1)
    with pytest.raises(ValueError, match="the model is a classifier, but the schema is"):
        softmargin.save(classifier, "n", schema=data.schema)


def test_a_novelty_detector_stores_no_labels(folder):
    data = datasets.read("some.csv", "color")
    softmargin.save(OneClassSVM().fit(data.X), "m", schema=data.schema)
    schema = datasets.load_schema("m")
    assert schema == dataclasses.replace(data.schema, labels=())
    pd.DataFrame({"size": [1.0], "price": [2.0], "color": ["pink"]}).to_csv("o.csv", index=False)
    other = datasets.read("o.csv", schema=schema)  # a label of any value, without a warning
    assert other.labels.tolist() == ["pink"]
    everything = datasets.read("some.csv", labels=False)
    model = OneClassSVM().fit(everything.X)
    softmargin.save(model, "m", schema=everything.schema)
    again = datasets.read("some.csv", schema=datasets.load_schema("m"))
    np.testing.assert_array_equal(again.X, everything.X)


def test_parts_of_a_data_set_are_joined(folder):
    from softmargin.datasets._lookup import load_for
    from softmargin.datasets._request import Request

    softmargin.dump_libsvm(np.eye(2), [0.5, 1.5], "house")
    with gzip.open("house.t.gz", "wt") as stream:
        stream.write("2.5 3:1\n")
    data = load_for(Request(targets=True), "house", folder)
    assert data.y.tolist() == [0.5, 1.5, 2.5]
    assert data.X.shape == (3, 3)
    X, y, _, y_test = data.split()
    assert (y.tolist(), y_test.tolist(), X.shape) == ([0.5, 1.5], [2.5], (2, 3))
    wine = load_for(Request(targets=True), "wine", folder)
    assert set(wine.y.tolist()) == {0.0, 1.0, 2.0}
    with pytest.raises(ValueError, match="the label of row 0 is 'setosa'"):
        load_for(Request(targets=True), "iris", folder)
