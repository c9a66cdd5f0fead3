"""The feature columns and the label column of a file."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from softmargin._checks import parameters
from softmargin._files.schema import Schema
from softmargin.datasets._request import Request

# Names of a first column in which pandas or R writes row numbers.
_INDEX_NAMES = ("", "Unnamed: 0")


class Layout(NamedTuple):
    """Positions of the columns in a file: features in the order of X, and the labels if any."""

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
    """Return the layout of a file with ``n_columns`` columns; ``names`` is None without a header.

    ``advice`` is the end of the message about missing columns.
    """
    _check_index(request, names)
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


def _check_index(request: Request, names: Sequence[str] | None) -> None:
    """Raise ValueError for an index on the command line that is the name of another column."""
    number = request.label_column
    if not (request.on_command_line and isinstance(number, int)) or names is None:
        return
    if str(number) in names and names.index(str(number)) != number:
        raise ValueError(
            f"--label-column {number} is the index of one column and the name of another. Use a "
            "negative index instead: -1 is the last column."
        )


def _own_layout(
    request: Request, names: Sequence[str] | None, n_columns: int, default_label: int
) -> Layout:
    """Return the layout without a schema: all columns except the labels are features."""
    used = list(range(n_columns))
    is_index = names is not None and names[0] in _INDEX_NAMES and n_columns > 1
    label = None
    if _has_labels(request, n_columns - is_index):
        label = position_of(request.label_column, names, n_columns, default_label)
    if is_index and label != 0:
        used.remove(0)
        warnings.warn(
            "the first column has no name, as pandas writes its index, and is ignored; name the "
            "column to use it as a feature",
            UserWarning,
            stacklevel=6,
        )
    features = [position for position in used if position != label]
    if names is not None:
        _check_names([names[position] for position in used])
        if any(not names[position] for position in features):
            raise ValueError("the header has a column without a name; name or remove the column")
    if not features:
        raise ValueError(
            "the file has only one column; a label and at least one feature are required"
        )
    return Layout(features, None if request.labels == "ignored" else label)


def _has_labels(request: Request, n_columns: int) -> bool:
    """Return whether a file with ``n_columns`` columns and without a schema has labels."""
    if request.labels == "ignored":
        return n_columns - 1 == request.n_features and not request.may_be_wider
    is_narrow = request.labels == "optional" and n_columns == request.n_features
    return request.label_column is not None or not is_narrow


def _check_names(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns have the name {_shown(name)}; rename one of them")


def _layout_by_name(request: Request, schema: Schema, names: Sequence[str], advice: str) -> Layout:
    """Return the positions of the columns of a schema; other columns are ignored."""
    positions: dict[str, list[int]] = defaultdict(list)
    for position, name in enumerate(names):
        positions[name].append(position)
    wanted = [feature.name for feature in schema.features]
    missing = [name for name in wanted if name not in positions]
    if missing:
        which = "column" if len(missing) == 1 else "columns"
        verb = "is" if len(missing) == 1 else "are"
        raise ValueError(
            f"the {which} {some(missing, 5)} of the training table {verb} missing{advice}"
        )
    features = [_only_position(name, positions[name]) for name in wanted]
    label = None
    if request.labels != "ignored":
        if request.label_column is not None:
            label = position_of(request.label_column, names, len(names), 0)
        elif schema.label in positions:
            label = _only_position(schema.label, positions[schema.label])
        elif request.labels == "required":
            raise ValueError(
                f"the label column {some([str(schema.label)])} is missing. Use "
                f"{request.no_labels_option} to read a table without labels."
            )
    if label in features:
        raise ValueError(
            f"label_column = {request.label_column!r} is a feature of the training table"
        )
    used = {*features, label}
    others = [name for position, name in enumerate(names) if position not in used]
    ignored = tuple(name for name in others if name != schema.label and name not in _INDEX_NAMES)
    return Layout(features, label, ignored)


def _layout_by_position(
    request: Request, schema: Schema, names: Sequence[str] | None, n_columns: int
) -> Layout:
    """Return the layout of a table with the columns in the order of the training table."""
    n_features = len(schema.features)
    has_labels = schema.label is not None and n_columns == n_features + 1
    if not has_labels and n_columns != n_features:
        rest = "" if schema.label is None else " and a label column"
        raise ValueError(
            f"the table has {n_columns} columns, but the training table has {n_features} "
            f"feature{'s' * (n_features > 1)}{rest}"
        )
    used = list(range(n_columns))
    if not has_labels:
        if request.label_column is not None or request.labels == "required":
            raise ValueError(
                f"the table has {n_columns} columns, the features of the training table, but no "
                f"label column. Use {request.no_labels_option} to read a table without labels."
            )
        return Layout(used, None)
    label = position_of(request.label_column, names, n_columns, schema.label_place)
    used.remove(label)
    return Layout(used, None if request.labels == "ignored" else label)


def _only_position(name: str, positions: Sequence[int]) -> int:
    if len(positions) > 1:
        raise ValueError(
            f"two columns have the name {_shown(name)}, which the training table has once"
        )
    return positions[0]


def position_of(
    label_column: Any, names: Sequence[str] | None, n_columns: int, default: int
) -> int:
    """Return the position of the label column from its name or index."""
    if label_column is None:
        return default
    if isinstance(label_column, str):
        if names is None:
            raise ValueError(
                f"label_column = {label_column!r} is not valid: the columns have no names; use an "
                "index"
            )
        if names.count(label_column) != 1:
            found = "two columns have" if label_column in names else "no column has"
            raise ValueError(
                f"label_column = {label_column!r} is not valid: {found} this name; the columns are "
                f"{some(names)}"
            )
        return names.index(label_column)
    position = parameters.integer("label_column", label_column)
    if not -n_columns <= position < n_columns:
        raise ValueError(
            f"label_column = {position} is not valid: there are {n_columns} columns, numbered from "
            "0"
        )
    return position % n_columns


def _shown(name: str) -> str:
    return repr(name[:40])


def some(words: Sequence[str], most: int = 10) -> str:
    """Return quoted words for a message, at most ``most`` of them."""
    shown = ", ".join(_shown(word) for word in words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"
