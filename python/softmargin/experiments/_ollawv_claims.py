"""Claims of Melki (2018) about OLLAWV, checked against the records of the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from softmargin.experiments import _melki_2018 as printed
from softmargin.experiments._claims import listed
from softmargin.experiments._findings import Claim
from softmargin.experiments._paper_tables import Numbers, common
from softmargin.experiments._study import Records


def outperforms_claim(accuracy: Numbers, methods: Mapping[str, str]) -> Claim:
    """Return whether OLLAWV has the best mean accuracy."""
    text = "OLLAWV outperforms NN-ISDA and MN-SVM in accuracy (text on table 1.3)."
    sets = common(accuracy, list(methods))
    if not sets:
        return Claim(text, None, "No data set was run with all methods.")
    means = {key: float(np.mean([accuracy[name][key] for name in sets])) for key in methods}
    n_best = sum(accuracy[name]["ollawv"] == max(accuracy[name].values()) for name in sets)
    shown = ", ".join(f"{methods[key]} {mean:.2f} %" for key, mean in means.items())
    return Claim(
        text,
        means["ollawv"] == max(means.values()),
        f"Means over {len(sets)} data sets: {shown}. OLLAWV is the most accurate on {n_best}, "
        "including ties.",
    )


def growth_claim(times: Numbers, methods: Mapping[str, str]) -> Claim:
    """Return whether the time of OLLAWV grows with the lowest power of the number of samples."""
    text = "The time of OLLAWV grows more gradually with the number of samples (figure 1.6)."
    sets = common(times, list(methods))
    n_rows = [printed.DATASETS[name][0] for name in sets]
    if len(set(n_rows)) < 3:
        return Claim(text, None, "Fewer than three sizes were run with all methods.")
    powers = {
        key: float(np.polyfit(np.log(n_rows), np.log([times[name][key] for name in sets]), 1)[0])
        for key in methods
    }
    shown = listed([f"{power:.2f} for {methods[key]}" for key, power in powers.items()])
    return Claim(
        text,
        powers["ollawv"] == min(powers.values()),
        f"The power of the number of samples that fits the times of {len(sets)} data sets best is "
        f"{shown}; they also differ in features and classes.",
    )


def limit_claim(records: Records, sets: Sequence[str]) -> Claim:
    """Return whether the limit of the authors' program has no effect."""
    text = "OLLAWV needs no maximum number of iterations."
    keys = [f"{name}/ollawv" for name in sets]
    known = [records[key] for key in keys if "limited" in records.get(key, {})]
    if not known:
        return Claim(text, None, "OLLAWV was not run.")
    limited, total = (sum(record[key] for record in known) for key in ("limited", "classifiers"))
    return Claim(
        text,
        limited == 0,
        "Training ends after n steps at the latest, because each sample is used once. But the "
        "authors' program allows n / 2 steps, and with gamma = 1 this ends the training of "
        f"{limited:,} of {total:,} binary classifiers.",
    )


def c_claim(records: Records, sets: Sequence[str]) -> Claim:
    """Return whether C affects the predictions of OLLAWV on any data set."""
    text = "C is a parameter of OLLAWV (the paper searches eight values of it)."
    known = [records[f"{name}/ollawv"] for name in sets if f"{name}/ollawv" in records]
    if not known:
        return Claim(text, None, "OLLAWV was not run.")
    n_same = sum(not record["c_has_effect"] for record in known)
    which = f"all {n_same}" if n_same == len(known) else f"{n_same} of {len(known)}"
    return Claim(
        text,
        n_same < len(known),
        f"On {which} data sets the eight values of C give the same labels: outputs, coefficients, "
        "bias and the stopping threshold all scale with C.",
    )
