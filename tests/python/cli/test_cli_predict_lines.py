"""One line of predictions is one label, whatever is in the label."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import stdout_of
from softmargin.cli._values import line_of


def read_back(line):
    """What docs/command-line.md says of a line."""
    return json.loads(line) if line.startswith('"') else line


@pytest.mark.case(120)
@pytest.mark.parametrize("options", [[], ["--scores"]])
def test_a_label_with_a_line_break_is_one_line_and_reads_back(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    labels = ["a\nb", "c\r\nd", 'say ""hi""', '""""', "back\\slash", "tab\tin", "plain", "e\x85f"]
    rows = [f'{place},"{label}"' for place, label in enumerate(labels) for _ in range(4)]
    (tmp_path / "some.csv").write_bytes("\n".join(["x,kind", *rows]).encode())
    stdout_of("train", "some.csv", "m", "-g", 10)
    stdout_of("predict", "some.csv", "m", "out", *options)
    lines = (tmp_path / "out").read_bytes().decode().splitlines()[len(options) :]
    found = [read_back(line.split("\t")[0]) for line in lines]
    assert found == [label.replace('""', '"') for label in labels for _ in range(4)]
    assert lines[16].startswith("back\\slash")


@settings(max_examples=200)
@given(st.text())
def test_any_text_is_one_line_that_reads_back(text):
    line = line_of(text)
    assert len((line + "\n").splitlines()) == 1
    assert "\t" not in line
    line.encode()
    assert read_back(line) == text


def test_labels_of_arrays_are_one_line_each(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y = np.array(["two\nlines", "one line"] * 5)
    np.savez("some.npz", X=np.arange(10.0)[:, None] % 2, y=y)
    stdout_of("train", "some.npz", "m")
    found = stdout_of("predict", "some.npz", "m").splitlines()
    assert found == ['"two\\nlines"', "one line"] * 5
