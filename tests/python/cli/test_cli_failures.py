"""A command that fails says why in one sentence, on stderr, and ends with code 1."""

import gzip
import os

import numpy as np
import pytest

import softmargin
from commands import call, stdout_of
from softmargin.cli._source import Source
from softmargin.datasets import _lookup

pytestmark = pytest.mark.case(95)

BROKEN = {
    "text": ("bad.svm", b"1 1:2\n1 x:3\n", "line 2"),
    "index": ("bad.svm", b"1 1:2\n-1 0:3\n", "line 2"),
    "empty": ("bad.svm", b"", "bad.svm"),
    "table": ("bad.csv", b"a,b\n1,x\n2\n", "line 3"),
    "archive": ("bad.npz", b"PK\x03\x04", "bad.npz"),
    "truncated": (
        "bad.svm.gz",
        gzip.compress(b"1 1:2\n" * 1000)[:-10],
        "cannot read the file after line",
    ),
    "binary": ("bad.csv", bytes(range(256)), "bad.csv"),
    "one class": ("bad.svm", b"1 1:2\n1 1:3\n", "class"),
    "ending": ("bad.exe", b"MZ", "extension"),
}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def sentence_of(*words):
    """What a command says that must fail."""
    result = call(*words)
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("softmargin: ")
    return line


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("command", ["train", "cv", "nested-cv"])
def test_broken_data_is_refused_with_its_place(command, case, tmp_path):
    name, content, said = BROKEN[case]
    (tmp_path / name).write_bytes(content)
    assert said in sentence_of(command, name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("options", [[], ["--json"], ["-q"]], ids=["plain", "json", "quiet"])
def test_missing_things_are_named(options, tmp_path):
    softmargin.dump_libsvm([[0.0], [1.0]], [0, 1], "two.svm")
    stdout_of("train", "two.svm")
    assert "'none.svm': No such file" in sentence_of("train", "none.svm", *options)
    assert "no data set is named 'none'" in sentence_of("cv", "none", *options)
    assert "'none.model': No such file" in sentence_of("predict", "two.svm", "none.model", *options)
    assert "Is a directory" in sentence_of("cv", tmp_path, *options)
    assert "not a folder" in sentence_of("datasets", "--folder", "none", *options)
    assert "No such file" in sentence_of("train", "two.svm", "none/m", *options)
    assert "published" in sentence_of("cv", "two.svm", "--part", "test", *options)


@pytest.mark.case(93, 95)
@pytest.mark.parametrize(
    "words",
    ["train two.svm {}", "predict two.svm two.model {}", "nested-cv two.svm --checkpoint {}"],
)
def test_a_place_where_nothing_can_be_written_is_refused_before_the_work(words, monkeypatch):
    def refused(place):
        return sentence_of(*words.format(place).split())

    def load(source):
        raise AssertionError("the data are read")

    softmargin.dump_libsvm([[0.0], [1.0]], [0, 1], "two.svm")
    softmargin.dump_libsvm([[0.0], [1.0]], [0, 1], "old")
    monkeypatch.setattr(Source, "load", load)
    assert refused("none/x") == "softmargin: 'none/x': No such file or directory"
    assert refused("two.svm/x") == "softmargin: 'two.svm/x': Not a directory"
    assert refused(".") == "softmargin: '.': Is a directory"
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK or os.path.isdir(path))
    assert refused("old") == "softmargin: 'old': Permission denied"
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert refused("x") == "softmargin: 'x': Permission denied"
    assert sorted(os.listdir()) == ["old", "two.svm"]


def test_labels_may_go_to_a_device():
    softmargin.dump_libsvm([[0.0], [1.0]], [0, 1], "two.svm")
    stdout_of("train", "two.svm")
    assert stdout_of("predict", "two.svm", "two.model", os.devnull).startswith("Accuracy = 100%")
    if os.path.exists("/dev/null"):
        assert "cannot be replaced" in sentence_of("train", "two.svm", "/dev/null")


@pytest.mark.parametrize("words", ["-c -1", "-e 0", "--set max_iter=-7", "-g -1", "-j 0"])
def test_a_value_that_the_estimator_refuses_is_named(words):
    assert " is not valid: " in sentence_of("train", "iris", *words.split())
    assert " is not valid: " in sentence_of("cv", "iris", *words.split())


def test_what_is_no_model_is_refused():
    rng = np.random.default_rng(0)
    softmargin.dump_libsvm([[0.0], [1.0]], [0, 1], "two.svm")
    for content in (b"", b"svm_type c_svc\nkernel_type rbf\n", b"PK\x03\x04", rng.bytes(500)):
        with open("some.model", "wb") as stream:
            stream.write(content)
        assert "some.model" in sentence_of("predict", "two.svm", "some.model")


def test_a_warning_is_one_line():
    result = call("train", "iris", "m", "--set", "max_iter=1")
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith("softmargin: warning: ")
    assert "'iteration limit'" in line
    assert "0 converged" in result.stdout


def test_debug_shows_where_an_error_comes_from(monkeypatch):
    assert "Traceback" in call("cv", "none.svm", "--debug").stderr
    monkeypatch.setenv("SOFTMARGIN_DEBUG", "1")
    assert "Traceback" in call("cv", "none.svm").stderr


def test_a_fault_of_the_program_is_no_traceback(monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr(_lookup, "load_for", fail)
    assert (
        sentence_of("cv", "iris")
        == "softmargin: ZeroDivisionError: by zero (use --debug for a traceback)"
    )
