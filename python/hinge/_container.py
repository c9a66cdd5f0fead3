"""A file of named arrays and one JSON header, read without trust.

The file is an ``npz`` archive of numpy whose arrays are not packed, with the header as
``header.json`` beside them: ``numpy.load`` and any unzip program open it. What makes it safe:
nothing in it is code; a member is as long in memory as in the file, so that no header can ask
for more memory than the file has bytes; and the archive has a checksum of every member, so that
a changed byte is found. (The format safetensors has no checksum, no labels of text, and would
be one more package to install.)
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

from hinge._replacement import replaced

_HEADER = "header.json"
_ENDING = ".npy"
# What numpy writes in front of an array: magic, version 1.0, length, a dictionary.
_MAGIC = b"\x93NUMPY\x01\x00"
_DESCRIPTION = re.compile(
    rb"\{'descr': '([<|][biufU]\d{1,9})', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,15},|\d{1,15}, \d{1,15})?)\), \} *\n"
)


def write(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a header and arrays in place of a file; equal content gives equal bytes."""
    text = json.dumps(header, allow_nan=False, indent=1).encode("ascii")
    with replaced(path) as stream, zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_HEADER), text)
        for name, array in arrays.items():
            little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
            with archive.open(zipfile.ZipInfo(name + _ENDING), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, little, version=(1, 0), allow_pickle=False)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a file.

    Raises
    ------
    ValueError
        If the file is anything but what :func:`write` makes.
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError("it is not a regular file")
    with path.open("rb") as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                members = _members(archive, os.fstat(stream.fileno()).st_size)
                header = _header(archive.read(members.pop(_HEADER)))
                arrays = {
                    name.removesuffix(_ENDING): _array(name, archive.read(info))
                    for name, info in members.items()
                }
        except (zipfile.BadZipFile, EOFError, struct.error, OverflowError) as error:
            raise ValueError(str(error) or "it breaks off") from error
        except (NotImplementedError, RuntimeError) as error:  # packed or locked in another way
            raise ValueError(str(error)) from error
    return header, arrays


def _members(archive: zipfile.ZipFile, n_bytes: int) -> dict[str, zipfile.ZipInfo]:
    """Return the members by name; all together they must have room in the file."""
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename
        if name in members:
            raise ValueError(f"it has {name!r} twice")
        if name != _HEADER and not name.endswith(_ENDING):
            raise ValueError(f"it has {name!r}, which is not part of a model")
        if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
            raise ValueError(f"{name!r} is packed, but must not be")
        if not 0 <= info.header_offset <= n_bytes - info.file_size:
            raise ValueError(f"{name!r} is outside of the file")
        members[name] = info
    if _HEADER not in members:
        raise ValueError(f"it has no {_HEADER!r}")
    n_needed = sum(info.file_size for info in members.values())
    if n_needed > n_bytes:
        raise ValueError(f"its parts need {n_needed} bytes, but it has {n_bytes}")
    return members


def _header(text: bytes) -> dict[str, Any]:
    header = json.loads(
        text.decode("utf-8"), object_pairs_hook=_unique_names, parse_constant=_refuse_constant
    )
    if not isinstance(header, dict):
        raise ValueError(f"{_HEADER!r} is not an object with names")
    return header


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"{_HEADER!r} has a name twice")
    return found


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{_HEADER!r} has the number {word}")


def _array(name: str, member: bytes) -> NDArray[Any]:
    """Return an array whose description fits the length of the member to the byte."""
    start = len(_MAGIC) + 2
    if len(member) < start or not member.startswith(_MAGIC):
        raise ValueError(f"{name!r} is not an array of numpy's format 1.0")
    end = start + int.from_bytes(member[start - 2 : start], "little")
    found = _DESCRIPTION.fullmatch(member, start, end)
    if found is None or end > len(member):
        raise ValueError(f"{name!r} is an array with a description that is not understood")
    try:
        dtype = np.dtype(found[1].decode("ascii"))
    except TypeError:
        raise ValueError(f"{name!r} has an unknown type") from None
    shape = tuple(int(size) for size in found[2].split(b",") if size)
    if dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize != len(member) - end:
        raise ValueError(
            f"{name!r} should have the shape {shape} and the type {dtype}, but has "
            f"{len(member) - end} bytes"
        )
    array = np.frombuffer(member, dtype, math.prod(shape), end)
    return array.reshape(shape).astype(dtype.newbyteorder("="))
