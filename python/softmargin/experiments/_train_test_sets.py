"""Data sets with a training and a test part, scaled on the training part."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

import softmargin
from softmargin import datasets
from softmargin.experiments._study import Record, Records

# Data sets (name and samples) for which Lu and Jin (2017) and Nguyen and Ho (2005) used a training
# part other than the published one.
_N_TRAIN = {("letter", 20_000): 15_000}
# The share of the test part of a data set without a published one.
_TEST_SHARE = 0.25


class Split(NamedTuple):
    """Training and test samples; ``how`` describes how they were split."""

    X: Any
    y: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]
    n_classes: int
    how: str


@lru_cache(maxsize=1)
def load_split(name: str, folder: str | None, lower: float = 0.0) -> Split:
    """Return a data set with its features scaled to [lower, 1]; the last one is cached.

    A data set without a published training part is split at random, stratified by class.
    """
    data = datasets.load(name, folder)
    n_train = _N_TRAIN.get((name, data.n_rows), data.n_train)
    rows = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    if data.n_train is None:
        n_test = round(_TEST_SHARE * data.n_rows) if n_train is None else data.n_rows - n_train
        X, X_test, y, y_test = train_test_split(
            rows, data.y, test_size=n_test, stratify=data.y, random_state=0
        )
        how = "random, stratified"
    else:
        X, y, X_test, y_test = rows[:n_train], data.y[:n_train], rows[n_train:], data.y[n_train:]
        how = "as published" if n_train == data.n_train else f"the first {n_train:,} samples"
    scaler = softmargin.MinMaxScaler().fit(X)

    def scale(part: Any) -> Any:
        scaled = scaler.transform(part).astype(np.float32, copy=False)
        return scaled if lower == 0 else lower + (1 - lower) * scaled

    return Split(scale(X), y, scale(X_test), y_test, data.n_classes, how)


def facts(split: Split) -> Record:
    """Return the fields of a record that describe its data set."""
    return {
        "rows": len(split.y),
        "test_rows": len(split.y_test),
        "features": split.X.shape[1],
        "split": split.how,
    }


def parts(known: Records) -> str:
    """Return the sizes of the training and test parts as text; ``known`` has records by name."""
    each = [
        f"{name} {record['rows']:,} and {record['test_rows']:,} ({record['split']})"
        for name, record in known.items()
        if "split" in record
    ]
    return f"Training and test samples: {'; '.join(each)}." if each else ""
