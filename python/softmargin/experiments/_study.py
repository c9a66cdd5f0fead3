"""A study: the tasks of a paper's experiments, and what their results say.

Every task is one entry of a table (a set and a method); it is run once, kept in the store and
never again. What a study finds is made from the records alone, so that a page can be drawn again
without any training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

from softmargin.experiments._findings import Section

Size = Literal["small", "medium", "large"]
SIZES: tuple[Size, ...] = get_args(Size)
Record = dict[str, Any]
Records = Mapping[str, Record]


@dataclass(frozen=True)
class Settings:
    """What the caller of a study chose."""

    size: Size = "small"
    folder: str | None = None
    n_jobs: int = -1
    time_limit: float | None = None


@dataclass(frozen=True)
class Task:
    """One entry of a table: a key that names it, and how it is found.

    ``run`` returns a record of plain values and lists. A record with ``complete`` False is
    shown, but tried again by the next run.
    """

    key: str
    run: Callable[[], Record]


class NotAtHandError(RuntimeError):
    """A package that a task needs is not installed: the task is left out, and the page says so."""


class Study(Protocol):
    """What every study has."""

    name: str
    title: str
    paper: str
    protocol: str
    """How the numbers are made, in words."""

    def tasks(self, settings: Settings) -> Sequence[Task]:
        """Return what is to be run for a size, quick ones first."""

    def sections(self, records: Records, settings: Settings) -> Sequence[Section]:
        """Return what the records say."""


def up_to(size: Size) -> tuple[Size, ...]:
    """Return the sizes that a run of this size holds."""
    return SIZES[: SIZES.index(size) + 1]
