"""Melki (2018): OLLAWV compared with NN-ISDA, MN-SVM, and five methods other than SVMs.

Tables 1.3 and 1.5, figure 1.1, and figures 1.3 to 1.9 of G. A. Melki, Novel Support Vector Machines
for Diverse Learning Paradigms, chapter 1 (Virginia Commonwealth University, 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

import softmargin
from softmargin.datasets import Dataset
from softmargin.experiments import _melki_2018 as printed
from softmargin.experiments import _ollawv_claims as claims
from softmargin.experiments import _ollawv_pictures as pictures
from softmargin.experiments._claims import close_claim, lowest_claim, ratio_claim
from softmargin.experiments._comparators import COMPARATORS, check_rule_learner
from softmargin.experiments._evaluation import (
    CS,
    GAMMAS,
    evaluate,
    evaluate_other,
    load,
    scaled_part,
)
from softmargin.experiments._findings import Cell, Section, number, seconds
from softmargin.experiments._paper_tables import is_off, paper_table, pick
from softmargin.experiments._pictures import accuracies, available, growth
from softmargin.experiments._ranking import ranking_claim, ranking_picture, ranking_table
from softmargin.experiments._study import Record, Records, Settings, Task, up_to

SVMS = {"ollawv": "OLLAWV", "nnisda": "NN-ISDA", "mnsvm": "MN-SVM"}
# Not in the paper: the margin tuned like the other parameters, and the exact L1 SVM.
ALSO = {"ollawv-margin": "OLLAWV, tuned margin", "svc": "SVC, exact"}
OTHERS = {key: each.label for key, each in COMPARATORS.items()}

_PRINTED = {
    "ollawv": "OLLAWV",
    "nnisda": "NNISDA",
    "mnsvm": "MNSVM",
    "knn": "KNN",
    "tree": "J48",
    "rules": "JRip",
    "bayes": "Naive Bayes",
    "logistic": "Logistic",
}
# The rule learner takes seconds per fit on 200 samples; it runs on at most this many.
_ROWS_FOR_RULES = 400


class _Metric(NamedTuple):
    """A third of table 1.3, with the figure of its ranks."""

    label: str
    unit: str
    show: Callable[..., Cell]
    higher_is_better: bool
    figure: str


_METRICS = {
    "accuracy": _Metric("Accuracy", "%", number, True, "1.3"),
    "seconds": _Metric("Runtime", "s", seconds, False, "1.4"),
    "support_vectors": _Metric("Support vectors", "%", partial(number, digits=1), False, "1.5"),
}


class OLLAWVStudy:
    """Tables 1.3 and 1.5 of Melki (2018)."""

    name = "ollawv"
    title = "Melki (2018): OLLAWV"
    paper = (
        "G. A. Melki, Novel Support Vector Machines for Diverse Learning Paradigms, chapter 1, "
        "Virginia Commonwealth University, 2018"
    )
    protocol = (
        "Nested cross-validation, 5 x 5 stratified folds; features scaled to [0, 1] over all "
        "samples; pattern search over C = 4^-2 ... 4^5 and gamma = 4^-5 ... 4^2, as in the paper. "
        "OLLAWV uses a margin of 0.1 and at most half of the samples as support vectors, like the "
        "authors' program; its C has no effect, so only gamma is searched. Methods other than SVMs "
        "use the same folds. Deviations are over the outer folds. Times are for the whole nested "
        "run, on all threads for ours and on the authors' machine for the paper."
    )

    def tasks(self, settings: Settings) -> Sequence[Task]:
        """Return for each data set the SVMs, then the other methods."""
        tasks = [Task("figure-1.1", _boundaries)]
        for name in _sets(settings):
            tasks += [
                Task(f"{name}/{method}", partial(_run, name, method, settings))
                for method in (*SVMS, *ALSO, *OTHERS)
                if method != "rules" or _rules_serve(name, settings)
            ]
        return tasks

    def sections(self, records: Records, settings: Settings) -> Sequence[Section]:
        """Return the tables, tests, pictures and claims."""
        sets = _sets(settings)
        return [
            _svm_section(records, sets),
            _ranks_section(records, sets),
            _others_section(records, sets),
            _also_section(records, sets),
            pictures.boundary_section(records.get("figure-1.1")),
        ]


def _sets(settings: Settings) -> list[str]:
    sizes = up_to(settings.size)
    return [name for name, (*_, size) in printed.DATASETS.items() if size in sizes]


def _rules_serve(name: str, settings: Settings) -> bool:
    rows, _, classes, _ = printed.DATASETS[name]
    return settings.size != "small" and rows <= _ROWS_FOR_RULES and classes == 2


def _run(name: str, method: str, settings: Settings) -> Record:
    if method == "rules":
        check_rule_learner()
    data = load(name, settings.folder)
    if method in COMPARATORS:
        other = COMPARATORS[method]
        return evaluate_other(data, other.estimator, other.grid, settings)
    if method == "ollawv":
        grid = {"margin": [0.1], "gamma": GAMMAS}
        facts = {"c_has_effect": _c_has_effect(data), **_limited(data)}
        return evaluate(data, _authors(), settings, grid) | facts
    if method == "ollawv-margin":
        return evaluate(data, softmargin.OLLAWV(), settings)
    return evaluate(data, method, settings, {"C": CS, "gamma": GAMMAS})


def _authors() -> softmargin.OLLAWV:
    """Return OLLAWV with the settings of the authors' program."""
    return softmargin.OLLAWV(margin=0.1, max_sv_fraction=0.5)


