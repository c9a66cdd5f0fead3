"""The columns of the training table in a model file: they come back, or the file is refused."""

import copy

import pytest

import softmargin
from archives import parts, rebuild
from commands import call, stdout_of
from softmargin import datasets

TEXT = "size,colour,kind\n" + "".join(
    f"{row},{('red', 'green', 'blue')[row % 3]},{1 + row % 2}.0\n" for row in range(12)
)


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some.csv").write_text(TEXT)
    return datasets.read("some.csv")


def test_the_schema_comes_back_and_is_what_the_command_line_stores(data):
    model = softmargin.SVC(gamma="auto").fit(data.X, data.labels)
    softmargin.save(model, "ours", schema=data.schema)
    assert datasets.load_schema("ours") == data.schema
    stdout_of("train", "some.csv", "theirs", "--set", "random_state=none", "-j", 1)
    assert datasets.load_schema("theirs") == data.schema
    assert stdout_of("predict", "some.csv", "ours") == stdout_of("predict", "some.csv", "theirs")
    model.save("bare")
    assert datasets.load_schema("bare") is None
    assert (softmargin.load("ours").predict(data.X) == model.predict(data.X)).all()


def test_labels_that_the_model_never_saw_are_left_out(data, tmp_path):
    model = softmargin.SVC().fit(data.X, data.labels)
    (tmp_path / "three.csv").write_text(TEXT.replace("11,blue,2.0", "11,blue,3.0"))
    schema = datasets.read("three.csv").schema
    softmargin.save(model, "m", schema=schema)
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
    model = softmargin.SVC().fit(*fit(data))
    with pytest.raises(ValueError, match=match):
        softmargin.save(model, "m", schema=data.schema)
    with pytest.raises(TypeError, match="schema = 1 is not valid"):
        softmargin.save(model, "m", schema=1)


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
    (put([]), "must be a JSON object"),
    (put(None), "must be a JSON object"),
    (put({}), "it must have exactly the fields features, labels"),
    (put(1, "more"), "exactly the fields"),
    (put([], "features"), "'features' must be a list"),
    (put({}, "features"), "'features' must be a list"),
    (put("colour", "features", 1), "must be a name and either its categories"),
    (put(["colour"], "features", 1), "must be a name and either its categories"),
    (put(["colour", "red"], "features", 1), "must be a name and either its categories"),
    (put([1, None], "features", 1), "must be a name and either its categories"),
    (put(["colour", [1, 2, 3]], "features", 1), "must be a list of strings"),
    (put(["colour", []], "features", 1), "there are no categories of 'colour'"),
    (
        put(["colour", ["a", "a", "b"]], "features", 1),
        "the categories of 'colour' are not distinct",
    ),
    (put(["colour", None], "features", 1), "has 2 features, but the model has 4"),
    (put(["colour", list("abcde")], "features", 1), "has 6 features, but the model has 4"),
    (put(["colour", ["a", "b", "c" * 200_000]], "features", 1), "200,000 characters"),
    (put(["size", list("abc")], "features", 1), "the features are not distinct"),
    (put("size", "label"), "the columns are not distinct"),
    (put(None, "label"), "labels require a label column"),
    (put(3, "label"), "'label' must be of type str"),
    (put(3, "label_place"), "label_place must be between 0 and 2"),
    (put(-1, "label_place"), "label_place must be between 0 and 2"),
    (put(True, "label_place"), "'label_place' must be of type int"),
    (put(1, "has_header"), "'has_header' must be of type bool"),
    (put("no", "is_sparse"), "'is_sparse' must be of type bool"),
    (put(False, "has_numeric_labels"), "the model has the classes 1, 2"),
    (put("1.0", "labels"), "the labels must be a list"),
    (put([1.0, 2.0], "labels"), "the labels must be a list"),
    (put(["2.0", "1.0"], "labels"), "must be in ascending order"),
    (put(["1.0", "1.0"], "labels"), "the labels are not distinct"),
    (put(["1.0", "3.0"], "labels"), "the model has the classes 1, 2, but the schema has"),
    (put(["1.0", "2.0", "3.0"], "labels"), "labels that are not classes of the model"),
    (put(["1.0"], "labels"), "the model has the classes 1, 2"),
    (put(["one", "two"], "labels"), "the labels must be numbers"),
    (put([], "labels"), "has_numeric_labels requires labels"),
    (put(True, "has_targets"), "either labels or targets"),
    (put(False, "has_targets"), "'has_targets' must be true or missing"),
    (
        lambda schema: schema | {"labels": [], "has_numeric_labels": False, "has_targets": True},
        "the model is a classifier, but the schema is that of a table with targets",
    ),
    (
        lambda schema: schema | {"labels": [], "has_numeric_labels": False},
        "the model has the classes 1, 2",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), CHANGES)
def test_a_schema_that_was_tampered_with_is_refused_in_one_sentence(data, change, sentence):
    stdout_of("train", "some.csv", "m", "--scale")
    header, arrays = parts("m")
    header["fitted"]["schema"] = change(header["fitted"]["schema"])
    rebuild("m", header, arrays)
    for read in (softmargin.load, datasets.load_schema):
        with pytest.raises(ValueError, match=rf"^'m' is not a valid model.*'schema'.*{sentence}"):
            read("m")
    result = call("predict", "some.csv", "m")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert len(line) < 600
