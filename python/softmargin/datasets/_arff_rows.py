"""The rows of ARFF files, dense and sparse, and the declarations of what is in them."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softmargin._checks import resources
from softmargin.datasets._columns import Column, Entries, Numbers, Record, csr_of, starts_of
from softmargin.datasets._label_column import LabelWords
from softmargin.datasets._text_lines import Line, numbers

QUOTED = r"""(?P<quoted>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_CELL = re.compile(rf"\s*+(?:{QUOTED}\s*+|(?P<bare>[^,'\"]*+))(?P<end>,|$)")
_ENTRY = re.compile(
    rf"\s*+(?P<index>[0-9]{{1,9}})\s++(?:{QUOTED}\s*+|(?P<bare>[^,'\"]++))(?P<end>,|$)"
)
_TYPE = re.compile(r"[^\s\[{]*+")
_NOMINAL = re.compile(r"""\{(?P<inside>(?:[^'"}]|'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")*+)\}\s*+""")
# Up to a comment, which begins outside of quotes and not inside a word.
_BEFORE_COMMENT = re.compile(
    r"""(?:[^'"%]|(?<![\s,{}'"])%|'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")*+(?=%)"""
)
_ESCAPE = re.compile(r"\\(u001E|.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "u001E": "\x1e"}
_NUMERIC = ("numeric", "real", "integer")
# Stands for a value that is missing. No text has it, so that a quoted question mark is a value.
MISSING = "\0"
_ROWS_AT_ONCE = 4096
# Of an entry of a matrix while it is made: twice a row, a column and a value.
_BYTES_AN_ENTRY = 48


class Attribute(NamedTuple):
    """A declaration: its line, the name, and the type as text."""

    line: int
    name: str
    kind: str

    @property
    def word(self) -> str:
        """Return the type, but for the values of a nominal attribute."""
        return _TYPE.match(self.kind)[0].lower()  # type: ignore[index]  # matches any text

    @property
    def is_numeric(self) -> bool:
        """Tell whether the values are numbers."""
        return self.word in _NUMERIC

    def values(self) -> list[str] | None:
        """Return the values of a nominal attribute."""
        if not self.kind.startswith("{"):
            return None
        match = _NOMINAL.fullmatch(self.kind)
        if match is None:
            raise ValueError(f"line {self.line}: the values of {self.name!r} must end with a brace")
        values = ["?" if value == MISSING else value for value in _cells(match[1], self.line)]
        if len(set(values)) != len(values) or "" in values:
            raise ValueError(f"line {self.line}: a value of {self.name!r} is empty or there twice")
        return values

    def default(self) -> str | None:
        """Return what a sparse row means that leaves this attribute out; None if that is open."""
        values = self.values()
        if values is not None:
            return values[0]
        return "0" if self.is_numeric else None


class Rows(NamedTuple):
    """The rows of a file; only the values of some columns count."""

    text: Iterator[Line]
    declared: Sequence[Attribute]
    columns: Mapping[int, Column]
    label: int | None
    drop: bool

    def dense(self) -> Iterator[Record]:
        """Yield the values of each row."""
        n_columns = len(self.declared)
        for number, line in self.text:
            cells = _cells(line, number)
            if len(cells) != n_columns:
                raise ValueError(
                    f"line {number} has {len(cells)} values, but there are {n_columns} attributes"
                )
            missing = MISSING in cells and [p for p, cell in enumerate(cells) if cell == MISSING]
            if not missing or self._is_complete(number, missing):
                yield number, cells

    def sparse(self) -> Iterator[tuple[int, list[tuple[int, str]]]]:
        """Yield what each row has of the columns."""
        filled = self._filled()
        for number, line in self.text:
            if not (line.startswith("{") and line.endswith("}")):
                raise ValueError(f"line {number} is not in braces as the rows before")
            cells = self._entries(number, line[1:-1].strip())
            missing = [index for index, word in cells if word == MISSING]
            if missing and not self._is_complete(number, missing):
                continue
            there = {index for index, _ in cells}
            found = [(index, word) for index, word in cells if index in self.columns]
            for index, word in filled.items():
                if index in there:
                    continue
                if word is None:
                    raise ValueError(
                        f"line {number}: the value of {self.declared[index].name!r}, which has no "
                        "first value, is left out"
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
                    f"line {number}: there is no attribute {index}; {n_columns} are declared, "
                    "from 0"
                )
            if cells and index <= cells[-1][0]:
                raise ValueError(f"line {number}: attribute {index} comes after {cells[-1][0]}")
            cells.append((index, word_of(match)))
        return cells

    def _filled(self) -> dict[int, str | None]:
        """Return what a row means that leaves out a label, or a feature that is not 0 then."""
        filled = {}
        for index, column in self.columns.items():
            word = self.declared[index].default()
            zero = None if isinstance(column, Numbers) else column.first()
            is_zero = word == zero if zero is not None else word is not None and _is_zero(word)
            if index == self.label or not is_zero:
                filled[index] = word
        return filled

    def _is_complete(self, number: int, missing: Sequence[int]) -> bool:
        """Tell whether a row that lacks these values is taken; refuse it if it must be whole."""
        for place in missing:
            column = self.columns.get(place)
            if column is None or (isinstance(column, LabelWords) and not self.drop):
                continue
            if not self.drop:
                _refuse_missing(number, column.name)
            return False
        return True


def sparse_matrix(source: Rows, features: Sequence[Column]) -> Any:
    """Read sparse rows into the columns, and return X."""
    found: dict[int, list[NDArray[np.int64]]] = defaultdict(list)
    n_rows = 0
    records = source.sparse()
    while block := list(itertools.islice(records, _ROWS_AT_ONCE)):
        of_column: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
        for row, (number, cells) in enumerate(block, n_rows):
            for index, word in cells:
                of_column[index].append((row, word, number))
        for index, entries in of_column.items():
            rows, words, numbers_of_lines = zip(*entries, strict=True)
            source.columns[index].add(words, numbers_of_lines)
            found[index].append(np.array(rows))
        n_rows += len(block)
    if not n_rows:
        raise ValueError("there are no rows")
    starts, width = starts_of(features)
    n_words = sum(column.width > 1 for column in features)
    if n_words * n_rows * _BYTES_AN_ENTRY > resources.memory_bytes():
        raise MemoryError(
            f"{n_words:,} nominal attributes of {n_rows:,} rows have a value in every row, which "
            "needs more memory than there is"
        )
    parts: list[Entries] = []
    # The columns are those of the features in their order, and then that of the labels.
    for index, column, start in zip(source.columns, features, starts, strict=False):
        there = np.concatenate(found[index]) if found[index] else np.zeros(0, dtype=np.int64)
        values = column.values()
        if column.width > 1:
            whole = np.zeros(n_rows, dtype=np.int64)
            whole[there] = values
            parts.append((np.arange(n_rows), start + whole, np.ones(n_rows)))
        else:
            parts.append((there, np.full(len(there), start), values))
    X = csr_of(parts, (n_rows, width))
    X.eliminate_zeros()
    return X


def _is_zero(word: str) -> bool:
    values = numbers([word])
    return values is not None and values[0] == 0


def _refuse_missing(number: int, name: str) -> None:
    raise ValueError(
        f"line {number}: the value of {name!r} is missing; "
        "softmargin.datasets.read(path, missing='drop') leaves such rows out"
    )


def _cells(text: str, number: int) -> list[str]:
    """Return the values between commas, quoted or not."""
    if "'" not in text and '"' not in text:
        cells = [cell.strip() for cell in text.split(",")]
        return [MISSING if cell == "?" else cell for cell in cells] if "?" in cells else cells
    return [word_of(match) for match in _matches(_CELL, text, number)]


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


def word_of(match: re.Match[str]) -> str:
    """Return a word as it is meant, without quotes and escapes."""
    quoted = match["quoted"]
    if quoted is None:
        word = match["bare"].strip()
        return MISSING if word == "?" else word
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), quoted[1:-1])


def without_comment(line: str) -> str:
    """Return what stands before a comment at the end of a line."""
    match = _BEFORE_COMMENT.match(line) if "%" in line else None
    return line if match is None else match[0].rstrip()
