"""Progress goes to stderr, and a closed stream is no reason to stop."""

import errno
import io
import os
import sys

import pytest

from processes import run_script
from softmargin.cli._output import Output
from softmargin.cli._progress_bar import status_line
from systems import full

VERBOSE = """
rng = np.random.default_rng(0)
X, y = rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000)

def fit():
    model = softmargin.OLLAWV(kernel="sigmoid", gamma=0.1, margin=1e9, verbose=1).fit(X, y)
    assert model.n_iter_.tolist() == [3000]
"""

FULL = pytest.param(
    "os.dup2(os.open('/dev/full', os.O_WRONLY), 2)",
    marks=full,
)
CLOSED = [
    "sys.stderr.close()",
    "os.close(2)",
    "sys.stderr = None",
    "sys.stdout.close(); sys.stderr = None",
    "r, w = os.pipe(); os.close(r); os.dup2(w, 2)",
    FULL,
]


def test_verbose_reports_steps_on_stderr_only():
    process = run_script(VERBOSE + "fit()")
    assert process.returncode == 0
    assert process.stdout == ""
    lines = process.stderr.splitlines()
    assert lines
    assert all(line.startswith("OLLAWV: ") and line.endswith(" steps") for line in lines)


@pytest.mark.case(87)
@pytest.mark.parametrize("close", CLOSED)
def test_a_closed_stream_is_no_reason_to_stop(close):
    process = run_script(VERBOSE + f"{close}\nfit()\nos._exit(7)")
    assert process.returncode == 7
    assert process.stdout == ""


SELECTION = """
X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2

def select():
    return softmargin.nested_cv(X, y, grid={"C": [1.0]}, outer=2, inner=2, progress=True, n_jobs=1)
"""


@pytest.mark.case(87)
@pytest.mark.parametrize("close", CLOSED)
def test_a_bar_that_cannot_be_drawn_is_no_reason_to_stop(close):
    pytest.importorskip("rich")
    process = run_script(
        SELECTION + f"{close}\nresult = select()\nos._exit(7 if result.complete else 8)",
        FORCE_COLOR="1",  # as on a terminal
    )
    assert process.returncode == 7
    assert process.stdout == ""


class FullTerminal(io.StringIO):
    def isatty(self):
        return True

    def write(self, text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.case(87)
def test_a_line_that_cannot_be_drawn_is_no_reason_to_stop(monkeypatch):
    monkeypatch.setattr(sys, "stderr", FullTerminal())
    with status_line(Output(), "first") as show:
        show("second")