def _c_has_effect(data: Dataset) -> bool:
    """Tell whether models with different C predict different labels, on at most 2,000 samples."""
    X, y = scaled_part(data)
    models = [_authors().set_params(C=C, gamma=1.0, n_jobs=-1).fit(X, y) for C in CS]
    first = models[0].predict(X)
    return any(not np.array_equal(first, model.predict(X)) for model in models[1:])


def _limited(data: Dataset) -> Record:
    """Return how many binary classifiers take more steps without the limit of the authors.

    With gamma = 1, on at most 2,000 samples.
    """
    X, y = scaled_part(data)
    limited, free = (
        _authors().set_params(gamma=1.0, n_jobs=-1, max_sv_fraction=share).fit(X, y).n_iter_
        for share in (0.5, 1.0)
    )
    return {"classifiers": len(free), "limited": int(np.sum(free > limited))}


def _boundaries() -> Record:
    """Return the errors of the classifiers of figure 1.1, and the Bayes error."""
    found: Record = {"bayes": 100 * softmargin.datasets.bayes_error()}
    test = softmargin.datasets.two_gaussians(20_000, random_state=1)
    for n in pictures.SIZES_1_1:
        for label, model in pictures.classifiers(n).items():
            found[f"{label}-{n}"] = 100 * (1 - model.score(test.X, test.y))
    return found


def _theirs(column: int) -> dict[str, dict[str, float]]:
    return {
        name: {key: row[_PRINTED[key]][column] for key in SVMS}
        for name, row in printed.TABLE_1_3.items()
    }


def _is_off(records: Records, name: str, method: str) -> bool:
    """Tell whether an accuracy is far from the published one, by its deviation if it is known."""
    with_deviation = printed.TABLE_1_5[name].get(_PRINTED[method])
    if with_deviation is not None:
        return is_off(records[f"{name}/{method}"], *with_deviation)
    return is_off(records[f"{name}/{method}"], printed.TABLE_1_3[name][_PRINTED[method]][0], None)


def _svm_section(records: Records, sets: Sequence[str]) -> Section:
    numbers = {what: pick(records, sets, list(SVMS), what) for what in _METRICS}
    off = partial(_is_off, records)
    tables = [
        paper_table(
            f"Table 1.3: {label.lower()}, {unit}",
            numbers[what],
            SVMS,
            _theirs(column),
            show,
            higher,
            off if what == "accuracy" else lambda name, method: False,
        )
        for column, (what, (label, unit, show, higher, _)) in enumerate(_METRICS.items())
    ]
    return Section(
        "OLLAWV and two L2 SVMs",
        "NN-ISDA and MN-SVM solve the same problem by different algorithms, so their accuracies "
        "should agree.",
        tables,
        available(
            accuracies("accuracy", "Accuracy on each data set", records, sets, SVMS),
            growth(
                "figure-1.6",
                "Figure 1.6: runtime",
                records,
                sets,
                SVMS,
                "seconds",
                "Nested cross-validation (s)",
            ),
            growth(
                "figure-1.7",
                "Figure 1.7: model size",
                records,
                sets,
                SVMS,
                "support_vectors",
                "Support vectors (%)",
                is_share=True,
            ),
        ),
        [
            ranking_claim(
                "OLLAWV is as accurate as NN-ISDA and MN-SVM: no difference is significant.",
                numbers["accuracy"],
                SVMS,
                True,
                control="OLLAWV",
                worse=set(),
            ),
            ratio_claim(
                "OLLAWV is about two times as fast as NN-ISDA and MN-SVM.",
                numbers["seconds"],
                SVMS,
                1.6,
                "takes",
                "as long",
            ),
            ratio_claim(
                "OLLAWV's models are 1.7 times smaller than those of NN-ISDA and MN-SVM.",
                numbers["support_vectors"],
                SVMS,
                1.5,
                "has",
                "as many support vectors",
            ),
            claims.outperforms_claim(numbers["accuracy"], SVMS),
            lowest_claim(
                "OLLAWV's share of support vectors is always the smallest, except in one case "
                "(figure 1.7).",
                numbers["support_vectors"],
                SVMS,
                "the smallest share",
                lambda missed: len(missed) <= 1,
            ),
            claims.growth_claim(numbers["seconds"], SVMS),
            claims.limit_claim(records, sets),
            claims.c_claim(records, sets),
            close_claim("table 1.3", numbers["accuracy"], SVMS, off),
        ],
    )


