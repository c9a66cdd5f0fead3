"""Output files of commands."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path


def check_target(path: Path, allow_devices: bool = False) -> None:
    """Raise an error if a file cannot be written, before the results are computed."""
    if is_device(path):
        if not allow_devices:
            raise ValueError(f"{str(path)!r} is not a regular file and cannot be replaced")
        return
    target = Path(os.path.realpath(path))
    folder = target.parent
    code = None
    if target.is_dir():
        code = errno.EISDIR
    elif not folder.is_dir():
        code = errno.ENOTDIR if folder.exists() else errno.ENOENT
    elif not all(os.access(each, os.W_OK) for each in (folder, target) if each.exists()):
        code = errno.EACCES
    if code is not None:
        raise OSError(code, os.strerror(code), str(path))


def is_device(path: Path) -> bool:
    """Return whether a path is a pipe or a device, which cannot be replaced atomically."""
    return path.exists() and not path.is_file() and not path.is_dir()


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file, which is replaced atomically, or to a pipe or device."""
    from softmargin._files.atomic_file import atomic_write

    with path.open("wb") if is_device(path) else atomic_write(path) as stream:
        stream.writelines(line.encode() for line in lines)
