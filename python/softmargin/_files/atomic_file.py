"""Atomic writes: a file is replaced completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a stream whose content replaces a file when the block succeeds.

    The content is written to a temporary file in the same folder and flushed to disk before the
    rename, so readers see either the old or the new file. If the block fails, the old file is
    kept and the temporary file removed. Symbolic links and permissions are preserved; a read-only
    file is not replaced.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and not target.is_file():
        raise ValueError(f"{str(path)!r} is not a regular file and cannot be replaced")
    exists = target.exists()
    if exists and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    mode = 0o600 if exists else 0o666  # minus the umask
    # Short enough for any file system.
    temporary = target.with_name(f".{os.getpid()}-{secrets.token_hex(8)}.part")
    try:
        with open(temporary, "xb", opener=functools.partial(os.open, mode=mode)) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if exists:
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename = str(path)  # the name that the caller passed
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None  # hidden by the error of an unfinished archive
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text to a file atomically."""
    with atomic_write(path) as stream:
        stream.write(text.encode("utf-8"))
