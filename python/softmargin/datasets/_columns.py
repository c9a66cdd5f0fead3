"""Columns of numbers or words, and the rows that they make together.

Words become numbers as with scikit-learn's ``OneHotEncoder(drop="if_binary")``: a column of at most
two different words becomes one of 0 and 1, any other a column for each word.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from softmargin._files.schema import Feature, Schema, one_hot_width
from softmargin.datasets._table_layout import some
from softmargin.datasets._text_lines import numbers

# With less than this share of values that are not 0, rows of many words are kept as CSR:
# the threshold of scikit-learn's ColumnTransformer.
_SPARSE_SHARE = 0.3
_BLOCK = 4096


class WordError(ValueError):
    """Columns of numbers have a word; ``places`` says which."""

    places: tuple[int, ...] = ()


class Numbers:
    """A column of numbers that grows; ``note`` ends the sentence about a word among them."""

    width = 1

    def __init__(self, name: str, note: str = "") -> None:
        self.name = name
        self._note = note
        self._blocks: list[NDArray[np.float64]] = []

    def add(self, words: Sequence[str], lines: Sequence[int]) -> None:
        """Append words of these lines, as numbers."""
        values = numbers(words)
        if values is None:
            place = next(place for place, word in enumerate(words) if numbers([word]) is None)
            raise WordError(self._refusal(words[place], lines[place], "number") + self._note)
        if not np.isfinite(values).all():
            place = int(np.argmin(np.isfinite(values)))
            raise ValueError(self._refusal(words[place], lines[place], "finite number"))
        self._blocks.append(values)

    def _refusal(self, word: str, line: int, wanted: str) -> str:
        return f"line {line}: {word[:40]!r} in column {self.name!r} is not a {wanted}"

    def values(self) -> NDArray[np.float64]:
        """Return the number of each row."""
        return np.concatenate(self._blocks) if self._blocks else np.zeros(0)

    def feature(self) -> Feature:
        """Return what a schema says of this column."""
        return Feature(self.name)


class Words:
    """A column of words that grows; ``declared`` are the only ones allowed, in their order.

    Without ``declared``, the words are taken in ascending order. They are declared by the file
    itself, or are the categories of a training table.
    """

    def __init__(
        self, name: str, declared: Sequence[str] | None = None, is_trained: bool = False
    ) -> None:
        self.name = name
        self._is_trained = is_trained
        self._is_open = declared is None
        self._codes = {word: place for place, word in enumerate(declared or ())}
        self._blocks: list[NDArray[np.int64]] = []

    @property
    def width(self) -> int:
        """Return the number of columns that the words become."""
        return one_hot_width(len(self._codes))

    def code_of(self, word: str, line: int) -> int:
        """Return the place of a word among those allowed."""
        place = self._codes.get(word)
        if place is None:
            known = some(list(self._codes))
            if self._is_trained:
                raise ValueError(
                    f"line {line}: column {self.name!r} has the unknown category {word[:40]!r}; "
                    f"the training table has {known}"
                )
            raise ValueError(
                f"line {line}: {word[:40]!r} is not among the values of {self.name!r}: {known}"
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

    def first(self) -> str | None:
        """Return the word whose place is 0, if that is known before all words are."""
        return None if self._is_open else next(iter(self._codes))

    def categories(self) -> list[str]:
        """Return the words in their order."""
        return sorted(self._codes) if self._is_open else list(self._codes)

    def values(self) -> NDArray[np.int64]:
        """Return the place of the word of each row."""
        codes = np.concatenate(self._blocks) if self._blocks else np.zeros(0, dtype=np.int64)
        if not self._is_open:
            return codes
        places = {word: place for place, word in enumerate(self.categories())}
        return np.array([places[word] for word in self._codes], dtype=np.int64)[codes]

    def feature(self) -> Feature:
        """Return what a schema says of this column."""
        return Feature(self.name, tuple(self.categories()))


Column = Numbers | Words


def columns_of(schema: Schema) -> list[Column]:
    """Return empty columns for the features of a schema."""
    return [
        Numbers(feature.name, ", as in the training table")
        if feature.categories is None
        else Words(feature.name, feature.categories, is_trained=True)
        for feature in schema.features
    ]


Record = tuple[int, list[str]]
# Rows, columns and values of what is not 0.
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def blocks(records: Iterator[Record]) -> Iterator[tuple[list[int], list[tuple[str, ...]]]]:
    """Yield the numbers of some lines and their columns, again and again."""
    while block := list(itertools.islice(records, _BLOCK)):
        yield [line for line, _ in block], list(zip(*(row for _, row in block), strict=True))


def fill(columns: Mapping[int, Column], records: Iterator[Record]) -> None:
    """Append all rows to columns, which are known by their places in a row; there must be some."""
    is_empty = True
    for numbers_of_lines, block in blocks(records):
        is_empty = False
        failures: dict[int, WordError] = {}
        for place, column in columns.items():
            try:
                column.add(block[place], numbers_of_lines)
            except WordError as error:
                failures[place] = error
        if failures:
            first = failures[min(failures)]
            first.places = tuple(failures)
            raise first
    if is_empty:
        raise ValueError("there are no rows")


def rows_of(columns: Sequence[Column], is_sparse: bool | None = None) -> Any:
    """Return columns side by side, as an array or a CSR matrix.

    Without ``is_sparse``, it is a CSR matrix if words make it mostly zeros.
    """
    values = [column.values() for column in columns]
    starts, width = starts_of(columns)
    n_rows = len(values[0])
    if is_sparse or (is_sparse is None and width > len(columns)):
        entries = list(map(_entries, columns, values, starts))
        n_entries = sum(len(rows) for rows, _, _ in entries)
        if is_sparse or n_entries < _SPARSE_SHARE * n_rows * width:
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
