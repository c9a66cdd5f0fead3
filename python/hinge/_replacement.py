"""Files that are written as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Give a stream whose content takes the place of a file when the block ends well.

    It is written to a temporary file in the same folder and brought to the disk before the
    rename: whoever reads sees the old file or the new one. A block that fails leaves the old
    file, and nothing else. A link stays a link.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and not target.is_file():
        raise ValueError(f"{str(path)!r} is not a file that can be replaced")
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def replace_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in place of a file."""
    with replaced(path) as stream:
        stream.write(text.encode("utf-8"))
