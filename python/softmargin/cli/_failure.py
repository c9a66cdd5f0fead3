"""Failures of commands: one line on stderr and an exit code.

Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any

import typer

from softmargin.cli._streams import flush_or_discard, print_message, to_stderr

FAILED = 1
# The exit codes with which shells report termination by SIGINT and SIGPIPE.
INTERRUPTED = 130
PIPE_CLOSED = 141


@contextlib.contextmanager
def report_failures(debug: bool) -> Iterator[None]:
    """Convert exceptions to a line on stderr and an exit code, and warnings to lines."""
    try:
        with warnings.catch_warnings():
            _report_warnings()
            yield
        sys.stdout.flush()
    except (typer.Exit, typer.BadParameter):
        raise
    except KeyboardInterrupt:
        print_message("interrupted")
        code = INTERRUPTED
    except BrokenPipeError:
        code = PIPE_CLOSED
    except Exception as error:
        if debug:
            to_stderr(traceback.format_exc().rstrip())
        print_message(_sentence(error))
        code = FAILED
    else:
        return
    flush_or_discard(sys.stdout)
    raise typer.Exit(code)


def _report_warnings() -> None:
    """Print each distinct warning once, in one line."""
    shown = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = _one_line(str(message))
        if text not in shown:
            shown.add(text)
            print_message(f"warning: {text}")

    warnings.simplefilter("always")
    for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
        warnings.simplefilter("ignore", kind)
    warnings.showwarning = show


def _sentence(error: Exception) -> str:
    """Return the message of an error in one line."""
    if isinstance(error, OSError) and error.strerror is not None:
        place = "" if error.filename is None else f"{os.fsdecode(error.filename)!r}: "
        return f"{place}{error.strerror}"
    text = _one_line(str(error))
    if isinstance(error, MemoryError):
        return f"not enough memory: {text}" if text else "not enough memory"
    is_known = isinstance(error, ImportError | LookupError | OSError | TypeError | ValueError)
    if is_known and text and not isinstance(error, KeyError | IndexError):
        return text
    return f"{type(error).__name__}: {text} (use --debug for a traceback)"


def _one_line(text: str) -> str:
    return " ".join(text.split())


@contextlib.contextmanager
def record_interrupts() -> Iterator[list[int]]:
    """Record each SIGINT, for calls that return partial results when they are interrupted.

    If SIGINT is ignored, as in programs that a script starts in the background, it stays ignored.
    """
    received: list[int] = []
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield received
        return

    def record(number: int, frame: FrameType | None) -> None:
        received.append(number)
        signal.default_int_handler(number, frame)

    try:
        before = signal.signal(signal.SIGINT, record)
    except ValueError:  # not the main thread, which alone receives signals
        yield received
        return
    try:
        yield received
    finally:
        signal.signal(signal.SIGINT, before)
