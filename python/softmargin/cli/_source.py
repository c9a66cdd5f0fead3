"""Input data of a command: a file, a named data set, or standard input."""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softmargin.cli._options import choice, optional

if TYPE_CHECKING:
    from softmargin.cli._model_formats import TrainedModel
    from softmargin.datasets import Dataset
    from softmargin.datasets._request import LabelUse, Request

# File name extensions of formats, which are not part of the name of the data.
_EXTENSIONS = (
    *(".gz", ".bz2", ".npz", ".svm", ".libsvm", ".svmlight", ".txt"),
    *(".csv", ".tsv", ".data", ".arff"),
)

Folder = Annotated[
    Path | None,
    optional(
        "--folder", metavar="DIR", envvar="SOFTMARGIN_DATA", help="Folder with data set files."
    ),
]


@dataclass
class Source:
    """Input options of a command."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            show_default=False,
            help="A LIBSVM, .csv, .arff or .npz file, the name of a data set "
            "(see 'softmargin datasets'), or - for LIBSVM text on standard input.",
        ),
    ]
    label_column: Annotated[
        str | None,
        optional(
            "--label-column",
            metavar="COLUMN",
            default="last column",
            help="Label column of a table: its name, or its index from 0.",
        ),
    ] = None
    header: Annotated[
        bool | None,
        optional(
            "--header/--no-header",
            default="detected",
            help="Whether the first line of a table contains the column names.",
        ),
    ] = None
    part: Annotated[
        str,
        choice(
            "--part",
            words=("all", "train", "test"),
            help="Part of a data set with a published training and test split.",
        ),
    ] = "all"
    folder: Folder = None

    @property
    def stem(self) -> str:
        """Return the name of the data without folder and extension."""
        name = Path(self.data).name
        while Path(name).suffix.lower() in _EXTENSIONS:
            name = Path(name).stem
        return name

    def load(self, labels: LabelUse = "required", targets: bool = False) -> Dataset:
        """Read training data, with labels or, for a regression, targets."""
        return self._load(replace(self._request(), labels=labels, targets=targets))

    def load_for(self, model: TrainedModel, is_labelled: bool = True) -> Dataset:
        """Read data to predict."""
        return self._load(
            replace(
                self._request(),
                labels="optional" if is_labelled else "ignored",
                targets=model.is_regressor,
                schema=model.schema,
                n_features=model.n_features,
                may_be_wider=model.is_libsvm,
            )
        )

    def _request(self) -> Request:
        from softmargin.datasets._request import Request

        return Request(_column(self.label_column), self.header, on_command_line=True)

    def _load(self, request: Request) -> Dataset:
        found = self._read(request)
        return found if self.part == "all" else _part_of(found, self.part)

    def _read(self, request: Request) -> Dataset:
        from softmargin.datasets._reader import has_columns, read_file

        path = Path(self.data)
        is_file = self.data != "-" and path.exists()
        if not is_file:
            for option, value in (("--label-column", self.label_column), ("--header", self.header)):
                if value is not None:
                    raise typer.BadParameter("it requires DATA to be a table", param_hint=option)
        if self.data == "-":
            return _from_standard_input(request)
        if not is_file:
            return _registered(self.data, self.folder, request)
        return read_file(path, request if has_columns(path) else replace(request, schema=None))


def _column(text: str | None) -> Any:
    """Return the index of a column if the text is an integer, otherwise its name."""
    is_number = text is not None and text.removeprefix("-").isdecimal()
    return int(text) if text is not None and is_number else text


def _registered(name: str, folder: Path | None, request: Request) -> Dataset:
    from softmargin import datasets
    from softmargin.datasets._lookup import load_for

    try:
        return load_for(request, name, folder)
    except datasets.DatasetNotFound as error:
        if Path(name).name != name or Path(name).suffix:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name) from None
        raise LookupError(f"no file {name!r} in the current folder; {error}") from None


def _from_standard_input(request: Request) -> Dataset:
    from softmargin import load_libsvm
    from softmargin.datasets._reader import libsvm_dataset

    if sys.stdin is None:
        raise ValueError("DATA is -, but standard input is closed")
    found = libsvm_dataset("standard input", *load_libsvm(sys.stdin.buffer), request)
    return replace(found, source="standard input")


def _part_of(data: Dataset, part: str) -> Dataset:
    X_train, y_train, X_test, y_test = data.split()
    X, y = (X_train, y_train) if part == "train" else (X_test, y_test)
    return replace(data, X=X, y=y, n_train=None)
