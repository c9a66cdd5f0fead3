"""The place in the user's code that a warning should name."""

from __future__ import annotations

import sys
from pathlib import Path

import sklearn

# Frames of this package, and of scikit-learn if it was called from this package.
_PACKAGES = (str(Path(__file__).parent.parent), str(Path(sklearn.__file__).parent))


def level_of_caller() -> int:
    """Return the ``stacklevel`` of a warning that names the user's code, as seen by the caller."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGES):
        frame, level = frame.f_back, level + 1
    return level
