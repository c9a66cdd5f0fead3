"""Nguyen and Ho (2005): earlier support vectors as the first working set.

Figures 1 and 2 of D. Nguyen and T. Ho, Speeding-up Model Selection for Support Vector Machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from softmargin.experiments import _nguyen_ho_2005 as printed
from softmargin.experiments import _seeding_claims as claims
from softmargin.experiments._deadline import stopped
from softmargin.experiments._findings import Cell, Column, Section, Table, number, seconds, word
from softmargin.experiments._savings import SERIES, Run, key_of, runs_of, saved, saved_at, shared
from softmargin.experiments._seeding_pictures import common_picture, series_pictures
from softmargin.experiments._series import FAMILIES, SEEDED, run_series
from softmargin.experiments._study import Records, Settings, Task
from softmargin.experiments._train_test_sets import parts

# Data sets of each size, and whether their series are thinned out.
_SETS = {
    "small": {"satimage": True},
    "medium": {"satimage": False, "letter": True},
    "large": {"satimage": False, "letter": False, "shuttle": False},
}
# With what the queue is compared: the baseline of the paper, and ours.
_BASELINES = ("random", "alone")
_COMPARED = (("queue", "random"), ("queue", "alone"), ("coefficients", "alone"))
_PAIRS = {"linear": "C 1 and 2", "poly": "degree 2 and 3", "rbf": "C 1 and 2, gamma 0.01"}


class SeedingStudy:
    """Figures 1 and 2 of Nguyen and Ho (2005)."""

    name = "seeding"
    title = "Nguyen and Ho (2005): seeding"
    paper = (
        "D. Nguyen and T. Ho, Speeding-up Model Selection for Support Vector Machines, FLAIRS, 2005"
    )
    protocol = (
        "One-vs-rest classifiers on the training part, scaled to [0, 1] (letter: 15,000 samples),"
        " tol 0.001. The series are linear kernels with C 1 to 10; polynomial kernels (x z + 1)^p"
        " with degree p 2 to 9 and C 1; RBF kernels with gamma 0.01 to 0.1 and C 1 to 10; thinned"
        " out to C 1, 2, 7, 10, gamma 0.01, 0.04, 0.07, 0.1 and degree 2, 3, 5. Each setting is "
        "trained four times in rotating order: alone, as our solver starts by default; from a "
        "random first working set, which is the baseline of the paper; with a queue of support "
        "vectors of the size of the working set, the latest first; and from the previous "
        "coefficients, which the paper does not do. Working sets are our default (starting at 128"
        " samples) and one of the size used in the paper. A training is stopped after 60 s. Sums "
        "and savings exclude the first setting of a series."
    )

    def tasks(self, settings: Settings) -> Sequence[Task]:
        """Return the series of each data set, those with the default working set first."""
        tasks = []
        for name, is_thin in _SETS[settings.size].items():
            for is_own in (True, False):
                size = None if is_own else printed.WORKING_SETS[name]
                for family in FAMILIES:
                    run = partial(run_series, name, family, size, is_thin, settings)
                    tasks.append(Task(key_of(name, family, is_own, is_thin), run))
        return tasks

    def sections(self, records: Records, settings: Settings) -> Sequence[Section]:
        """Return figure 1, then figure 2."""
        runs = runs_of(records, _SETS[settings.size])
        return [_common_section([run for run in runs if run.is_own]), _series_section(runs)]


def _common_section(runs: Sequence[Run]) -> Section:
    columns = [
        Column("data set", is_number=False),
        Column("classifiers", is_number=False),
        Column("of the first", "support vectors"),
        Column("of the second", "support vectors"),
        Column("in common", "support vectors"),
        Column("share of the second, %"),
    ]
    rows = [
        [
            word(run.set),
            word(f"{SERIES[run.family]}, {_PAIRS[run.family]}"),
            *(number(run.record.get(f"vectors_{of}"), 0) for of in ("first", "second", "common")),
            number(shared(run), 1),
        ]
        for run in runs
    ]
    rows_of = parts({run.set: run.record for run in runs if run.record})
    caption = "Sums over the one-vs-rest classifiers of a data set, each trained from scratch."
    caption = f"{caption} {rows_of}".strip()
    return Section(
        "Shared support vectors",
        "The paper shows this in a figure without numbers and does not state gamma.",
        [Table("Figure 1: support vectors in common", columns, rows, caption=caption)],
        common_picture(runs),
        [claims.common_claim(runs)],
    )


def _series_section(runs: Sequence[Run]) -> Section:
    own, theirs = ([run for run in runs if run.is_own is is_own] for is_own in (True, False))
    by_set = ((own, "default working set"), (theirs, "a working set as large as the paper's"))
    return Section(
        "Loops and time of a series",
        "The queue has the size of the working set. The working set of the paper was meant to hold "
        "all support vectors, so its queue passes most of them on. Ours starts at 128 samples: a "
        "queue of that size holds few support vectors, and the solver finds good initial samples "
        "without it. No seed saves the kernel matrix, which the one-vs-rest classifiers share and "
        "which is recomputed for each setting.",
        [
            _sums_table("Figure 2: loops, total of a series", runs, "loops"),
            _sums_table("Figure 2: time in seconds, total of a series", runs, "seconds"),
            _text_table(runs),
        ],
        series_pictures(runs),
        [
            *(claims.loops_claim(*some, than) for than in _BASELINES for some in by_set),
            *(claims.time_claim(*some, than) for than in _BASELINES for some in by_set),
            claims.solutions_claim(runs),
            claims.selection_claim(runs),
            claims.kernels_claim(runs),
        ],
    )


def _sums_table(title: str, runs: Sequence[Run], what: str) -> Table:
    columns = [
        Column("data set", is_number=False),
        Column("series", is_number=False),
        Column("settings"),
        Column("working set", is_number=False),
        Column("random"),
        Column("alone"),
        Column("queue saved, % of random"),
    ]
    for way in SEEDED:
        columns += [Column("sum", way), Column("saved, %", way)]
    return Table(title, columns, [_sums_row(run, what) for run in runs])


def _sums_row(run: Run, what: str) -> list[Cell]:
    def total(way: str) -> Cell:
        value = run.record.get(f"{what}_{way}") if run.is_known else None
        unfinished = run.record.get(f"unfinished_{way}", 0)
        note = f"{unfinished} classifiers did not converge within 60 s" if unfinished else ""
        return seconds(value, note=note) if what == "seconds" else number(value, 0, note=note)

    n_settings = len(run.record.get("cells", ()))
    cells = [
        word(run.set),
        word(SERIES[run.family]),
        number(n_settings or None, 0, note=stopped(run.record)),
        word(run.working_set),
        total("random"),
        total("alone"),
        number(saved(run, what, "queue", "random"), 1),
    ]
    shares = {way: saved(run, what, way) for way in SEEDED}
    best = max((share for share in shares.values() if share is not None), default=None)
    for way, share in shares.items():
        cells += [total(way), number(share, 1, is_best=share is not None and share == best)]
    return cells


def _text_table(runs: Sequence[Run]) -> Table:
    """Return the two numbers that the paper states in its text, and ours.

    A column "queue / random" contains what the queue saves compared with a random start.
    """
    columns = [
        Column("classifier", is_number=False),
        Column("queue / random", "paper", is_paper=True),
        *(
            Column(f"{way} / {than}", size)
            for size in ("default working set", "paper's working set")
            for way, than in _COMPARED
        ),
    ]
    rows = []
    for name, family, cost, share in (
        ("satimage", "linear", 7, printed.MOST_SAVED),
        ("shuttle", "rbf", 2, printed.LEAST_SAVED),
    ):
        of_series = [run for run in runs if (run.set, run.family) == (name, family)]
        shares = [saved_at(run, cost, *pair) for run in of_series for pair in _COMPARED]
        ours = [number(share, 1) for share in shares or [None] * 2 * len(_COMPARED)]
        label = f"{name}, {SERIES[family]}, C = {cost}"
        rows.append([word(label), number(share, 1), *ours])
    caption = (
        "The largest and smallest saving of the paper; for RBF the mean over gamma, which the "
        "paper does not state. A column such as queue / random contains what the queue saves of "
        "the time from a random first working set."
    )
    return Table("Time saved at two settings, %", columns, rows, caption=caption)
