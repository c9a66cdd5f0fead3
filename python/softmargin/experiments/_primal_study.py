"""Duros and Katzman (2014): gradient descent, Newton's method and Pegasos in the primal.

Tables 2, 3 and 4 of D. Duros and J. Katzman, Comparison of SVM Optimization Techniques in the
Primal.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from softmargin.experiments import _duros_katzman_2014 as printed
from softmargin.experiments import _primal_claims as claims
from softmargin.experiments._deadline import stopped
from softmargin.experiments._findings import (
    Cell,
    Column,
    Picture,
    Section,
    Table,
    number,
    seconds,
    word,
)
from softmargin.experiments._paper_tables import OFF, is_off
from softmargin.experiments._phrase_records import N_FEW, methods, run_entry, run_newton
from softmargin.experiments._primal_claims import FEATURES, LABELS, Entries, Key
from softmargin.experiments._study import Record, Records, Settings, Task

_METHODS = {
    "GD": "gradient descent",
    "SSG": "Pegasos",
    "NM": "Newton",
    "NM5": "Newton, at most 5 full steps",
    "NML": "Newton, linear kernel",
    "dual": "dual, exact",
}
_SETTINGS = tuple(itertools.product(LABELS, FEATURES))

# Largest size in table 2, and rounds of table 3, for each size of the study.
_MOST_ROWS = {"small": 4_000, "medium": 8_000, "large": 16_000}
_ROUNDS = {"small": 0, "medium": 3, "large": 10}
_ROUNDS_OF_FEW = 10


class PrimalStudy:
    """Tables 2, 3 and 4 of Duros and Katzman (2014)."""

    name = "primal"
    title = "Duros and Katzman (2014): primal methods"
    paper = (
        "D. Duros and J. Katzman, Comparison of SVM Optimization Techniques in the Primal, "
        "Johns Hopkins University"
    )
    protocol = (
        "Phrases of movie reviews with labels 0 to 4: 3 and 4 against 0 to 2, or all five with "
        "ordinal classification. Features are the words of a phrase (binary or counted), in lower "
        "case and without punctuation. Each round holds out a random tenth of the phrases: 10 "
        "rounds for the first 1,000 phrases (the paper does not say which 1,000 it used), 3 "
        "(--medium) or 10 (--large) for all phrases. Parts of the same sentence occur in both "
        "training and test data, as in the paper, so these accuracies do not carry over to new "
        "reviews.\n\n"
        "Gradient descent: 200 steps on all samples, squared hinge loss, eta from a grid, lambda "
        "1e-6. Pegasos: mini-batches with projection, last iterate; 50 epochs for 1,000 phrases, 5 "
        "for all; lambda and batch size from grids. As in the paper, the bias of both is computed "
        "after training. Newton: RBF kernel for 1,000 phrases and table 2 (C 10, gamma 0.1), "
        "linear kernel for all phrases. The exact dual method is not in the paper.\n\n"
        "Hyperparameters were chosen in rounds other than those of the tables. Times are for one "
        "training."
    )

    def tasks(self, settings: Settings) -> Sequence[Task]:
        """Return table 4, table 2, then table 3."""
        few = [
            (_few_key(key), partial(run_entry, *key, N_FEW, _ROUNDS_OF_FEW, settings))
            for key in _keys(is_few=True)
        ]
        newton = [
            (_newton_key(n_rows), partial(run_newton, n_rows, settings))
            for n_rows in printed.TABLE_2
            if n_rows <= _MOST_ROWS[settings.size]
        ]
        rounds = _ROUNDS[settings.size]
        every = [
            (_all_key(key, rounds), partial(run_entry, *key, None, rounds, settings))
            for key in _keys(is_few=False)
            if rounds
        ]
        return [Task(key, run) for key, run in (*few, *newton, *every)]

    def sections(self, records: Records, settings: Settings) -> Sequence[Section]:
        """Return tables 2, 3 and 4."""
        rounds = _ROUNDS[settings.size]
        few = {key: records.get(_few_key(key), {}) for key in _keys(is_few=True)}
        every = {key: records.get(_all_key(key, rounds), {}) for key in _keys(is_few=False)}
        return [_growth_section(records), _all_section(every, few), _few_section(few)]


def _keys(is_few: bool) -> list[Key]:
    """Return the entries of table 4 (few phrases) or 3, ordered by features and labels."""
    names = methods(is_few, n_jobs=1)
    return [(name, mode, features) for features in FEATURES for mode in LABELS for name in names]


def _few_key(key: Key) -> str:
    return f"{N_FEW} phrases/{'/'.join(key)}"


def _all_key(key: Key, rounds: int) -> str:
    return f"all phrases, {rounds} rounds/{'/'.join(key)}"


def _newton_key(n_rows: int) -> str:
    return f"newton/{n_rows}"


def _growth_section(records: Records) -> Section:
    found = {n_rows: records.get(_newton_key(n_rows), {}) for n_rows in printed.TABLE_2}
    columns = [
        Column("samples"),
        Column("ours", "time, s"),
        Column("paper", "time, s", is_paper=True),
        Column("steps"),
        Column("support vectors"),
    ]
    rows = [
        [
            number(n_rows, 0),
            seconds(record.get("seconds"), note=stopped(record)),
            number(printed.TABLE_2[n_rows], 0),
            number(record.get("steps"), 0),
            number(record.get("vectors"), 0),
        ]
        for n_rows, record in found.items()
    ]
    times = {n: record["seconds"] for n, record in found.items() if record.get("seconds")}
    return Section(
        "Newton's method by number of samples",
        "RBF kernel, two labels. The paper doubles the number of samples from 1,000 on; on all "
        "phrases it did not finish in a reasonable time.",
        [Table("Table 2: time of Newton's method", columns, rows)],
        [_growth_picture(times)] if times else [],
        [
            claims.growth_claim(times),
            claims.steps_claim(
                {n: record["steps"] for n, record in found.items() if record.get("seconds")}
            ),
        ],
    )


def _growth_picture(times: Mapping[int, float]) -> Picture:
    def draw() -> Any:
        from softmargin import plots

        series = {"ours": times, "paper": printed.TABLE_2}
        points = {name: (list(of), list(of.values())) for name, of in series.items()}
        return plots.growth(points)

    caption = "Time of one training, ours and the published one on the authors' machine."
    return Picture("table-2", "Table 2: time of Newton's method", caption, draw)


def _all_section(found: Entries, few: Entries) -> Section:
    known, where = _known(found), "all phrases"
    return Section(
        "All phrases",
        "The paper's table does not include Newton's method, because it took too long with a "
        "kernel. With a linear kernel it solves for the weights of the words.",
        [_entries_table("Table 3: all phrases", found, printed.TABLE_3)],
        _bars("table-3", "Table 3: accuracy", known, printed.TABLE_3),
        [
            claims.pegasos_claim(known, where),
            claims.visits_claim(_known(few), known),
            claims.all_rows_claim(known),
            claims.chance_claim(known, printed.TABLE_3, where),
        ],
    )


def _few_section(found: Entries) -> Section:
    known, where = _known(found), f"{N_FEW:,} phrases"
    return Section(
        f"{N_FEW:,} phrases",
        "Newton's method uses an RBF kernel here, as in the paper; the other methods are linear. "
        "Its rows are those of our method, which has a line search and a bias; of the published "
        "one without both, with at most five steps; and of ours with a linear kernel.",
        [_entries_table(f"Table 4: {N_FEW:,} phrases", found, printed.TABLE_4)],
        _bars("table-4", "Table 4: accuracy", known, printed.TABLE_4),
        [
            claims.pegasos_claim(known, where),
            claims.newton_claim(known, where),
            claims.kernel_claim(known, where),
            claims.chance_claim(known, printed.TABLE_4, where),
        ],
    )


def _known(found: Entries) -> Entries:
    return {key: record for key, record in found.items() if record.get("accuracy") is not None}


def _entries_table(title: str, found: Entries, paper: printed.Entries) -> Table:
    columns = [
        Column("method", is_number=False),
        Column("labels", is_number=False),
        Column("features", is_number=False),
        Column("ours", "accuracy"),
        Column("deviation", "accuracy"),
        Column("paper", "accuracy", is_paper=True),
        Column("ours", "time, s"),
        Column("paper", "time, s", is_paper=True),
        Column("largest class"),
        Column("parameters", is_number=False),
    ]
    best = {
        of: max(
            (record["accuracy"] for key, record in _known(found).items() if key[1:] == of),
            default=None,
        )
        for of in _SETTINGS
    }
    rows = []
    for name, (mode, features) in itertools.product(_METHODS, _SETTINGS):
        key = (name, mode, features)
        record = found.get(key, {})
        if record or key in paper:
            is_best = bool(record) and record.get("accuracy") == best[mode, features]
            rows.append(_entry_row(key, record, paper.get(key, (None, None)), is_best))
    rounds = max((record["rounds"] for record in _known(found).values()), default=None)
    caption = "Largest class: accuracy of always predicting the most frequent label."
    if rounds is not None:
        caption += f" Means and standard deviations over {rounds} rounds."
    return Table(title, columns, rows, caption=caption)


def _entry_row(
    key: Key, record: Record, theirs: tuple[float | None, float | None], is_best: bool
) -> list[Cell]:
    name, mode, features = key
    far = theirs[0] is not None and is_off(record, theirs[0], None)
    marks = {"is_off": far, "note": OFF if far else stopped(record)}
    chosen = record.get("parameters", {})
    return [
        word(_METHODS[name]),
        word(LABELS[mode]),
        word(FEATURES[features]),
        number(record.get("accuracy"), 4, is_best=is_best, **marks),
        number(record.get("deviation"), 4),
        number(theirs[0], 4),
        seconds(record.get("seconds")),
        number(theirs[1], 0),
        number(record.get("largest"), 4),
        word(", ".join(f"{each.rstrip('_')} {value:g}" for each, value in chosen.items()) or "–"),
    ]


def _bars(name: str, title: str, known: Entries, paper: printed.Entries) -> list[Picture]:
    """Return bars of our and the published accuracies, and of the largest class."""
    if not known:
        return []

    def draw() -> Any:
        from softmargin import plots

        nothing = float("nan")
        bars = {}
        for method, label in _METHODS.items():
            keys = [(method, *of) for of in _SETTINGS]
            bars[label] = [known.get(key, {}).get("accuracy", nothing) for key in keys]
            bars[f"{label}, paper"] = [paper.get(key, (nothing, 0))[0] for key in keys]
        shown = {label: of for label, of in bars.items() if any(value == value for value in of)}
        shares = {key[1:]: record["largest"] for key, record in known.items()}
        shown["largest class"] = [shares.get(of, nothing) for of in _SETTINGS]
        sets = [f"{LABELS[mode]} labels, {FEATURES[features]}" for mode, features in _SETTINGS]
        return plots.accuracy_bars(shown, sets=sets, floor=0)

    caption = "Accuracy on held-out phrases, and the share of the most frequent label."
    return [Picture(name, title, caption, draw)]
