"""Data sets in files, whose format follows from the file name extension."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from softmargin._checks import parameters
from softmargin._files.libsvm_text import load_libsvm
from softmargin._files.schema import Schema
from softmargin.datasets._arff import read_arff
from softmargin.datasets._dataset import Dataset, encode
from softmargin.datasets._delimited import read_delimited
from softmargin.datasets._npz_reader import read_npz
from softmargin.datasets._request import LabelUse, Request

# Including the extensions on the LIBSVM data page; test parts last.
LIBSVM = (".svm", ".libsvm", ".svmlight", ".binary", ".scale", ".txt", ".tr", ".val", ".t")
DELIMITED = (".csv", ".tsv", ".data")
FORMATS = (".npz", *LIBSVM, *DELIMITED, ".arff")
COMPRESSED = (".gz", ".bz2")


def read(
    path: str | os.PathLike[str],
    label_column: str | int | None = None,
    *,
    missing: Literal["raise", "drop"] = "raise",
    header: bool | None = None,
    labels: bool | None = None,
    schema: Schema | None = None,
    targets: bool = False,
) -> Dataset:
    r"""Read a data set from a file.

    Parameters
    ----------
    path : path
        The file name extension determines the format:

        - ``.npz``: arrays ``X`` and ``y``, or the arrays ``data``, ``indices``, ``indptr`` and
          ``shape`` of a CSR matrix and ``y``. With an array ``classes``, y contains class codes;
          ``n_train`` is the number of training samples, which come first. Python objects are never
          unpickled.
        - ``.svm .libsvm .svmlight .binary .scale .txt .tr .val .t`` or no extension: LIBSVM text,
          read by :func:`softmargin.load_libsvm`.
        - ``.csv .tsv .data``: a table of values separated by commas, semicolons, tabs or spaces.
        - ``.arff``: Weka's format, dense or sparse, with numeric and nominal attributes.

        Text files may be compressed (``.gz``, ``.bz2``).
    label_column : str, int or None, default=None
        Name or index (from 0) of the label column of a table or an ARFF file. None uses the column
        named in the schema, if any; otherwise the attribute "class" of an ARFF file, if any;
        otherwise the last column.
    missing : {"raise", "drop"}, default="raise"
        Whether missing values in a table (an empty field, ``?``, ``NA``, ``N/A``, ``nan`` or
        ``null``) or an ARFF file (``?``) raise a ValueError, or their samples are dropped.
    header : bool or None, default=None
        Whether the first line of a table contains the column names. None detects it from up to
        4,096 rows below. The line is a header if a cell has text above numbers, or if all cells
        have text that does not occur again in their columns. It is a sample if it has numbers
        above numbers and its text, if any, occurs again below. Any other first line raises a
        ValueError, and so does ``0,1,2,...``, which pandas writes for columns without names. If
        ``label_column`` is a name, there must be a header.
    labels : bool or None, default=None
        Whether labels are required (True) or ignored (False). If they are ignored and there is no
        schema, all columns of a table are features. None requires labels, except with a schema: a
        table without the label column, or with only missing labels, is then read without labels.
    schema : Schema or None, default=None
        ``data.schema`` of another table, for example the training table. Columns are matched by
        name, in any order, and other columns are ignored; without a header, columns are matched by
        position. Text columns and labels have the same codes as in the other table. Missing
        columns and unknown categories raise a ValueError. Unknown labels cause a warning and come
        last in ``classes``.
    targets : bool, default=False
        Whether the labels are the targets of a regression: numbers, which are not converted to
        classes. It is not needed with the schema of such a table.

    Returns
    -------
    Dataset
        The samples, with text columns encoded as by scikit-learn's
        ``OneHotEncoder(drop="if_binary")``: one column of 0 and 1 for up to two categories,
        otherwise one column each, in ascending order or, in an ARFF file, in the order of their
        declaration. X is a CSR matrix if this makes less than 30 % of its values nonzero. A first
        column without a name, as pandas writes its index, is ignored.

        Labels are numbers if each is written as Python writes that number (``1``, ``2.5``,
        ``-1``) and no two are equal; otherwise they are text, so that ``001``, ``1`` and ``1.0``
        are different labels. Quotes in a table are not part of a value: ``"1"`` is ``1``.

    Raises
    ------
    ValueError
        If the file is not valid; the message has the file, the line and the reason.
    FileNotFoundError, IsADirectoryError, PermissionError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from softmargin import datasets
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "plants.csv"
    >>> _ = path.write_text("height,color,kind\n1.5,red,a\n2,green,b\n0.5,blue,a\n")
    >>> plants = datasets.read(path)
    >>> plants
    Dataset('plants': 3 samples, 4 features, 2 classes)
    >>> plants.X[0], plants.labels
    (array([1.5, 0. , 0. , 1. ]), array(['a', 'b', 'a'], dtype='<U1'))
    >>> folder.cleanup()
    """
    parameters.choice("missing", missing, ("raise", "drop"))
    if header is not None:
        header = parameters.flag("header", header)
    if labels is not None:
        labels = parameters.flag("labels", labels)
    if schema is not None and not isinstance(schema, Schema):
        raise TypeError(
            f"schema = {schema!r} is not valid: it must be a softmargin.datasets.Schema"
        )
    if labels is False and label_column is not None:
        raise ValueError(f"label_column = {label_column!r} cannot be combined with labels=False")
    targets = parameters.flag("targets", targets)
    if targets and schema is not None and not schema.has_targets:
        raise ValueError("targets=True cannot be combined with the schema of a table with classes")
    if labels is None:
        kind: LabelUse = "required" if schema is None else "optional"
    else:
        kind = "required" if labels else "ignored"
    request = Request(label_column, header, missing == "drop", kind, schema, targets=targets)
    return read_file(Path(path), request)


def read_file(path: Path, request: Request) -> Dataset:
    """Read a data set from a file; ``request`` applies to tables and ARFF files."""
    with path.open("rb"):  # Python's errors for missing and unreadable files have the path
        pass
    extension = extension_of(path)
    is_table, is_arff = extension in DELIMITED, extension == ".arff"
    if not (is_table or is_arff):
        if request.label_column is not None or request.drop:
            raise ValueError(
                "label_column and missing apply only to tables and ARFF files, not to "
                f"{path.name!r}"
            )
        if request.schema is not None:
            raise ValueError(f"schema applies only to tables and ARFF files, not to {path.name!r}")
    if not is_table and request.header is not None:
        raise ValueError(f"header applies only to tables, not to {path.name!r}")
    try:
        if is_table:
            found = read_delimited(path, request, "\t" if extension == ".tsv" else None)
        elif is_arff:
            found = read_arff(path, request)
        elif extension == ".npz":
            found = read_npz(path, request.labels, request.targets)
        elif extension in LIBSVM or not extension:
            found = libsvm_dataset(path.stem, *load_libsvm(path), request)
        else:
            raise ValueError(f"unknown file name extension; expected one of {' '.join(FORMATS)}")
    except ValueError as error:
        reason = str(error)[:500]  # column names can be long
        raise ValueError(f"{str(path)!r}: {reason}") from error
    return dataclasses.replace(found, name=stem_of(path), source=str(path))


def has_columns(path: Path) -> bool:
    """Return whether a file is a table or an ARFF file, by its extension."""
    return extension_of(path) in (*DELIMITED, ".arff")


def libsvm_dataset(name: str, X: Any, labels: NDArray[np.float64], request: Request) -> Dataset:
    """Return the content of a LIBSVM file as a data set, without its labels if they are ignored."""
    if request.labels == "ignored" or request.targets:
        y = None if request.labels == "ignored" else labels
        return Dataset(name, X, y, np.array([], dtype=np.str_))
    classes, codes = encode(labels)
    return Dataset(name, X, codes, classes)


def load_schema(path: str | os.PathLike[str]) -> Schema | None:
    r"""Load the schema of the training table from a model file.

    Parameters
    ----------
    path : path
        A model file written by ``softmargin train``, or by :func:`softmargin.save` with a schema.

    Returns
    -------
    Schema or None
        The schema, for ``read(other, schema=...)``; None if the file has none.

    Raises
    ------
    ValueError
        If the file is not a valid model file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import softmargin
    >>> folder = tempfile.TemporaryDirectory()
    >>> names = ("train.csv", "test.csv", "kinds.model")
    >>> train, test, model = (pathlib.Path(folder.name) / name for name in names)
    >>> _ = train.write_text("height,color,kind\n1,red,a\n2,blue,b\n3,red,a\n4,blue,b\n")
    >>> _ = test.write_text("color,height\nblue,3\nblue,1\n")
    >>> data = softmargin.datasets.read(train)
    >>> softmargin.save(softmargin.SVC(C=100).fit(data.X, data.labels), model, schema=data.schema)
    >>> X = softmargin.datasets.read(test, schema=softmargin.datasets.load_schema(model)).X
    >>> X, softmargin.load(model).predict(X)
    (array([[3., 0.],
           [1., 0.]]), array(['b', 'b'], dtype='<U1'))
    >>> folder.cleanup()
    """
    from softmargin._api import load_with_schema

    return load_with_schema(path)[1]


def extension_of(path: Path) -> str:
    """Return the extension of a file name in lower case, without compression; "" for none."""
    extension = Path(_uncompressed_name(path)).suffix.lower()
    is_compressed_npz = extension == ".npz" and path.suffix in COMPRESSED
    return (
        extension + path.suffix if is_compressed_npz else extension
    )  # npz files are not compressed again


def stem_of(path: Path) -> str:
    """Return the name of the data set in a file: "letter" for letter.scale.t.bz2."""
    stem = _uncompressed_name(path)
    extension = Path(stem).suffix.lower()
    if extension not in LIBSVM:
        return Path(stem).stem if extension in FORMATS else stem
    while Path(stem).suffix.lower() in LIBSVM:
        stem = Path(stem).stem
    return stem


def _uncompressed_name(path: Path) -> str:
    return path.stem if path.suffix in COMPRESSED else path.name


def find_test_part(path: Path) -> Path | None:
    """Return the file with the test part of a LIBSVM file: a9a.t for a9a or a9a.svm."""
    if extension_of(path) not in ("", *LIBSVM) or extension_of(path) == ".t":
        return None
    plain = _uncompressed_name(path)
    for stem in dict.fromkeys([plain, Path(plain).stem, stem_of(path)]):
        for suffix in ("", *COMPRESSED):
            test = path.with_name(f"{stem}.t{suffix}")
            if test.is_file():
                return test
    return None


def join(train: Dataset, test: Dataset) -> Dataset:
    """Return two LIBSVM files as one data set with a training part."""
    width = max(train.n_features, test.n_features)
    for part in (train, test):
        part.X.resize(part.n_rows, width)
    labels = np.concatenate([train.labels, test.labels])
    classes, codes = (train.classes, labels) if train.has_targets else encode(labels)
    return dataclasses.replace(
        train,
        X=sp.vstack([train.X, test.X], format="csr"),
        y=codes,
        classes=classes,
        n_train=train.n_rows,
        source=f"{train.source} and {test.source}",
    )
