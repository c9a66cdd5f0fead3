"""Whether the first line of a table has the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from softmargin._files.schema import Schema
from softmargin.datasets._columns import Record, blocks
from softmargin.datasets._request import Request
from softmargin.datasets._table_layout import some
from softmargin.datasets._text_lines import numbers

MISSING = frozenset(
    ["", "?", "NA", "na", "N/A", "n/a", "NaN", "nan", "NAN", "null", "Null", "NULL"]
)
# Numbers that may be names of columns: years, or the places that pandas writes.
_NUMBER_AS_NAME = re.compile(r"0|[1-9][0-9]*")


class FirstLine(NamedTuple):
    """The first line of a table, and the columns of some rows below, without missing values."""

    cells: list[str]
    below: list[list[str]]

    @classmethod
    def of(cls, records: Iterator[Record]) -> FirstLine:
        """Look at the first rows of a file."""
        _, cells = next(records, (0, None))
        if cells is None:
            raise ValueError("there are no rows")
        _, columns = next(blocks(records), (None, [()] * len(cells)))
        return cls(cells, [[word for word in words if word not in MISSING] for words in columns])

    def is_header(self, request: Request) -> bool:
        """Tell whether the line has names, by the request, the schema, or the rows below."""
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
        """Tell whether the line differs from the rows below as names do; None if it is not clear.

        Text above a column of numbers is a name. Text that occurs again in its column is a value.
        Without either, a line of text is a header, and a line of numbers a sample; but not if the
        numbers are 0, 1, 2 and so on, which pandas writes where columns have no names.
        """
        figures: list[str] = []  # numbers above numbers
        comes_again: list[bool] = []  # of cells above text
        is_above_numbers = False
        for cell, words in zip(self.cells, self.below, strict=True):
            if cell in MISSING:
                continue
            is_text = numbers([cell]) is None
            if numbers(words) is None or (is_text and not words):
                comes_again.append(cell in words)
            elif is_text:
                is_above_numbers = True
            else:
                figures.append(cell)
        if is_above_numbers:
            is_clear = all(map(_NUMBER_AS_NAME.fullmatch, figures)) and not any(comes_again)
            return True if is_clear else None
        if figures and any(comes_again):
            return False
        if figures:
            return None if comes_again or self._counts_from_zero() else False
        if all(comes_again):
            return False
        is_text = all(numbers([cell]) is None for cell in self.cells)
        is_possible = is_text and len(set(self.cells)) == len(self.cells)
        return True if is_possible and not any(comes_again) else None

    def _counts_from_zero(self) -> bool:
        """Tell whether the cells are 0, 1, 2 and so on, after an empty one for an index."""
        cells = self.cells[1:] if self.cells[0] == "" else self.cells
        return len(self.cells) > 1 and cells == [str(place) for place in range(len(cells))]

    def _is_sample_of(self, schema: Schema) -> bool:
        """Tell whether the line is a row of a table with these columns, which have no names."""
        cells = list(self.cells)
        if self._counts_from_zero():
            return False
        if len(cells) == len(schema.features) + 1:
            label = cells.pop(schema.label_place)
            if label not in MISSING and label not in schema.labels:
                return False
        return len(cells) == len(schema.features) and all(
            cell in feature.categories
            if feature.categories is not None
            else numbers([cell]) is not None
            for cell, feature in zip(cells, schema.features, strict=True)
        )

    def has_text(self, header: bool) -> list[bool]:
        """Tell of each column whether it has text, in the first line too if that is a sample."""
        return [
            numbers(words) is None
            or (not header and cell not in MISSING and numbers([cell]) is None)
            for cell, words in zip(self.cells, self.below, strict=True)
        ]
