"""Untrusted files of named arrays and one JSON header.

The file is an uncompressed numpy ``npz`` archive with an additional member ``header.json``;
``numpy.load`` and any unzip program can open it. It is safe to read: it contains no code; every
member has the same size in memory as in the file, so a header cannot request more memory than the
file has bytes; and the archive has a checksum for every member, so a changed byte is detected.
(safetensors has no checksums and no text labels, and would add a dependency.)
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin._files.atomic_file import atomic_write

_HEADER = "header.json"
_SUFFIX = ".npy"
# The header that numpy writes before an array: magic, version 1.0, length, a dictionary.
_MAGIC = b"\x93NUMPY\x01\x00"
_DESCRIPTION = re.compile(
    rb"\{'descr': '([<|][biufU]\d{1,9})', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,15},|\d{1,15}, \d{1,15})?)\), \} *\n"
)


def write(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a header and arrays to a file atomically; equal content gives equal bytes."""
    text = json.dumps(header, allow_nan=False, indent=1).encode("ascii")
    with atomic_write(path) as stream, zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_HEADER), text)
        for name, array in arrays.items():
            little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
            with archive.open(zipfile.ZipInfo(name + _SUFFIX), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, little, version=(1, 0), allow_pickle=False)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a file.

    Raises
    ------
    ValueError
        If the file was not written by :func:`write`, or was changed.
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError("not a regular file")
    with path.open("rb") as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                members = _members(archive, os.fstat(stream.fileno()).st_size)
                header = _header(archive.read(members.pop(_HEADER)))
                arrays = {
                    name.removesuffix(_SUFFIX): _array(name, archive.read(info))
                    for name, info in members.items()
                }
        except (zipfile.BadZipFile, EOFError, struct.error, OverflowError) as error:
            raise ValueError(str(error) or "the file is truncated") from error
        except (NotImplementedError, RuntimeError) as error:  # unknown compression, or encrypted
            raise ValueError(str(error)) from error
    return header, arrays


def _members(archive: zipfile.ZipFile, n_bytes: int) -> dict[str, zipfile.ZipInfo]:
    """Return the members by name; their total size must not exceed the file size."""
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename
        if name in members:
            raise ValueError(f"{name!r} occurs twice")
        if name != _HEADER and not name.endswith(_SUFFIX):
            raise ValueError(f"{name!r} is not part of a model")
        if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
            raise ValueError(f"{name!r} must not be compressed")
        if not 0 <= info.header_offset <= n_bytes - info.file_size:
            raise ValueError(f"{name!r} lies outside the file")
        members[name] = info
    if _HEADER not in members:
        raise ValueError(f"{_HEADER!r} is missing")
    n_needed = sum(info.file_size for info in members.values())
    if n_needed > n_bytes:
        raise ValueError(f"its members need {n_needed} bytes, but the file has {n_bytes}")
    return members


def _header(text: bytes) -> dict[str, Any]:
    header = json.loads(
        text.decode("utf-8"), object_pairs_hook=_unique_names, parse_constant=_reject_constant
    )
    if not isinstance(header, dict):
        raise ValueError(f"{_HEADER!r} must be a JSON object")
    return header


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"{_HEADER!r} has a duplicate key")
    return found


def _reject_constant(word: str) -> None:
    raise ValueError(f"{_HEADER!r} contains {word}; numbers must be finite")


def _array(name: str, member: bytes) -> NDArray[Any]:
    """Return an array whose header agrees exactly with the length of the member."""
    start = len(_MAGIC) + 2
    if len(member) < start or not member.startswith(_MAGIC):
        raise ValueError(f"{name!r} is not an array in numpy's format 1.0")
    end = start + int.from_bytes(member[start - 2 : start], "little")
    found = _DESCRIPTION.fullmatch(member, start, end)
    if found is None or end > len(member):
        raise ValueError(f"{name!r} is an array with an unsupported header")
    try:
        dtype = np.dtype(found[1].decode("ascii"))
    except TypeError:
        raise ValueError(f"{name!r} has an unknown dtype") from None
    shape = tuple(int(size) for size in found[2].split(b",") if size)
    if dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize != len(member) - end:
        raise ValueError(
            f"{name!r} has shape {shape} and dtype {dtype} according to its header, but "
            f"{len(member) - end} bytes of data"
        )
    array = np.frombuffer(member, dtype, math.prod(shape), end)
    return array.reshape(shape).astype(dtype.newbyteorder("="))
