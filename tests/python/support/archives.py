"""Read and write the parts of model files with only the standard library and numpy."""

import io
import json
import zipfile

import numpy as np


def parts(path):
    """Return the header and the arrays of a file."""
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
    with np.load(path, allow_pickle=False) as arrays:
        found = {name: arrays[name] for name in arrays.files if name != "header.json"}
    return header, found


def member(array):
    """Return the bytes of an array in the format of numpy."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=True)
    return stream.getvalue()


def pack(path, members, **options):
    """Write members to an archive with valid checksums and without time stamps."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, archive.compression)


def rebuild(path, header, arrays):
    """Write a file with this header and these arrays."""
    members = [("header.json", json.dumps(header))]
    pack(path, members + [(f"{name}.npy", member(array)) for name, array in arrays.items()])
