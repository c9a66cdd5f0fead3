"""The text format of LIBSVM and svmlight."""

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

from softmargin import _core
from softmargin._checks import parameters
from softmargin._checks.rows import check_rows, from_native, native_rows
from softmargin._files.atomic_file import atomic_write

_PIECE = 1 << 22
# For LibsvmBlocks: the largest excess over a block.
_SMALL_PIECE = 1 << 18


def load_libsvm(
    file: Any,
    *,
    n_features: int | None = None,
    dtype: Any = np.float64,
    zero_based: bool = False,
) -> tuple[sp.csr_matrix, NDArray[np.float64]]:
    """Read samples and labels from a file of lines ``label index:value index:value …``.

    Parameters
    ----------
    file : path or binary file object
        File to read, in pieces. Paths that end in .gz or .bz2 are decompressed.
    n_features : int or None, default=None
        Number of features; None uses the largest index in the file.
    dtype : float64 or float32, default=float64
        Type of the values.
    zero_based : bool, default=False
        Whether the first feature has index 0 instead of 1, the standard.

    Returns
    -------
    X : CSR matrix of shape (n_samples, n_features)
        The samples.
    y : ndarray of float64
        The labels.

    Raises
    ------
    ValueError
        If the file is not in this format; the message has the line number.

    Notes
    -----
    The reader accepts CRLF, tabs, blank lines, comments that start with ``#``, a byte order mark,
    a missing final newline, and a ``qid:`` after the label, which is ignored.
    """
    reader = _core.LibsvmReader(*reader_options(dtype, zero_based, n_features))
    with open_binary(file) as stream:
        for piece in _pieces(stream, reader):
            reader.feed(piece)
    rows, labels = reader.finish()
    return from_native(rows), labels


class LibsvmBlocks:
    """Blocks of samples of a LIBSVM file, for files larger than memory.

    Each iteration reads the file from the start and yields pairs ``(X, y)``, for
    :meth:`softmargin.SGDSVC.fit_blocks` or ``partial_fit`` of any classifier.

    Parameters
    ----------
    path : path
        File to read. Files that end in .gz or .bz2 are decompressed.
    block_rows : int, default=65536
        Minimum number of samples per block, except the last. A block may have slightly more,
        since the file is read in pieces.
    n_features : int or None, default=None
        Number of features; None uses the largest index in the file, which requires an additional
        pass over the file before the first block.
    dtype : float64 or float32, default=float64
        Type of the values.
    zero_based : bool, default=False
        Whether the first feature has index 0 instead of 1, the standard.

    Attributes
    ----------
    n_features : int
        Number of features.
    classes : ndarray
        All labels in ascending order. The first access requires a pass over the file.
    """

    __module__ = "softmargin"  # pickles do not depend on file names

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
        self.block_rows = parameters.positive("block_rows", block_rows)
        self._options = reader_options(dtype, zero_based, n_features)

    @functools.cached_property
    def _found(self) -> tuple[int, NDArray[np.float64]]:
        """Scan the file for the number of features and the labels."""
        n_features, labels = 0, np.empty(0)
        for X, y in self._blocks(_core.LibsvmReader(*self._options)):
            n_features = max(n_features, X.shape[1])
            labels = np.union1d(labels, y)
        if not len(labels):
            raise ValueError(f"{str(self.path)!r} has no samples")
        return n_features, labels

    @property
    def n_features(self) -> int:
        """Return the number of features."""
        given = self._options[2]
        return self._found[0] if given is None else given

    @property
    def classes(self) -> NDArray[np.float64]:
        """Return all labels in ascending order."""
        return self._found[1]

    def __iter__(self) -> Iterator[tuple[sp.csr_matrix, NDArray[np.float64]]]:
        single, zero_based, _ = self._options
        return self._blocks(_core.LibsvmReader(single, zero_based, self.n_features))

    def _blocks(
        self, reader: _core.LibsvmReader
    ) -> Iterator[tuple[sp.csr_matrix, NDArray[np.float64]]]:
        with open_binary(self.path) as stream:
            for piece in _pieces(stream, reader, _SMALL_PIECE):
                reader.feed(piece)
                if reader.n_rows() >= self.block_rows:
                    rows, labels = reader.take()
                    yield from_native(rows), labels
        reader.feed(b"\n")  # in case the last line has no newline
        if reader.n_rows():
            rows, labels = reader.take()
            yield from_native(rows), labels


