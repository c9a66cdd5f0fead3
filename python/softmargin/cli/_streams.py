"""The streams stdout and stderr, which may be closed, full, or without a reader."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import IO


def prepare_streams() -> None:
    """Replace closed streams by the null device, and escape characters without an encoding."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        getattr(sys, name).reconfigure(errors="backslashreplace")


def to_stderr(text: str) -> None:
    """Write lines to stderr, or nothing if it is closed."""
    with contextlib.suppress(OSError, ValueError):
        print("\n".join(map(visible, text.split("\n"))), file=sys.stderr, flush=True)


def print_message(text: str) -> None:
    """Write an error or warning of the program to stderr."""
    to_stderr(f"softmargin: {text}")


def flush_or_discard(stream: IO[str]) -> None:
    """Flush a stream, or discard its buffer if it cannot be written."""
    try:
        stream.flush()
    except (OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        with contextlib.suppress(OSError, ValueError):
            os.dup2(null, stream.fileno())
        os.close(null)


def visible(text: str) -> str:
    r"""Return text with escaped control characters, which a terminal would interpret.

    File names may contain them.

    >>> print(visible("a\x1b[31mb\n"))
    a\x1b[31mb\n
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
