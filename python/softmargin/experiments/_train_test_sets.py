"""Sets with a training and a test part, scaled on the training part."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

import softmargin
from softmargin import datasets
from softmargin.experiments._study import Record, Records

# Sets (name and rows) of which papers 001 and 002 took other training rows than the published.
_N_TRAIN = {("letter", 20_000): 15_000}
# The share of the test part of a set without a published one.
_TEST_SHARE = 0.25


class Split(NamedTuple):
    """Training and test rows; ``how`` says which rows are which."""

    X: Any
    y: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]
    n_classes: int
    how: str


@lru_cache(maxsize=1)
def load_split(name: str, folder: str | None, lower: float = 0.0) -> Split:
    """Return a set with its features scaled to [lower, 1]; the last one is kept.

    A set without a published training part is split at random, with the same share of each class
    in both parts.
    """
    data = datasets.load(name, folder)
    n_train = _N_TRAIN.get((name, data.n_rows), data.n_train)
    rows = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    if data.n_train is None:
        n_test = round(_TEST_SHARE * data.n_rows) if n_train is None else data.n_rows - n_train
        X, X_test, y, y_test = train_test_split(
            rows, data.y, test_size=n_test, stratify=data.y, random_state=0
        )
        how = "drawn at random, classes in proportion"
    else:
        X, y, X_test, y_test = rows[:n_train], data.y[:n_train], rows[n_train:], data.y[n_train:]
        how = "as published" if n_train == data.n_train else f"the first {n_train:,} rows"
    scaler = softmargin.MinMaxScaler().fit(X)

    def scale(part: Any) -> Any:
        scaled = scaler.transform(part).astype(np.float32, copy=False)
        return scaled if lower == 0 else lower + (1 - lower) * scaled

    return Split(scale(X), y, scale(X_test), y_test, data.n_classes, how)


def facts(split: Split) -> Record:
    """Return what a record says of its set."""
    return {
        "rows": len(split.y),
        "test_rows": len(split.y_test),
        "features": split.X.shape[1],
        "split": split.how,
    }


def parts(known: Records) -> str:
    """Return which rows of each set are in which part, in words; ``known`` has a record of each."""
    each = [
        f"{name} {record['rows']:,} and {record['test_rows']:,} ({record['split']})"
        for name, record in known.items()
        if "split" in record
    ]
    return f"Rows to train and to test: {'; '.join(each)}." if each else ""
