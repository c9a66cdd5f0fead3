"""Files in the text format of LIBSVM and svmlight."""

from __future__ import annotations

import bz2
import contextlib
import functools
import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hinge import _core, _input, _parameters
from hinge._replacement import replaced

_PIECE = 1 << 22
# For blocks of rows: the most that comes on top of a block.
_SMALL_PIECE = 1 << 18


def load_libsvm(
    file: Any,
    *,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool = False,
) -> tuple[sp.csr_matrix, NDArray[np.float64]]:
    """Read rows and labels from a file of lines ``label index:value index:value …``.

    Parameters
    ----------
    file : path or binary file object
        Paths that end in .gz or .bz2 are unpacked. The file is read in pieces.
    n_features : int or None
        Number of columns; None takes the largest index of the file.
    dtype : float64 or float32
        Type of the values.
    zero_based : bool
        Whether the first column has index 0; the format says 1.

    Returns
    -------
    X : CSR matrix
    y : ndarray of float64

    Raises
    ------
    ValueError
        With the number of the line, if the file is not in this format.

    Notes
    -----
    Accepted: CRLF, tabs, blank lines, comments from ``#``, a byte order mark, a
    missing last newline, and a ``qid:`` after the label, which is ignored.
    """
    reader = _core.LibsvmReader(*reader_options(dtype, zero_based, n_features))
    with _opened(file) as stream:
        for piece in _pieces(stream, reader):
            reader.feed(piece)
    rows, labels = reader.finish()
    return _input.from_native(rows), labels


