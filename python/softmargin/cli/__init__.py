"""The command line: ``softmargin train``, ``predict``, ``nested-cv`` and more.

The modules of the commands import scikit-learn and most of the package inside their functions, so
that ``softmargin --help`` starts quickly.
"""

from __future__ import annotations

import sys

from softmargin.cli._streams import flush_or_discard, prepare_streams, print_message


def main() -> None:
    """Run the program ``softmargin``."""
    prepare_streams()
    try:
        from softmargin.cli._app import app

        app(prog_name="softmargin")
    except KeyboardInterrupt:  # before a command has started
        sys.exit(130)
    except OSError as error:  # help, version or usage error could not be written to a stream
        print_message(error.strerror or str(error))
        sys.exit(getattr(error.__context__, "exit_code", 1))  # 2 for a usage error
    finally:
        flush_or_discard(sys.stdout)
        flush_or_discard(sys.stderr)
