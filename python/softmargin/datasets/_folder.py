"""A folder of data set files, and the names of the data sets."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from softmargin.datasets._reader import FORMATS, extension_of, find_test_part, stem_of

VARIABLE = "SOFTMARGIN_DATA"
PHRASE_FILES = ("rotten_tomatoes_sst.tsv.gz", "rotten_tomatoes_sst.tsv", "train.tsv")


class Folder:
    """The folder passed by the caller or set in the environment, if any.

    Attributes
    ----------
    path : Path or None
        The folder.
    files : dict
        The file of each data set by name; if there are several, the one of the first format.
    """

    def __init__(self, given: str | os.PathLike[str] | None) -> None:
        self.path = _checked(given)
        self.files = _files(self.path) if self.path else {}

    def first(self, stems: Sequence[str]) -> Path | None:
        """Return the file of the first name for which there is one."""
        return next((self.files[stem] for stem in stems if stem in self.files), None)

    def names(self) -> list[str]:
        """Return the names of files that are data sets and not, for example, README."""
        return sorted(
            name for name, path in self.files.items() if extension_of(path) or find_test_part(path)
        )

    def phrase_file(self) -> Path | None:
        """Return the file of phrases, or None."""
        paths = [self.path / name for name in PHRASE_FILES] if self.path else []
        return next((path for path in paths if path.is_file()), None)

    def absence(self) -> str:
        """Return the clause of a message that says where a data set was not found."""
        if self.path is None:
            return f"{VARIABLE} is not set"
        return f"the folder {str(self.path)!r} has no file for it"


def _checked(given: str | os.PathLike[str] | None) -> Path | None:
    """Return the folder of the caller, or that of the environment, or None."""
    folder = given if given is not None else os.environ.get(VARIABLE) or None
    if folder is None:
        return None
    path = Path(folder).expanduser()
    if not path.is_dir():
        name = VARIABLE if given is None else "folder"
        raise NotADirectoryError(f"{name} = {str(path)!r} is not a folder")
    return path


def _files(folder: Path) -> dict[str, Path]:
    found: dict[str, list[tuple[float, str, Path]]] = defaultdict(list)
    for path in folder.iterdir():
        extension = extension_of(path)
        is_known = (extension in FORMATS or not extension) and path.name not in PHRASE_FILES[:2]
        if is_known and not path.name.startswith(".") and path.is_file():
            # LIBSVM text without an extension comes before the same with one.
            rank = FORMATS.index(extension) if extension else 0.5
            found[stem_of(path)].append((rank, path.name, path))
    return {stem: min(paths)[2] for stem, paths in found.items()}
