"""The streams stdout and stderr, which may be closed, full, or read by nobody."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import IO


def open_closed_streams() -> None:
    """Let every write succeed: to closed streams, and of names that the encoding lacks."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        getattr(sys, name).reconfigure(errors="backslashreplace")


def to_stderr(text: str) -> None:
    """Write lines to stderr; where that is closed, nowhere."""
    with contextlib.suppress(OSError, ValueError):
        print("\n".join(map(visible, text.split("\n"))), file=sys.stderr, flush=True)


def say(text: str) -> None:
    """Write a line that tells what the program met."""
    to_stderr(f"softmargin: {text}")


def finish(stream: IO[str]) -> None:
    """Write what a stream still holds, or give it up where nobody takes it."""
    try:
        stream.flush()
    except (OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        with contextlib.suppress(OSError, ValueError):
            os.dup2(null, stream.fileno())
        os.close(null)


def visible(text: str) -> str:
    r"""Return a text whose control characters, which a terminal obeys, are escaped.

    Names of files may have them.

    >>> print(visible("a\x1b[31mb\n"))
    a\x1b[31mb\n
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
