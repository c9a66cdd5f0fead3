"""Tables in text: values between commas, semicolons, tabs or spaces.

A file is read twice, some rows at a time: first to see which columns are numbers and whether
the first line has names, then to take the values.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hinge.datasets._columns import (
    Column,
    Numbers,
    Record,
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


def read_delimited(
    path: Path,
    label_column: Any = None,
    header: bool | None = None,
    drop: bool = False,
    delimiter: str | None = None,
) -> Dataset:
    """Read a table; ``drop`` leaves out rows with missing values, which are refused otherwise."""
    delimiter = delimiter or _delimiter_of(path)
    survey = _Survey.of(path, delimiter)
    n_columns = len(survey.first)
    if n_columns < 2:
        raise ValueError("there is one column, but a label and at least one feature are needed")
    if header is None:
        header = isinstance(label_column, str) or survey.has_names()
    names = survey.first if header else [str(place) for place in range(n_columns)]
    place = place_of(label_column, names if header else None, n_columns, default=n_columns - 1)
    columns = survey.columns(names, header)
    records = itertools.islice(_records(path, delimiter), int(header), None)
    fill(columns, _complete(records, None if drop else names))
    label = columns.pop(place)
    classes, codes = classes_of(label, label.values())
    return Dataset(path.stem, rows_of(columns), codes, classes)


class _Survey(NamedTuple):
    """The first line, and what is below it in each column."""

    first: list[str]
    is_number_below: list[bool]
    is_repeated: bool

    @classmethod
    def of(cls, path: Path, delimiter: str) -> _Survey:
        """Look through a file."""
        records = _records(path, delimiter)
        _, first = next(records, (0, None))
        if first is None:
            raise ValueError("there are no rows")
        is_number = [True] * len(first)
        is_repeated = False
        for _, columns in blocks(_complete(records, None)):
            for place, words in enumerate(columns):
                is_number[place] = is_number[place] and numbers(words) is not None
                is_repeated = is_repeated or first[place] in words
        return cls(first, is_number, is_repeated)

    def has_names(self) -> bool:
        """Tell whether the first line has the names of the columns.

        It has if a column has a word there and only numbers below; or if there are only words,
        none of which comes again in its column.
        """
        is_number = [numbers([cell]) is not None for cell in self.first]
        is_word = [
            not number and cell not in _MISSING
            for cell, number in zip(self.first, is_number, strict=True)
        ]
        if any(word and below for word, below in zip(is_word, self.is_number_below, strict=True)):
            return True
        return not any(is_number) and not self.is_repeated

    def columns(self, names: Sequence[str], header: bool) -> list[Column]:
        """Return the empty columns."""
        return [
            Numbers(name)
            if below and (header or cell in _MISSING or numbers([cell]) is not None)
            else Words(name)
            for name, cell, below in zip(names, self.first, self.is_number_below, strict=True)
        ]


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
