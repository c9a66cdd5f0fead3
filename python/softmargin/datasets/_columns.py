"""Numeric and text columns, and the matrix X made of them.

Text is encoded as by scikit-learn's ``OneHotEncoder(drop="if_binary")``: up to two categories
become one column of 0 and 1, more become one column each.
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
from softmargin.datasets._text_lines import parse_floats

# X with text columns is a CSR matrix if its fraction of nonzero values is smaller, as in
# scikit-learn's ColumnTransformer.
_SPARSE_THRESHOLD = 0.3
_BLOCK = 4096


class NotNumericError(ValueError):
    """Numeric columns contain text; ``positions`` are their positions."""

    positions: tuple[int, ...] = ()


class NumericColumn:
    """A numeric column; ``note`` is the end of the message about a value that is not a number."""

    width = 1

    def __init__(self, name: str, note: str = "") -> None:
        self.name = name
        self._note = note
        self._blocks: list[NDArray[np.float64]] = []

    def add(self, words: Sequence[str], lines: Sequence[int]) -> None:
        """Append values of these lines."""
        values = parse_floats(words)
        if values is None:
            position = next(
                position for position, word in enumerate(words) if parse_floats([word]) is None
            )
            raise NotNumericError(
                self._message(words[position], lines[position], "number") + self._note
            )
        if not np.isfinite(values).all():
            position = int(np.argmin(np.isfinite(values)))
            raise ValueError(self._message(words[position], lines[position], "finite number"))
        self._blocks.append(values)

    def _message(self, word: str, line: int, expected: str) -> str:
        return f"line {line}: {word[:40]!r} in column {self.name!r} is not a {expected}"

    def values(self) -> NDArray[np.float64]:
        """Return the value of each sample."""
        return np.concatenate(self._blocks) if self._blocks else np.zeros(0)

    def feature(self) -> Feature:
        """Return the description of this column for a schema."""
        return Feature(self.name)


class TextColumn:
    """A text column; only the categories in ``declared`` are allowed.

    Categories are declared by an ARFF file, or are those of a training table (``is_trained``).
    Without ``declared``, every value is a category, and they are in ascending order.
    """

    def __init__(
        self, name: str, declared: Sequence[str] | None = None, is_trained: bool = False
    ) -> None:
        self.name = name
        self._is_trained = is_trained
        self._is_open = declared is None
        self._codes = {word: position for position, word in enumerate(declared or ())}
        self._blocks: list[NDArray[np.int64]] = []

    @property
    def width(self) -> int:
        """Return the number of columns of X that encode this column."""
        return one_hot_width(len(self._codes))

    def code_of(self, word: str, line: int) -> int:
        """Return the code of a category."""
        code = self._codes.get(word)
        if code is None:
            known = some(list(self._codes))
            if self._is_trained:
                raise ValueError(
                    f"line {line}: column {self.name!r} has the unknown category {word[:40]!r}; "
                    f"the training table has {known}"
                )
            raise ValueError(
                f"line {line}: {word[:40]!r} is not a declared value of {self.name!r}; expected "
                f"one of {known}"
            )
        return code

    def add(self, words: Sequence[str], lines: Sequence[int]) -> None:
        """Append values of these lines."""
        known = self._codes
        if self._is_open:
            codes = [known.setdefault(word, len(known)) for word in words]
        else:
            codes = [self.code_of(word, line) for word, line in zip(words, lines, strict=True)]
        self._blocks.append(np.array(codes, dtype=np.int64))

    def first(self) -> str | None:
        """Return the category with code 0, or None if it is not known before all values are."""
        return None if self._is_open else next(iter(self._codes))

    def categories(self) -> list[str]:
        """Return the categories in the order of their codes."""
        return sorted(self._codes) if self._is_open else list(self._codes)

    def values(self) -> NDArray[np.int64]:
        """Return the category code of each sample."""
        codes = np.concatenate(self._blocks) if self._blocks else np.zeros(0, dtype=np.int64)
        if not self._is_open:
            return codes
        positions = {word: position for position, word in enumerate(self.categories())}
        return np.array([positions[word] for word in self._codes], dtype=np.int64)[codes]

    def feature(self) -> Feature:
        """Return the description of this column for a schema."""
        return Feature(self.name, tuple(self.categories()))


Column = NumericColumn | TextColumn


def columns_of(schema: Schema) -> list[Column]:
    """Return empty columns for the features of a schema."""
    return [
        NumericColumn(feature.name, "; the column is numeric in the training table")
        if feature.categories is None
        else TextColumn(feature.name, feature.categories, is_trained=True)
        for feature in schema.features
    ]


Record = tuple[int, list[str]]
# Rows, columns and values of the nonzero entries.
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def blocks(records: Iterator[Record]) -> Iterator[tuple[list[int], list[tuple[str, ...]]]]:
    """Yield blocks of records as line numbers and columns."""
    while block := list(itertools.islice(records, _BLOCK)):
        yield [line for line, _ in block], list(zip(*(row for _, row in block), strict=True))


def fill(columns: Mapping[int, Column], records: Iterator[Record]) -> None:
    """Append all records to columns, given by their positions; at least one is required."""
    is_empty = True
    for line_numbers, block in blocks(records):
        is_empty = False
        failures: dict[int, NotNumericError] = {}
        for position, column in columns.items():
            try:
                column.add(block[position], line_numbers)
            except NotNumericError as error:
                failures[position] = error
        if failures:
            first = failures[min(failures)]
            first.positions = tuple(failures)
            raise first
    if is_empty:
        raise ValueError("the file has no samples")


def rows_of(columns: Sequence[Column], is_sparse: bool | None = None) -> Any:
    """Return X as an array or a CSR matrix.

    If ``is_sparse`` is None, X is a CSR matrix if the encoding of text makes it mostly zeros.
    """
    values = [column.values() for column in columns]
    starts, width = starts_of(columns)
    n_rows = len(values[0])
    if is_sparse or (is_sparse is None and width > len(columns)):
        entries = list(map(_entries, columns, values, starts))
        n_entries = sum(len(rows) for rows, _, _ in entries)
        if is_sparse or n_entries < _SPARSE_THRESHOLD * n_rows * width:
            return csr_of(entries, (n_rows, width))
    X = np.zeros((n_rows, width))
    for column, of_column, start in zip(columns, values, starts, strict=True):
        if column.width == 1:
            X[:, start] = of_column
        else:
            X[np.arange(n_rows), start + of_column] = 1.0
    return X


def starts_of(columns: Sequence[Column]) -> tuple[list[int], int]:
    """Return the first feature of each column, and the number of features."""
    ends = list(itertools.accumulate((column.width for column in columns), initial=0))
    return ends[:-1], ends[-1]


def _entries(column: Column, values: NDArray[Any], start: int) -> Entries:
    """Return the nonzero entries of a column."""
    if column.width > 1:
        return np.arange(len(values)), start + values, np.ones(len(values))
    rows = np.flatnonzero(values)
    return rows, np.full(len(rows), start), values[rows]


def csr_of(entries: Sequence[Entries], shape: tuple[int, int]) -> sp.csr_matrix:
    """Return a CSR matrix of entries at distinct positions."""
    if not entries:
        return sp.csr_matrix(shape, dtype=np.float64)
    rows, positions, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    return sp.csr_matrix((values.astype(np.float64), (rows, positions)), shape=shape)
