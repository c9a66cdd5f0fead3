"""Data sets in files: what a name ends in tells the format."""

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
from softmargin.datasets._dataset import Dataset, code
from softmargin.datasets._delimited import read_delimited
from softmargin.datasets._npz_reader import read_npz
from softmargin.datasets._request import LabelUse, Request

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
    labels: bool | None = None,
    schema: Schema | None = None,
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
          read by :func:`softmargin.load_libsvm`.
        - ``.csv .tsv .data``: a table, its values between commas, semicolons, tabs or spaces.
        - ``.arff``: Weka's format, dense or sparse, with numeric and nominal attributes.

        Text may be packed: ``.gz``, ``.bz2``.
    label_column : str, int or None
        Name or number (from 0) of the column with the labels of a table or an ARFF file. None
        takes the last column, in an ARFF file the one called "class" first; with a schema, the
        column of its name.
    missing : {"raise", "drop"}
        What to do with a row of a table or an ARFF file that lacks a value (an empty place,
        ``?``, ``NA``, ``N/A``, ``nan`` or ``null``; in an ARFF file ``?``): refuse the file, or
        leave out the row.
    header : bool or None
        Whether the first line of a table has the names of the columns. None looks at up to 4,096
        rows below it. It is a header if a cell has text and only numbers below, or if all cells
        have text that does not occur again in their columns. It is a sample if it has numbers
        above numbers, and its text, if any, occurs again below. Any other first line is refused,
        and so is one that counts 0, 1, 2, ..., as pandas names columns without names. A name as
        ``label_column`` implies a header.
    labels : bool or None
        Whether the file has labels: True requires them, False ignores them, or takes all columns
        of a table as features. None requires them, but with a schema reads a table without the
        label column, or with nothing but missing labels, as one without labels.
    schema : Schema or None
        Schema of another table, ``data.schema``, by which this one is read: columns are matched by
        name, in any order, and others are ignored; text columns get the same codes. Missing
        columns and categories that the other table does not have are refused. Where a table has no
        header, columns are matched by position. Labels get the codes of the other table; labels
        that it does not have are warned about, and come after them in ``classes``.

    Returns
    -------
    Dataset
        Text columns become numbers as with scikit-learn's ``OneHotEncoder(drop="if_binary")``: 0
        and 1 if there are at most two categories, else one column for each, in ascending order (in
        an ARFF file: as declared). If that makes less than 30 % of the values differ from 0, X is
        a CSR matrix. A first column without a name, as pandas writes its index, is no feature.

        Labels keep their identity: they are numbers if all are written as Python writes them and
        no two are equal (``1``, ``2.5``, ``-1``), else text, so that ``001``, ``1`` and ``1.0``
        are different labels. Quotes of a table are not part of a value: ``"1"`` is ``1``.

    Raises
    ------
    ValueError
        With the file, the line and what is wrong there.
    FileNotFoundError, IsADirectoryError, PermissionError
        If there is no such file to read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from softmargin import datasets
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
    parameters.choice("missing", missing, ("raise", "drop"))
    if header is not None:
        header = parameters.flag("header", header)
    if labels is not None:
        labels = parameters.flag("labels", labels)
    if schema is not None and not isinstance(schema, Schema):
        raise TypeError(f"schema = {schema!r} is not valid: it must be the schema of a data set")
    if labels is False and label_column is not None:
        raise ValueError(f"label_column = {label_column!r} does not go with labels=False")
    if labels is None:
        kind: LabelUse = "required" if schema is None else "optional"
    else:
        kind = "required" if labels else "ignored"
    return read_file(Path(path), Request(label_column, header, missing == "drop", kind, schema))


def read_file(path: Path, request: Request) -> Dataset:
    """Read a data set from a file, as requested."""
    with path.open("rb"):  # a missing file, a folder and a forbidden file are named by Python
        pass
    ending = ending_of(path)
    is_table, is_arff = ending in DELIMITED, ending == ".arff"
    if not (is_table or is_arff):
        if request.label_column is not None or request.drop:
            raise ValueError(
                f"label_column and missing go with tables and ARFF files, not with {path.name!r}"
            )
        if request.schema is not None:
            raise ValueError(f"schema goes with tables and ARFF files, not with {path.name!r}")
    if not is_table and request.header is not None:
        raise ValueError(f"header goes with tables, not with {path.name!r}")
    try:
        if is_table:
            found = read_delimited(path, request, "\t" if ending == ".tsv" else None)
        elif is_arff:
            found = read_arff(path, request)
        elif ending == ".npz":
            found = read_npz(path, request.labels)
        elif ending in LIBSVM or not ending:
            found = libsvm_dataset(path.stem, *load_libsvm(path), request.labels)
        else:
            raise ValueError(f"its ending is none of {' '.join(FORMATS)}, the known formats")
    except ValueError as error:
        reason = str(error)[:500]  # names of columns may be of any length
        raise ValueError(f"{str(path)!r}: {reason}") from error
    return dataclasses.replace(found, name=stem_of(path), source=str(path))


def has_columns(path: Path) -> bool:
    """Tell whether a file is a table or an ARFF file, by its name."""
    return ending_of(path) in (*DELIMITED, ".arff")


def libsvm_dataset(name: str, X: Any, labels: NDArray[np.float64], use: LabelUse) -> Dataset:
    """Return LIBSVM text as a data set; every line of it has a label, which may be ignored."""
    if use == "ignored":
        return Dataset(name, X, None, np.array([], dtype=np.str_))
    classes, codes = code(labels)
    return Dataset(name, X, codes, classes)


def load_schema(path: str | os.PathLike[str]) -> Schema | None:
    r"""Read the schema of the table that a saved model was trained on.

    Parameters
    ----------
    path : path
        A model file of ``softmargin train``, or of :func:`softmargin.save` with a schema.

    Returns
    -------
    Schema or None
        None if the model was not trained on a table or an ARFF file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import softmargin
    >>> folder = tempfile.TemporaryDirectory()
    >>> names = ("train.csv", "test.csv", "kinds.model")
    >>> train, test, model = (pathlib.Path(folder.name) / name for name in names)
    >>> _ = train.write_text("height,colour,kind\n1,red,a\n2,blue,b\n3,red,a\n4,blue,b\n")
    >>> _ = test.write_text("colour,height\nblue,3\nblue,1\n")
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
