"""Which columns of a file are features, which has the labels, and which are not used."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from softmargin._checks import parameters
from softmargin._files.schema import Schema
from softmargin.datasets._request import Request

# Names of the first column where pandas or R wrote the numbers of the rows.
_INDEX_NAMES = ("", "Unnamed: 0")


class Layout(NamedTuple):
    """Places of columns in a file: features in the order of X, and labels if there are any."""

    features: list[int]
    label: int | None
    ignored: tuple[str, ...] = ()


def layout_of(
    request: Request,
    names: Sequence[str] | None,
    n_columns: int,
    default_label: int,
    advice: str = "",
) -> Layout:
    """Return the layout of a file with so many columns; ``names`` is None without a header.

    ``advice`` ends the sentence about columns that are missing.
    """
    _check_number(request, names)
    schema = request.schema
    if names is not None and schema is not None and schema.has_header:
        return _layout_by_name(request, schema, names, advice)
    is_for_model = schema is not None or request.n_features is not None
    if names is not None and is_for_model and request.header is None:
        warnings.warn(
            "the columns are matched by position, because the training data has no column names",
            UserWarning,
            stacklevel=5,
        )
    if schema is None:
        return _own_layout(request, names, n_columns, default_label)
    return _layout_by_position(request, schema, names, n_columns)


def _check_number(request: Request, names: Sequence[str] | None) -> None:
    """Refuse a number that was typed and is the name of another column."""
    number = request.label_column
    if not (request.on_command_line and isinstance(number, int)) or names is None:
        return
    if str(number) in names and names.index(str(number)) != number:
        raise ValueError(
            f"--label-column {number} is the number of one column and the name of another; count "
            "from the end instead: -1 is the last"
        )


def _own_layout(
    request: Request, names: Sequence[str] | None, n_columns: int, default_label: int
) -> Layout:
    """Return the layout that a file has by itself: all columns but the labels are features."""
    used = list(range(n_columns))
    is_index = names is not None and names[0] in _INDEX_NAMES and n_columns > 1
    label = None
    if _has_labels(request, n_columns - is_index):
        label = place_of(request.label_column, names, n_columns, default_label)
    if is_index and label != 0:
        used.remove(0)
        warnings.warn(
            "the first column has no name, as pandas writes its index, and is ignored; name the "
            "column to use it as a feature",
            UserWarning,
            stacklevel=6,
        )
    features = [place for place in used if place != label]
    if names is not None:
        _check_names([names[place] for place in used])
        if any(not names[place] for place in features):
            raise ValueError("the header has a column without a name; name or remove the column")
    if not features:
        raise ValueError("there is one column, but a label and at least one feature are needed")
    return Layout(features, None if request.labels == "ignored" else label)


def _has_labels(request: Request, n_columns: int) -> bool:
    """Tell whether one of so many columns has labels, of a file without a schema."""
    if request.labels == "ignored":
        return n_columns - 1 == request.n_features and not request.may_be_wider
    is_narrow = request.labels == "optional" and n_columns == request.n_features
    return request.label_column is not None or not is_narrow


def _check_names(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns have the name {_shown(twice)}; rename one of them")


def _layout_by_name(request: Request, schema: Schema, names: Sequence[str], advice: str) -> Layout:
    """Return where a table has the columns of a schema; it may have others."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        places[name].append(place)
    wanted = [feature.name for feature in schema.features]
    missing = [name for name in wanted if name not in places]
    if missing:
        which = "column" if len(missing) == 1 else "columns"
        verb = "is" if len(missing) == 1 else "are"
        raise ValueError(
            f"the {which} {some(missing, 5)} of the training table {verb} missing{advice}"
        )
    features = [_only_place(name, places[name]) for name in wanted]
    label = None
    if request.labels != "ignored":
        if request.label_column is not None:
            label = place_of(request.label_column, names, len(names), 0)
        elif schema.label in places:
            label = _only_place(schema.label, places[schema.label])
        elif request.labels == "required":
            raise ValueError(
                f"there is no column {some([str(schema.label)])} with the labels; "
                f"{request.no_labels_option} reads a table without labels"
            )
    if label in features:
        raise ValueError(
            f"label_column = {request.label_column!r} is a feature of the training table"
        )
    used = {*features, label}
    others = [name for place, name in enumerate(names) if place not in used]
    ignored = tuple(name for name in others if name != schema.label and name not in _INDEX_NAMES)
    return Layout(features, label, ignored)


def _layout_by_position(
    request: Request, schema: Schema, names: Sequence[str] | None, n_columns: int
) -> Layout:
    """Return the layout of a table whose columns are in the order of the training table."""
    n_features = len(schema.features)
    has_labels = schema.label is not None and n_columns == n_features + 1
    if not has_labels and n_columns != n_features:
        rest = "" if schema.label is None else " and a label column"
        raise ValueError(
            f"there are {n_columns} columns, but the training table has {n_features} "
            f"feature{'s' * (n_features > 1)}{rest}"
        )
    used = list(range(n_columns))
    if not has_labels:
        if request.label_column is not None or request.labels == "required":
            raise ValueError(
                f"there are {n_columns} columns, all of them features of the training table, and "
                f"none with labels; {request.no_labels_option} reads a table without labels"
            )
        return Layout(used, None)
    label = place_of(request.label_column, names, n_columns, schema.label_place)
    used.remove(label)
    return Layout(used, None if request.labels == "ignored" else label)


def _only_place(name: str, places: Sequence[int]) -> int:
    if len(places) > 1:
        raise ValueError(
            f"two columns have the name {_shown(name)}, which the training table has once"
        )
    return places[0]


def place_of(label_column: Any, names: Sequence[str] | None, n_columns: int, default: int) -> int:
    """Return the number of the column with the labels, from its name or number."""
    if label_column is None:
        return default
    if isinstance(label_column, str):
        if names is None:
            raise ValueError(f"label_column = {label_column!r}, but the columns have no names")
        if names.count(label_column) != 1:
            there = "two columns have" if label_column in names else "no column has"
            raise ValueError(
                f"label_column = {label_column!r}, but {there} this name: {some(names)}"
            )
        return names.index(label_column)
    place = parameters.integer("label_column", label_column)
    if not -n_columns <= place < n_columns:
        raise ValueError(
            f"label_column = {place} is not valid: there are {n_columns} columns, from 0"
        )
    return place % n_columns


def _shown(name: str) -> str:
    return repr(name[:40])


def some(words: Sequence[str], most: int = 10) -> str:
    """Return a few words for a message."""
    shown = ", ".join(_shown(word) for word in words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"
