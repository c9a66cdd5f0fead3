"""The command line: ``hinge train``, ``hinge predict``, ``hinge nested-cv`` and more.

Modules of commands import scikit-learn and the rest of the package inside of their functions, so
that ``hinge --help`` answers at once.
"""

from __future__ import annotations

import importlib.util
import sys

from hinge.cli._streams import finish, open_closed_streams, say

_NEEDED = ("typer", "rich")


def main() -> None:
    """Run the command line, the program ``hinge``."""
    open_closed_streams()
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        needed, packages = " and ".join(missing), " ".join(missing)
        sys.exit(f"hinge: the command line needs {needed}; run: pip install {packages}")
    try:
        from hinge.cli._app import app

        app(prog_name="hinge")
    except KeyboardInterrupt:  # before a command began
        sys.exit(130)
    except OSError as error:  # help, the version or wrong usage, which a stream did not take
        say(error.strerror or str(error))
        sys.exit(getattr(error.__context__, "exit_code", 1))  # 2 if it was wrong usage
    finally:
        finish(sys.stdout)
        finish(sys.stderr)
