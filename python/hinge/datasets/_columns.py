"""Columns of numbers or words, and the rows that they make together.

Words become numbers as with scikit-learn's ``OneHotEncoder(drop="if_binary")``: a column of at most
two different words becomes one of 0 and 1, any other a column for each word.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hinge import _parameters
from hinge.datasets._dataset import code
from hinge.datasets._text import numbers

# With less than this share of values that are not 0, rows of many words are kept as CSR:
# the threshold of scikit-learn's ColumnTransformer.
_SPARSE_SHARE = 0.3
_BLOCK = 4096
# An array of words takes the room of the longest for each.
_LONGEST_LABEL = 255


class WordError(ValueError):
    """Columns of numbers have a word; ``places`` says which."""

    places: tuple[int, ...] = ()


class Numbers:
    """A column of numbers that grows."""

    width = 1

    def __init__(self, name: str) -> None:
        self.name = name
        self._blocks: list[NDArray[np.float64]] = []

    def add(self, words: Sequence[str], lines: Sequence[int]) -> None:
        """Append words of these lines, as numbers."""
        values = numbers(words)
        if values is None:
            place = next(place for place, word in enumerate(words) if numbers([word]) is None)
            raise WordError(self._refusal(words[place], lines[place], "number"))
        if not np.isfinite(values).all():
            place = int(np.argmin(np.isfinite(values)))
            raise ValueError(self._refusal(words[place], lines[place], "finite number"))
        self._blocks.append(values)

    def _refusal(self, word: str, line: int, wanted: str) -> str:
        return f"line {line}: {word[:40]!r} in column {self.name!r} is not a {wanted}"

    def values(self) -> NDArray[np.float64]:
        """Return the number of each row."""
        return np.concatenate(self._blocks)


class Words:
    """A column of words that grows; ``declared`` are the only ones allowed, in their order.

    Without ``declared``, the words are taken in ascending order.
    """

    def __init__(self, name: str, declared: Sequence[str] | None = None) -> None:
        self.name = name
        self._is_open = declared is None
        self._codes = {word: place for place, word in enumerate(declared or ())}
        self._blocks: list[NDArray[np.int64]] = []

    @property
    def width(self) -> int:
        """Return the number of columns that the words become."""
        return len(self._codes) if len(self._codes) > 2 else 1

    def code_of(self, word: str, line: int) -> int:
        """Return the place of a word among those allowed."""
        place = self._codes.get(word)
        if place is None:
            raise ValueError(
                f"line {line}: {word[:40]!r} is not among the values of {self.name!r}: "
                f"{_some(list(self._codes))}"
            )
        return place

    def add(self, words: Sequence[str], lines: Sequence[int]) -> None:
        """Append words of these lines."""
        known = self._codes
        if self._is_open:
            codes = [known.setdefault(word, len(known)) for word in words]
        else:
            codes = [self.code_of(word, line) for word, line in zip(words, lines, strict=True)]
        self._blocks.append(np.array(codes, dtype=np.int64))

    def categories(self) -> list[str]:
        """Return the words in their order."""
        return sorted(self._codes) if self._is_open else list(self._codes)

    def values(self) -> NDArray[np.int64]:
        """Return the place of the word of each row."""
        codes = np.concatenate(self._blocks)
        if not self._is_open:
            return codes
        places = {word: place for place, word in enumerate(self.categories())}
        return np.array([places[word] for word in self._codes], dtype=np.int64)[codes]


Column = Numbers | Words
Record = tuple[int, list[str]]
# Rows, columns and values of what is not 0.
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def blocks(records: Iterator[Record]) -> Iterator[tuple[list[int], list[tuple[str, ...]]]]:
    """Yield the numbers of some lines and their columns, again and again."""
    while block := list(itertools.islice(records, _BLOCK)):
        yield [line for line, _ in block], list(zip(*(row for _, row in block), strict=True))


def fill(columns: Sequence[Column], records: Iterator[Record]) -> None:
    """Append all rows to columns; there must be some."""
    is_empty = True
    for numbers_of_lines, block in blocks(records):
        is_empty = False
        failures: dict[int, WordError] = {}
        for place, (column, words) in enumerate(zip(columns, block, strict=True)):
            try:
                column.add(words, numbers_of_lines)
            except WordError as error:
                failures[place] = error
        if failures:
            first = failures[min(failures)]
            first.places = tuple(failures)
            raise first
    if is_empty:
        raise ValueError("there are no rows")


def rows_of(columns: Sequence[Column]) -> Any:
    """Return columns side by side: an array, or a CSR matrix if words make it mostly zeros."""
    values = [column.values() for column in columns]
    starts, width = starts_of(columns)
    n_rows = len(values[0])
    if width > len(columns):
        entries = list(map(_entries, columns, values, starts))
        if sum(len(rows) for rows, _, _ in entries) < _SPARSE_SHARE * n_rows * width:
            return csr_of(entries, (n_rows, width))
    X = np.zeros((n_rows, width))
    for column, of_column, start in zip(columns, values, starts, strict=True):
        if column.width == 1:
            X[:, start] = of_column
        else:
            X[np.arange(n_rows), start + of_column] = 1.0
    return X


def starts_of(columns: Sequence[Column]) -> tuple[list[int], int]:
    """Return where each column begins among the features, and the number of features."""
    ends = list(itertools.accumulate((column.width for column in columns), initial=0))
    return ends[:-1], ends[-1]


def _entries(column: Column, values: NDArray[Any], start: int) -> Entries:
    """Return what a column has besides zeros."""
    if column.width > 1:
        return np.arange(len(values)), start + values, np.ones(len(values))
    rows = np.flatnonzero(values)
    return rows, np.full(len(rows), start), values[rows]


def csr_of(entries: Sequence[Entries], shape: tuple[int, int]) -> sp.csr_matrix:
    """Return entries of distinct places as a matrix."""
    if not entries:
        return sp.csr_matrix(shape, dtype=np.float64)
    rows, places, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    return sp.csr_matrix((values.astype(np.float64), (rows, places)), shape=shape)


def classes_of(column: Column, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the classes of the values of a column, and the number of the class of each row."""
    if isinstance(column, Numbers):
        if (abs(values) >= 2.0**53).any():
            raise ValueError(
                f"column {column.name!r} has a label of 2^53 or more: numbers of this size are not "
                "told apart; write words"
            )
        return code(values)
    words = column.categories()
    there, places = np.unique(values, return_inverse=True)
    labels = [words[place] for place in there]
    if max(map(len, labels)) > _LONGEST_LABEL:
        longest = max(labels, key=len)
        raise ValueError(
            f"column {column.name!r} has the label {longest[:40] + '...'!r} of {len(longest):,} "
            f"characters; {_LONGEST_LABEL} are the most"
        )
    classes, codes = code(np.array(labels))
    return classes, codes[places]


def place_of(label_column: Any, names: Sequence[str] | None, n_columns: int, default: int) -> int:
    """Return the number of the column with the labels, from its name or number."""
    if label_column is None:
        return default
    if isinstance(label_column, str):
        if names is None:
            raise ValueError(f"label_column = {label_column!r}, but the columns have no names")
        if names.count(label_column) != 1:
            there = "two columns have" if label_column in names else "no column has"
            raise ValueError(
                f"label_column = {label_column!r}, but {there} this name: {_some(names)}"
            )
        return names.index(label_column)
    place = _parameters.integer("label_column", label_column)
    if not -n_columns <= place < n_columns:
        raise ValueError(
            f"label_column = {place} is not valid: there are {n_columns} columns, from 0"
        )
    return place % n_columns


def _some(words: Sequence[str]) -> str:
    """Return a few words for a message."""
    shown = ", ".join(repr(word[:40]) for word in words[:10])
    return shown if len(words) <= 10 else f"{shown} and {len(words) - 10} more"
