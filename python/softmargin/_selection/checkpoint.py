"""A file from which a long model selection resumes."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from softmargin._checks import signals
from softmargin._estimators.methods import METHODS
from softmargin._files.atomic_file import atomic_write
from softmargin._files.npz import Archive
from softmargin._selection.samples import Samples, Split
from softmargin._selection.table import COUNTS, Table

_VERSION = 4
_SECONDS_BETWEEN = 10.0
_CHUNK = 1 << 24
# The dtypes of the arrays of a table, and that of the longest signature. A score has the name
# "test/" or "train/" and its own name.
_DTYPES = {"done": np.dtype(bool)} | dict.fromkeys(COUNTS, np.dtype(np.int64))
_SCORES = ("test/", "train/")
_LONGEST_SIGNATURE = np.dtype("U64")


def signature(
    estimator: Any,
    cells: Sequence[dict[str, Any]],
    rows: Samples,
    splits: Sequence[Split],
    scoring: Any = "accuracy",
) -> str:
    """Return a hash of the samples, labels, splits, candidates and parameters of a run."""
    digest = hashlib.sha256()
    X = rows.X
    parts: tuple[Any, ...]
    if hasattr(X, "indptr"):
        parts = X.indptr, X.indices, X.data
    elif isinstance(X, np.ndarray) and X.dtype != object:
        parts = (np.ascontiguousarray(X),)
    else:
        parts = ()
        digest.update(str(joblib.hash(X)).encode())
    labels = (rows.codes, rows.order, rows.sample_weight, rows.targets)
    for part in (*parts, *labels, *(p for split in splits for p in split)):
        if part is not None:
            array = np.ascontiguousarray(part)
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            content = array.reshape(-1).view(np.uint8)
            for start in range(0, len(content), _CHUNK):  # Ctrl-C is handled between chunks
                digest.update(content[start : start + _CHUNK].data)
    params = sorted((name, _described(value)) for name, value in estimator.get_params().items())
    without_effect = ("n_jobs", "verbose", "cache_size")  # on the result
    params = [(name, value) for name, value in params if not name.endswith(without_effect)]
    candidates = [sorted((name, _described(value)) for name, value in c.items()) for c in cells]
    facts = (type(estimator).__name__, params, candidates, rows.scaling, rows.single_precision)
    digest.update(repr((facts, _described(scoring))).encode())
    return digest.hexdigest()


def _described(value: Any) -> str:
    """Return a text that is the same in another process, and differs for other values."""
    if isinstance(value, BaseEstimator):
        params = sorted((name, _described(own)) for name, own in value.get_params().items())
        return f"{type(value).__name__}{params}"
    if isinstance(value, np.ndarray):
        return str(joblib.hash(value))
    if isinstance(value, Mapping):
        return str([(key, _described(own)) for key, own in value.items()])
    if isinstance(value, list | tuple):
        return type(value).__name__ + str([_described(own) for own in value])
    # The representation of functions and other objects contains their addresses.
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


class Checkpoint:
    """The table of a run in a file, which is rewritten every few seconds.

    A watcher of the engine. The format is that of ``numpy.savez``, read without pickle: arrays
    are not compressed, and their shapes must match the splits and candidates of the run. The
    constructor raises OSError if the folder is not writable; if writing fails later, the run
    continues with a warning.
    """

    def __init__(self, path: str | os.PathLike[str], name: str, run: str) -> None:
        self._path = Path(path)
        self._name = name
        self._run = run
        self._saved = time.monotonic()
        self._has_warned = False
        folder = self._path.resolve().parent
        code = errno.EACCES if folder.is_dir() else errno.ENOENT
        if code == errno.ENOENT or not os.access(folder, os.W_OK):
            raise OSError(code, f"the checkpoint cannot be written: {os.strerror(code)}", str(path))

    def load(
        self, table: Table, n_test: NDArray[np.int64], accuracy_name: str | None = None
    ) -> None:
        """Fill a table with the results of this run that the file contains.

        ``n_test[s]`` is the number of test samples of split s, and ``accuracy_name`` that of a
        score that is the accuracy.
        """
        if not self._path.exists():
            return
        found = self._read(table)
        if found is None:
            raise ValueError(
                f"the checkpoint {str(self._path)!r} belongs to a different run of "
                f"{self._name!r}: the samples, labels, folds or parameters differ. Delete the file "
                "or choose another one"
            )
        if f"{self._name}/done" not in found:
            return
        own = {
            name.removeprefix(f"{self._name}/"): values
            for name, values in found.items()
            if name.startswith(f"{self._name}/") and not name.endswith("/run")
        }
        for name in ("done", *COUNTS):
            if not (own[name] >= 0).all():
                raise self._invalid(f"{name} contains invalid values")
        if own["done"].any() and not any(name.startswith("test/") for name in own):
            raise self._invalid("it contains no scores")
        accuracy = own.get(f"test/{accuracy_name}")
        if accuracy_name is not None and accuracy is not None:
            if not ((accuracy >= 0) & (accuracy <= 1))[own["done"]].all():
                raise self._invalid(f"{accuracy_name} contains invalid values")
            n_correct = np.where(own["done"], accuracy, 0.0) * n_test[:, np.newaxis]
            if not np.isclose(n_correct, np.rint(n_correct), rtol=0, atol=1e-3).all():
                raise self._invalid("accuracy is inconsistent with the number of test samples")
        table.done[...] = own["done"]
        for name in COUNTS:
            table.counts[name][...] = own[name]
        for name, values in own.items():
            for kind in _SCORES:
                if name.startswith(kind):
                    column = table.column(name.removeprefix(kind), kind == "train/")
                    column[...] = values

    def update(self, table: Table) -> None:
        """Write the table if a few seconds have passed since the last time, or all is done."""
        if time.monotonic() - self._saved >= _SECONDS_BETWEEN or table.done.all():
            self.save(table)

    def save(self, table: Table) -> None:
        """Replace the file by the table; warn once if it cannot be written."""
        try:
            with signals.defer_interrupts():  # zipfile reports an incomplete archive on stderr
                self._write(table)
        except TimeoutError:  # raised by a signal handler, for example of an alarm
            raise
        except (OSError, ValueError) as error:
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(
                    f"the checkpoint {str(self._path)!r} could not be written: {error}. The run "
                    "continues",
                    RuntimeWarning,
                    stacklevel=2,
                )
        self._saved = time.monotonic()

    def _write(self, table: Table) -> None:
        """Replace the file by the table; keep the results that other processes have added.

        These are the results of other methods, and of other candidates of the same run.
        """
        found = self._read(table) if self._path.exists() else {}
        if found is None:
            raise ValueError(
                "another process has written a different run to it; choose another file"
            )
        # Failed trainings are repeated.
        done = table.done.copy()
        for place in (*table.errors, *table.score_errors, *table.train_errors):
            done[place] = False
        missing = found.get(f"{self._name}/done", False) & ~done
        found["version"] = np.array(_VERSION)
        found[f"{self._name}/run"] = np.array(self._run)
        fields = {"done": done} | table.counts
        fields |= {f"test/{name}": own for name, own in table.test.items()}
        fields |= {f"train/{name}": own for name, own in table.train.items()}
        for field, own in fields.items():
            name = f"{self._name}/{field}"
            found[name] = np.where(missing, found.get(name, own), own)
        with atomic_write(self._path) as file:
            np.savez(file, **found)

    def _read(self, table: Table | None = None) -> dict[str, Any] | None:
        """Return all arrays; None if those of this method belong to a different run.

        With a table, its run is compared with that of the file. Headers are checked before memory
        is allocated.
        """
        try:
            with Archive.opened(self._path, "a checkpoint contains a version and a run") as archive:
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
        except TimeoutError:  # raised by a signal handler, for example of an alarm
            raise
        except (OSError, ValueError) as error:
            raise self._invalid(str(error)[:500]) from error  # names may have any length

    def _invalid(self, reason: str) -> ValueError:
        return ValueError(f"{str(self._path)!r} is not a valid checkpoint: {reason}")


def _check_version(archive: Archive) -> None:
    """Raise ValueError if the file has another version than this package writes."""
    shape, dtype = archive.header("version")
    version = None
    if shape == () and dtype.kind in "iu":
        version = archive.array("version").item()
    if version != _VERSION:
        raise ValueError(
            f"its version is not {_VERSION}, the only one that this release reads. Delete the file "
            "or choose another one"
        )


# The name of a method, with a number if the method occurs several times.
_LABEL = re.compile(r"([a-z]+)(?:-\d{1,6})?")
_LABELS = {*METHODS, "pipeline", "search"}


def _check_headers(archive: Archive) -> set[str]:
    """Return the methods in a file; raise ValueError unless all arrays belong to tables."""
    shapes: dict[str, dict[str, tuple[int, ...]]] = {}
    for name in archive.names:
        if name == "version":
            continue
        shape, dtype = archive.header(name)
        method, _, field = name.partition("/")
        label = _LABEL.fullmatch(method)
        is_score = field.startswith(_SCORES)
        is_known = is_score or field in ("run", *_DTYPES)
        if label is None or label[1] not in _LABELS or not is_known:
            raise ValueError(f"unknown array {name!r}")
        expected = np.dtype(np.float64) if is_score else _DTYPES.get(field)
        is_valid = dtype == expected and len(shape) == 2
        if field == "run":
            is_valid = (
                dtype.kind == "U" and dtype.itemsize <= _LONGEST_SIGNATURE.itemsize and shape == ()
            )
        if not is_valid:
            raise ValueError(f"the array {name!r} has shape {shape} and dtype {dtype}")
        shapes.setdefault(method, {})[field] = shape
    for method, found in shapes.items():
        missing = {"run", *_DTYPES} - found.keys()
        if missing:
            raise ValueError(f"{min(missing)} of {method!r} is missing")
        for field in found:
            if field != "run" and found[field] != found["done"]:
                raise ValueError(f"{field} and done of {method!r} have different shapes")
    return set(shapes)
