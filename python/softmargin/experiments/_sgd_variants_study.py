"""Lu and Jin (2017): a comparison of Pegasos, momentum, RMSprop and NAG.

Table 2 and figures 1 to 6 of S. Lu and Z. Jin, Improved Stochastic Gradient Descent Algorithm for
SVM.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from softmargin.experiments import _lu_jin_2017 as printed
from softmargin.experiments._curves import AS_PRINTED, RULES, Outcome, outcomes
from softmargin.experiments._deadline import stopped
from softmargin.experiments._findings import Cell, Column, Picture, Section, Table, number, word
from softmargin.experiments._paper_tables import OFF, is_off
from softmargin.experiments._rules import run_rule
from softmargin.experiments._sgd_claims import accuracy_claims, speed_claims
from softmargin.experiments._study import Record, Records, Settings, Task, up_to
from softmargin.experiments._train_test_sets import parts

# Data sets by the size that adds them, with the lower end of the range of a feature, which is
# part of the key.
_SETS = {
    "small": {"letter": 0.0, "letter [-1, 1]": -1.0, "optdigits": 0.0},
    "medium": {"usps": 0.0, "usps [-1, 1]": -1.0, "mnist": 0.0},
    "large": {"mnist [-1, 1]": -1.0, "alpha": 0.0, "gamma": 0.0, "delta": 0.0},
}
_PASCAL = ("alpha", "gamma", "delta")
_EARLY = (100, 1_000, 10_000)


class SGDVariantsStudy:
    """Table 2 and figures 1 to 6 of Lu and Jin (2017)."""

    name = "sgd-variants"
    title = "Lu and Jin (2017): SGD variants"
    paper = "S. Lu and Z. Jin, Improved Stochastic Gradient Descent Algorithm for SVM, 2017"
    protocol = (
        "Linear classifiers without a bias for two classes: digits 0 to 4 against 5 to 9, "
        "letters A to M against N to Z. Each step uses one sample, drawn with replacement; the "
        "result is the last iterate; gamma is 0.9, and eta of RMSprop is 0.01. The paper does "
        "not state the rest, which we chose: features are scaled to [0, 1] on the training part "
        "(or to [-1, 1] where noted, which matters without a bias); 100,000 steps; lambda from "
        "1e-5 to 0.1, and eta of momentum and NAG from 1e-5 to 0.01, chosen on a held-out tenth "
        "of the training samples, averaged over three seeds. Accuracies are on the test part, "
        "averaged over five seeds; all rules use the same samples in the same order. letter has "
        "15,000 training samples. SGD with steps eta / (1 + lambda eta t) and the exact solution "
        "for the lambda of Pegasos are not in the paper."
    )

    def tasks(self, settings: Settings) -> Sequence[Task]:
        """Return the rules of each data set."""
        return [
            Task(f"{key}/{rule}", partial(run_rule, key.split()[0], rule, lower, settings))
            for key, lower in _sets(settings).items()
            for rule in (*RULES, *AS_PRINTED.values())
        ]

    def sections(self, records: Records, settings: Settings) -> Sequence[Section]:
        """Return table 2, then the curves."""
        names = [*dict.fromkeys([*printed.TABLE_2, *_sets(settings)])]
        found = {name: outcomes(records, name) for name in names}
        return [_accuracy_section(records, found), _speed_section(found)]


def _sets(settings: Settings) -> dict[str, float]:
    return {name: lower for size in up_to(settings.size) for name, lower in _SETS[size].items()}


def _accuracy_section(records: Records, found: Mapping[str, Mapping[str, Outcome]]) -> Section:
    columns = [Column("data set", is_number=False)]
    for rule in printed.RULES:
        columns += [Column("ours", RULES[rule]), Column("paper", RULES[rule], is_paper=True)]
    columns += [Column(f"{name} (not in the paper)") for name in (RULES["sgd"], "exact")]
    rows = [_accuracy_row(records, name, reached) for name, reached in found.items()]
    known = {re.split("[ /]", key)[0]: record for key, record in records.items()}
    return Section(
        "Accuracy on the test part",
        "Alpha, Gamma and Delta are from the Pascal Large Scale Learning Challenge, whose files "
        "are hard to obtain; --large runs them if they are in the data folder. The results with "
        "features in [-1, 1] and optdigits are not in the paper.",
        [
            Table("Table 2: accuracy on the test part, %", columns, rows, caption=parts(known)),
            _listings_table(records, list(found)),
        ],
        claims=[claim for name in _shown(found) for claim in accuracy_claims(name, found[name])],
    )


def _accuracy_row(records: Records, name: str, reached: Mapping[str, Outcome]) -> list[Cell]:
    theirs = dict(zip(printed.RULES, printed.TABLE_2.get(name, ()), strict=False))
    best = max((reached[rule].end for rule in printed.RULES if rule in reached), default=None)
    cells = [word(name)]
    for rule in RULES:
        end = reached[rule].end if rule in reached else None
        paper = theirs.get(rule)
        is_best = rule in printed.RULES and end is not None and end == best
        marks = _marks(records.get(f"{name}/{rule}", {}), paper)
        cells.append(number(end, is_best=is_best, **marks))
        if rule in printed.RULES:
            cells.append(number(paper, is_best=paper is not None and paper == max(theirs.values())))
    cells.append(number(records.get(f"{name}/pegasos", {}).get("optimum")))
    return cells


def _listings_table(records: Records, names: Sequence[str]) -> Table:
    """Return the accuracies of rules whose listing differs from their equations."""
    columns = [Column("data set", is_number=False)]
    for rule in AS_PRINTED:
        columns += [Column("equations", RULES[rule]), Column("listing", RULES[rule])]
        columns.append(Column("paper", RULES[rule], is_paper=True))
    rows = [[word(name), *_listings_cells(records, name)] for name in names]
    caption = (
        "Algorithm 2 of the paper divides by the mean squared gradient itself instead of its root "
        "(equation 6), and algorithm 3 tests the margin at w instead of w - gamma v (equation 7). "
        "Table 2 and the curves follow the equations."
    )
    return Table("Listings and equations: accuracy, %", columns, rows, caption=caption)


def _listings_cells(records: Records, name: str) -> list[Cell]:
    theirs = dict(zip(printed.RULES, printed.TABLE_2.get(name, ()), strict=False))
    cells = []
    for rule, key in AS_PRINTED.items():
        ends = (records.get(f"{name}/{each}", {}).get("accuracy") for each in (rule, key))
        cells += [*map(number, ends), number(theirs.get(rule))]
    return cells


def _marks(record: Record, paper: float | None) -> dict[str, Any]:
    """Mark an accuracy that is far from the published one, or note why seeds are missing."""
    if paper is not None and is_off(record, paper, None):
        return {"is_off": True, "note": OFF}
    return {"note": stopped(record)}


def _speed_section(found: Mapping[str, Mapping[str, Outcome]]) -> Section:
    columns = [
        Column("data set", is_number=False),
        Column("rule", is_number=False),
        Column("lambda"),
        Column("eta"),
        *(Column(f"accuracy after {step:,} steps, %") for step in _EARLY),
        Column("final accuracy, %"),
        Column("deviation"),
        Column("steps to within a point of its own final accuracy"),
        Column("steps to within a point of the best"),
    ]
    rows = [
        _speed_row(name, rule, of, max(each.end for each in reached.values()))
        for name, reached in found.items()
        for rule, of in reached.items()
    ]
    caption = (
        "Curves are averaged over the seeds and over five neighboring points, 10 % of the steps "
        "apart. The best final accuracy is that of all five rules here; the claims are about the "
        "four rules of the paper."
    )
    return Section(
        "Speed of convergence",
        "The paper does not define fast convergence, so there are three measures: the accuracy "
        "after 1,000 steps, and the number of steps after which a rule first comes within one "
        "point of its own final accuracy, or of that of the best rule.",
        [Table("Accuracy by steps", columns, rows, caption=caption)],
        [_curves(name, reached) for name, reached in found.items() if reached],
        [claim for name in _shown(found) for claim in speed_claims(name, found[name])],
    )


def _speed_row(name: str, rule: str, of: Outcome, best: float) -> list[Cell]:
    return [
        word(name),
        word(RULES[rule]),
        Cell(of.lambda_, f"{of.lambda_:g}"),
        Cell(of.eta, "–" if of.eta is None else f"{of.eta:.3g}"),
        *(number(of.at(step)) for step in _EARLY),
        number(of.end),
        number(of.spread),
        *(_steps(of.steps_to(end - 1)) for end in (of.end, best)),
    ]


def _steps(steps: int | None) -> Cell:
    return Cell(None, "never") if steps is None else number(steps, 0)


def _shown(found: Mapping[str, Mapping[str, Outcome]]) -> list[str]:
    """Return the data sets of the paper whose claims are shown: those that can be obtained."""
    return [name for name in printed.TABLE_2 if name not in _PASCAL or found[name]]


def _curves(name: str, reached: Mapping[str, Outcome]) -> Picture:
    figure = printed.FIGURES.get(name)
    title = f"Accuracy by steps: {name}" if figure is None else f"Figure {figure}: {name}"

    def draw() -> Any:
        from softmargin import plots

        curves = {
            RULES[rule]: {"step": of.points, "accuracy": of.curve / 100}
            for rule, of in reached.items()
        }
        ax = plots.convergence(curves, y="accuracy")
        ends = [of.end / 100 for of in reached.values()]
        height = (min(0.5, *ends), max(ends) + 0.03)
        ax.set(xscale="log", ylim=height, ylabel="Accuracy on the test part")
        return ax

    caption = (
        f"Accuracy on the test part of {name}, averaged over the seeds and over five points. The "
        "curves of NAG and momentum may coincide."
    )
    return Picture("-".join(["curves", *re.findall(r"\w+", name)]), title, caption, draw)
