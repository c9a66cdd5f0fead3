"""Labelled phrases, as in Kaggle's "Sentiment Analysis on Movie Reviews"."""

from __future__ import annotations

import csv
import gzip
import os
import re
import zlib
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,19}\s*", re.ASCII)


def load_phrases(path: str | os.PathLike[str]) -> tuple[list[str], NDArray[np.int64]]:
    r"""Read phrases and their labels from a tab-separated file.

    Parameters
    ----------
    path : path
        A file whose header line has the columns ``Phrase`` and ``Sentiment``. Files that end in
        .gz are decompressed.

    Returns
    -------
    phrases : list of str
        The phrases.
    labels : ndarray of int64
        The labels.

    Raises
    ------
    ValueError
        If the file does not have this format; the message has the line number.

    Examples
    --------
    Binary bag-of-words features, without punctuation and case, as in Duros and Katzman (2014):

    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> phrases = ["A fine film", "not a fine film", "fine , fine !"]
    >>> words = CountVectorizer(binary=True, token_pattern=r"\S*\w\S*")
    >>> words.fit_transform(phrases).shape
    (3, 4)
    """
    path = Path(path)
    try:
        with _opened(path) as stream:
            return _read(stream, path)
    except (EOFError, UnicodeDecodeError, csv.Error, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error}") from error


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return cast(IO[str], gzip.open(path, "rt", encoding="utf-8", newline=""))
    return path.open(encoding="utf-8", newline="")


def _read(stream: IO[str], path: Path) -> tuple[list[str], NDArray[np.int64]]:
    lines: Any = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
    names: list[str] = next(lines, [])
    try:
        phrase, label = names.index("Phrase"), names.index("Sentiment")
    except ValueError:
        found = ", ".join(repr(name[:40]) for name in names[:10]) or "none"
        raise ValueError(
            f"{str(path)!r} must have the columns 'Phrase' and 'Sentiment'; found {found}"
        ) from None
    phrases, labels = [], []
    for fields in lines:
        try:
            if len(fields) != len(names):
                raise ValueError(f"{len(fields)} fields, expected {len(names)}")
            labels.append(_label(fields[label]))
        except ValueError as error:
            raise ValueError(f"line {lines.line_num} of {str(path)!r}: {error}") from None
        phrases.append(fields[phrase])
    if not phrases:
        raise ValueError(f"{str(path)!r} has no phrases")
    return phrases, np.array(labels, dtype=np.int64)


def _label(text: str) -> int:
    label = int(text) if _WHOLE.fullmatch(text) else None
    if label is None or not -(2**63) <= label < 2**63:
        raise ValueError(f"the label {text[:40]!r} is not a 64-bit integer")
    return label
