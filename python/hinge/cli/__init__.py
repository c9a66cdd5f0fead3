"""The command line: ``hinge train``, ``hinge predict``, ``hinge nested-cv`` and more.

Modules of commands import scikit-learn and the rest of the package inside of their functions, so
that ``hinge --help`` answers at once.
"""

from __future__ import annotations

import importlib.util
import os
import sys

_NEEDED = ("typer", "rich")


def main() -> None:
    """Run the command line, the program ``hinge``."""
    _open_closed_streams()
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        needed, packages = " and ".join(missing), " ".join(missing)
        sys.exit(f"hinge: the command line needs {needed}; run: pip install {packages}")
    try:
        from hinge.cli._app import app

        app(prog_name="hinge")
    except KeyboardInterrupt:  # before a command began
        sys.exit(130)


def _open_closed_streams() -> None:
    """Let every write succeed: to closed streams, and of names that the encoding lacks."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        getattr(sys, name).reconfigure(errors="backslashreplace")
