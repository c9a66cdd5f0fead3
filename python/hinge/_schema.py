"""The columns of a table that a model was trained on, so that other tables are read alike."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hinge._label_text import numbers_of

# Characters of a name, a category or a label; the csv module of Python reads no longer field.
LONGEST_TEXT = 131_072
_MOST_FEATURES = 2**31 - 1


@dataclass(frozen=True)
class Feature:
    """A column of a table that holds a feature.

    Attributes
    ----------
    name : str
        Name in the header; the number of the column, from 0, where there is no header.
    categories : tuple of str, or None
        Values of a text column in the order of their codes; None for a column of numbers.
    """

    name: str
    categories: tuple[str, ...] | None = None

    @property
    def width(self) -> int:
        """Return the number of columns of X that this column becomes."""
        return 1 if self.categories is None else one_hot_width(len(self.categories))


def one_hot_width(n_categories: int) -> int:
    """Return the number of columns of X for a text column.

    Up to two categories become one column of 0 and 1, more of them a column each.
    """
    return n_categories if n_categories > 2 else 1


@dataclass(frozen=True)
class Schema:
    """Columns, categories and labels of a table, by which other tables are read alike.

    ``hinge train`` stores the schema of its table in the model file, and ``hinge predict`` reads
    its table by it. :func:`hinge.datasets.read` returns a schema with every table and ARFF file,
    and takes one for the next file; :func:`hinge.save` stores it with a model, and
    :func:`hinge.datasets.load_schema` returns it.

    Attributes
    ----------
    features : tuple of Feature
        The columns that hold features, in the order of the columns of X.
    label : str or None
        Name of the column with the labels, or its number, from 0, where there is no header; None
        for a table without labels.
    label_place : int
        Number of features that come before the labels in the file.
    labels : tuple of str
        The labels as the file writes them, in the order of ``Dataset.classes``.
    has_numeric_labels : bool
        Whether the classes are numbers; if not, they are the labels as text.
    has_header : bool
        Whether the columns have names, by which those of another table are matched.
    is_sparse : bool
        Whether X is a CSR matrix.
    """

    features: tuple[Feature, ...]
    label: str | None
    label_place: int
    labels: tuple[str, ...]
    has_numeric_labels: bool
    has_header: bool
    is_sparse: bool

    def __post_init__(self) -> None:
        """Refuse columns that no table has."""
        names = [feature.name for feature in self.features]
        _check_different("features", names)
        if self.label is not None:
            _check_different("columns", [*names, self.label])
        for feature in self.features:
            if feature.categories is not None:
                _check_different(f"categories of {feature.name[:40]!r}", feature.categories)
        if self.n_features > _MOST_FEATURES:
            raise ValueError(f"there are more than {_MOST_FEATURES} features")
        if not 0 <= self.label_place <= len(self.features):
            raise ValueError(f"label_place is not from 0 to {len(self.features)}")
        if (self.label is None) != (not self.labels):
            raise ValueError("there must be labels exactly where there is a column for them")
        if self.labels:
            _check_different("labels", self.labels)
        if self.has_numeric_labels and numbers_of(self.labels) is None:
            raise ValueError("the labels are not numbers")
        if not (self.classes[1:] > self.classes[:-1]).all():
            raise ValueError("the labels are not in ascending order")

    @property
    def n_features(self) -> int:
        """Return the number of columns of X."""
        return sum(feature.width for feature in self.features)

    @property
    def text_columns(self) -> list[str]:
        """Return the names of the columns that have categories."""
        return [feature.name for feature in self.features if feature.categories is not None]

    @functools.cached_property
    def classes(self) -> NDArray[Any]:
        """Return the labels as ``Dataset.classes`` has them: numbers, or text."""
        numbers = numbers_of(self.labels) if self.has_numeric_labels else None
        return np.array(self.labels, dtype=np.str_) if numbers is None else numbers

    def of_model(self, classes: NDArray[Any], n_features: int) -> Self:
        """Return the schema for a model with these classes, some of which may not have occurred."""
        if n_features != self.n_features:
            raise ValueError(
                f"the schema has {self.n_features} features, but the model has {n_features}"
            )
        places = {label: place for place, label in enumerate(self.classes.tolist())}
        found = [places.get(label) for label in classes.tolist()]
        known = [place for place in found if place is not None]
        is_alike = (classes.dtype.kind in "iuf") == self.has_numeric_labels
        if len(known) < len(found) or not is_alike:
            raise ValueError(
                f"the model has the classes {_few(classes)}, but the schema has the labels "
                f"{_few(self.classes)}; fit the model to the labels of the data set"
            )
        return replace(self, labels=tuple(self.labels[place] for place in known))

    def texts_of(self, labels: NDArray[Any]) -> list[str]:
        """Return classes as the file of the schema wrote them."""
        written = dict(zip(self.classes.tolist(), self.labels, strict=True))
        return [written[label] for label in labels.tolist()]

    def to_json(self) -> dict[str, Any]:
        """Return what a model file holds."""
        return {
            "features": [
                [name, None if categories is None else list(categories)]
                for name, categories in map(astuple, self.features)
            ],
            **{name: getattr(self, name) for name in _PLAIN},
            "labels": list(self.labels),
        }

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Return a schema from a model file, of which nothing is trusted."""
        if not isinstance(value, Mapping) or value.keys() != {"features", "labels", *_PLAIN}:
            raise ValueError(f"it must have features, labels, {', '.join(_PLAIN)}, and no more")
        for name, kind in _PLAIN.items():
            if type(value[name]) is not kind and not (name == "label" and value[name] is None):
                raise ValueError(f"{name!r} is not of type {kind.__name__}")
        if not isinstance(value["features"], list) or not value["features"]:
            raise ValueError("'features' is not a list of columns")
        return cls(
            features=tuple(map(_feature, value["features"])),
            labels=_texts("labels", value["labels"]),
            **{name: value[name] for name in _PLAIN},
        )


# Parts of a schema that JSON has as they are.
_PLAIN = {
    "label": str,
    "label_place": int,
    "has_numeric_labels": bool,
    "has_header": bool,
    "is_sparse": bool,
}


def _feature(value: Any) -> Feature:
    match value:
        case [str(name), None]:
            return Feature(name)
        case [str(name), list(categories)]:
            return Feature(name, _texts(f"categories of {name[:40]!r}", categories))
    raise ValueError("'features' has an item that is not a name with its categories or null")


def _texts(what: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"the {what} are not a list of strings")
    return tuple(value)


def _check_different(what: str, texts: Sequence[str]) -> None:
    if not texts:
        raise ValueError(f"there are no {what}")
    if len(set(texts)) < len(texts):
        raise ValueError(f"two of the {what} are equal")
    longest = max(texts, key=len)
    if len(longest) > LONGEST_TEXT:
        raise ValueError(
            f"one of the {what}, {longest[:40] + '...'!r}, has {len(longest):,} characters; "
            f"{LONGEST_TEXT:,} are the most"
        )


def _few(labels: NDArray[Any]) -> str:
    shown = ", ".join(repr(label) for label in labels[:3].tolist())
    return shown if len(labels) <= 3 else f"{shown}, ..."