def reader_options(dtype: Any, zero_based: bool, n_features: Any) -> tuple[bool, bool, int | None]:
    """Return the arguments of the core's reader."""
    if np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype = {dtype!r} is not valid: it must be float32 or float64")
    if n_features is not None and parameters.integer("n_features", n_features) < 1:
        raise ValueError(f"n_features = {n_features} is not valid: it must be positive")
    return np.dtype(dtype) == np.float32, bool(zero_based), n_features


def dump_libsvm(X: Any, y: Any, file: Any, *, zero_based: bool = False) -> None:
    """Write samples and numeric labels as lines ``label index:value index:value …``.

    Values are written with enough digits to be read back exactly.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        The labels, which must be finite numbers.
    file : path or binary file
        Paths are replaced atomically: an interrupted call keeps the old file. Paths that end in
        .gz or .bz2 are compressed.
    zero_based : bool, default=False
        Whether the first feature gets index 0 instead of 1, the standard.

    Raises
    ------
    ValueError
        If the labels are not finite numbers, or their number differs from that of the samples.
    """
    X = check_rows(X)
    labels = _plain_numbers(y)
    if labels.shape != (X.shape[0],):
        raise ValueError(f"X has {X.shape[0]} samples, but y has shape {labels.shape}")
    if not np.isfinite(labels).all():
        row = int(np.argmin(np.isfinite(labels)))
        raise ValueError(f"the label of row {row} is {labels[row]}; every label must be finite")
    with _open_for_writing(file) as stream:
        for start in range(0, X.shape[0], 4096):
            rows = native_rows(X[start : start + 4096])
            stream.write(_core.libsvm_lines(rows, labels[start : start + 4096], zero_based))


def _plain_numbers(y: Any) -> NDArray[np.float64]:
    """Return labels as float64 without loss."""
    given = np.asarray(y)
    if given.dtype.kind in "cmM":
        raise ValueError(f"y must be numeric to be written as LIBSVM text, not {given.dtype}")
    try:
        labels = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must be numeric to be written as LIBSVM text: {error}") from None
    # Larger integers are not exact in float64.
    is_large = (abs(labels) >= 2.0**53) & (given.dtype.kind in "iuO")
    if is_large.any():
        row = int(np.argmax(is_large))
        raise ValueError(
            f"the label of row {row} is {given.flat[row]}; integers must be below 2^53"
        )
    return labels


def _pieces(stream: IO[bytes], reader: _core.LibsvmReader, size: int = _PIECE) -> Iterator[bytes]:
    # Data decompressed before an error is still passed on, for a correct line number.
    read = getattr(stream, "read1", stream.read)
    while True:
        piece, failure = b"", None
        try:
            while len(piece) < size and (more := read(size - len(piece))):
                if isinstance(more, str):
                    raise TypeError("file must be opened in binary mode")
                piece += more
        except (EOFError, OSError, zlib.error) as error:
            if isinstance(error, IsADirectoryError | PermissionError | TimeoutError):
                raise  # TimeoutError comes from a signal handler, for example of an alarm
            failure = error
        if piece:
            yield piece
        if failure is not None:
            line = reader.lines()
            raise ValueError(f"cannot read the file after line {line}: {failure}") from failure
        if not piece:
            return


def _compressed(
    stream: IO[bytes], path: Path, mode: Literal["rb", "wb"]
) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Return a stream that compresses or decompresses according to the suffix of ``path``."""
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(stream, mode))
    if path.suffix == ".bz2":
        return cast(IO[bytes], bz2.open(stream, mode))
    return contextlib.nullcontext(stream)


@contextlib.contextmanager
def open_binary(file: Any) -> Iterator[IO[bytes]]:
    """Open a path for reading, decompressed, or pass through a file object."""
    if hasattr(file, "read"):
        yield file
        return
    path = Path(file)
    with path.open("rb") as stream, _compressed(stream, path, "rb") as decompressed:
        yield decompressed


@contextlib.contextmanager
def _open_for_writing(file: Any) -> Iterator[IO[bytes]]:
    if hasattr(file, "write"):
        yield file
        return
    path = Path(file)
    with atomic_write(path) as stream, _compressed(stream, path, "wb") as compressed:
        yield compressed
