"""Weka's ARFF files, dense and sparse, with numeric and nominal attributes.

Stricter than ``scipy.io.arff``, which does not support sparse rows; errors have the line number.
Nominal attributes are encoded as in :mod:`softmargin.datasets._columns`, in the order of their
declaration, so that files with the same declarations have the same columns.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from softmargin.datasets._arff_rows import (
    MISSING,
    QUOTED,
    Attribute,
    Rows,
    sparse_matrix,
    without_comment,
    word_of,
)
from softmargin.datasets._assembly import dataset_of
from softmargin.datasets._columns import (
    Column,
    NumericColumn,
    TextColumn,
    columns_of,
    fill,
    rows_of,
)
from softmargin.datasets._dataset import Dataset
from softmargin.datasets._label_column import LabelColumn, canonical
from softmargin.datasets._request import NO_CATEGORIES, Request
from softmargin.datasets._table_layout import layout_of
from softmargin.datasets._target_column import TargetColumn
from softmargin.datasets._text_lines import Line, lines

_ATTRIBUTE = re.compile(
    rf"@attribute\s++(?:{QUOTED}|(?P<bare>[^\s'\"{{]++))\s*+(?P<type>.+)", re.IGNORECASE
)


def read_arff(path: Path, request: Request) -> Dataset:
    """Read an ARFF file."""
    stripped = ((number, without_comment(line.strip())) for number, line in lines(path, "%"))
    text: Iterator[Line] = ((number, line) for number, line in stripped if line)
    declared = list(_declarations(text))
    if len(declared) < 2 - (request.labels == "ignored"):
        raise ValueError("a label and at least one feature must be declared with @attribute")
    names = [attribute.name for attribute in declared]
    by_name = [position for position, name in enumerate(names) if name.lower() == "class"]
    default = by_name[0] if by_name else len(names) - 1
    layout = layout_of(request, names, len(names), default)
    features = _features([declared[position] for position in layout.features], request)
    columns = dict(zip(layout.features, features, strict=True))
    label = None
    if layout.label is not None:
        label = columns[layout.label] = _label(declared[layout.label], request)
    first = next(text, None)
    if first is None:
        raise ValueError("the file has no samples")
    rows = Rows(itertools.chain([first], text), declared, columns, layout.label, request)
    is_sparse = None if request.schema is None else request.schema.is_sparse
    if first[1].startswith("{"):
        X = sparse_matrix(rows, features)
        X = X.toarray() if is_sparse is False else X
    else:
        fill(columns, rows.dense())
        X = rows_of(features, is_sparse)
    labels = None if label is None else (label, label.values())
    return dataset_of(path, request, layout, X, features, labels, has_header=True)


def _declarations(text: Iterator[Line]) -> Iterator[Attribute]:
    """Yield the declared attributes, up to the line @data."""
    names = set()
    for number, line in text:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data":
            if line.lower() != "@data":
                raise ValueError(
                    f"line {number}: unexpected text after @data; samples start on the next line"
                )
            return
        if keyword == "@attribute":
            match = _ATTRIBUTE.fullmatch(line)
            if match is None:
                raise ValueError(f"line {number}: @attribute must have a name and a type")
            name = match["bare"] or word_of(match)
            if name in names:
                raise ValueError(f"line {number}: duplicate attribute name {name!r}")
            names.add(name)
            yield Attribute(number, name, match["type"].strip())
        elif keyword != "@relation":
            raise ValueError(
                f"line {number}: {line[:40]!r} is not an ARFF declaration; expected @relation, "
                "@attribute or @data"
            )
    raise ValueError("the line @data is missing")


def _features(attributes: Sequence[Attribute], request: Request) -> list[Column]:
    """Return empty columns for the features, according to the schema if there is one."""
    if request.schema is not None:
        return columns_of(request.schema)
    if request.n_features is not None:
        return [NumericColumn(attribute.name, NO_CATEGORIES) for attribute in attributes]
    return [_column(attribute, is_label=False) for attribute in attributes]


def _label(attribute: Attribute, request: Request) -> Column:
    """Return an empty column for the labels or targets."""
    missing = () if request.drop or request.schema is None else (MISSING,)
    if request.has_targets:
        return TargetColumn(attribute.name, missing, request)
    if request.schema is None:
        return _column(attribute, is_label=True)
    return LabelColumn(
        attribute.name, missing, request, canonical if attribute.is_numeric else None
    )


def _column(attribute: Attribute, is_label: bool) -> Column:
    """Return an empty column for an attribute."""
    line, name, _ = attribute
    values = attribute.values()
    if values is not None:
        return TextColumn(name, values)
    if attribute.is_numeric:
        return NumericColumn(name)
    if attribute.word == "string" and is_label:
        return TextColumn(name)
    raise ValueError(
        f"line {line}: attribute {name!r} has type {attribute.word[:40]!r}; features must be "
        "numeric or nominal"
    )
