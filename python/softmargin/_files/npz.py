"""Untrusted numpy ``.npz`` files.

Headers are checked before memory is allocated: an array must be as long as its header says, and no
longer than its compressed bytes allow. Python objects are never unpickled.
"""

from __future__ import annotations

import contextlib
import math
import struct
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SUFFIX = ".npy"
# The largest compression ratio of deflate.
_LARGEST_RATIO = 1032
# Exceptions that zipfile and numpy raise for corrupt data.
_BROKEN = (
    ValueError,
    TypeError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,
    struct.error,
)


class Archive:
    """The arrays of a file, each checked before it is read.

    ``content`` describes the expected arrays, for messages about missing ones.
    """

    def __init__(self, archive: zipfile.ZipFile, n_bytes: int, content: str) -> None:
        self._zip = archive
        self._n_bytes = n_bytes
        self._content = content
        members = dict.fromkeys(archive.namelist())  # keeps the order
        self.names = [name.removesuffix(_SUFFIX) for name in members if name.endswith(_SUFFIX)]

    @classmethod
    @contextlib.contextmanager
    def opened(cls, path: Path, content: str) -> Iterator[Archive]:
        """Open a file and yield its archive."""
        if path.exists() and not path.is_file():
            raise ValueError("not a regular file")
        with _corrupt_as_value_error():
            archive = zipfile.ZipFile(path)
        with archive:
            yield cls(archive, path.stat().st_size, content)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array, after checking its header."""
        return self.header(name)[0]

    def check_uncompressed(self) -> None:
        """Raise ValueError if an array takes more bytes in memory than in the file."""
        members = self._zip.infolist()
        for info in members:
            if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
                raise ValueError(f"{info.filename[:40]!r} must not be compressed")
        n_needed = sum(info.file_size for info in members)
        if n_needed > self._n_bytes:
            raise ValueError(
                f"its arrays need {n_needed:,} bytes, but the file has {self._n_bytes:,}"
            )

    def array(self, name: str) -> NDArray[Any]:
        """Return an array."""
        self.header(name)
        with _corrupt_as_value_error(name), self._zip.open(name + _SUFFIX) as stream:
            array = np.lib.format.read_array(stream, allow_pickle=False)
        if array.dtype.kind == "U":
            codes = np.frombuffer(array.tobytes(), array.dtype.byteorder + "u4")
            if (codes > sys.maxunicode).any():
                raise ValueError(f"the array {name!r} contains an invalid character")
        return array

    def header(self, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Return the shape and dtype of an array; its header must agree with its length."""
        if name not in self.names:
            found = ", ".join(name[:40] for name in sorted(self.names)[:10]) or "nothing"
            raise ValueError(f"array {name!r} not found, only {found}; {self._content}")
        info = self._zip.getinfo(name + _SUFFIX)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"the array {name!r} uses an unsupported compression method")
        with _corrupt_as_value_error(name), self._zip.open(info) as stream:
            version = np.lib.format.read_magic(stream)
            if version == (1, 0):
                shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
            elif version == (2, 0):
                shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
            else:
                raise ValueError(f"unknown format version {version}")
            n_data_bytes = info.file_size - stream.tell()
        if dtype.hasobject:
            raise ValueError(
                f"the array {name!r} contains Python objects, which are never unpickled"
            )
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != n_data_bytes:
            raise ValueError(
                f"the array {name!r} has shape {shape} and dtype {dtype} according to its header, "
                f"but {n_data_bytes:,} bytes of data"
            )
        if info.file_size > _LARGEST_RATIO * min(info.compress_size, self._n_bytes):
            raise ValueError(f"the array {name!r} is longer than its compressed bytes allow")
        return shape, dtype


@contextlib.contextmanager
def _corrupt_as_value_error(name: str | None = None) -> Iterator[None]:
    """Convert exceptions that corrupt data causes in zipfile and numpy to ValueError."""
    try:
        yield
    except TimeoutError:  # raised by a signal handler, for example of an alarm
        raise
    except _BROKEN as error:
        where = "" if name is None else f"array {name[:40]!r}: "
        raise ValueError(f"not a valid npz file: {where}{str(error)[:200]}") from error
