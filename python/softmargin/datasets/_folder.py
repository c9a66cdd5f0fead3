"""The folder with files of data sets, and what each of them is called."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from softmargin.datasets._reader import FORMATS, ending_of, find_test_part, stem_of

VARIABLE = "SOFTMARGIN_DATA"
PHRASE_FILES = ("rotten_tomatoes_sst.tsv.gz", "rotten_tomatoes_sst.tsv", "train.tsv")


class Folder:
    """A folder of the user, or none.

    Attributes
    ----------
    path : Path or None
    files : dict
        The file of each data set by its name; of several, that of the first format.
    """

    def __init__(self, given: str | os.PathLike[str] | None) -> None:
        self.path = _checked(given)
        self.files = _files(self.path) if self.path else {}

    def first(self, stems: Sequence[str]) -> Path | None:
        """Return the file of the first name that has one."""
        return next((self.files[stem] for stem in stems if stem in self.files), None)

    def names(self) -> list[str]:
        """Return the names of files that are surely data: not README."""
        return sorted(
            name for name, path in self.files.items() if ending_of(path) or find_test_part(path)
        )

    def phrase_file(self) -> Path | None:
        """Return the file of phrases."""
        paths = [self.path / name for name in PHRASE_FILES] if self.path else []
        return next((path for path in paths if path.is_file()), None)

    def absence(self) -> str:
        """Say where a data set was not found."""
        if self.path is None:
            return f"there is no folder to look in, for {VARIABLE} is not set"
        return f"the folder {str(self.path)!r} has no file of it"


def _checked(given: str | os.PathLike[str] | None) -> Path | None:
    """Return the folder given, or that of the environment, or None."""
    known = given if given is not None else os.environ.get(VARIABLE) or None
    if known is None:
        return None
    path = Path(known).expanduser()
    if not path.is_dir():
        called = VARIABLE if given is None else "folder"
        raise NotADirectoryError(f"{called} = {str(path)!r} is not a folder")
    return path


def _files(folder: Path) -> dict[str, Path]:
    found: dict[str, list[tuple[float, str, Path]]] = defaultdict(list)
    for path in folder.iterdir():
        ending = ending_of(path)
        is_ours = (ending in FORMATS or not ending) and path.name not in PHRASE_FILES[:2]
        if is_ours and not path.name.startswith(".") and path.is_file():
            rank = FORMATS.index(ending) if ending else 0.5  # as LIBSVM, before its endings
            found[stem_of(path)].append((rank, path.name, path))
    return {stem: min(paths)[2] for stem, paths in found.items()}
