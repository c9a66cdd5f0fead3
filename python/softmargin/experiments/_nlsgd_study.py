"""Melki and Kecman (2016): NL-SGD compared with MN-SVM and NN-ISDA; epochs and averaging.

Tables II and III, and figures 1 to 10 of G. Melki and V. Kecman, Speeding Up Online Training of L1
Support Vector Machines.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

import softmargin
from softmargin.experiments import _melki_kecman_2016 as printed
from softmargin.experiments._claims import (
    close_claim,
    factors_claim,
    lowest_claim,
    order_claim,
    ratio_claim,
)
from softmargin.experiments._evaluation import CS, GAMMAS, evaluate, load, scaled_part
from softmargin.experiments._findings import Claim, Section, Table, seconds
from softmargin.experiments._paper_tables import Numbers, common, is_off, paper_table, pick
from softmargin.experiments._pictures import accuracies, available, growth
from softmargin.experiments._study import Record, Records, Settings, Task

METHODS = {"nlsgd": "NL-SGD", "nnisda": "NN-ISDA", "mnsvm": "MN-SVM"}
_COLUMNS = {"mnsvm": 0, "nnisda": 1, "nlsgd": 2}

AVERAGES = (0.0, 0.25, 0.5)
EPOCHS = {"small": (2, 5), "medium": (1, 2)}
# The setting of NL-SGD in the main tables, which the paper does not state.
# The keys of algorithm B exactly as listed in the paper, and of the influence of C.
_LISTING_KEY = "nlsgd-listing"
_C_KEY = "nlsgd-c"
_USUAL = {"small": (5, 0.5), "medium": (1, 0.5)}


class NLSGDStudy:
    """Tables II and III of Melki and Kecman (2016)."""

    name = "nlsgd"
    title = "Melki and Kecman (2016): NL-SGD"
    paper = (
        "G. Melki and V. Kecman, Speeding Up Online Training of L1 Support Vector Machines, "
        "IEEE SoutheastCon, 2016"
    )
    protocol = (
        "Nested cross-validation, 5 x 5 stratified folds; features scaled to [0, 1] over all "
        "samples; pattern search over C = 4^-2 ... 4^5 and gamma = 4^-5 ... 4^2. In the main "
        "tables NL-SGD runs for five epochs on small and one epoch on medium data sets and "
        "averages over the last half of the steps; the paper does not state its setting. Times "
        "are for the whole nested run: wall time on all threads for ours, CPU time of the authors' "
        "machine for the paper."
    )

    def tasks(self, settings: Settings) -> Sequence[Task]:
        """Return for each data set the three methods, then the settings of NL-SGD."""
        tasks = []
        for name, group in _sets(settings).items():
            keys = [*METHODS, *(_key(*each) for each in _settings_of(group))]
            tasks += [Task(f"{name}/{key}", partial(_run, name, key, settings)) for key in keys]
            if group == "small":
                run = partial(_run, name, _LISTING_KEY, settings)
                tasks.append(Task(f"{name}/{_LISTING_KEY}", run))
            tasks.append(Task(f"{name}/{_C_KEY}", partial(_run_cs, name, settings)))
        return tasks

    def sections(self, records: Records, settings: Settings) -> Sequence[Section]:
        """Return the tables, pictures and claims."""
        groups = _sets(settings)
        return [
            _methods_section(records, list(groups)),
            *(
                _settings_section(records, [n for n, g in groups.items() if g == group], group)
                for group in ("small", "medium")
                if group in groups.values()
            ),
        ]


def _sets(settings: Settings) -> dict[str, str]:
    sets = dict.fromkeys(printed.SMALL, "small")
    return sets if settings.size == "small" else sets | dict.fromkeys(printed.MEDIUM, "medium")


def _settings_of(group: str) -> list[tuple[int, float]]:
    return [each for each in itertools.product(EPOCHS[group], AVERAGES) if each != _USUAL[group]]


def _key(epochs: int, average: float) -> str:
    return f"nlsgd-{epochs}-{average:g}"


def _label(epochs: int, average: float) -> str:
    part = "last iterate" if average == 0 else f"mean of the last {average:.0%}"
    return f"{epochs} epoch{'s' if epochs > 1 else ''}, {part}"


def _run(name: str, key: str, settings: Settings) -> Record:
    grid = {"C": CS, "gamma": GAMMAS}
    data = load(name, settings.folder)
    if not key.startswith("nlsgd"):
        return evaluate(data, key, settings, grid)
    group = "small" if name in printed.SMALL else "medium"
    is_listing = key == _LISTING_KEY
    if is_listing:
        epochs, average = _USUAL[group][0], 1.0
    else:
        epochs, average = _USUAL[group] if key == "nlsgd" else _parsed(key)
    method = softmargin.NLSGD(epochs=epochs, average=average, random_state=0)
    if is_listing:
        method.set_params(step="m", order="random")
    return evaluate(data, method, settings, grid)


def _run_cs(name: str, settings: Settings) -> Record:
    """Return whether models with different C predict different labels."""
    X, y = scaled_part(load(name, settings.folder))
    model = softmargin.NLSGD(gamma=1.0, random_state=0, n_jobs=settings.n_jobs)
    labels = [model.set_params(C=C).fit(X, y).predict(X) for C in CS]
    return {"c_has_effect": any(not np.array_equal(labels[0], other) for other in labels[1:])}


def _parsed(key: str) -> tuple[int, float]:
    _, epochs, average = key.split("-")
    return int(epochs), float(average)


def _theirs(table: Mapping[str, Sequence[float]]) -> Numbers:
    return {
        name: {key: row[column] for key, column in _COLUMNS.items()} for name, row in table.items()
    }


def _methods_section(records: Records, sets: Sequence[str]) -> Section:
    accuracy = pick(records, sets, list(METHODS), "accuracy")
    times = pick(records, sets, list(METHODS), "seconds")
    theirs = _theirs(printed.TABLE_2)

    def off(name: str, method: str) -> bool:
        return is_off(records[f"{name}/{method}"], theirs[name][method], None)

    return Section(
        "NL-SGD and two L2 SVMs",
        tables=[
            paper_table("Table II: accuracy, %", accuracy, METHODS, theirs, off=off),
            paper_table(
                "Table III: time, s", times, METHODS, _theirs(printed.TABLE_3), seconds, False
            ),
        ],
        pictures=available(
            accuracies("figures-1-2", "Figures 1 and 2: accuracy", records, sets, METHODS),
            growth(
                "figures-3-5",
                "Figures 3 to 5: time",
                records,
                sets,
                METHODS,
                "seconds",
                "Nested cross-validation (s)",
            ),
        ),
        claims=[
            _accuracy_claim(accuracy),
            ratio_claim(
                "NL-SGD is faster than both: at least 1.2 times as fast as NN-ISDA.",
                times,
                METHODS,
                1.1,
                "takes",
                "as long",
            ),
            lowest_claim(
                "NL-SGD is the fastest on every data set except wine.",
                times,
                METHODS,
                "the shortest time",
                lambda missed: set(missed) <= {"wine"},
            ),
            *(_factors_claim(times, group) for group in printed.TIMES_AS_LONG),
            _c_claim(records, sets),
            close_claim("table II", accuracy, METHODS, off),
        ],
    )


def _factors_claim(times: Numbers, group: str) -> Claim:
    sets = printed.SMALL if group == "small" else printed.MEDIUM
    theirs = printed.TIMES_AS_LONG[group]
    text = (
        f"On {group} data sets, NL-SGD is {theirs['nnisda']:g} times as fast as NN-ISDA and "
        f"{theirs['mnsvm']:g} times as fast as MN-SVM."
    )
    own = {name: row for name, row in times.items() if name in sets}
    return factors_claim(text, own, METHODS, theirs)


def _c_claim(records: Records, sets: Sequence[str]) -> Claim:
    """Return whether the labels that NL-SGD predicts depend on C on any data set."""
    text = "Online methods do not depend on the penalty parameter C (conclusions)."
    keys = [f"{name}/{_C_KEY}" for name in sets if f"{name}/{_C_KEY}" in records]
    if not keys:
        return Claim(text, None, "This was not run.")
    n_same = sum(not records[key]["c_has_effect"] for key in keys)
    return Claim(
        text,
        n_same == len(keys),
        f"On {len(keys) - n_same} of {len(keys)} data sets, NL-SGD with the eight values of C "
        "predicts different labels (gamma = 1, on at most 2,000 samples).",
    )


def _accuracy_claim(accuracy: Numbers) -> Claim:
    text = "NL-SGD is about as accurate as MN-SVM and NN-ISDA: within a point on average."
    sets = common(accuracy, list(METHODS))
    if not sets:
        return Claim(text, None, "No data set was run with all methods.")
    means = {key: float(np.mean([accuracy[name][key] for name in sets])) for key in METHODS}
    shown = ", ".join(f"{METHODS[key]} {mean:.2f} %" for key, mean in means.items())
    return Claim(
        text,
        means["nlsgd"] >= max(means.values()) - 1,
        f"Means over {len(sets)} data sets: {shown}.",
    )


def _settings_section(records: Records, sets: Sequence[str], group: str) -> Section:
    every = list(itertools.product(EPOCHS[group], AVERAGES))
    methods = {"nlsgd" if e == _USUAL[group] else _key(*e): _label(*e) for e in every}
    accuracy = pick(records, sets, list(methods), "accuracy")
    times = pick(records, sets, list(methods), "seconds")
    of_accuracy, of_time = ("6", "s 8 and 9") if group == "small" else ("7", " 10")
    return Section(
        f"Epochs and averaging on {group} data sets",
        tables=[
            paper_table("Accuracy, %", accuracy, methods),
            paper_table("Time, s", times, methods, show=seconds, higher_is_better=False),
            *([_listing_table(records, sets)] if group == "small" else []),
        ],
        pictures=available(
            accuracies(
                f"settings-{group}", f"Figure {of_accuracy}: accuracy", records, sets, methods
            ),
            growth(
                f"settings-{group}-time",
                f"Figure{of_time}: time",
                records,
                sets,
                methods,
                "seconds",
                "Nested cross-validation (s)",
            ),
        ),
        claims=[*_settings_claims(accuracy, group), _time_claim(times, group)],
    )


def _listing_table(records: Records, sets: Sequence[str]) -> Table:
    epochs, average = _USUAL["small"]
    methods = {
        "nlsgd": f"cyclic, divided by t, mean of the last {average:.0%}",
        _LISTING_KEY: "algorithm B: drawn, divided by m, mean of all",
    }
    title = f"The listing of the paper, {epochs} epochs: accuracy, %"
    return paper_table(title, pick(records, sets, list(methods), "accuracy"), methods)


def _time_claim(times: Numbers, group: str) -> Claim:
    """Return whether more epochs take more time in total over all ways of averaging."""
    few, many = EPOCHS[group]
    text = f"More epochs take more time: {many} more than {few}."
    keys = {
        epochs: [
            "nlsgd" if (epochs, average) == _USUAL[group] else _key(epochs, average)
            for average in AVERAGES
        ]
        for epochs in (few, many)
    }
    sets = common(times, [*keys[few], *keys[many]])
    if not sets:
        return Claim(text, None, "Not all settings were run.")
    total = {
        epochs: sum(times[name][key] for name in sets for key in own)
        for epochs, own in keys.items()
    }
    ratio = total[many] / total[few]
    return Claim(
        text,
        ratio > 1,
        f"In total over {len(sets)} data sets, {many} epochs take {ratio:.1f} times as long; steps "
        "without an update of the model cost no kernel row.",
    )


def _settings_claims(accuracy: Numbers, group: str) -> list[Claim]:
    few, many = EPOCHS[group]

    def mean(epochs: Sequence[int], averages: Sequence[float], sets: Sequence[str]) -> float | None:
        keys = [
            "nlsgd" if each == _USUAL[group] else _key(*each)
            for each in itertools.product(epochs, averages)
        ]
        known = [name for name in sets if name in common(accuracy, keys)]
        return float(np.mean([accuracy[n][k] for n in known for k in keys])) if known else None

    sets = list(accuracy)
    claims = [
        order_claim(
            "Averaging over the last half or quarter of the steps is more accurate than the last "
            "iterate.",
            {
                "averaged": mean((few, many), (0.25, 0.5), sets),
                "last iterate": mean((few, many), (0.0,), sets),
            },
        )
    ]
    if group == "small":
        smallest, larger = ("wine", "glass", "teach"), ("prokaryotic", "eukaryotic")
        claims += [
            order_claim(
                f"On wine, glass and teach {many} epochs are more accurate than {few}.",
                {f"{n} epochs": mean((n,), AVERAGES, smallest) for n in (many, few)},
            ),
            order_claim(
                f"On prokaryotic and eukaryotic {few} epochs are more accurate than {many}.",
                {f"{n} epochs": mean((n,), AVERAGES, larger) for n in (few, many)},
            ),
        ]
        return claims
    one, two = (mean((n,), AVERAGES, sets) for n in (few, many))
    text = "One or two epochs make little difference: less than half a point."
    if one is None or two is None:
        return [*claims, Claim(text, None, "Not all settings were run.")]
    evidence = f"On average, one epoch {one:.2f} %, two epochs {two:.2f} %."
    return [*claims, Claim(text, abs(one - two) < 0.5, evidence)]