class LibsvmBlocks:
    """The rows of a LIBSVM file, some at a time: for files larger than memory.

    Goes through the file anew each time it is iterated over, and yields ``(X, y)``. For
    :meth:`hinge.SGDSVC.fit_blocks`, or ``partial_fit`` of any classifier.

    Parameters
    ----------
    path : path
        Files that end in .gz or .bz2 are unpacked.
    block_rows : int, default=65536
        The least rows of a block but the last; a few more come with the piece of the file.
    n_features : int or None
        Number of columns; None takes the largest index of the file, which is then looked
        through once before the first block.
    dtype : float64 or float32
        Type of the values.
    zero_based : bool
        Whether the first column has index 0; the format says 1.

    Attributes
    ----------
    n_features : int
        Number of columns.
    classes : ndarray
        All labels, ascending; the file is looked through once when first asked for.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        block_rows: int = 65_536,
        *,
        n_features: int | None = None,
        dtype: Any = np.float64,
        zero_based: bool = False,
    ) -> None:
        self.path = Path(path)
        self.block_rows = _parameters.positive("block_rows", block_rows)
        self._options = reader_options(dtype, zero_based, n_features)

    @functools.cached_property
    def _found(self) -> tuple[int, NDArray[np.float64]]:
        """Look through the file for the number of features and the labels."""
        n_features, labels = 0, np.empty(0)
        for X, y in self._blocks(_core.LibsvmReader(*self._options)):
            n_features = max(n_features, X.shape[1])
            labels = np.union1d(labels, y)
        if not len(labels):
            raise ValueError(f"{str(self.path)!r} has no rows")
        return n_features, labels

    @property
    def n_features(self) -> int:
        """Return the number of columns."""
        given = self._options[2]
        return self._found[0] if given is None else given

    @property
    def classes(self) -> NDArray[np.float64]:
        """Return all labels, ascending."""
        return self._found[1]

    def __iter__(self) -> Iterator[tuple[sp.csr_matrix, NDArray[np.float64]]]:
        single, zero_based, _ = self._options
        return self._blocks(_core.LibsvmReader(single, zero_based, self.n_features))

    def _blocks(
        self, reader: _core.LibsvmReader
    ) -> Iterator[tuple[sp.csr_matrix, NDArray[np.float64]]]:
        with _opened(self.path) as stream:
            for piece in _pieces(stream, reader, _SMALL_PIECE):
                reader.feed(piece)
                if reader.n_rows() >= self.block_rows:
                    rows, labels = reader.take()
                    yield _input.from_native(rows), labels
        reader.feed(b"\n")  # the end of a last line that has none
        if reader.n_rows():
            rows, labels = reader.take()
            yield _input.from_native(rows), labels


def reader_options(dtype: Any, zero_based: bool, n_features: Any) -> tuple[bool, bool, int | None]:
    """Return the arguments of a reader of the core."""
    if np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype = {dtype!r} is not valid: it must be float32 or float64")
    if n_features is not None and _parameters.integer("n_features", n_features) < 1:
        raise ValueError(f"n_features = {n_features} is not valid: it must be positive")
    return np.dtype(dtype) == np.float32, bool(zero_based), n_features


def dump_libsvm(X: Any, y: Any, file: Any, *, zero_based: bool = False) -> None:
    """Write rows and numeric labels as lines ``label index:value index:value …``.

    Values are written so that they read back to the same bits.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        The labels, finite numbers.
    file : path or binary file
        A path is written to a temporary file first and renamed: an interrupted call leaves the
        old file. Paths that end in .gz or .bz2 are packed.
    zero_based : bool, default=False
        Whether the first column gets index 0; the format says 1.

    Raises
    ------
    ValueError
        If labels are not finite numbers, or not one for each row.
    """
    X = _input.check_rows(X)
    labels = _plain_numbers(y)
    if labels.shape != (X.shape[0],):
        raise ValueError(f"X has {X.shape[0]} rows, but y has shape {labels.shape}")
    if not np.isfinite(labels).all():
        row = int(np.argmin(np.isfinite(labels)))
        raise ValueError(f"the label of row {row} is {labels[row]}; every label must be finite")
    with _written(file) as stream:
        for start in range(0, X.shape[0], 4096):
            rows = _input.native_rows(X[start : start + 4096])
            stream.write(_core.libsvm_lines(rows, labels[start : start + 4096], zero_based))


def _plain_numbers(y: Any) -> NDArray[np.float64]:
    """Return labels as the numbers that are written."""
    given = np.asarray(y)
    if given.dtype.kind in "cmM":
        raise ValueError(f"y must be numbers to be written as LIBSVM text, not {given.dtype}")
    try:
        labels = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must be numbers to be written as LIBSVM text: {error}") from None
    # Beyond this whole numbers would become others.
    is_large = (abs(labels) >= 2.0**53) & (given.dtype.kind in "iuO")
    if is_large.any():
        row = int(np.argmax(is_large))
        raise ValueError(
            f"the label of row {row} is {given.flat[row]}; whole numbers must be below 2^53"
        )
    return labels


def _pieces(stream: IO[bytes], reader: _core.LibsvmReader, size: int = _PIECE) -> Iterator[bytes]:
    # What is unpacked before an archive breaks off has lines, too: they count.
    read = getattr(stream, "read1", stream.read)
    while True:
        piece, broken = b"", None
        try:
            while len(piece) < size and (more := read(size - len(piece))):
                if isinstance(more, str):
                    raise TypeError("file must be opened in binary mode")
                piece += more
        except (EOFError, OSError, zlib.error) as error:
            if isinstance(error, IsADirectoryError | PermissionError | TimeoutError):
                raise  # the last by a handler of signals, as that of an alarm
            broken = error
        if piece:
            yield piece
        if broken is not None:
            lines = f"after line {reader.lines()}"
            raise ValueError(f"the file breaks off {lines}: {broken}") from broken
        if not piece:
            return


def _packed(
    stream: IO[bytes], path: Path, mode: Literal["rb", "wb"]
) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Return what packs or unpacks a stream as the ending of ``path`` says."""
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(stream, mode))
    if path.suffix == ".bz2":
        return cast(IO[bytes], bz2.open(stream, mode))
    return contextlib.nullcontext(stream)


@contextlib.contextmanager
def _opened(file: Any) -> Iterator[IO[bytes]]:
    if hasattr(file, "read"):
        yield file
        return
    path = Path(file)
    with path.open("rb") as stream, _packed(stream, path, "rb") as unpacked:
        yield unpacked


@contextlib.contextmanager
def _written(file: Any) -> Iterator[IO[bytes]]:
    if hasattr(file, "write"):
        yield file
        return
    path = Path(file)
    with replaced(path) as stream, _packed(stream, path, "wb") as packed:
        yield packed
