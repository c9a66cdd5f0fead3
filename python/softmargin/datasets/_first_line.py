"""Detection of a header in the first line of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from softmargin._files.schema import Schema
from softmargin.datasets._columns import Record, blocks
from softmargin.datasets._request import Request
from softmargin.datasets._table_layout import some
from softmargin.datasets._text_lines import parse_floats

MISSING = frozenset(
    ["", "?", "NA", "na", "N/A", "n/a", "NaN", "nan", "NAN", "null", "Null", "NULL"]
)
# Numbers that may be column names: years, or the positions that pandas writes.
_NUMBER_AS_NAME = re.compile(r"0|[1-9][0-9]*")


class FirstLine(NamedTuple):
    """The first line of a table, and the columns of the rows below it without missing values."""

    cells: list[str]
    below: list[list[str]]

    @classmethod
    def of(cls, records: Iterator[Record]) -> FirstLine:
        """Read the first rows of a file."""
        _, cells = next(records, (0, None))
        if cells is None:
            raise ValueError("the file has no samples")
        _, columns = next(blocks(records), (None, [()] * len(cells)))
        return cls(cells, [[word for word in words if word not in MISSING] for words in columns])

    def is_header(self, request: Request) -> bool:
        """Return whether the line is a header, from the request, the schema, or the rows below."""
        if request.header is not None:
            return request.header
        schema = request.schema
        if isinstance(request.label_column, str) or (schema is not None and schema.has_header):
            return True
        if schema is not None and self._is_sample_of(schema):
            return False
        is_header = self.looks_like_header()
        if is_header is None:
            raise ValueError(
                f"line 1 may be a header or a sample: {some(self.cells, 5)}; pass "
                f"{request.header_options}"
            )
        return is_header

    def looks_like_header(self) -> bool | None:
        """Return whether the line looks like a header; None if it is ambiguous.

        Text above a numeric column is a name. Text that occurs again in its column is a value.
        Without either, a line of text is a header, and a line of numbers a sample, except the
        numbers 0, 1, 2 and so on, which pandas writes for columns without names.
        """
        numeric: list[str] = []  # numbers above numbers
        recurs: list[bool] = []  # for cells above text
        is_above_numbers = False
        for cell, words in zip(self.cells, self.below, strict=True):
            if cell in MISSING:
                continue
            is_text = parse_floats([cell]) is None
            if parse_floats(words) is None or (is_text and not words):
                recurs.append(cell in words)
            elif is_text:
                is_above_numbers = True
            else:
                numeric.append(cell)
        if is_above_numbers:
            is_clear = all(map(_NUMBER_AS_NAME.fullmatch, numeric)) and not any(recurs)
            return True if is_clear else None
        if numeric and any(recurs):
            return False
        if numeric:
            return None if recurs or self._counts_from_zero() else False
        if all(recurs):
            return False
        is_text = all(parse_floats([cell]) is None for cell in self.cells)
        is_possible = is_text and len(set(self.cells)) == len(self.cells)
        return True if is_possible and not any(recurs) else None

    def _counts_from_zero(self) -> bool:
        """Return whether the cells are 0, 1, 2 and so on, after an empty cell for an index."""
        cells = self.cells[1:] if self.cells[0] == "" else self.cells
        return len(self.cells) > 1 and cells == [str(position) for position in range(len(cells))]

    def _is_sample_of(self, schema: Schema) -> bool:
        """Return whether the line is a row of a table with these columns, which have no names."""
        cells = list(self.cells)
        if self._counts_from_zero():
            return False
        if len(cells) == len(schema.features) + 1:
            label = cells.pop(schema.label_place)
            is_known = label in MISSING or label in schema.labels or not schema.labels
            if not is_known or (schema.has_targets and parse_floats([label]) is None):
                return False
        return len(cells) == len(schema.features) and all(
            cell in feature.categories
            if feature.categories is not None
            else parse_floats([cell]) is not None
            for cell, feature in zip(cells, schema.features, strict=True)
        )

    def has_text(self, header: bool) -> list[bool]:
        """Return whether each column contains text, in the first line too if it is a sample."""
        return [
            parse_floats(words) is None
            or (not header and cell not in MISSING and parse_floats([cell]) is None)
            for cell, words in zip(self.cells, self.below, strict=True)
        ]
