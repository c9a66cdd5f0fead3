"""``import hinge`` is quick, and yet has every public name."""

import subprocess
import sys

import pytest

import hinge

SCRIPT = """
import sys
import hinge
before = "sklearn" in sys.modules
{use}
print(before, "sklearn" in sys.modules)
"""


@pytest.mark.parametrize(
    ("use", "loads"),
    [
        ("hinge.__version__, hinge.simd_level()", False),
        ("dir(hinge)", False),
        ("hinge.SVC(C=2)", True),
        ("from hinge import nested_cv", True),
        ("from hinge import *; SVC, nested_cv", True),
        ("from hinge import datasets; datasets.load", True),
        ("hinge.datasets.load", True),
        ("import hinge.plots; hinge.plots.convergence", True),
    ],
)
def test_scikit_learn_is_imported_when_a_name_needs_it(use, loads):
    script = SCRIPT.format(use=use)
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert found.stdout.split() == ["False", str(loads)], found.stderr


def test_every_name_is_there_and_no_other():
    assert all(hasattr(hinge, name) for name in hinge.__all__)
    assert set(hinge.__all__) <= set(dir(hinge))
    assert sorted(hinge.__all__) == sorted(set(hinge.__all__))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = hinge.nothing
    with pytest.raises(ImportError, match="nothing"):
        from hinge import nothing  # noqa: F401
