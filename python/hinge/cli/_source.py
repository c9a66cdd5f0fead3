"""The data that a command works on: a file, a registered name, or standard input."""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hinge.cli._options import choice, optional

if TYPE_CHECKING:
    from hinge.datasets import Dataset

# Endings of names of files that say what is inside, and no more.
_ENDINGS = (
    *(".gz", ".bz2", ".npz", ".svm", ".libsvm", ".svmlight", ".txt"),
    *(".csv", ".tsv", ".data", ".arff"),
)

Folder = Annotated[
    Path | None,
    optional("--folder", metavar="DIR", envvar="HINGE_DATA", help="Where files of data sets are."),
]


@dataclass
class Source:
    """Where rows and labels come from."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            show_default=False,
            help="A LIBSVM, .csv, .arff or .npz file; the name of a data set ('hinge datasets'); "
            "or - for LIBSVM text on standard input.",
        ),
    ]
    label_column: Annotated[
        str | None,
        optional(
            "--label-column",
            metavar="COLUMN",
            default="the last",
            help="Name, or number from 0, of the column of a table that has the labels.",
        ),
    ] = None
    part: Annotated[
        str,
        choice(
            "--part",
            words=("all", "train", "test"),
            help="Rows of a data set whose split was published.",
        ),
    ] = "all"
    folder: Folder = None

    @property
    def stem(self) -> str:
        """Return the name of the data without folder and ending."""
        name = Path(self.data).name
        while Path(name).suffix.lower() in _ENDINGS:
            name = Path(name).stem
        return name

    def load(self) -> Dataset:
        """Read the data."""
        from hinge import datasets

        is_file = self.data != "-" and Path(self.data).exists()
        if self.label_column is not None and not is_file:
            raise typer.BadParameter("DATA is not a file with columns", param_hint="--label-column")
        if is_file:
            found = datasets.read(self.data, label_column=_column(self.label_column))
        elif self.data == "-":
            found = _from_standard_input()
        else:
            found = _registered(self.data, self.folder)
        return found if self.part == "all" else _part_of(found, self.part)


def _column(text: str | None) -> Any:
    """Return a column by its number, if that is what is given."""
    is_number = text is not None and text.removeprefix("-").isdecimal()
    return int(text) if text is not None and is_number else text


def _registered(name: str, folder: Path | None) -> Dataset:
    from hinge import datasets

    try:
        return datasets.load(name, folder=folder)
    except datasets.DatasetNotFound as error:
        if Path(name).name != name or Path(name).suffix:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name) from None
        raise LookupError(f"there is no file {name!r} here, and {error}") from None


def _from_standard_input() -> Dataset:
    from hinge import load_libsvm
    from hinge.datasets import Dataset
    from hinge.datasets._dataset import code

    if sys.stdin is None:
        raise ValueError("standard input is closed, and DATA is -")
    X, labels = load_libsvm(sys.stdin.buffer)
    classes, codes = code(labels)
    return Dataset("standard input", X, codes, classes, source="standard input")


def _part_of(data: Dataset, part: str) -> Dataset:
    from dataclasses import replace

    X_train, y_train, X_test, y_test = data.split()
    X, y = (X_train, y_train) if part == "train" else (X_test, y_test)
    return replace(data, X=X, y=y, n_train=None)
