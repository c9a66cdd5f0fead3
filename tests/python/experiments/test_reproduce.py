"""Running a study: what is known is not computed again, what is missing is said."""

import json

import pytest

import softmargin
from commands import call
from softmargin import experiments
from softmargin.experiments import _reproduce
from softmargin.experiments._findings import Claim, Column, Section, Table, number, word
from softmargin.experiments._study import MissingPackageError, Task

pytest.importorskip("jinja2")


class Trial:
    """A study of three entries that counts its runs."""

    name = "ollawv"
    title = "A trial"
    paper = "Nobody, Nothing"
    protocol = "as it comes"

    def __init__(self):
        self.runs = []
        self.fails_with = {}

    def tasks(self, settings):
        keys = ["a", "b"] if settings.size == "small" else ["a", "b", "c"]
        return [Task(key, lambda key=key: self.run(key)) for key in keys]

    def run(self, key):
        self.runs.append(key)
        if key in self.fails_with:
            raise self.fails_with[key]
        return {"accuracy": 90.0 + len(self.runs), "complete": key != "c"}

    def sections(self, records, settings):
        rows = [[word(key), number(record["accuracy"])] for key, record in records.items()]
        table = Table("Accuracy", [Column("set", is_number=False), Column("ours")], rows)
        claims = [Claim("All were run.", len(records) == 2, f"{len(records)} of them.")]
        return [Section("Entries", tables=[table], claims=claims)]


@pytest.fixture
def trial(monkeypatch):
    study = Trial()
    monkeypatch.setitem(_reproduce.STUDIES, "ollawv", study)
    return study


def test_what_is_known_is_not_run_again(trial, tmp_path):
    first = experiments.reproduce("ollawv", output=tmp_path)
    again = experiments.reproduce("ollawv", output=tmp_path)
    assert trial.runs == ["a", "b"]
    assert again.records == first.records
    assert (tmp_path / "report.html").read_text() == first.report.read_text()


def test_a_larger_size_takes_over_what_a_smaller_one_has_done(trial, tmp_path):
    experiments.reproduce("ollawv", output=tmp_path)
    experiments.reproduce("ollawv", "medium", output=tmp_path)
    assert trial.runs == ["a", "b", "c"]


def test_what_was_not_complete_is_tried_again(trial, tmp_path):
    for _ in range(2):
        experiments.reproduce("ollawv", "medium", output=tmp_path)
    assert trial.runs == ["a", "b", "c", "c"]


@pytest.mark.parametrize("record", [{}, {"accuracy": "much"}, {"accuracy": [1]}])
def test_a_file_with_records_that_do_not_fit_is_refused(trial, tmp_path, record):
    experiments.reproduce("ollawv", output=tmp_path)
    path = tmp_path / "results.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], json.dumps({"key": "b", "result": record}), ""]))
    with pytest.raises(ValueError, match="records that do not fit the study"):
        experiments.reproduce("ollawv", output=tmp_path)


def test_an_interrupt_keeps_what_is_done(trial, tmp_path):
    trial.fails_with["b"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        experiments.reproduce("ollawv", output=tmp_path)
    trial.fails_with.clear()
    experiments.reproduce("ollawv", output=tmp_path)
    assert trial.runs == ["a", "b", "b"]


def test_what_is_not_available_is_skipped_and_reported(trial, tmp_path):
    trial.fails_with["a"] = softmargin.datasets.DatasetNotFound(
        "a", "the data set 'a' was not found"
    )
    trial.fails_with["b"] = MissingPackageError("a package is not installed")
    found = experiments.reproduce("ollawv", output=tmp_path)
    assert found.findings.missing == (
        "the data set 'a' was not found",
        "a package is not installed",
    )
    assert not found.records
    assert "was not found" in (tmp_path / "report.html").read_text()


def test_several_missing_data_sets_are_one_sentence(trial):
    for key in ("a", "b"):
        trial.fails_with[key] = softmargin.datasets.DatasetNotFound(key, "was not found")
    (sentence,) = experiments.reproduce("ollawv").findings.missing
    assert "a, b" in sentence
    assert "SOFTMARGIN_DATA" in sentence


def test_progress_names_each_task_that_is_run(trial, tmp_path):
    told = []
    experiments.reproduce("ollawv", output=tmp_path, progress=lambda *facts: told.append(facts))
    assert told == [(0, 2, "a"), (1, 2, "b"), (2, 2, "")]
    told.clear()
    experiments.reproduce("ollawv", output=tmp_path, progress=lambda *facts: told.append(facts))
    assert told == [(2, 2, "")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"study": "unknown"}, "study = 'unknown'.*nlsgd"),
        ({"size": "huge"}, "size = 'huge'.*small"),
    ],
)
def test_unknown_words_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        experiments.reproduce(**{"study": "ollawv"} | arguments)


def test_the_command_prints_tables_and_names_the_page(trial, tmp_path):
    done = call("reproduce", "ollawv", "--output", tmp_path)
    assert done.exit_code == 0
    assert "Accuracy" in done.stdout
    assert "All were run." in done.stdout
    assert str(tmp_path / "report.html") in done.stderr.replace("\n", "")
    assert {path.name for path in tmp_path.iterdir()} == {
        "report.html",
        "report.md",
        "results.csv",
        "results.json",
        "results.jsonl",
    }


def test_the_command_prints_one_document_as_json(trial, tmp_path):
    done = call("reproduce", "ollawv", "--json", "-o", tmp_path)
    found = json.loads(done.stdout)
    assert found["title"] == "A trial"
    assert found["sections"][0]["claims"][0]["holds"] is True
    assert found["report"] == str(tmp_path / "report.html")


@pytest.mark.parametrize("words", [["unknown"], ["ollawv", "--small", "--large"], []])
def test_wrong_usage_is_exit_code_2(words):
    assert call("reproduce", *words).exit_code == 2


def test_a_folder_of_another_study_is_exit_code_1(trial, tmp_path):
    (tmp_path / "results.jsonl").write_text('{"study": "other"}\n')
    done = call("reproduce", "ollawv", "-o", tmp_path)
    assert done.exit_code == 1
    assert "another study or protocol" in done.stderr
