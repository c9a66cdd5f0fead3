"""The rows of ARFF files, dense and sparse, and the declarations of their attributes."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softmargin._checks import resources
from softmargin.datasets._columns import Column, Entries, NumericColumn, Record, csr_of, starts_of
from softmargin.datasets._request import Request
from softmargin.datasets._text_lines import Line, parse_floats

QUOTED = r"""(?P<quoted>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_CELL = re.compile(rf"\s*+(?:{QUOTED}\s*+|(?P<bare>[^,'\"]*+))(?P<end>,|$)")
_ENTRY = re.compile(
    rf"\s*+(?P<index>[0-9]{{1,9}})\s++(?:{QUOTED}\s*+|(?P<bare>[^,'\"]++))(?P<end>,|$)"
)
_TYPE = re.compile(r"[^\s\[{]*+")
_NOMINAL = re.compile(r"""\{(?P<inside>(?:[^'"}]|'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")*+)\}\s*+""")
# The text before a comment, which begins outside of quotes and words.
_BEFORE_COMMENT = re.compile(
    r"""(?:[^'"%]|(?<![\s,{}'"])%|'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")*+(?=%)"""
)
_ESCAPE = re.compile(r"\\(u001E|.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "u001E": "\x1e"}
_NUMERIC = ("numeric", "real", "integer")
# Marks a missing value. Text cannot contain it, so that a quoted question mark is a value.
MISSING = "\0"
_ROWS_AT_ONCE = 4096
# Memory per entry while a matrix is created: row, column and value, twice.
_BYTES_PER_ENTRY = 48


class Attribute(NamedTuple):
    """A declaration: its line number, the name, and the type as text."""

    line: int
    name: str
    kind: str

    @property
    def word(self) -> str:
        """Return the type in lower case, without the values of a nominal attribute."""
        return _TYPE.match(self.kind)[0].lower()  # type: ignore[index]  # matches any text

    @property
    def is_numeric(self) -> bool:
        """Return whether the values are numbers."""
        return self.word in _NUMERIC

    def values(self) -> list[str] | None:
        """Return the values of a nominal attribute, or None for other types."""
        if not self.kind.startswith("{"):
            return None
        match = _NOMINAL.fullmatch(self.kind)
        if match is None:
            raise ValueError(f"line {self.line}: the values of {self.name!r} must end with '}}'")
        values = ["?" if value == MISSING else value for value in _cells(match[1], self.line)]
        if len(set(values)) != len(values) or "" in values:
            raise ValueError(
                f"line {self.line}: the values of {self.name!r} must be distinct and not empty"
            )
        return values

    def default(self) -> str | None:
        """Return the value of this attribute in sparse rows that omit it, or None if undefined."""
        values = self.values()
        if values is not None:
            return values[0]
        return "0" if self.is_numeric else None


class Rows(NamedTuple):
    """The rows of a file, of which only some columns are used."""

    text: Iterator[Line]
    declared: Sequence[Attribute]
    columns: Mapping[int, Column]
    label: int | None
    request: Request

    def dense(self) -> Iterator[Record]:
        """Yield the values of each row."""
        n_columns = len(self.declared)
        for number, line in self.text:
            cells = _cells(line, number)
            if len(cells) != n_columns:
                raise ValueError(
                    f"line {number} has {len(cells)} values; expected one for each of the "
                    f"{n_columns} attributes"
                )
            missing = MISSING in cells and [p for p, cell in enumerate(cells) if cell == MISSING]
            if not missing or self._is_complete(number, missing):
                yield number, cells

    def sparse(self) -> Iterator[tuple[int, list[tuple[int, str]]]]:
        """Yield the entries of each row in the used columns."""
        defaults = self._defaults()
        for number, line in self.text:
            if not (line.startswith("{") and line.endswith("}")):
                raise ValueError(f"line {number} must be enclosed in braces, as the first row is")
            cells = self._entries(number, line[1:-1].strip())
            missing = [index for index, word in cells if word == MISSING]
            if missing and not self._is_complete(number, missing):
                continue
            present = {index for index, _ in cells}
            found = [(index, word) for index, word in cells if index in self.columns]
            for index, word in defaults.items():
                if index in present:
                    continue
                if word is None:
                    raise ValueError(
                        f"line {number}: the value of {self.declared[index].name!r} is missing; "
                        "sparse rows must contain string attributes"
                    )
                found.append((index, word))
            yield number, found

    def _entries(self, number: int, inside: str) -> list[tuple[int, str]]:
        cells: list[tuple[int, str]] = []
        n_columns = len(self.declared)
        for match in _matches(_ENTRY, inside, number) if inside else ():
            index = int(match["index"])
            if index >= n_columns:
                raise ValueError(
                    f"line {number}: attribute index {index} is out of range; there are "
                    f"{n_columns} attributes, numbered from 0"
                )
            if cells and index <= cells[-1][0]:
                raise ValueError(
                    f"line {number}: attribute index {index} comes after {cells[-1][0]}, but "
                    "indices must ascend"
                )
            cells.append((index, word_of(match)))
        return cells

    def _defaults(self) -> dict[int, str | None]:
        """Return the values omitted in sparse rows, of the label and of nonzero features."""
        defaults = {}
        for index, column in self.columns.items():
            word = self.declared[index].default()
            zero = None if isinstance(column, NumericColumn) else column.first()
            is_zero = word == zero if zero is not None else word is not None and _is_zero(word)
            if index == self.label or not is_zero:
                defaults[index] = word
        return defaults

    def _is_complete(self, number: int, missing: Sequence[int]) -> bool:
        """Return whether a row with missing values is used; raise ValueError unless dropped."""
        may_lack_labels = self.request.schema is not None and not self.request.drop
        for position in missing:
            column = self.columns.get(position)
            if column is None or (may_lack_labels and position == self.label):
                continue
            if not self.request.drop:
                raise ValueError(
                    f"line {number}: missing value in column {column.name!r}. "
                    f"{self.request.missing_advice}"
                )
            return False
        return True


def sparse_matrix(source: Rows, features: Sequence[Column]) -> Any:
    """Append sparse rows to the columns, and return X."""
    found: dict[int, list[NDArray[np.int64]]] = defaultdict(list)
    n_rows = 0
    records = source.sparse()
    while block := list(itertools.islice(records, _ROWS_AT_ONCE)):
        of_column: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
        for row, (number, cells) in enumerate(block, n_rows):
            for index, word in cells:
                of_column[index].append((row, word, number))
        for index, entries in of_column.items():
            rows, words, line_numbers = zip(*entries, strict=True)
            source.columns[index].add(words, line_numbers)
            found[index].append(np.array(rows))
        n_rows += len(block)
    if not n_rows:
        raise ValueError("the file has no samples")
    starts, width = starts_of(features)
    n_words = sum(column.width > 1 for column in features)
    if n_words * n_rows * _BYTES_PER_ENTRY > resources.memory_bytes():
        raise MemoryError(
            f"one-hot encoding {n_words:,} nominal attributes of {n_rows:,} rows needs more memory "
            "than is available"
        )
    parts: list[Entries] = []
    # The columns are the features in their order, followed by the labels.
    for index, column, start in zip(source.columns, features, starts, strict=False):
        present = np.concatenate(found[index]) if found[index] else np.zeros(0, dtype=np.int64)
        values = column.values()
        if column.width > 1:
            whole = np.zeros(n_rows, dtype=np.int64)
            whole[present] = values
            parts.append((np.arange(n_rows), start + whole, np.ones(n_rows)))
        else:
            parts.append((present, np.full(len(present), start), values))
    X = csr_of(parts, (n_rows, width))
    X.eliminate_zeros()
    return X


def _is_zero(word: str) -> bool:
    values = parse_floats([word])
    return values is not None and values[0] == 0


def _cells(text: str, number: int) -> list[str]:
    """Return comma-separated values, quoted or not."""
    if "'" not in text and '"' not in text:
        cells = [cell.strip() for cell in text.split(",")]
        return [MISSING if cell == "?" else cell for cell in cells] if "?" in cells else cells
    return [word_of(match) for match in _matches(_CELL, text, number)]


def _matches(pattern: re.Pattern[str], text: str, number: int) -> Iterator[re.Match[str]]:
    at = 0
    while True:
        match = pattern.match(text, at)
        if match is None:
            raise ValueError(f"line {number}: cannot parse {text[at : at + 40]!r}")
        yield match
        if not match["end"]:
            return
        at = match.end()


def word_of(match: re.Match[str]) -> str:
    """Return a word without quotes and escapes."""
    quoted = match["quoted"]
    if quoted is None:
        word = match["bare"].strip()
        return MISSING if word == "?" else word
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), quoted[1:-1])


def without_comment(line: str) -> str:
    """Return a line without a comment at its end."""
    match = _BEFORE_COMMENT.match(line) if "%" in line else None
    return line if match is None else match[0].rstrip()
