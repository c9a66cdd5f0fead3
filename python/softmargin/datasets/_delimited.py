"""Tables in text files: values separated by commas, semicolons, tabs or spaces.

The first rows determine which columns are numeric, and whether the first line is a header. The file
is then read in blocks; if a later row has text in a numeric column, it is read again. With the
schema of another table, the columns have the types of that table.
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
    NotNumericError,
    NumericColumn,
    Record,
    TextColumn,
    columns_of,
    fill,
    rows_of,
)
from softmargin.datasets._dataset import Dataset
from softmargin.datasets._first_line import MISSING, FirstLine
from softmargin.datasets._label_column import LabelColumn
from softmargin.datasets._request import NO_CATEGORIES, Request
from softmargin.datasets._table_layout import Layout, layout_of
from softmargin.datasets._target_column import TargetColumn
from softmargin.datasets._text_lines import lines, parse_floats

# A text column with at least this many categories, most of them numbers, is probably a mistake.
_MANY_CATEGORIES = 10
_MOST = 0.9
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")


def read_delimited(path: Path, request: Request, delimiter: str | None = None) -> Dataset:
    """Read a table."""
    delimiter = delimiter or _delimiter_of(path)
    first = FirstLine.of(_records(path, delimiter))
    header = first.is_header(request)
    n_columns = len(first.cells)
    advice = f". If the file has no header, use {request.no_header_option} to match by position."
    layout = layout_of(request, first.cells if header else None, n_columns, n_columns - 1, advice)
    names = first.cells if header else [str(position) for position in range(n_columns)]
    schema = request.schema
    has_text = first.has_text(header)
    while True:
        features: list[Column] = (
            _guessed(layout, names, has_text, request) if schema is None else columns_of(schema)
        )
        columns = dict(zip(layout.features, features, strict=True))
        needed = list(layout.features)
        label: Column | None = None
        if layout.label is not None:
            is_needed = schema is None or request.drop
            if is_needed:
                needed.append(layout.label)
            label = columns[layout.label] = _label(names[layout.label], is_needed, request)
        records = itertools.islice(_records(path, delimiter), int(header), None)
        try:
            fill(columns, _complete(records, needed, names, request))
            break
        except NotNumericError as error:  # text after the first rows: read again
            own = [position for position in error.positions if position != layout.label]
            if schema is not None or request.n_features is not None or not own:
                raise
            for found in own:
                has_text[found] = True
    if schema is None:
        _warn_about_numeric_text(features)
    X = rows_of(features, None if schema is None else schema.is_sparse)
    labels = None if label is None else (label, label.values())
    return dataset_of(path, request, layout, X, features, labels, header)


def _guessed(
    layout: Layout, names: Sequence[str], has_text: Sequence[bool], request: Request
) -> list[Column]:
    """Return empty columns of the types in the first rows."""
    if request.n_features is not None:
        return [NumericColumn(names[position], NO_CATEGORIES) for position in layout.features]
    return [
        TextColumn(names[position]) if has_text[position] else NumericColumn(names[position])
        for position in layout.features
    ]


def _label(name: str, is_needed: bool, request: Request) -> Column:
    """Return an empty column for labels or targets."""
    if request.has_targets:
        return TargetColumn(name, () if is_needed else MISSING, request)
    return TextColumn(name) if is_needed else LabelColumn(name, MISSING, request)


def _warn_about_numeric_text(columns: Sequence[Column]) -> None:
    """Warn about text columns that look numeric, with a typing error or decimal commas."""
    for column in columns:
        if isinstance(column, NumericColumn) or column.width < _MANY_CATEGORIES:
            continue
        words = column.categories()
        others = [word for word in words if parse_floats([word]) is None]
        is_comma = sum(map(bool, map(_DECIMAL_COMMA.fullmatch, others))) > _MOST * len(words)
        if is_comma or len(others) < (1 - _MOST) * len(words):
            reason = "has a decimal comma" if is_comma else "is not a number"
            warnings.warn(
                f"column {column.name!r} looks numeric, but {others[0][:40]!r} {reason}; the "
                f"column is encoded as text with {column.width} categories",
                UserWarning,
                stacklevel=5,
            )


def _delimiter_of(path: Path) -> str:
    """Return the delimiter of the first line."""
    for _, line in lines(path):
        if line.strip():
            best = max(";\t,", key=line.count)
            return best if best in line else " "
    raise ValueError("the file is empty")


def _records(path: Path, delimiter: str) -> Iterator[Record]:
    """Yield the values of each nonblank line with its line number."""
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
    """Yield the rows without missing values in needed columns; drop others or raise ValueError."""
    for line, row in records:
        if MISSING.isdisjoint(row):
            yield line, row
            continue
        position = next((position for position in needed if row[position] in MISSING), None)
        if position is None:
            yield line, row
        elif not request.drop:
            raise ValueError(
                f"line {line}: missing value {row[position]!r} in column {names[position]!r}. "
                f"{request.missing_advice}"
            )
