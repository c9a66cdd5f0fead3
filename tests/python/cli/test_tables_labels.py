"""Labels of tables keep their identity, and are predicted as the training file writes them."""

import pandas as pd
import pytest

import softmargin
from commands import call, facts_of_command, stdout_of
from softmargin import datasets


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A function that writes a table of 8 rows for each label, which one feature tells apart."""
    monkeypatch.chdir(tmp_path)

    def write(labels, name="some.csv"):
        rows = [
            f"{place + 0.01 * row},{label}"
            for place, label in enumerate(labels)
            for row in range(8)
        ]
        (tmp_path / name).write_text("\n".join(["x,kind", *rows]))
        return name

    return write


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["1", "2", "10"], [1, 2, 10]),
        (["-1", "1"], [-1, 1]),
        (["0.0", "1.0"], [0, 1]),
        (["0.5", "1.0"], [0.5, 1.0]),
        (["1", "1.5"], [1.0, 1.5]),
        (["001", "1", "1.0"], ["001", "1", "1.0"]),
        (["001", "002"], ["001", "002"]),
        (["1", "1.0"], ["1", "1.0"]),
        (["+1", "-1"], ["+1", "-1"]),
        (["1e1", "10"], ["10", "1e1"]),
        (["1_0", "10"], ["10", "1_0"]),
        (["inf", "1"], ["1", "inf"]),
        (["True", "False"], ["False", "True"]),
        (["9" * 18, "9" * 17 + "8"], [int("9" * 17 + "8"), int("9" * 18)]),
        (["9" * 19, "1"], ["1", "9" * 19]),
        ([str(2**53 + 1), "0.5"], ["0.5", str(2**53 + 1)]),
    ],
)
def test_labels_are_numbers_only_where_that_keeps_them_apart(table, labels, classes):
    found = datasets.read(table(labels))
    assert found.classes.tolist() == classes
    assert [found.schema.labels[code] for code in found.y[::8]] == labels


@pytest.mark.parametrize(
    "labels", [["001", "1", "1.0"], ["1.0", "2.0"], ["+1", "-1"], ["é", "b c"]]
)
def test_predictions_are_written_as_the_training_file_writes_them(table, labels):
    name = table(labels)
    stdout_of("train", name, "m", "-g", 10)
    expected = [label for label in labels for _ in range(8)]
    assert stdout_of("predict", name, "m").splitlines() == expected
    assert facts_of_command("predict", name, "m")["accuracy"] == 1
    lines = stdout_of("predict", name, "m", "--scores").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["label", *expected]
    assert set(lines[0].split("\t")[1:]) <= set(labels)


def test_quotes_are_not_part_of_a_label(table):
    found = datasets.read(table(['"1"', "1", "2", '"2"']))
    assert found.labels.tolist() == pd.read_csv("some.csv")["kind"].tolist()


def test_numbers_are_compared_by_value_and_text_by_letter(table):
    stdout_of("train", table(["1.0", "2.0"]), "numbers", "-g", 10)
    stdout_of("train", table(["001", "002"]), "words", "-g", 10)
    whole = table(["1", "2"], "whole.csv")
    assert facts_of_command("predict", whole, "numbers")["accuracy"] == 1
    result = call("predict", whole, "words", "out")
    assert result.stdout.startswith("Accuracy = 0%")
    assert "warning: the labels '1', '2' did not occur in the training data" in result.stderr
    refused = call("predict", table(["001", "2"]), "numbers")
    assert refused.exit_code == 1
    assert "the label '001' is not a number" in refused.stderr
    assert "--no-labels" in refused.stderr


def test_a_weight_is_given_to_a_label_as_the_file_writes_it(table):
    name = table(["1.0", "2.0"])
    data = datasets.read(name)
    for label in ("2.0", "2"):
        stdout_of("train", name, "m", "-w", f"{label}=5")
        own = softmargin.SVC(gamma="auto", class_weight={2: 5}).fit(data.X, data.labels)
        assert (
            softmargin.load("m").decision_function(data.X) == own.decision_function(data.X)
        ).all()
    said = call("train", table(["001", "1"]), "m", "-w", "01=5").stderr
    assert "unknown class '01'; the classes are 001, 1" in " ".join(said.split())
