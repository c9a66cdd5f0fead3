"""What commands print: tables for people, one JSON document for programs, help with examples."""

import json

import pytest
from sklearn.base import is_classifier, is_outlier_detector, is_regressor

import softmargin
from commands import call, facts_of_command, stdout_of
from softmargin import datasets
from softmargin._estimators.methods import class_of
from softmargin.cli import _info
from softmargin.cli._estimator_options import CLASSIFIERS, DETECTORS, METHODS, REGRESSORS
from systems import posix

COMMANDS = ("train", "predict", "cv", "nested-cv", "datasets", "info")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_that_are_understood(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = stdout_of(command, "--help")
    assert max(map(len, text.splitlines())) <= 100
    examples = [line for line in text.splitlines() if line.startswith(f"    softmargin {command}")]
    assert examples
    for example in examples:
        words = example.split("  ")[2].split(">")[0].split()[1:]
        # Some name files that are not there.
        assert call(*words).exit_code in (0, 1)


def test_the_methods_are_those_of_the_package():
    assert sorted(METHODS) == softmargin.methods()
    kinds = {name: class_of(name)() for name in METHODS}
    assert tuple(name for name in METHODS if is_classifier(kinds[name])) == CLASSIFIERS
    assert tuple(name for name in METHODS if is_regressor(kinds[name])) == REGRESSORS
    assert tuple(name for name in METHODS if is_outlier_detector(kinds[name])) == DETECTORS


def test_every_command_has_the_common_options():
    for command in COMMANDS:
        text = stdout_of(command, "--help")
        assert all(option in text for option in ("--json", "--quiet", "--debug"))


def test_version_and_no_arguments():
    assert stdout_of("--version") == f"softmargin {softmargin.__version__}\n"
    result = call()
    assert "Commands:" in result.stdout + result.stderr


def test_datasets_lists_what_python_lists(tmp_path):
    softmargin.dump_libsvm([[0.0], [1.0]], [0, 1], tmp_path / "mine.svm")
    entries = datasets.table(folder=tmp_path)
    facts = facts_of_command("datasets", "--folder", tmp_path)["datasets"]
    assert [each["name"] for each in facts] == [entry.name for entry in entries]
    assert [each["n_rows"] for each in facts] == [entry.n_rows for entry in entries]
    shown = stdout_of("datasets", "--folder", tmp_path, "--available").splitlines()[2:]
    assert [line.split()[0] for line in shown] == [e.name for e in entries if e.is_available]
    assert shown[-1].split()[-3:] == ["mine.svm", "a", "file"]


def test_info_tells_versions_and_threads(monkeypatch):
    monkeypatch.setenv("SOFTMARGIN_DATA", "/some/where")
    facts = facts_of_command("info")
    assert facts["softmargin"] == softmargin.__version__
    assert facts["simd_level"] == softmargin.simd_level()
    assert facts["SOFTMARGIN_DATA"] == "/some/where"
    assert {"numpy", "scipy", "scikit-learn"} <= facts["packages"].keys()
    text = stdout_of("info")
    assert softmargin.simd_level() in text
    assert facts["packages"]["numpy"] in text


def test_info_tells_what_to_install_for_an_extra(monkeypatch):
    monkeypatch.setattr(_info, "_extras", lambda: {"cli": {"typer": "1.0", "rich": None}})
    assert "missing: pip install rich\n" in stdout_of("info")


def test_numbers_that_are_not_finite_become_null(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    facts = facts_of_command("train", "iris", "-c", "inf", "--set", "max_iter=1")
    assert facts["parameters"]["C"] is None
    result = call("nested-cv", "digits", "--time-limit", "0.2", "--json")
    scores = json.loads(result.stdout)["methods"]["svc"]["outer_scores"]
    assert scores == [None] * 5


def test_quiet_says_nothing_but_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (["train", "iris"], ["predict", "iris", "iris.model", "labels"]):
        result = call(*words, "-q")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert call("cv", "iris", "-q").stderr == ""


def test_a_table_in_a_narrow_terminal_loses_no_number(monkeypatch):
    words = ["nested-cv", "iris", "--outer", 2, "--inner", 2, "-s", "svc", "--seed", 3]
    wide = stdout_of(*words).split()
    monkeypatch.setenv("COLUMNS", "40")
    assert stdout_of(*words).split()[:-1] == wide[:-1]


@pytest.mark.case(95)
@posix
def test_control_characters_of_names_are_shown_and_not_obeyed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "a\x1b[31m\n\u202eb"
    softmargin.dump_libsvm([[0.0], [1.0]] * 3, [0, 1] * 3, f"{name}.svm")
    folder = ["datasets", "--folder", ".", "--available"]
    for words in (["train", f"{name}.svm"], ["cv", f"{name}.svm", "-v", 2], folder):
        assert r"a\x1b[31m\n\u202eb" in stdout_of(*words)
        assert not {"\x1b", "\u202e"} & set(stdout_of(*words))
    failed = call("cv", f"no{name}", "--debug").stderr
    assert "no data set is named" in failed
    assert not {"\x1b", "\u202e"} & set(failed)
