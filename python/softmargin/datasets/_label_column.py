"""The label column of a file, and its classes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softmargin._files.label_text import number_of, numbers_of, whole
from softmargin._files.schema import Schema
from softmargin.datasets._columns import Column, NumericColumn, TextColumn
from softmargin.datasets._dataset import encode
from softmargin.datasets._request import Request
from softmargin.datasets._table_layout import some
from softmargin.datasets._text_lines import parse_floats

# In a numpy array of text, every element takes the space of the longest.
_LONGEST_LABEL = 255


class Labels(NamedTuple):
    """Classes, the class code of each sample, and the classes as written in the file.

    For a regression there are no classes, and targets instead of codes.
    """

    classes: NDArray[Any]
    codes: NDArray[Any]
    texts: tuple[str, ...]
    unknown: tuple[str, ...] = ()


class LabelColumn(TextColumn):
    """The labels of a table: either all or none of them may be missing.

    ``spelling`` converts the different spellings of a label to a single one.
    """

    def __init__(
        self,
        name: str,
        missing: Collection[str],
        request: Request,
        spelling: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(name)
        self._missing = missing
        self._request = request
        self._spelling = spelling
        self._first_missing: int | None = None

    def add(self, words: Sequence[str], lines: Sequence[int]) -> None:
        """Append labels of these lines."""
        if self._first_missing is None:
            pairs = zip(words, lines, strict=True)
            self._first_missing = next(
                (line for word, line in pairs if word in self._missing), None
            )
        spelling = self._spelling
        super().add(words if spelling is None else list(map(spelling, words)), lines)

    def is_empty(self) -> bool:
        """Return whether all labels are missing; raise ValueError if only some are."""
        if self._first_missing is None:
            return False
        if all(word in self._missing for word in self.categories()):
            return True
        raise ValueError(
            f"line {self._first_missing}: the label is missing, but other samples have one. Use "
            f"{self._request.no_labels_option} to ignore the labels."
        )


def canonical(text: str) -> str:
    """Return a number as Python writes it, integers without a point; other text unchanged."""
    value = parse_floats([text])
    if value is None or not np.isfinite(value[0]):
        return text
    return repr(whole(value).tolist()[0])


def labels_of(column: Column, values: NDArray[Any]) -> Labels:
    """Return the labels of a column, as numbers if the text can be converted without loss."""
    if isinstance(column, NumericColumn):
        if (abs(values) >= 2.0**53).any():
            raise ValueError(
                f"column {column.name!r} has a label of 2^53 or more, which is not exact in "
                "float64. Declare the labels as nominal."
            )
        classes, codes = encode(values)
        return Labels(classes, codes, tuple(map(repr, classes.tolist())))
    occurring, inverse = np.unique(values, return_inverse=True)
    words = column.categories()
    texts = [words[position] for position in occurring]
    numeric = numbers_of(texts)
    if numeric is None:
        _check_lengths(column.name, texts)
    classes = np.array(texts) if numeric is None else numeric
    order = np.argsort(classes, kind="stable")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    codes = ranks[inverse].astype(np.int64)
    return Labels(classes[order], codes, tuple(texts[position] for position in order))


def labels_by(schema: Schema, column: Column, values: NDArray[Any], request: Request) -> Labels:
    """Return the labels of a column with the codes of a schema; other labels come after them."""
    found = labels_of(column, values)
    known: dict[Any, int] = {label: code for code, label in enumerate(schema.classes.tolist())}
    keys: list[Any] = list(found.texts)
    if schema.has_numeric_labels:
        keys = [number_of(text) for text in found.texts]
        if None in keys:
            text = found.texts[keys.index(None)]
            raise ValueError(
                f"the label {text[:40]!r} is not a number, but the labels of the training table "
                f"are. Use {request.no_labels_option} to ignore the labels."
            )
    unknown = sorted({key for key in keys if key not in known})
    codes = known | {key: code for code, key in enumerate(unknown, len(known))}
    classes = schema.classes
    if unknown:
        classes = np.concatenate([classes, np.array(unknown)])
    positions = np.array([codes[key] for key in keys], dtype=np.int64)
    names = tuple(text for text, key in zip(found.texts, keys, strict=True) if key not in known)
    return Labels(classes, positions[found.codes], schema.labels, names)


def _check_lengths(name: str, texts: Sequence[str]) -> None:
    longest = max(texts, key=len)
    if len(longest) > _LONGEST_LABEL:
        raise ValueError(
            f"column {name!r} has the label {longest[:40] + '...'!r} of {len(longest):,} "
            f"characters; the maximum is {_LONGEST_LABEL}"
        )


def unknown_labels(names: Sequence[str]) -> str:
    """Return the warning about labels that did not occur in training."""
    labels = "label" if len(names) == 1 else "labels"
    return f"the {labels} {some(names, 5)} did not occur in the training data"
