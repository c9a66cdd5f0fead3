"""``import softmargin`` is quick, and yet has every public name."""

import subprocess
import sys

import pytest

import softmargin

SCRIPT = """
import sys
import softmargin
before = "sklearn" in sys.modules
{use}
print(before, "sklearn" in sys.modules)
"""


@pytest.mark.parametrize(
    ("use", "loads"),
    [
        ("softmargin.__version__, softmargin.simd_level()", False),
        ("dir(softmargin)", False),
        ("softmargin.SVC(C=2)", True),
        ("from softmargin import nested_cv", True),
        ("from softmargin import *; SVC, nested_cv", True),
        ("from softmargin import datasets; datasets.load", True),
        ("softmargin.datasets.load", True),
        ("import softmargin.plots; softmargin.plots.convergence", True),
    ],
)
def test_scikit_learn_is_imported_when_a_name_needs_it(use, loads):
    script = SCRIPT.format(use=use)
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert found.stdout.split() == ["False", str(loads)], found.stderr


def test_every_name_is_there_and_no_other():
    assert all(hasattr(softmargin, name) for name in softmargin.__all__)
    assert set(softmargin.__all__) <= set(dir(softmargin))
    assert sorted(softmargin.__all__) == sorted(set(softmargin.__all__))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = softmargin.nothing
    with pytest.raises(ImportError, match="nothing"):
        from softmargin import nothing  # noqa: F401
