"""Data sets in files: what a name ends in tells the format."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Literal

import numpy as np
import scipy.sparse as sp

from hinge import _parameters
from hinge._libsvm_text import load_libsvm
from hinge.datasets._arff import read_arff
from hinge.datasets._dataset import Dataset, code
from hinge.datasets._delimited import read_delimited
from hinge.datasets._npz import read_npz

# The endings of the files at the site of LIBSVM among them; test parts last.
LIBSVM = (".svm", ".libsvm", ".svmlight", ".binary", ".scale", ".txt", ".tr", ".val", ".t")
DELIMITED = (".csv", ".tsv", ".data")
FORMATS = (".npz", *LIBSVM, *DELIMITED, ".arff")
PACKED = (".gz", ".bz2")


def read(
    path: str | os.PathLike[str],
    label_column: str | int | None = None,
    *,
    missing: Literal["raise", "drop"] = "raise",
    header: bool | None = None,
) -> Dataset:
    r"""Read a data set from a file.

    Parameters
    ----------
    path : path
        What the name ends in tells the format:

        - ``.npz``: arrays ``X`` and ``y``, or the parts ``data``, ``indices``, ``indptr``,
          ``shape`` of a CSR matrix and ``y``. With ``classes``, y has their numbers; ``n_train``
          counts the training rows, which come first. Nothing is unpickled.
        - ``.svm .libsvm .svmlight .binary .scale .txt .tr .val .t`` or no ending: text of LIBSVM,
          read by :func:`hinge.load_libsvm`.
        - ``.csv .tsv .data``: a table, its values between commas, semicolons, tabs or spaces.
        - ``.arff``: Weka's format, dense or sparse, with numeric and nominal attributes.

        Text may be packed: ``.gz``, ``.bz2``.
    label_column : str, int or None
        Name or number (from 0) of the column with the labels of a table or an ARFF file. None
        takes the last column, in an ARFF file the one called "class" first.
    missing : {"raise", "drop"}
        What to do with a row of a table or an ARFF file that lacks a value (an empty place,
        ``?``, ``NA``, ``N/A``, ``nan`` or ``null``; in an ARFF file ``?``): refuse the file, or
        leave out the row.
    header : bool or None
        Whether the first line of a table has the names of the columns. None looks at some rows:
        it has if a column has a word there and only numbers below, or if there are only
        words, none of which comes again in its column.

    Returns
    -------
    Dataset
        Columns of words become numbers: 0 and 1 if there are at most two words, else one
        column for each, in ascending order (in an ARFF file: as declared). If that makes less
        than 30 % of the values differ from 0, X is a CSR matrix.

    Raises
    ------
    ValueError
        With the file, the line and what is wrong there.
    FileNotFoundError, IsADirectoryError, PermissionError
        If there is no such file to read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hinge import datasets
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "plants.csv"
    >>> _ = path.write_text("height,colour,kind\n1.5,red,a\n2,green,b\n0.5,blue,a\n")
    >>> plants = datasets.read(path)
    >>> plants
    Dataset('plants': 3 rows, 4 features, 2 classes)
    >>> plants.X[0], plants.labels
    (array([1.5, 0. , 0. , 1. ]), array(['a', 'b', 'a'], dtype='<U1'))
    >>> folder.cleanup()
    """
    path = Path(path)
    _parameters.choice("missing", missing, ("raise", "drop"))
    if header is not None:
        header = _parameters.flag("header", header)
    with path.open("rb"):  # a missing file, a folder and a forbidden file are named by Python
        pass
    ending = ending_of(path)
    is_table, is_arff, drop = ending in DELIMITED, ending == ".arff", missing == "drop"
    if not (is_table or is_arff) and (label_column is not None or drop):
        raise ValueError(
            f"label_column and missing go with tables and ARFF files, not with {path.name!r}"
        )
    if not is_table and header is not None:
        raise ValueError(f"header goes with tables, not with {path.name!r}")
    try:
        if is_table:
            delimiter = "\t" if ending == ".tsv" else None
            found = read_delimited(path, label_column, header, drop, delimiter)
        elif is_arff:
            found = read_arff(path, label_column, drop)
        elif ending == ".npz":
            found = read_npz(path)
        elif ending in LIBSVM or not ending:
            X, labels = load_libsvm(path)
            classes, codes = code(labels)
            found = Dataset(path.stem, X, codes, classes)
        else:
            raise ValueError(f"its ending is none of {' '.join(FORMATS)}, the known formats")
    except ValueError as error:
        reason = str(error)[:500]  # names of columns may be of any length
        raise ValueError(f"{str(path)!r}: {reason}") from error
    return dataclasses.replace(found, name=stem_of(path), source=str(path))


def ending_of(path: Path) -> str:
    """Return the part of a file's name that tells the format, in small letters; "" for none."""
    ending = Path(_unpacked_name(path)).suffix.lower()
    is_packed_npz = ending == ".npz" and path.suffix in PACKED
    return ending + path.suffix if is_packed_npz else ending  # npz is packed in itself


def stem_of(path: Path) -> str:
    """Return the name of the data set of a file: "letter" for letter.scale.t.bz2."""
    stem = _unpacked_name(path)
    ending = Path(stem).suffix.lower()
    if ending not in LIBSVM:
        return Path(stem).stem if ending in FORMATS else stem
    while Path(stem).suffix.lower() in LIBSVM:
        stem = Path(stem).stem
    return stem


def _unpacked_name(path: Path) -> str:
    return path.stem if path.suffix in PACKED else path.name


def find_test_part(path: Path) -> Path | None:
    """Return the file with the test rows that belong to a LIBSVM file: a9a.t to a9a or a9a.svm."""
    if ending_of(path) not in ("", *LIBSVM) or ending_of(path) == ".t":
        return None
    plain = _unpacked_name(path)
    for stem in dict.fromkeys([plain, Path(plain).stem, stem_of(path)]):
        for packed in ("", *PACKED):
            test = path.with_name(f"{stem}.t{packed}")
            if test.is_file():
                return test
    return None


def join(train: Dataset, test: Dataset) -> Dataset:
    """Return the rows of two LIBSVM files as one data set with a training part."""
    width = max(train.n_features, test.n_features)
    for part in (train, test):
        part.X.resize(part.n_rows, width)
    classes, codes = code(np.concatenate([train.labels, test.labels]))
    return dataclasses.replace(
        train,
        X=sp.vstack([train.X, test.X], format="csr"),
        y=codes,
        classes=classes,
        n_train=train.n_rows,
        source=f"{train.source} and {test.source}",
    )
