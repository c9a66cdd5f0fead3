"""``softmargin predict`` reads a table by the columns of the training table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.preprocessing import OneHotEncoder

import softmargin
from commands import call, facts_of_command, stdout_of

COLOURS = np.array(["red", "green", "blue"])
NUMBERS = ["sepal length", "sepal width", "petal length", "petal width"]


@pytest.fixture
def frames(tmp_path, monkeypatch):
    """Iris with two text columns: a model of 100 rows in a file, and a frame of the others."""
    monkeypatch.chdir(tmp_path)
    X, y = load_iris(return_X_y=True)
    rows = np.random.default_rng(0).permutation(150)
    frame = pd.DataFrame(X[rows], columns=NUMBERS)
    frame["colour"] = COLOURS[(y[rows] + np.arange(150) // 50) % 3]
    frame["is tall"] = frame["sepal length"] > 6
    frame["species"] = np.array(["setosa", "versicolor", "virginica"])[y[rows]]
    frame[:100].to_csv("train.csv", index=False)
    stdout_of("train", "train.csv", "m", "--scale", "-c", 10)
    return frame[:100], frame[100:].reset_index(drop=True)


def expected(frames, test):
    """What scikit-learn's encoder and the same machine in Python predict."""
    encoder = make_column_transformer(
        ("passthrough", NUMBERS), (OneHotEncoder(drop="if_binary"), ["colour", "is tall"])
    )
    scaler = softmargin.MinMaxScaler()
    model = softmargin.SVC(C=10, gamma="auto")
    model.fit(scaler.fit_transform(encoder.fit_transform(frames[0])), frames[0]["species"])
    return model.predict(scaler.transform(encoder.transform(test))).tolist()


SAME = {
    "as they were": lambda frame: frame,
    "another order": lambda frame: frame[frame.columns[::-1]],
    "the label first": lambda frame: frame[["species", *frame.columns[:-1]]],
    "one category": lambda frame: frame[frame["colour"] == "red"],
    "categories from the last": lambda frame: frame.sort_values("colour", ascending=False),
    "a column more": lambda frame: frame.assign(note=None, id=range(len(frame))),
    "no labels": lambda frame: frame.drop(columns="species"),
    "missing labels": lambda frame: frame.assign(species=None),
}


@pytest.mark.case(99)
@pytest.mark.parametrize("change", SAME)
def test_columns_are_matched_by_name_and_text_by_category(frames, change):
    test = SAME[change](frames[1])
    test.to_csv("test.csv", index=False)
    assert stdout_of("predict", "test.csv", "m").splitlines() == expected(frames, test)
    test.to_csv("index.csv", sep=";", encoding="utf-8-sig", quoting=2)
    assert stdout_of("predict", "index.csv", "m").splitlines() == expected(frames, test)


@pytest.mark.case(99)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda frame: frame.replace({"colour": {"blue": "violet"}}),
            "column 'colour' has the unknown category 'violet'; the training table has 'blue',",
        ),
        (lambda frame: frame.assign(colour=1.5), "unknown category '1.5'"),
        (lambda frame: frame.drop(columns="colour"), "the column 'colour' of the training table"),
        (
            lambda frame: frame.drop(columns=["colour", "petal width"]),
            "the columns 'petal width', 'colour' of the training table are missing. If the file "
            "has no header, use --no-header",
        ),
        (
            lambda frame: frame.assign(**{"petal width": "wide"}),
            "line 2: 'wide' in column 'petal width' is not a number; the column is numeric in",
        ),
        (
            lambda frame: frame.assign(**{"petal width": None}),
            "line 2: missing value '' in column 'petal width'",
        ),
        (
            lambda frame: frame.assign(colour=frame["colour"].where(frame.index > 7)),
            "line 2: missing value '' in column 'colour'",
        ),
        (
            lambda frame: frame.assign(species=frame["species"].where(frame.index > 0)),
            "line 2: the label is missing, but other samples have one. Use --no-labels",
        ),
        (
            lambda frame: pd.concat([frame, frame[["colour"]]], axis=1),
            "two columns have the name 'colour', which the training table has once",
        ),
    ],
)
def test_other_columns_and_categories_are_refused_in_one_sentence(frames, change, said):
    change(frames[1]).to_csv("test.csv", index=False)
    result = call("predict", "test.csv", "m", "labels.txt")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("softmargin: 'test.csv': ")
    assert said in line


@pytest.mark.case(100)
def test_an_unlabelled_table_has_predictions_and_no_accuracy(frames):
    frames[1].to_csv("test.csv", index=False)
    frames[1].drop(columns="species").to_csv("bare.csv", index=False)
    labels = expected(frames, frames[1])
    for words in (
        ["bare.csv", "m"],
        ["bare.csv", "m", "--no-labels"],
        ["test.csv", "m", "--no-labels"],
    ):
        result = call("predict", *words)
        assert result.exit_code == 0
        assert result.stdout.splitlines() == labels
        assert "no accuracy" in result.stderr
        facts = facts_of_command("predict", *words)
        assert (facts["labels"], facts["accuracy"], facts["right"]) == (labels, None, None)
    assert "no accuracy" not in call("predict", "test.csv", "m").stderr


def test_columns_that_are_ignored_are_named(frames):
    frames[1].assign(id=1, note="x").to_csv("test.csv", index=False)
    said = call("predict", "test.csv", "m").stderr
    assert "ignored columns that the model does not use: 'id', 'note'" in said
    assert facts_of_command("predict", "test.csv", "m")["ignored_columns"] == ["id", "note"]


def test_labels_that_training_did_not_have_count_as_wrong(frames):
    frames[1].replace({"species": {"setosa": "weed"}}).to_csv("test.csv", index=False)
    result = call("predict", "test.csv", "m", "--json")
    assert "warning: the label 'weed' did not occur in the training data" in result.stderr
    right = np.array(expected(frames, frames[1])) == frames[1]["species"]
    facts = facts_of_command("predict", "test.csv", "m")
    assert facts["right"] == int((right & (frames[1]["species"] != "setosa")).sum())


def test_a_table_without_header_is_matched_by_position_if_that_is_asked_for(frames):
    frames[1].to_csv("test.csv", index=False, header=False)
    result = call("predict", "test.csv", "m")
    assert result.exit_code == 1
    assert "--no-header" in result.stderr
    found = stdout_of("predict", "test.csv", "m", "--no-header").splitlines()
    assert found == expected(frames, frames[1])
    frames[1].drop(columns=["species", "colour"]).to_csv("test.csv", index=False, header=False)
    said = call("predict", "test.csv", "m", "--no-header").stderr
    assert (
        "the table has 5 columns, but the training table has 6 features and a label column" in said
    )
