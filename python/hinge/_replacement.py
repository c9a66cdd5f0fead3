"""Files that are written as a whole or not at all."""

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
def replaced(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Give a stream whose content takes the place of a file when the block ends well.

    It is written to a temporary file in the same folder and brought to the disk before the
    rename: whoever reads sees the old file or the new one. A block that fails leaves the old
    file, and nothing else. A link stays a link, and permissions stay what they are: a file that
    may not be written is not replaced.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and not target.is_file():
        raise ValueError(f"{str(path)!r} is not a file that can be replaced")
    is_there = target.exists()
    if is_there and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    mode = 0o600 if is_there else 0o666  # less the mask of the process
    # Shorter than the longest name that a file may have.
    temporary = target.with_name(f".{os.getpid()}-{secrets.token_hex(8)}.part")
    try:
        with open(temporary, "xb", opener=functools.partial(os.open, mode=mode)) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if is_there:
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename = str(path)  # the name that the caller knows
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None  # which an archive that was left by half hid
        raise


def replace_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in place of a file."""
    with replaced(path) as stream:
        stream.write(text.encode("utf-8"))
