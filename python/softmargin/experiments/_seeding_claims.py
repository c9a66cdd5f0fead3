"""The claims of Nguyen and Ho (2005), checked against the records of the study."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from softmargin.experiments import _nguyen_ho_2005 as printed
from softmargin.experiments._claims import listed
from softmargin.experiments._findings import Claim
from softmargin.experiments._savings import SERIES, Run, saved, saved_each, shared
from softmargin.experiments._series import CLEAR_LEAD, OTHERS, SEEDED, WAYS

_START = {"random": "a random first working set", "alone": "our default start"}
_MEASURES = {"loops": "the loops", "seconds": "the time"}
_NOT_RUN = "No such series was run."
# Results are the same if dual objectives differ by at most this share, and this many labels
# agree (%).
_SAME_OBJECTIVE, _SAME_LABELS = 1e-3, 99.9
# Settings are equally accurate if they differ by at most this many points.
_SAME_ACCURACY = 0.1


def common_claim(runs: Sequence[Run]) -> Claim:
    """Return whether classifiers of two settings share most support vectors (figure 1)."""
    text = "Two classifiers with different settings share a large part of their support vectors."
    shares = [(share, run.label) for run in runs if (share := shared(run)) is not None]
    if not shares:
        return Claim(text, None, _NOT_RUN)
    (least, where), (most, there) = min(shares), max(shares)
    return Claim(
        text,
        least > 50,
        f"From {least:.1f} % ({where}) to {most:.1f} % ({there}) of the support vectors of the "
        "second classifier are support vectors of the first.",
    )


def loops_claim(runs: Sequence[Run], whose: str, than: str) -> Claim:
    """Return whether the queue saves loops in every series."""
    text = (
        f"The queue of support vectors saves loops in every series, compared with {_START[than]} "
        f"({whose})."
    )
    return _range_claim(text, runs, "loops", than, lambda least: least > 0)


def time_claim(runs: Sequence[Run], whose: str, than: str) -> Claim:
    """Return whether the queue saves as much time as the paper states."""
    text = (
        f"The queue saves {printed.LEAST_SAVED} % to {printed.MOST_SAVED} % of the training time "
        f"of each later classifier, compared with {_START[than]} ({whose})."
    )
    return _range_claim(text, runs, "seconds", than, lambda least: least >= printed.LEAST_SAVED)


def _range_claim(
    text: str, runs: Sequence[Run], what: str, than: str, holds: Callable[[float], bool]
) -> Claim:
    """Return a claim about the series with the smallest saving."""
    shares = _shares(runs, what, "queue", than)
    if not shares:
        return Claim(text, None, _NOT_RUN)
    each = [share for run in runs for share in saved_each(run, what, "queue", than)]
    (least, where), (most, there) = min(shares), max(shares)
    return Claim(
        text,
        holds(least),
        f"Whole series: {least:.0f} % ({where}) to {most:.0f} % ({there}); single settings: "
        f"{min(each):.0f} % to {max(each):.0f} %.",
    )


def solutions_claim(runs: Sequence[Run]) -> Claim:
    """Return whether all starting points lead to the same solution, if they converged."""
    text = "Seeding does not change the result: each starting point leads to the same solution."
    apart, same, n_left_out = [], [], 0
    for machines in (run.record["machines"] for run in runs if run.is_known):
        for k in range(len(machines["seconds_alone"])):
            if any(machines[f"unfinished_{way}"][k] for way in WAYS):
                n_left_out += 1
                continue
            apart += [machines[f"objective_{way}"][k] for way in OTHERS]
            same += [machines[f"same_{way}"][k] for way in OTHERS]
    left_out = f" {n_left_out} settings did not converge in time and are excluded."
    if not apart:
        return Claim(text, None, left_out.strip() if n_left_out else _NOT_RUN)
    least = min((share for share in same if share is not None), default=100.0)
    return Claim(
        text,
        max(apart) <= _SAME_OBJECTIVE and least >= _SAME_LABELS,
        f"Dual objectives differ by at most {max(apart):.1e} of their value; of the test samples "
        f"whose largest output leads by more than {CLEAR_LEAD}, {least:.2f} % get the same label."
        f"{left_out if n_left_out else ''}",
    )


def selection_claim(runs: Sequence[Run]) -> Claim:
    """Return whether seeded series select a setting that is as accurate as the best one."""
    text = "Seeding does not change which setting is selected, or finds one as accurate."
    losses = [
        (max(accurate) - accurate[int(np.argmax(machines[f"accuracy_{way}"]))], run)
        for run in runs
        if run.is_known
        for machines in [run.record["machines"]]
        for accurate in [machines["accuracy_alone"]]
        for way in SEEDED
    ]
    if not losses:
        return Claim(text, None, _NOT_RUN)
    n_same = sum(loss <= _SAME_ACCURACY for loss, _ in losses)
    most, where = max(losses, key=lambda each: each[0])
    unclear = 100 - min(where.record["machines"]["clear_alone"])
    at_worst = (
        f" In the worst case it is {most:.2f} points less accurate ({where.label}), where the "
        f"largest output of up to {unclear:.0f} % of the test samples leads by less than "
        f"{CLEAR_LEAD}, so the tolerance of training decides their labels."
    )
    return Claim(
        text,
        n_same == len(losses),
        f"By test accuracy, {n_same} of {len(losses)} seeded series select a setting that is as "
        f"accurate without seeds, within {_SAME_ACCURACY} points."
        f"{'' if n_same == len(losses) else at_worst}",
    )


def kernels_claim(runs: Sequence[Run]) -> Claim:
    """Return whether coefficients save nothing when the kernel changes."""
    text = "Coefficients cannot seed a classifier with a different kernel."
    between = [run for run in runs if run.family != "linear" and run.is_known]
    parts = []
    for family in ("poly", "rbf"):
        of_family = [run for run in between if run.family == family]
        found = [
            f"{min(shares):.0f} % to {max(shares):.0f} % of {name}"
            for what, name in _MEASURES.items()
            if (shares := [share for share, _ in _shares(of_family, what, "coefficients")])
        ]
        if found:
            parts.append(f"{SERIES[family]} {listed(found)}")
    if not parts:
        return Claim(text, None, _NOT_RUN)
    helps = any(share > 0 for share, _ in _shares(between, "loops", "coefficients"))
    return Claim(text, not helps, f"Savings in such series: {', '.join(parts)}.")


def _shares(
    runs: Sequence[Run], what: str, way: str, than: str = "alone"
) -> list[tuple[float, str]]:
    """Return the share (%) saved in each series, with the name of the series."""
    shares = [(saved(run, what, way, than), run.label) for run in runs]
    return [(share, label) for share, label in shares if share is not None]
