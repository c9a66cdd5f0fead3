"""Tables in text: values between commas, semicolons, tabs or spaces.

The first rows show which columns are numbers, and whether the first line has names. The file
is then read some rows at a time; if a word comes up in a column of numbers, once more. With the
schema of another table, the columns are what they are there.
"""

from __future__ import annotations

import csv
import itertools
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from softmargin.datasets._assembly import dataset_of
from softmargin.datasets._columns import (
    Column,
    Numbers,
    Record,
    WordError,
    Words,
    columns_of,
    fill,
    rows_of,
)
from softmargin.datasets._dataset import Dataset
from softmargin.datasets._first_line import MISSING, FirstLine
from softmargin.datasets._label_column import LabelWords
from softmargin.datasets._request import NO_CATEGORIES, Request
from softmargin.datasets._table_layout import Layout, layout_of
from softmargin.datasets._text_lines import lines, numbers

# A column of at least so many words, most of them numbers, was hardly meant as words.
_MANY_WORDS = 10
_MOST = 0.9
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")


def read_delimited(path: Path, request: Request, delimiter: str | None = None) -> Dataset:
    """Read a table."""
    delimiter = delimiter or _delimiter_of(path)
    first = FirstLine.of(_records(path, delimiter))
    header = first.is_header(request)
    n_columns = len(first.cells)
    advice = f"; if the file has no header, {request.no_header_option} matches columns by position"
    layout = layout_of(request, first.cells if header else None, n_columns, n_columns - 1, advice)
    names = first.cells if header else [str(place) for place in range(n_columns)]
    schema = request.schema
    has_text = first.has_text(header)
    while True:
        features: list[Column] = (
            _guessed(layout, names, has_text, request) if schema is None else columns_of(schema)
        )
        columns = dict(zip(layout.features, features, strict=True))
        needed = list(layout.features)
        label: Words | None = None
        if layout.label is not None:
            name = names[layout.label]
            if schema is None or request.drop:
                label = Words(name)
                needed.append(layout.label)
            else:
                label = LabelWords(name, MISSING, request)
            columns[layout.label] = label
        records = itertools.islice(_records(path, delimiter), int(header), None)
        try:
            fill(columns, _complete(records, needed, names, request))
            break
        except WordError as error:  # the first rows did not show it: once more
            if schema is not None or request.n_features is not None:
                raise
            for found in error.places:
                has_text[found] = True
    if schema is None:
        _warn_of_numbers(features)
    X = rows_of(features, None if schema is None else schema.is_sparse)
    labels = None if label is None else (label, label.values())
    return dataset_of(path, request, layout, X, features, labels, header)


def _guessed(
    layout: Layout, names: Sequence[str], has_text: Sequence[bool], request: Request
) -> list[Column]:
    """Return empty columns for what the first rows have."""
    if request.n_features is not None:
        return [Numbers(names[place], NO_CATEGORIES) for place in layout.features]
    return [
        Words(names[place]) if has_text[place] else Numbers(names[place])
        for place in layout.features
    ]


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
                stacklevel=5,
            )


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


def _complete(
    records: Iterable[Record], needed: Sequence[int], names: Sequence[str], request: Request
) -> Iterator[Record]:
    """Yield the rows in which no column that is needed lacks a value, and drop or refuse others."""
    for line, row in records:
        if MISSING.isdisjoint(row):
            yield line, row
            continue
        place = next((place for place in needed if row[place] in MISSING), None)
        if place is None:
            yield line, row
        elif not request.drop:
            raise ValueError(
                f"line {line}: the value {row[place]!r} of column {names[place]!r} is missing; "
                "softmargin.datasets.read(path, missing='drop') leaves such rows out"
            )
