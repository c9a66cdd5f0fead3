"""Assembly of a data set from the columns of a file."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from softmargin._files.schema import Schema
from softmargin.datasets._columns import Column
from softmargin.datasets._dataset import Dataset
from softmargin.datasets._label_column import (
    LabelColumn,
    Labels,
    labels_by,
    labels_of,
    unknown_labels,
)
from softmargin.datasets._request import Request
from softmargin.datasets._table_layout import Layout
from softmargin.datasets._target_column import TargetColumn


def dataset_of(
    path: Path,
    request: Request,
    layout: Layout,
    X: Any,
    features: Sequence[Column],
    label: tuple[Column, NDArray[Any]] | None,
    has_header: bool,
) -> Dataset:
    """Return the data set with its schema; ``label`` has the label column and its values."""
    schema = request.schema
    if label is None or (isinstance(label[0], LabelColumn | TargetColumn) and label[0].is_empty()):
        if schema is None:
            parts = tuple(column.feature() for column in features)
            schema = Schema(parts, None, 0, (), False, has_header, sp.issparse(X))
        classes = np.array([], dtype=np.str_)
        return Dataset(path.stem, X, None, classes, schema=schema, ignored=layout.ignored)
    if isinstance(label[0], TargetColumn):
        found = Labels(np.array([], dtype=np.str_), label[1], ())
    elif schema is not None and schema.labels:
        found = labels_by(schema, *label, request)
        if found.unknown:
            warnings.warn(unknown_labels(found.unknown), UserWarning, stacklevel=5)
    else:
        found = labels_of(*label)
    if schema is None:
        schema = Schema(
            features=tuple(column.feature() for column in features),
            label=label[0].name,
            label_place=sum(position < (layout.label or 0) for position in layout.features),
            labels=found.texts,
            has_numeric_labels=found.classes.dtype.kind in "iuf",
            has_header=has_header,
            is_sparse=sp.issparse(X),
            has_targets=request.has_targets,
        )
    return Dataset(path.stem, X, found.codes, found.classes, schema=schema, ignored=layout.ignored)
