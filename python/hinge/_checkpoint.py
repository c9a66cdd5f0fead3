"""A file from which a long model selection goes on after a stop."""

from __future__ import annotations

import errno
import hashlib
import os
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinge import _engine, _signals
from hinge._npz import Archive
from hinge._replacement import replaced

_VERSION = 2
_SECONDS_BETWEEN = 10.0
_PIECE = 1 << 24
_FIELDS = frozenset(["run", *_engine.Table._fields])


def signature(
    estimator: Any,
    cells: Sequence[dict[str, Any]],
    rows: _engine.Rows,
    splits: Sequence[_engine.Split],
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

    A watcher of the engine. The format is that of ``numpy.savez``, read without pickle. A place
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

    def load(self, table: _engine.Table, n_test: NDArray[np.int64]) -> None:
        """Fill a table with what the file has of this run.

        ``n_test[s, c]`` is the number of test rows of class c in split s.
        """
        if not self._path.exists():
            return
        found = self._read()
        if f"{self._name}/run" not in found:
            return
        if str(found[f"{self._name}/run"]) != self._run:
            raise ValueError(
                f"the checkpoint {str(self._path)!r} belongs to another run of {self._name!r}: "
                "rows, labels, folds or parameters differ; delete it or choose another file"
            )
        for field, own in table._asdict().items():
            stored = found.get(f"{self._name}/{field}")
            if (
                stored is None
                or (stored.shape, stored.dtype) != (own.shape, own.dtype)
                or (stored < 0).any()
            ):
                raise ValueError(f"{str(self._path)!r} is not a checkpoint: {field} does not fit")
            own[...] = stored
        counted = table.confusion.sum(axis=-1) == n_test[:, None, :]
        if not counted[table.done].all():
            table.done[...] = False
            raise ValueError(
                f"{str(self._path)!r} is not a checkpoint: confusion does not count the test rows"
            )

    def update(self, table: _engine.Table) -> None:
        """Write the table, if some time has passed or all is done."""
        if time.monotonic() - self._saved >= _SECONDS_BETWEEN or table.done.all():
            self.save(table)

    def save(self, table: _engine.Table) -> None:
        """Write the table in place of the file, or warn once that it cannot be written."""
        try:
            with _signals.held():  # an archive that is left by half says so on stderr
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

    def _write(self, table: _engine.Table) -> None:
        """Write the table in place of the file, other methods in it kept."""
        found: dict[str, Any] = self._read() if self._path.exists() else {}
        found["version"] = np.array(_VERSION)
        found[f"{self._name}/run"] = np.array(self._run)
        for field, own in table._asdict().items():
            found[f"{self._name}/{field}"] = own
        with replaced(self._path) as file:
            np.savez_compressed(file, **found)

    def _read(self) -> dict[str, Any]:
        try:
            with Archive.opened(self._path, "a checkpoint has a version and a run") as archive:
                unknown = {n for n in archive.names if n.rpartition("/")[2] not in _FIELDS}
                if unknown := unknown - {"version"}:
                    raise ValueError(f"the array {min(unknown)!r} is not known")
                found = {name: archive.array(name) for name in archive.names}
        except TimeoutError:
            raise
        except (OSError, ValueError) as error:
            reason = str(error)[:500]  # names of arrays may be of any length
            raise ValueError(f"{str(self._path)!r} is not a checkpoint: {reason}") from error
        if found.get("version", np.array(0)).tolist() != _VERSION:
            raise ValueError(
                f"{str(self._path)!r} is not a checkpoint of version {_VERSION}, which this "
                "package reads"
            )
        return found
