"""What a command does when something goes wrong: a sentence on stderr and an exit code.

0 is done, 1 failed, 2 wrong usage, 130 interrupted.
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

from softmargin.cli._streams import finish, say, to_stderr

FAILED = 1
# As shells report a program that SIGINT or SIGPIPE ended.
INTERRUPTED = 130
PIPE_CLOSED = 141


@contextlib.contextmanager
def failures_reported(debug: bool) -> Iterator[None]:
    """Turn exceptions into a sentence and an exit code, and warnings into lines."""
    try:
        with warnings.catch_warnings():
            _report_warnings()
            yield
        sys.stdout.flush()
    except (typer.Exit, typer.BadParameter):
        raise
    except KeyboardInterrupt:
        say("interrupted")
        code = INTERRUPTED
    except BrokenPipeError:
        code = PIPE_CLOSED
    except Exception as error:
        if debug:
            to_stderr(traceback.format_exc().rstrip())
        say(_sentence(error))
        code = FAILED
    else:
        return
    finish(sys.stdout)
    raise typer.Exit(code)


def _report_warnings() -> None:
    """Show a warning as one line, once."""
    shown = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = _one_line(str(message))
        if text not in shown:
            shown.add(text)
            say(f"warning: {text}")

    warnings.simplefilter("always")
    for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
        warnings.simplefilter("ignore", kind)
    warnings.showwarning = show


def _sentence(error: Exception) -> str:
    """Return what went wrong, in one line."""
    if isinstance(error, OSError) and error.strerror is not None:
        place = "" if error.filename is None else f"{os.fsdecode(error.filename)!r}: "
        return f"{place}{error.strerror}"
    text = _one_line(str(error))
    if isinstance(error, MemoryError):
        return f"not enough memory: {text}" if text else "not enough memory"
    is_known = isinstance(error, ImportError | LookupError | OSError | TypeError | ValueError)
    if is_known and text and not isinstance(error, KeyError | IndexError):
        return text
    return f"{type(error).__name__}: {text} (--debug shows where)"


def _one_line(text: str) -> str:
    return " ".join(text.split())


@contextlib.contextmanager
def interrupts_noted() -> Iterator[list[int]]:
    """Note each SIGINT, for calls that return what is done when one comes.

    Where it is ignored, as by programs that a script starts in the background, it stays so.
    """
    came: list[int] = []
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield came
        return

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.default_int_handler(number, frame)

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # not the main thread, to which no signal comes
        yield came
        return
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)