def _ranks_section(records: Records, sets: Sequence[str]) -> Section:
    tables, drawn, found = [], [], []
    for column, (what, (label, _, _, higher, figure)) in enumerate(_METRICS.items()):
        ranks_of = printed.RANKS_1_3[label.lower()]
        ours = pick(records, sets, list(SVMS), what)
        ranks = {key: ranks_of[_PRINTED[key]] for key in SVMS} | {
            "p": printed.P_VALUES_1_3[label.lower()],
            "distance": printed.CRITICAL_DISTANCE_1_3,
        }
        theirs = _theirs(column)
        tables.append(ranking_table(f"{label}: mean ranks", ours, theirs, SVMS, higher, ranks))
        title = f"Figure {figure}: ranks of {label.lower()}"
        drawn.append(ranking_picture(f"figure-{figure}", title, ours, SVMS, higher))
        if what != "accuracy":
            text = f"OLLAWV is significantly better than both others in {label.lower()}."
            both = {SVMS["nnisda"], SVMS["mnsvm"]}
            found.append(ranking_claim(text, ours, SVMS, higher, "OLLAWV", both))
    return Section(
        "Friedman ranks",
        "Rank 1 is the best. The published ranks of accuracy do not follow from the published "
        "table: they count the lowest accuracy as the best. According to the table OLLAWV is last, "
        "not first, although no difference is significant.",
        tables,
        available(*drawn),
        found,
    )


def _others_section(records: Records, sets: Sequence[str]) -> Section:
    methods = {"ollawv": SVMS["ollawv"], **OTHERS}
    ours = pick(records, sets, list(methods), "accuracy")
    theirs = {
        name: {key: row[_PRINTED[key]][0] for key in methods}
        for name, row in printed.TABLE_1_5.items()
    }
    off = partial(_is_off, records)
    # The rule learner did not run on every data set, so the ranks exclude it.
    ranked = {key: label for key, label in methods.items() if key != "rules"}
    ranks = {key: printed.RANKS_1_5[_PRINTED[key]] for key in methods} | {
        "distance": printed.CRITICAL_DISTANCE_1_5
    }
    worse = {label for key, label in ranked.items() if key not in ("ollawv", "knn")}
    return Section(
        "OLLAWV and methods other than SVMs",
        "The paper used Weka; ours are the closest equivalents in scikit-learn. JRip is "
        "replaced by the package wittgenstein, which supports two classes only and takes "
        "seconds per fit: --medium runs it on data sets with two classes and at most "
        f"{_ROWS_FOR_RULES} samples, and it is excluded from the ranks (also from those computed "
        "from the published table). The published ranks count the row of averages as a 24th "
        "data set.",
        [
            paper_table(
                "Table 1.5: accuracy, %", ours, methods, theirs, off=off, averaged=list(ranked)
            ),
            ranking_table("Accuracy: mean ranks", ours, theirs, ranked, True, ranks),
        ],
        available(
            ranking_picture(
                "figure-1.8", "Figure 1.8: ranks of accuracy", ours, ranked, True, "OLLAWV"
            ),
            pictures.mean_accuracies(ours, theirs, ranked),
        ),
        [
            ranking_claim(
                "OLLAWV is significantly more accurate than all others except k-NN.",
                ours,
                ranked,
                True,
                "OLLAWV",
                worse,
            ),
            close_claim("table 1.5", ours, OTHERS, off),
        ],
    )


def _also_section(records: Records, sets: Sequence[str]) -> Section:
    methods = {"ollawv": "OLLAWV, as published", **ALSO}
    return Section(
        "Not in the paper: tuned margin and exact SVM",
        "The margin of OLLAWV determines when training stops. One training run yields the "
        "models of all margins, so tuning the margin costs little. SVC solves the L1 problem "
        "exactly.",
        [
            paper_table(
                f"{label}, {unit}",
                pick(records, sets, list(methods), what),
                methods,
                show=show,
                higher_is_better=higher,
            )
            for what, (label, unit, show, higher, _) in _METRICS.items()
        ],
    )
