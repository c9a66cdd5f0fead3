"""The command line: ``softmargin train``, ``predict``, ``nested-cv`` and more.

Modules of commands import scikit-learn and the rest of the package inside their functions, so
that ``softmargin --help`` answers immediately.
"""

from __future__ import annotations

import sys

from softmargin.cli._streams import finish, open_closed_streams, say


def main() -> None:
    """Run the command line, the program ``softmargin``."""
    open_closed_streams()
    try:
        from softmargin.cli._app import app

        app(prog_name="softmargin")
    except KeyboardInterrupt:  # before a command began
        sys.exit(130)
    except OSError as error:  # help, the version or wrong usage, which a stream did not take
        say(error.strerror or str(error))
        sys.exit(getattr(error.__context__, "exit_code", 1))  # 2 if it was wrong usage
    finally:
        finish(sys.stdout)
        finish(sys.stderr)
