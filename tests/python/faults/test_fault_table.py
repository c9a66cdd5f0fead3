"""docs/faults.md is what the tests say, and no fault lacks a test or an estimator."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parents[1] / "docs" / "faults.md"


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """The collection of all tests, whichever are running now, and the page it wrote."""
    page = tmp_path_factory.mktemp("faults") / "faults.md"
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    command += ["--fault-table", str(page), str(TESTS)]
    return subprocess.run(command, capture_output=True, text=True, check=False), page


def test_every_fault_is_tried_with_every_estimator_that_it_concerns(collected):
    process, _ = collected
    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not here")
def test_the_page_is_up_to_date(collected):
    _, page = collected
    assert PAGE.read_text(encoding="utf-8") == page.read_text(encoding="utf-8"), "run: make faults"
