"""Lines of text files, compressed or not, and the numbers in them."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softmargin._files.libsvm_text import open_binary

Line = tuple[int, str]


def lines(path: Path, comment: str | None = None) -> Iterator[Line]:
    """Yield the lines with their numbers from 1, except those that begin with ``comment``.

    Files that end in .gz or .bz2 are decompressed. A byte order mark is skipped.

    Raises
    ------
    ValueError
        If a line is not valid UTF-8 or contains a NUL byte; the message has the line number.
    """
    with open_binary(path) as binary:
        # Invalid bytes become lone surrogates, so that their line is known.
        stream = io.TextIOWrapper(
            binary, encoding="utf-8-sig", errors="surrogateescape", newline=""
        )
        for number, line in enumerate(_unbroken(stream), 1):
            if comment is not None and line.lstrip().startswith(comment):
                continue
            if not line.isascii():
                try:
                    line.encode("utf-8")
                except UnicodeEncodeError:
                    raise ValueError(f"line {number} is not valid UTF-8 text") from None
            if "\0" in line:
                raise ValueError(f"line {number} contains a NUL byte; the file is not text")
            yield number, line


def _unbroken(stream: Iterable[str]) -> Iterator[str]:
    """Yield lines; errors of decompression become ValueError with the line number."""
    n_lines = 0
    try:
        for line in stream:
            yield line
            n_lines += 1
    except TimeoutError:  # raised by a signal handler, for example of an alarm
        raise
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"cannot read the file after line {n_lines}: {error}") from error


def parse_floats(words: Sequence[str]) -> NDArray[np.float64] | None:
    """Return words as numbers, or None if a word is not a number."""
    try:
        values = np.fromiter(map(float, words), dtype=np.float64, count=len(words))
    except ValueError:
        return None
    # Python also accepts 1_000 and the digits of other scripts.
    joined = "".join(words)
    return None if "_" in joined or not joined.isascii() else values
