"""The checkout around the tests, for tests of its files."""

from pathlib import Path

import pytest


def root():
    """Return its folder; skip the module that asks where the tests are alone, as with a wheel."""
    folder = Path(__file__).parents[3]
    if not (folder / "pyproject.toml").is_file():
        pytest.skip("there is no checkout around the tests", allow_module_level=True)
    return folder
