"""The repository that contains the tests, for tests of its files."""

from pathlib import Path

import pytest


def root():
    """Return the root folder; skip the calling module if the tests run outside a checkout."""
    folder = Path(__file__).parents[3]
    if not (folder / "pyproject.toml").is_file():
        pytest.skip("the tests run outside a checkout", allow_module_level=True)
    return folder
