"""The columns of a training table, so that other tables are read in the same way."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from softmargin._files.label_text import numbers_of

# Maximum length of a name, category or label: the field size limit of Python's csv module.
LONGEST_TEXT = 131_072
_MAX_FEATURES = 2**31 - 1


@dataclass(frozen=True)
class Feature:
    """A feature column of a table.

    Attributes
    ----------
    name : str
        Name in the header, or the column number from 0 if there is no header.
    categories : tuple of str, or None
        Values of a text column in the order of their codes; None for a numeric column.
    """

    name: str
    categories: tuple[str, ...] | None = None

    @property
    def width(self) -> int:
        """Return the number of columns of X that encode this column."""
        return 1 if self.categories is None else one_hot_width(len(self.categories))


def one_hot_width(n_categories: int) -> int:
    """Return the number of columns of X for a text column.

    Up to two categories are encoded as one column of 0 and 1, more as one column each.
    """
    return n_categories if n_categories > 2 else 1


@dataclass(frozen=True)
class Schema:
    """Columns, categories and labels of a table, for reading other tables in the same way.

    ``softmargin train`` stores the schema of the training table in the model file, and
    ``softmargin predict`` uses it to read its data. :func:`softmargin.datasets.read` returns a
    schema for every table and ARFF file, and accepts one for the next file.
    :func:`softmargin.save` stores it with a model, and :func:`softmargin.datasets.load_schema`
    loads it.

    Attributes
    ----------
    features : tuple of Feature
        The feature columns, in the order of the columns of X.
    label : str or None
        Name of the label column, or its number from 0 if there is no header; None for a table
        without labels.
    label_place : int
        Number of feature columns before the label column in the file.
    labels : tuple of str
        The labels as written in the file, in the order of ``Dataset.classes``; empty if a model
        does not depend on them.
    has_numeric_labels : bool
        Whether the classes are numbers; otherwise they are text.
    has_header : bool
        Whether the columns have names, by which the columns of other tables are matched.
    is_sparse : bool
        Whether X is a CSR matrix.
    has_targets : bool
        Whether the label column contains the targets of a regression, which are numbers.
    """

    features: tuple[Feature, ...]
    label: str | None
    label_place: int
    labels: tuple[str, ...]
    has_numeric_labels: bool
    has_header: bool
    is_sparse: bool
    has_targets: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError if the columns are not consistent."""
        names = [feature.name for feature in self.features]
        _check_distinct("features", names)
        if self.label is not None:
            _check_distinct("columns", [*names, self.label])
        for feature in self.features:
            if feature.categories is not None:
                _check_distinct(f"categories of {feature.name[:40]!r}", feature.categories)
        if self.n_features > _MAX_FEATURES:
            raise ValueError(f"more than {_MAX_FEATURES} features")
        if not 0 <= self.label_place <= len(self.features):
            raise ValueError(f"label_place must be between 0 and {len(self.features)}")
        if self.label is None and (self.labels or self.has_targets):
            what = "labels" if self.labels else "targets"
            raise ValueError(f"{what} require a label column")
        if self.labels and self.has_targets:
            raise ValueError("a label column has either labels or targets")
        if self.has_numeric_labels and not self.labels:
            raise ValueError("has_numeric_labels requires labels")
        if self.labels:
            _check_distinct("labels", self.labels)
        if self.has_numeric_labels and numbers_of(self.labels) is None:
            raise ValueError("the labels must be numbers")
        if not (self.classes[1:] > self.classes[:-1]).all():
            raise ValueError("the labels must be in ascending order")

    @property
    def n_features(self) -> int:
        """Return the number of columns of X."""
        return sum(feature.width for feature in self.features)

    @property
    def text_columns(self) -> list[str]:
        """Return the names of the text columns."""
        return [feature.name for feature in self.features if feature.categories is not None]

    @functools.cached_property
    def classes(self) -> NDArray[Any]:
        """Return the labels as in ``Dataset.classes``: numbers or text."""
        numbers = numbers_of(self.labels) if self.has_numeric_labels else None
        return np.array(self.labels, dtype=np.str_) if numbers is None else numbers

    def of_model(self, classes: NDArray[Any], n_features: int) -> Self:
        """Return the schema restricted to the classes of a model."""
        self._check_features(n_features)
        if self.has_targets:
            raise ValueError(
                "the model is a classifier, but the schema is that of a table with targets. Read "
                "the table without targets=True."
            )
        codes = {label: code for code, label in enumerate(self.classes.tolist())}
        found = [codes.get(label) for label in classes.tolist()]
        known = [code for code in found if code is not None]
        is_same_kind = (classes.dtype.kind in "iuf") == self.has_numeric_labels
        if len(known) < len(found) or not is_same_kind:
            raise ValueError(
                f"the model has the classes {_few(classes)}, but the schema has the labels "
                f"{_few(self.classes)}. Fit the model with the labels of the data set."
            )
        return replace(self, labels=tuple(self.labels[code] for code in known))

    def of_regressor(self, n_features: int) -> Self:
        """Return this schema if it suits a regressor."""
        self._check_features(n_features)
        if self.label is not None and not self.has_targets:
            raise ValueError(
                "the model is a regressor, but the schema is that of a table with classes. Read "
                "the table with targets=True."
            )
        return self

    def of_detector(self, n_features: int) -> Self:
        """Return the schema of a model that does not depend on labels, which may be any."""
        self._check_features(n_features)
        return replace(self, labels=(), has_numeric_labels=False, has_targets=False)

    def _check_features(self, n_features: int) -> None:
        if n_features != self.n_features:
            raise ValueError(
                f"the schema has {self.n_features} features, but the model has {n_features}"
            )

    def texts_of(self, labels: NDArray[Any]) -> list[str]:
        """Return classes as written in the file of the schema."""
        written = dict(zip(self.classes.tolist(), self.labels, strict=True))
        return [written[label] for label in labels.tolist()]

    def to_json(self) -> dict[str, Any]:
        """Return the schema as a JSON value for a model file."""
        return {
            "features": [
                [name, None if categories is None else list(categories)]
                for name, categories in map(astuple, self.features)
            ],
            **{name: getattr(self, name) for name in _PLAIN},
            "labels": list(self.labels),
            **({"has_targets": True} if self.has_targets else {}),
        }

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Return a schema from an untrusted model file."""
        needed = {"features", "labels", *_PLAIN}
        if not isinstance(value, Mapping) or value.keys() - {"has_targets"} != needed:
            raise ValueError(
                f"it must have exactly the fields features, labels, {', '.join(_PLAIN)}"
            )
        for name, kind in _PLAIN.items():
            if type(value[name]) is not kind and not (name == "label" and value[name] is None):
                raise ValueError(f"{name!r} must be of type {kind.__name__}")
        if value.get("has_targets", True) is not True:
            raise ValueError("'has_targets' must be true or missing")
        if not isinstance(value["features"], list) or not value["features"]:
            raise ValueError("'features' must be a list of columns")
        return cls(
            features=tuple(map(_feature, value["features"])),
            labels=_texts("labels", value["labels"]),
            **{name: value[name] for name in _PLAIN},
            has_targets="has_targets" in value,
        )


# Fields of a schema that are JSON values.
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
    raise ValueError("items of 'features' must be a name and either its categories or null")


def _texts(what: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"the {what} must be a list of strings")
    return tuple(value)


def _check_distinct(what: str, texts: Sequence[str]) -> None:
    if not texts:
        raise ValueError(f"there are no {what}")
    if len(set(texts)) < len(texts):
        raise ValueError(f"the {what} are not distinct")
    longest = max(texts, key=len)
    if len(longest) > LONGEST_TEXT:
        raise ValueError(
            f"one of the {what}, {longest[:40] + '...'!r}, has {len(longest):,} characters; the "
            f"maximum is {LONGEST_TEXT:,}"
        )


def _few(labels: NDArray[Any]) -> str:
    text = ", ".join(repr(label) for label in labels[:3].tolist())
    return text if len(labels) <= 3 else f"{text}, ..."
