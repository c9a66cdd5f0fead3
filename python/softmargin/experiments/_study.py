"""A study: the tasks of a paper's experiments, and the findings from their results.

Every task is one entry of a table (a data set and a method), which is run once and stored. The
findings depend on the records only, so a report can be rendered again without any training.
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
    """The options of a study."""

    size: Size = "small"
    folder: str | None = None
    n_jobs: int = -1
    time_limit: float | None = None


@dataclass(frozen=True)
class Task:
    """One entry of a table: its key, and the function that computes it.

    ``run`` returns a record of plain values and lists. A record with ``complete=False`` is shown,
    and the next run computes it again.
    """

    key: str
    run: Callable[[], Record]


class MissingPackageError(RuntimeError):
    """A package that a task requires is not installed; the task is skipped and reported."""


class Study(Protocol):
    """The interface of all studies."""

    name: str
    title: str
    paper: str
    protocol: str
    """Description of the experiments; blank lines separate paragraphs."""

    def tasks(self, settings: Settings) -> Sequence[Task]:
        """Return the tasks for a size, quick ones first."""

    def sections(self, records: Records, settings: Settings) -> Sequence[Section]:
        """Return the findings from the records."""


def up_to(size: Size) -> tuple[Size, ...]:
    """Return the sizes that a run of this size includes."""
    return SIZES[: SIZES.index(size) + 1]
