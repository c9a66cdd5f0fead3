"""Weka's ARFF files, dense and sparse, with numeric and nominal attributes.

Stricter than ``scipy.io.arff``, which reads no sparse rows: errors name the line. Nominal
attributes become numbers as :mod:`hinge.datasets._columns` says, in the order of their
declaration, so that files with the same declarations have the same columns.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinge import _resources
from hinge.datasets._columns import (
    Column,
    Entries,
    Numbers,
    Record,
    Words,
    classes_of,
    csr_of,
    fill,
    place_of,
    rows_of,
    starts_of,
)
from hinge.datasets._dataset import Dataset
from hinge.datasets._text import Line, lines

_QUOTED = r"""(?P<quoted>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_ATTRIBUTE = re.compile(
    rf"@attribute\s++(?:{_QUOTED}|(?P<bare>[^\s'\"{{]++))\s*+(?P<type>.+)", re.IGNORECASE
)
_CELL = re.compile(rf"\s*+(?:{_QUOTED}\s*+|(?P<bare>[^,'\"]*+))(?P<end>,|$)")
_ENTRY = re.compile(
    rf"\s*+(?P<index>[0-9]{{1,9}})\s++(?:{_QUOTED}\s*+|(?P<bare>[^,'\"]++))(?P<end>,|$)"
)
_NUMERIC = ("numeric", "real", "integer")
_ROWS_AT_ONCE = 4096
# Of an entry of a matrix while it is made: twice a row, a column and a value.
_BYTES_AN_ENTRY = 48


def read_arff(path: Path, label_column: Any = None, drop: bool = False) -> Dataset:
    """Read a file; ``drop`` leaves out rows with a missing value, which are refused otherwise."""
    stripped = ((number, line.strip()) for number, line in lines(path, comment="%"))
    text: Iterator[Line] = ((number, line) for number, line in stripped if line)
    declared = list(_declarations(text))
    names = [name for _, name, _ in declared]
    if len(names) < 2:
        raise ValueError("a label and at least one feature must be declared by @attribute")
    by_name = [place for place, name in enumerate(names) if name.lower() == "class"]
    default = by_name[0] if by_name else len(names) - 1
    place = place_of(label_column, names, len(names), default)
    columns = [_column(*each, is_label=each is declared[place]) for each in declared]
    first = next(text, None)
    if first is None:
        raise ValueError("there are no rows")
    text = itertools.chain([first], text)
    if first[1].startswith("{"):
        X, labels = _sparse(columns, place, text, drop)
    else:
        fill(columns, _dense_records(text, names, drop))
        labels = columns[place].values()
        X = rows_of(columns[:place] + columns[place + 1 :])
    classes, codes = classes_of(columns[place], labels)
    return Dataset(path.stem, X, codes, classes)


def _declarations(text: Iterator[Line]) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and type of each attribute, up to the line @data."""
    names = set()
    for number, line in text:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data":
            return
        if keyword == "@attribute":
            match = _ATTRIBUTE.fullmatch(line)
            if match is None:
                raise ValueError(f"line {number}: @attribute needs a name and a type")
            name = _word(match)
            if name in names:
                raise ValueError(f"line {number}: a second attribute has the name {name!r}")
            names.add(name)
            yield number, name, match["type"].strip()
        elif keyword != "@relation":
            raise ValueError(
                f"line {number}: {line[:40]!r} is not @relation, @attribute or @data, "
                "with which an ARFF file begins"
            )
    raise ValueError("there is no line @data")


def _column(number: int, name: str, kind: str, is_label: bool) -> Column:
    """Return the empty column of an attribute."""
    if kind.startswith("{"):
        inside, _, after = kind[1:].rpartition("}")
        if after.strip() and not after.strip().startswith("%"):
            raise ValueError(f"line {number}: the values of {name!r} must end with a brace")
        values = _cells(inside, number)
        if len(set(values)) != len(values) or "" in values:
            raise ValueError(f"line {number}: a value of {name!r} is empty or there twice")
        return Words(name, values)
    word = kind.split()[0].lower()
    if word in _NUMERIC:
        return Numbers(name)
    if word == "string" and is_label:
        return Words(name)
    raise ValueError(
        f"line {number}: attribute {name!r} has type {word[:40]!r}, but only numeric and "
        "nominal features are read"
    )


def _dense_records(text: Iterator[Line], names: Sequence[str], drop: bool) -> Iterator[Record]:
    for number, line in text:
        cells = _cells(line, number)
        if len(cells) != len(names):
            raise ValueError(
                f"line {number} has {len(cells)} values, but there are {len(names)} attributes"
            )
        if "?" not in cells:
            yield number, cells
        elif not drop:
            _refuse_missing(number, names[cells.index("?")])


def _sparse(
    columns: Sequence[Column], place: int, text: Iterator[Line], drop: bool
) -> tuple[Any, NDArray[Any]]:
    """Return rows and labels; what a line leaves out is 0, or the first value declared."""
    found: dict[int, list[NDArray[np.int64]]] = defaultdict(list)
    n_rows = 0
    records = _sparse_records(text, columns, drop)
    while block := list(itertools.islice(records, _ROWS_AT_ONCE)):
        of_column: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
        for row, (number, cells) in enumerate(block, n_rows):
            for index, word in cells:
                of_column[index].append((row, word, number))
        for index, entries in of_column.items():
            rows, words, numbers_of_lines = zip(*entries, strict=True)
            columns[index].add(words, numbers_of_lines)
            found[index].append(np.array(rows))
        n_rows += len(block)
    if not n_rows:
        raise ValueError("there are no rows")
    features = [index for index in range(len(columns)) if index != place]
    starts, width = starts_of([columns[index] for index in features])
    n_words = sum(columns[index].width > 1 for index in features)
    if n_words * n_rows * _BYTES_AN_ENTRY > _resources.memory_bytes():
        raise MemoryError(
            f"{n_words:,} nominal attributes of {n_rows:,} rows have a value in every row, which "
            "needs more memory than there is"
        )
    parts: list[Entries] = []
    for index, start in zip(features, starts, strict=True):
        column = columns[index]
        if column.width > 1:
            values = _whole(column, found[index], n_rows)
            parts.append((np.arange(n_rows), start + values, np.ones(n_rows)))
        elif found[index]:
            there = np.concatenate(found[index])
            parts.append((there, np.full(len(there), start), column.values()))
    X = csr_of(parts, (n_rows, width))
    X.eliminate_zeros()
    return X, _whole(columns[place], found[place], n_rows)


def _whole(column: Column, rows: Sequence[NDArray[np.int64]], n_rows: int) -> NDArray[Any]:
    """Return the value of each row of a column of which a sparse file has some."""
    if not rows:
        return np.zeros(n_rows, dtype=np.int64)
    values = column.values()
    whole = np.zeros(n_rows, dtype=values.dtype)
    whole[np.concatenate(rows)] = values
    return whole


def _sparse_records(
    text: Iterator[Line], columns: Sequence[Column], drop: bool
) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    for number, line in text:
        if not (line.startswith("{") and line.endswith("}")):
            raise ValueError(f"line {number} is not in braces as the rows before")
        inside = line[1:-1].strip()
        cells: list[tuple[int, str]] = []
        for match in _matches(_ENTRY, inside, number) if inside else ():
            index = int(match["index"])
            if index >= len(columns):
                raise ValueError(
                    f"line {number}: there is no attribute {index}; {len(columns)} are declared, "
                    "from 0"
                )
            if cells and index <= cells[-1][0]:
                raise ValueError(f"line {number}: attribute {index} comes after {cells[-1][0]}")
            cells.append((index, _word(match)))
        missing = [index for index, word in cells if word == "?"]
        if not missing:
            yield number, cells
        elif not drop:
            _refuse_missing(number, columns[missing[0]].name)


def _refuse_missing(number: int, name: str) -> None:
    raise ValueError(
        f"line {number}: the value of {name!r} is missing; "
        "hinge.datasets.read(path, missing='drop') leaves such rows out"
    )


def _cells(text: str, number: int) -> list[str]:
    """Return the values between commas, quoted or not."""
    if "'" not in text and '"' not in text:
        return [cell.strip() for cell in text.split(",")]
    return [_word(match) for match in _matches(_CELL, text, number)]


def _matches(pattern: re.Pattern[str], text: str, number: int) -> Iterator[re.Match[str]]:
    at = 0
    while True:
        match = pattern.match(text, at)
        if match is None:
            raise ValueError(f"line {number}: {text[at : at + 40]!r} cannot be read")
        yield match
        if not match["end"]:
            return
        at = match.end()


def _word(match: re.Match[str]) -> str:
    quoted = match["quoted"]
    return match["bare"].strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted[1:-1])
