"""Savings in the series of Nguyen and Ho (2005), read from the records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from softmargin.experiments import _nguyen_ho_2005 as printed
from softmargin.experiments._series import FAMILIES
from softmargin.experiments._study import Record, Records

DEFAULT = "default"
SERIES = {"linear": "linear", "poly": "polynomial", "rbf": "RBF"}


class Run(NamedTuple):
    """A series with one size of the working set: our default, or that of the paper."""

    set: str
    family: str
    is_own: bool
    record: Record

    @property
    def label(self) -> str:
        """Return the data set and the kernel as text."""
        return f"{self.set}, {SERIES[self.family]}"

    @property
    def working_set(self) -> str:
        """Return the size of the working set as text."""
        return DEFAULT if self.is_own else f"{printed.WORKING_SETS[self.set]:,}"

    @property
    def is_known(self) -> bool:
        """Tell whether more than one setting was run."""
        return len(self.record.get("cells", ())) > 1


def key_of(name: str, family: str, is_own: bool, is_thin: bool) -> str:
    """Return the key of the record of a series."""
    rows = "own set" if is_own else f"{printed.WORKING_SETS[name]} rows"
    return f"{name}/{family}/{rows}" + ("/few" if is_thin else "")


def runs_of(records: Records, sets: Mapping[str, bool]) -> list[Run]:
    """Return the series of data sets (name: whether thinned out); their records may be empty."""
    return [
        Run(name, family, is_own, records.get(key_of(name, family, is_own, is_thin), {}))
        for name, is_thin in sets.items()
        for family in FAMILIES
        for is_own in (True, False)
    ]


def saved(run: Run, what: str, way: str, than: str = "alone") -> float | None:
    """Return the share (%) of loops, steps or seconds saved, without the first setting."""
    total = run.record.get(f"{what}_{than}") if run.is_known else None
    return None if not total else 100 * (1 - run.record[f"{what}_{way}"] / total)


def saved_each(run: Run, what: str, way: str, than: str = "alone") -> list[float]:
    """Return the share (%) saved at each setting except the first."""
    if not run.is_known:
        return []
    machines = run.record["machines"]
    pairs = zip(machines[f"{what}_{than}"], machines[f"{what}_{way}"], strict=True)
    return [100 * (1 - seeded / max(alone, 1e-12)) for alone, seeded in list(pairs)[1:]]


def saved_at(run: Run, cost: float, way: str, than: str = "alone") -> float | None:
    """Return the mean share (%) of the time saved at the settings with this C."""
    if not run.is_known:
        return None
    later = zip(run.record["cells"][1:], saved_each(run, "seconds", way, than), strict=True)
    found = [share for cell, share in later if cell.get("C") == cost]
    return sum(found) / len(found) if found else None


def shared(run: Run) -> float | None:
    """Return the share (%) of the second classifier's support vectors that the first shares."""
    total = run.record.get("vectors_second")
    return 100 * run.record["vectors_common"] / total if total else None
