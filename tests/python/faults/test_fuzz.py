"""What ``make fuzz`` ends with: a program that crashes or tries nothing is a fault, too."""

import sys

import pytest

fuzz = pytest.importorskip("fuzz", reason="limits the memory of a process")

HELD = {
    fuzz.texts: "test libsvm_text_any::order ... ok",
    fuzz.problems: "a.py::test_order[SVC]:\n    - 90 passing, 0 failing, 10 invalid examples",
}
FAILED = {
    fuzz.texts: HELD[fuzz.texts].replace("ok", "FAILED"),
    fuzz.problems: HELD[fuzz.problems].replace("0 failing", "1 failing"),
}


def found(part, said, end=""):
    """Return the rows of a part whose program says something and then ends as it is told."""
    script = f"import os, sys\nprint({said!r}, flush=True)\n{end}"
    return list(part(0.0, [sys.executable, "-c", script]))


@pytest.mark.parametrize("part", HELD)
def test_what_held_is_no_fault(part, capsys):
    ((name, tried, accepted, refused, faults),) = rows = found(part, HELD[part])
    assert "order" in name
    assert tried == accepted + refused > 0 == faults
    assert fuzz.exit_code({"part": rows}) == 0
    assert "order" in capsys.readouterr().out


@pytest.mark.parametrize("part", HELD)
def test_what_failed_is_counted_once(part):
    ((_, tried, accepted, refused, faults),) = rows = found(part, FAILED[part], "sys.exit(1)")
    assert (tried - accepted - refused, faults) == (1, 1)
    assert fuzz.exit_code({"part": rows}) == 1


@pytest.mark.parametrize("end", ["os.abort()", "sys.exit(2)"])
@pytest.mark.parametrize("said", [HELD, dict.fromkeys(HELD, "")], ids=["held", "silent"])
@pytest.mark.parametrize("part", HELD)
def test_a_program_that_crashes_is_a_fault(part, said, end):
    rows = found(part, said[part], end)
    assert len(rows) == 1 + bool(said[part])
    name, *counts = rows[0]
    assert "ended with status" in name
    assert counts == [1, 0, 0, 1]
    assert fuzz.exit_code({"part": rows}) == 1


@pytest.mark.parametrize("part", HELD)
def test_a_part_that_tries_nothing_is_a_fault(part, capsys):
    assert fuzz.exit_code({"part": found(part, "no tests ran")}) == 1
    assert "part: nothing was tried" in capsys.readouterr().out
