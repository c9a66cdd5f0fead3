"""The columns of the training table in a model file: they come back, or the file is refused."""

import copy

import pytest

import hinge
from archives import parts, rebuild
from commands import call, stdout_of
from hinge import datasets

TEXT = "size,colour,kind\n" + "".join(
    f"{row},{('red', 'green', 'blue')[row % 3]},{1 + row % 2}.0\n" for row in range(12)
)


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some.csv").write_text(TEXT)
    return datasets.read("some.csv")


def test_the_schema_comes_back_and_is_what_the_command_line_stores(data):
    model = hinge.SVC(gamma="auto").fit(data.X, data.labels)
    hinge.save(model, "ours", schema=data.schema)
    assert datasets.load_schema("ours") == data.schema
    stdout_of("train", "some.csv", "theirs", "--set", "random_state=none", "-j", 1)
    assert datasets.load_schema("theirs") == data.schema
    assert stdout_of("predict", "some.csv", "ours") == stdout_of("predict", "some.csv", "theirs")
    model.save("bare")
    assert datasets.load_schema("bare") is None
    assert (hinge.load("ours").predict(data.X) == model.predict(data.X)).all()


def test_labels_that_the_model_never_saw_are_left_out(data, tmp_path):
    model = hinge.SVC().fit(data.X, data.labels)
    (tmp_path / "three.csv").write_text(TEXT.replace("11,blue,2.0", "11,blue,3.0"))
    schema = datasets.read("three.csv").schema
    hinge.save(model, "m", schema=schema)
    assert datasets.load_schema("m").labels == ("1.0", "2.0")
    assert schema.labels == ("1.0", "2.0", "3.0")


@pytest.mark.parametrize(
    ("fit", "match"),
    [
        (
            lambda data: (data.X, data.y),
            "the model has the classes 0, 1, but the schema has the la",
        ),
        (lambda data: (data.X, data.labels.astype(str)), "the model has the classes '1', '2'"),
        (lambda data: (data.X[:, 1:], data.labels), "has 4 features, but the model has 3"),
    ],
)
def test_a_schema_of_other_data_is_not_saved(data, fit, match):
    model = hinge.SVC().fit(*fit(data))
    with pytest.raises(ValueError, match=match):
        hinge.save(model, "m", schema=data.schema)
    with pytest.raises(TypeError, match="schema = 1 is not valid"):
        hinge.save(model, "m", schema=1)


def put(value, *place):
    """Return a change of one part of a schema; without a place, of all of it."""

    def change(schema):
        part = whole = {"schema": copy.deepcopy(schema)}
        *path, last = ("schema", *place)
        for name in path:
            part = part[name]
        part[last] = value
        return whole["schema"]

    return change


CHANGES = [
    (put([]), "is not an object with names"),
    (put(None), "is not an object with names"),
    (put({}), "it must have features, labels"),
    (put(1, "more"), "and no more"),
    (put([], "features"), "'features' is not a list"),
    (put({}, "features"), "'features' is not a list"),
    (put("colour", "features", 1), "not a name with its categories"),
    (put(["colour"], "features", 1), "not a name with its categories"),
    (put(["colour", "red"], "features", 1), "not a name with its categories"),
    (put([1, None], "features", 1), "not a name with its categories"),
    (put(["colour", [1, 2, 3]], "features", 1), "not a list of strings"),
    (put(["colour", []], "features", 1), "there are no categories of 'colour'"),
    (put(["colour", ["a", "a", "b"]], "features", 1), "two of the categories of 'colour'"),
    (put(["colour", None], "features", 1), "has 2 features, but the model has 4"),
    (put(["colour", list("abcde")], "features", 1), "has 6 features, but the model has 4"),
    (put(["colour", ["a", "b", "c" * 200_000]], "features", 1), "200,000 characters"),
    (put(["size", list("abc")], "features", 1), "two of the features are equal"),
    (put("size", "label"), "two of the columns are equal"),
    (put(None, "label"), "there must be labels exactly where"),
    (put(3, "label"), "'label' is not of type str"),
    (put(3, "label_place"), "label_place is not from 0 to 2"),
    (put(-1, "label_place"), "label_place is not from 0 to 2"),
    (put(True, "label_place"), "'label_place' is not of type int"),
    (put(1, "has_header"), "'has_header' is not of type bool"),
    (put("no", "is_sparse"), "'is_sparse' is not of type bool"),
    (put(False, "has_numeric_labels"), "the model has the classes 1, 2"),
    (put("1.0", "labels"), "the labels are not a list"),
    (put([1.0, 2.0], "labels"), "the labels are not a list"),
    (put(["2.0", "1.0"], "labels"), "not in ascending order"),
    (put(["1.0", "1.0"], "labels"), "two of the labels are equal"),
    (put(["1.0", "3.0"], "labels"), "the model has the classes 1, 2, but the schema has"),
    (put(["1.0", "2.0", "3.0"], "labels"), "labels that are no classes of the model"),
    (put(["1.0"], "labels"), "the model has the classes 1, 2"),
    (put(["one", "two"], "labels"), "the labels are not numbers"),
    (put([], "labels"), "there must be labels exactly where"),
]


@pytest.mark.parametrize(("change", "sentence"), CHANGES)
def test_a_schema_that_was_tampered_with_is_refused_in_one_sentence(data, change, sentence):
    stdout_of("train", "some.csv", "m", "--scale")
    header, arrays = parts("m")
    header["fitted"]["schema"] = change(header["fitted"]["schema"])
    rebuild("m", header, arrays)
    for read in (hinge.load, datasets.load_schema):
        with pytest.raises(ValueError, match=rf"^'m' is not a model.*'schema'.*{sentence}"):
            read("m")
    result = call("predict", "some.csv", "m")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert len(line) < 600
