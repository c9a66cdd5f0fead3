"""A file from which a long model selection goes on after a stop."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin._checks import signals
from softmargin._estimators.methods import METHODS
from softmargin._files.atomic_file import atomic_write
from softmargin._files.npz import Archive
from softmargin._selection import engine

_VERSION = 3
_SECONDS_BETWEEN = 10.0
_PIECE = 1 << 24
# The types of the arrays of a table, and the longest text that tells one run from another.
_TYPES = {name: own.dtype for name, own in engine.empty_table(0, 0)._asdict().items()}
_LONGEST_RUN = np.dtype("U64")


def signature(
    estimator: Any,
    cells: Sequence[dict[str, Any]],
    rows: engine.Rows,
    splits: Sequence[engine.Split],
) -> str:
    """Return what tells one run from another: rows, labels, splits, cells and parameters."""
    digest = hashlib.sha256()
    X = rows.X
    parts = (X.indptr, X.indices, X.data) if hasattr(X, "indptr") else (np.ascontiguousarray(X),)
    labels = (rows.codes, rows.order, rows.sample_weight)
    for part in (*parts, *labels, *(p for split in splits for p in split)):
        if part is not None:
            array = np.ascontiguousarray(part)
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            content = array.reshape(-1).view(np.uint8)
            for start in range(0, len(content), _PIECE):  # Ctrl-C is heard in between
                digest.update(content[start : start + _PIECE].data)
    params = sorted((name, repr(value)) for name, value in estimator.get_params().items())
    is_free = {"n_jobs", "verbose", "cache_size"}  # of no effect on the result
    params = [(name, value) for name, value in params if name not in is_free]
    facts = (type(estimator).__name__, params, [sorted(map(repr, c.items())) for c in cells])
    digest.update(repr((facts, rows.scale, rows.single_precision)).encode())
    return digest.hexdigest()


class Checkpoint:
    """The table of a run in a file, written now and then, each time as a whole.

    A watcher of the engine. The format is that of ``numpy.savez``, read without pickle: arrays
    are not compressed, and those of a run have the sizes that its splits and cells tell. A place
    where nothing can be written is refused at once; if writing fails later, the run goes on.
    """

    def __init__(self, path: str | os.PathLike[str], name: str, run: str) -> None:
        self._path = Path(path)
        self._name = name
        self._run = run
        self._saved = time.monotonic()
        self._is_told = False
        folder = self._path.resolve().parent
        code = errno.EACCES if folder.is_dir() else errno.ENOENT
        if code == errno.ENOENT or not os.access(folder, os.W_OK):
            raise OSError(code, f"the checkpoint cannot be written: {os.strerror(code)}", str(path))

    def load(self, table: engine.Table, n_test: NDArray[np.int64]) -> None:
        """Fill a table with what the file has of this run.

        ``n_test[s]`` is the number of test rows of split s.
        """
        if not self._path.exists():
            return
        found = self._read(table)
        if found is None:
            raise ValueError(
                f"the checkpoint {str(self._path)!r} belongs to another run of {self._name!r}: "
                "rows, labels, folds or parameters differ; delete it or choose another file"
            )
        stored = [found.get(f"{self._name}/{field}") for field in table._fields]
        if stored[0] is None:
            return
        own = engine.Table._make(stored)
        for field, values in own._asdict().items():
            if not (values >= 0).all() or (field in engine.SCORINGS and (values > 1).any()):
                raise self._refusal(f"{field} has values that cannot be")
        n_right = own.accuracy * n_test[:, np.newaxis]
        if not np.isclose(n_right, np.rint(n_right), rtol=0, atol=1e-3).all():
            raise self._refusal("accuracy does not fit the number of test rows")
        for into, values in zip(table, own, strict=True):
            into[...] = values

    def update(self, table: engine.Table) -> None:
        """Write the table, if some time has passed or all is done."""
        if time.monotonic() - self._saved >= _SECONDS_BETWEEN or table.done.all():
            self.save(table)

    def save(self, table: engine.Table) -> None:
        """Write the table in place of the file, or warn once that it cannot be written."""
        try:
            with signals.defer_interrupts():  # an archive that is left by half says so on stderr
                self._write(table)
        except TimeoutError:  # raised by a handler of signals, as that of an alarm
            raise
        except (OSError, ValueError) as error:
            if not self._is_told:
                self._is_told = True
                warnings.warn(
                    f"the checkpoint {str(self._path)!r} is not written: {error}; the run goes on",
                    RuntimeWarning,
                    stacklevel=2,
                )
        self._saved = time.monotonic()

    def _write(self, table: engine.Table) -> None:
        """Write the table in place of the file; keep what other processes wrote meanwhile.

        These are other methods, and cells of the same run.
        """
        found = self._read(table) if self._path.exists() else {}
        if found is None:
            raise ValueError("another process wrote another run to it; choose another file")
        missing = found.get(f"{self._name}/done", False) & ~table.done
        found["version"] = np.array(_VERSION)
        found[f"{self._name}/run"] = np.array(self._run)
        for field, own in table._asdict().items():
            name = f"{self._name}/{field}"
            found[name] = np.where(missing, found.get(name, own), own)
        with atomic_write(self._path) as file:
            np.savez(file, **found)

    def _read(self, table: engine.Table | None = None) -> dict[str, Any] | None:
        """Return all arrays; None if those of this method are of another run than a given table.

        What is in the file is checked before memory is taken for it.
        """
        try:
            with Archive.opened(self._path, "a checkpoint has a version and a run") as archive:
                _check_version(archive)
                archive.check_uncompressed()
                methods = _check_headers(archive)
                if table is not None and self._name in methods:
                    if str(archive.array(f"{self._name}/run")) != self._run:
                        return None
                    shape = archive.shape(f"{self._name}/done")
                    if shape != table.done.shape:
                        raise ValueError(f"done has shape {shape}, not {table.done.shape}")
                return {name: archive.array(name) for name in archive.names}
        except TimeoutError:  # raised by a handler of signals, as that of an alarm
            raise
        except (OSError, ValueError) as error:
            raise self._refusal(str(error)[:500]) from error  # names may be of any length

    def _refusal(self, reason: str) -> ValueError:
        return ValueError(f"{str(self._path)!r} is not a checkpoint: {reason}")


def _check_version(archive: Archive) -> None:
    """Refuse a file of another version."""
    shape, dtype = archive.header("version")
    version = None
    if shape == () and dtype.kind in "iu":
        version = archive.array("version").item()
    if version != _VERSION:
        raise ValueError(
            f"its version is not {_VERSION}, which this package reads; delete it or choose "
            "another file"
        )


# A method, with a number where there are several of it.
_LABEL = re.compile(r"([a-z]+)(?:-\d{1,6})?")


def _check_headers(archive: Archive) -> set[str]:
    """Return the methods that a file has; all arrays must be those of tables."""
    shapes: dict[str, dict[str, tuple[int, ...]]] = {}
    for name in archive.names:
        if name == "version":
            continue
        shape, dtype = archive.header(name)
        method, _, field = name.rpartition("/")
        label = _LABEL.fullmatch(method)
        if label is None or label[1] not in METHODS or field not in ("run", *_TYPES):
            raise ValueError(f"the array {name!r} is not known")
        fits = dtype == _TYPES.get(field) and len(shape) == 2
        if field == "run":
            fits = dtype.kind == "U" and dtype.itemsize <= _LONGEST_RUN.itemsize and shape == ()
        if not fits:
            raise ValueError(f"the array {name!r} has shape {shape} and type {dtype}")
        shapes.setdefault(method, {})[field] = shape
    for method, found in shapes.items():
        missing = {"run", *_TYPES} - found.keys()
        if missing:
            raise ValueError(f"{min(missing)} of {method!r} is missing")
        for field in _TYPES:
            if found[field] != found["done"]:
                raise ValueError(f"{field} of {method!r} has another shape than done")
    return set(shapes)
