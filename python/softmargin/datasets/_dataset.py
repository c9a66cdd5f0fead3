"""A data set: samples, class codes or targets, and their origin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softmargin._files.label_text import numbers_of, whole
from softmargin._files.schema import Schema


@dataclass(frozen=True, repr=False, eq=False)
class Dataset:
    """Samples and their classes, or the targets of a regression.

    Attributes
    ----------
    name : str
        Name of the data set.
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        Samples as float32 or float64, as published and not scaled.
    y : ndarray of int64 or float64, or None
        Class code of each sample, from 0 to ``n_classes - 1``, or its target as float64; None
        without labels.
    classes : ndarray
        Label of each class: int64 if all are integers, otherwise float64 or str. Empty without
        labels, and for targets.
    n_train : int or None
        Number of samples of the published training part, which come first; None if there is none.
    source, licence : str
        Origin of the data, and its licence as far as known.
    schema : Schema or None
        The columns of a table or an ARFF file, for ``read(other, schema=...)``; None for data
        without named or text columns.
    ignored : tuple of str
        Columns of the file that were ignored because the schema does not have them.

    Examples
    --------
    >>> from softmargin import datasets
    >>> iris = datasets.load("iris")
    >>> iris
    Dataset('iris': 150 samples, 4 features, 3 classes)
    >>> iris.y[:3], iris.labels[:3]
    (array([0, 0, 0]), array(['setosa', 'setosa', 'setosa'], dtype='<U10'))
    """

    name: str
    X: Any
    y: Any
    classes: NDArray[Any]
    n_train: int | None = None
    source: str = "not known"
    licence: str = "not known"
    schema: Schema | None = None
    ignored: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Return the number of samples."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Return the number of features."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Return the number of classes."""
        return len(self.classes)

    @property
    def has_targets(self) -> bool:
        """Return whether the data set has the targets of a regression."""
        return self.y is not None and self.y.dtype.kind == "f"

    @property
    def labels(self) -> Any:
        """Return an array with the label or target of each sample; None without labels."""
        return self.y if self.y is None or self.has_targets else self.classes[self.y]

    def split(self) -> tuple[Any, Any, Any, Any]:
        """Return X_train, y_train, X_test and y_test of the published split.

        Raises
        ------
        ValueError
            If the data set has no published split.
        """
        n = self.n_train
        if n is None:
            raise ValueError(
                f"the data set {self.name!r} has no published training part. Use "
                "sklearn.model_selection.train_test_split to split it."
            )
        y, y_test = (None, None) if self.y is None else (self.y[:n], self.y[n:])
        return self.X[:n], y, self.X[n:], y_test

    def __repr__(self) -> str:
        if self.has_targets:
            labels = "targets"
        else:
            labels = "no labels" if self.y is None else f"{self.n_classes} classes"
        part = "" if self.n_train is None else f", the first {self.n_train:,} for training"
        return (
            f"Dataset({self.name!r}: {self.n_rows:,} samples, {self.n_features:,} features, "
            f"{labels}{part})"
        )


def with_targets(data: Dataset) -> Dataset:
    """Return a data set whose labels, which must be numbers, are the targets of a regression."""
    if data.y is None or data.has_targets:
        return data
    if data.classes.dtype.kind not in "iuf":
        row = int(np.flatnonzero([not _is_number(label) for label in data.labels])[0])
        raise ValueError(
            f"the label of row {row} is {str(data.labels[row])[:40]!r}, but the targets of a "
            "regression are numbers"
        )
    targets = data.classes.astype(np.float64)[data.y]
    return replace(data, y=targets, classes=np.array([], dtype=np.str_))


def _is_number(label: Any) -> bool:
    """Return whether a label is a number or the canonical text of one."""
    return numbers_of([str(label)]) is not None


def encode(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the classes in ascending order, and the class code of each label."""
    distinct, inverse = np.unique(labels, return_inverse=True)
    classes, codes = np.unique(simplest(distinct), return_inverse=True)
    return classes, codes[inverse].astype(np.int64)


def simplest(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels as int64 if all are integers, otherwise as float64, otherwise as text.

    Text is converted to numbers only without loss, as in a column of a table.
    """
    kind = labels.dtype.kind
    if kind == "S":
        labels, kind = np.char.decode(labels, "utf-8"), "U"
    if kind == "U":
        found = numbers_of(labels.tolist())
        return labels if found is None else found
    if kind == "f":
        labels = labels.astype(np.float64)
        if not np.isfinite(labels).all():
            row = int(np.argmin(np.isfinite(labels)))
            raise ValueError(f"y contains {labels[row]}; every label must be finite")
        return whole(labels)
    if kind in "bi" or (kind == "u" and (labels < 2**63).all()):
        return labels.astype(np.int64)
    raise ValueError(f"y has labels of dtype {labels.dtype}; expected numbers or text")
