"""Arrays in numpy's .npz files, read without trust.

What a file says of itself is checked before memory is taken: an array must be as long as its
header says, and no longer than the packed bytes can be. Python objects are never unpickled.
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

_ENDING = ".npy"
# Deflate packs no more than 1032 bytes in one.
_LARGEST_RATIO = 1032
# What zipfile and numpy raise on broken bytes.
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
    """The arrays of a file, each checked before it is read."""

    def __init__(self, archive: zipfile.ZipFile, n_bytes: int, content: str) -> None:
        self._zip = archive
        self._n_bytes = n_bytes
        self._content = content
        members = dict.fromkeys(archive.namelist())  # in their order
        self.names = [name.removesuffix(_ENDING) for name in members if name.endswith(_ENDING)]

    @classmethod
    @contextlib.contextmanager
    def opened(cls, path: Path, content: str) -> Iterator[Archive]:
        """Open a file; ``content`` says what it should have, where something is missing."""
        if path.exists() and not path.is_file():
            raise ValueError("it is not a regular file")
        with _whole():
            archive = zipfile.ZipFile(path)
        with archive:
            yield cls(archive, path.stat().st_size, content)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array whose header agrees with its length."""
        return self.header(name)[0]

    def refuse_packed(self) -> None:
        """Refuse arrays that are longer in memory than in the file."""
        members = self._zip.infolist()
        for info in members:
            if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
                raise ValueError(f"{info.filename[:40]!r} is compressed, but must not be")
        n_needed = sum(info.file_size for info in members)
        if n_needed > self._n_bytes:
            raise ValueError(f"its arrays need {n_needed:,} bytes, but it has {self._n_bytes:,}")

    def array(self, name: str) -> NDArray[Any]:
        """Return an array."""
        self.header(name)
        with _whole(name), self._zip.open(name + _ENDING) as stream:
            array = np.lib.format.read_array(stream, allow_pickle=False)
        if array.dtype.kind == "U":
            codes = np.frombuffer(array.tobytes(), array.dtype.byteorder + "u4")
            if (codes > sys.maxunicode).any():
                raise ValueError(f"the array {name!r} has a character that does not exist")
        return array

    def header(self, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Return shape and type of an array; its header must agree with its length."""
        if name not in self.names:
            there = ", ".join(name[:40] for name in sorted(self.names)[:10]) or "nothing"
            raise ValueError(f"there is no array {name!r}, only {there}; {self._content}")
        info = self._zip.getinfo(name + _ENDING)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"the array {name!r} is packed in a way that numpy does not write")
        with _whole(name), self._zip.open(info) as stream:
            version = np.lib.format.read_magic(stream)
            if version == (1, 0):
                shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
            elif version == (2, 0):
                shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
            else:
                raise ValueError(f"the format version {version} is not known")
            held = info.file_size - stream.tell()
        if dtype.hasobject:
            raise ValueError(f"the array {name!r} holds Python objects, which are never unpickled")
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != held:
            raise ValueError(
                f"the array {name!r} has shape {shape} and type {dtype} by its header, "
                f"but {held:,} bytes"
            )
        if info.file_size > _LARGEST_RATIO * min(info.compress_size, self._n_bytes):
            raise ValueError(f"the array {name!r} is longer than its packed bytes can be")
        return shape, dtype


@contextlib.contextmanager
def _whole(name: str | None = None) -> Iterator[None]:
    """Turn what broken bytes of a file or of an array in it make zipfile and numpy raise."""
    try:
        yield
    except TimeoutError:  # raised by a handler of signals, as that of an alarm
        raise
    except _BROKEN as error:
        place = "" if name is None else f"array {name[:40]!r}: "
        raise ValueError(f"this is not a whole npz file: {place}{str(error)[:200]}") from error
