"""Tables in text: values between commas, semicolons, tabs or spaces.

The first rows show which columns are numbers, and whether the first line has names. The file
is then read some rows at a time; if a word comes up in a column of numbers, once more.
"""

from __future__ import annotations

import csv
import itertools
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hinge.datasets._columns import (
    Column,
    Numbers,
    Record,
    WordError,
    Words,
    blocks,
    classes_of,
    fill,
    place_of,
    rows_of,
)
from hinge.datasets._dataset import Dataset
from hinge.datasets._text import lines, numbers

_MISSING = frozenset(
    ["", "?", "NA", "na", "N/A", "n/a", "NaN", "nan", "NAN", "null", "Null", "NULL"]
)

# A column of at least so many words, most of them numbers, was hardly meant as words.
_MANY_WORDS = 10
_MOST = 0.9
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")


def read_delimited(
    path: Path,
    label_column: Any = None,
    header: bool | None = None,
    drop: bool = False,
    delimiter: str | None = None,
) -> Dataset:
    """Read a table; ``drop`` leaves out rows with missing values, which are refused otherwise."""
    delimiter = delimiter or _delimiter_of(path)
    begin = _Begin.of(path, delimiter)
    n_columns = len(begin.first)
    if n_columns < 2:
        raise ValueError("there is one column, but a label and at least one feature are needed")
    if header is None:
        header = isinstance(label_column, str) or begin.has_names()
    names = begin.first if header else [str(place) for place in range(n_columns)]
    place = place_of(label_column, names if header else None, n_columns, default=n_columns - 1)
    has_words = begin.has_words(header)
    while True:
        columns: list[Column] = [
            Words(name) if is_words else Numbers(name)
            for name, is_words in zip(names, has_words, strict=True)
        ]
        records = itertools.islice(_records(path, delimiter), int(header), None)
        try:
            fill(columns, _complete(records, None if drop else names))
            break
        except WordError as error:  # the first rows did not show it: once more
            for found in error.places:
                has_words[found] = True
    label = columns.pop(place)
    _warn_of_numbers(columns)
    classes, codes = classes_of(label, label.values())
    return Dataset(path.stem, rows_of(columns), codes, classes)


def _warn_of_numbers(columns: Sequence[Column]) -> None:
    """Say which columns of words look like numbers: a letter for a digit, a comma for a point."""
    for column in columns:
        if isinstance(column, Numbers) or column.width < _MANY_WORDS:
            continue
        words = column.categories()
        others = [word for word in words if numbers([word]) is None]
        is_comma = sum(map(bool, map(_DECIMAL_COMMA.fullmatch, others))) > _MOST * len(words)
        if is_comma or len(others) < (1 - _MOST) * len(words):
            reason = "a decimal comma" if is_comma else "no number"
            warnings.warn(
                f"column {column.name!r} looks like numbers, but {others[0][:40]!r} is {reason}: "
                f"its values are taken as words, which become {column.width} columns",
                UserWarning,
                stacklevel=4,
            )


class _Begin(NamedTuple):
    """The first line of a table, and the columns of some rows below, without missing values."""

    first: list[str]
    below: list[list[str]]

    @classmethod
    def of(cls, path: Path, delimiter: str) -> _Begin:
        """Look at the first rows of a file."""
        records = _records(path, delimiter)
        _, first = next(records, (0, None))
        if first is None:
            raise ValueError("there are no rows")
        _, columns = next(blocks(records), (None, [()] * len(first)))
        return cls(first, [[word for word in words if word not in _MISSING] for words in columns])

    def has_names(self) -> bool:
        """Tell whether the first line has the names of the columns.

        It has if a column has a word there and only numbers below; or if there are only words,
        none of which comes again in its column.
        """
        pairs = list(zip(self.first, self.below, strict=True))
        if any(_is_word(cell) and words and not _has_word(words) for cell, words in pairs):
            return True
        is_all_words = all(numbers([cell]) is None for cell in self.first)
        return is_all_words and not any(cell in words for cell, words in pairs)

    def has_words(self, header: bool) -> list[bool]:
        """Tell of each column whether it has words, in the first line too if it has no names."""
        return [
            _has_word(words) or (not header and _is_word(cell))
            for cell, words in zip(self.first, self.below, strict=True)
        ]


def _is_word(cell: str) -> bool:
    return numbers([cell]) is None and cell not in _MISSING


def _has_word(words: Sequence[str]) -> bool:
    return numbers(words) is None


def _delimiter_of(path: Path) -> str:
    """Return what the first line separates its values by."""
    for _, line in lines(path):
        if line.strip():
            best = max(";\t,", key=line.count)
            return best if best in line else " "
    raise ValueError("the file is empty")


def _records(path: Path, delimiter: str) -> Iterator[Record]:
    """Yield the values of each line that is not blank, with its number."""
    text = (line for _, line in lines(path))
    if delimiter == " ":
        text = (" ".join(line.split()) for line in text)
    reader = csv.reader(text, delimiter=delimiter, skipinitialspace=True, strict=True)
    first: tuple[int, int] | None = None
    try:
        for row in reader:
            if not row or row == [""]:
                continue
            first = first or (reader.line_num, len(row))
            if len(row) != first[1]:
                raise ValueError(
                    f"line {reader.line_num} has {len(row)} values, "
                    f"but line {first[0]} has {first[1]}"
                )
            yield reader.line_num, list(map(str.strip, row))
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None


def _complete(records: Iterable[Record], names: Sequence[str] | None) -> Iterator[Record]:
    """Yield the rows without a missing value; with names of columns, refuse the first other one."""
    for line, row in records:
        if _MISSING.isdisjoint(row):
            yield line, row
        elif names is not None:
            place = next(place for place, cell in enumerate(row) if cell in _MISSING)
            raise ValueError(
                f"line {line}: the value {row[place]!r} of column {names[place]!r} is missing; "
                "hinge.datasets.read(path, missing='drop') leaves such rows out"
            )
