"""The claims of Duros and Katzman (2014), checked against the records of the study."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from softmargin.experiments import _duros_katzman_2014 as printed
from softmargin.experiments._claims import listed
from softmargin.experiments._findings import Claim
from softmargin.experiments._phrase_records import EPOCHS, EPOCHS_OF_FEW
from softmargin.experiments._study import Record

# Method, mode and features of an entry.
Key = tuple[str, str, str]
Entries = Mapping[Key, Record]

# Accuracies that differ by less than this (in points) count as about the same.
_NEAR = 2.0
# The number of iterations that the paper expects, and the samples of the first stage.
_STEPS, _FIRST_STAGE = 5, 1000
# Exponents, and how close to their mean an exponent is neither.
_SQUARE, _CUBE, _UNCLEAR = 2.0, 3.0, 0.2

# Texts for modes and kinds of features.
LABELS = {"bin": "two", "multi": "five"}
FEATURES = {"bin": "words", "freq": "counts"}


def growth_claim(times: Mapping[int, float]) -> Claim:
    """Return whether the time of Newton's method finally grows with the cube (table 2)."""
    text = "The time of Newton's method grows with the cube of the number of samples."
    if len(times) < 3:
        return Claim(text, None, "Fewer than three sizes were run.")
    ours = exponents(times)
    shown, theirs = (
        listed([f"{power:.1f}" for power in powers])
        for powers in (ours, exponents(printed.TABLE_2))
    )
    nearer = f" {ours[-1]:.1f} is between square and cube; larger sizes would be needed."
    is_clear = abs(ours[-1] - (_SQUARE + _CUBE) / 2) > _UNCLEAR
    return Claim(
        text,
        ours[-1] > (_SQUARE + _CUBE) / 2 if is_clear else None,
        f"Between successive sizes up to {max(times):,} samples, the exponents are {shown}; in the "
        f"paper's table 2 they are {theirs}.{'' if is_clear else nearer}",
    )


def exponents(times: Mapping[int, float]) -> list[float]:
    """Return the exponent with which time grows from each size to the next."""
    rows = sorted(times)
    return [
        float(np.log(times[more] / times[less]) / np.log(more / less))
        for less, more in itertools.pairwise(rows)
    ]


def steps_claim(steps: Mapping[int, int]) -> Claim:
    """Return whether Newton's method takes at most five steps for each size it solves.

    The sizes are solved in stages, each with twice as many samples as the one before.
    """
    text = "Newton's method converges within five iterations."
    if not steps:
        return Claim(text, None, "It was not run.")
    stages = {n: n_stages(n) for n in steps}
    shown = listed(
        [
            f"{steps[n]} steps for {n:,} samples" + (f" ({k} stages)" if k > 1 else "")
            for n, k in stages.items()
        ]
    )
    return Claim(text, all(steps[n] <= _STEPS * k for n, k in stages.items()), f"{shown}.")


def n_stages(n_rows: int) -> int:
    """Return the number of stages in which Newton's method solves a problem."""
    return 1 if n_rows <= _FIRST_STAGE else 1 + n_stages(-(-n_rows // 2))


def kernel_claim(entries: Entries, where: str) -> Claim:
    """Return whether Newton's method is clearly more accurate with a linear kernel than RBF."""
    text = f"An RBF kernel should not have been used for texts ({where})."
    found = _compared(entries, "NML", "NM")
    if found is None:
        return Claim(text, None, "Not both kernels were run.")
    lead, _, n = found
    evidence = (
        f"Newton's method with a linear kernel: {lead:+.2f} points of accuracy compared with RBF, "
        f"averaged over {n} settings."
    )
    return Claim(text, lead > _NEAR, evidence)


def visits_claim(few: Entries, every: Entries) -> Claim:
    """Return what the records say about the time of Pegasos and the number of samples."""
    text = "The runtime of Pegasos is independent of the number of training samples."
    shown = [
        f"{1e6 * np.median(seconds):.2f} µs ({where})"
        for entries, epochs, where in (
            (few, EPOCHS_OF_FEW, "1,000 phrases"),
            (every, EPOCHS, "all"),
        )
        if (
            seconds := [
                record["seconds"] / (epochs * (record["rows"] - record["rows"] // 10))
                for key, record in entries.items()
                if key[0] == "SSG"
            ]
        )
    ]
    evidence = "The claim is about the time until an accuracy is reached, which is not measured."
    if len(shown) < 2:
        return Claim(text, None, evidence)
    return Claim(text, None, f"{evidence} The time of a visit of a sample is {listed(shown)}.")


def pegasos_claim(entries: Entries, where: str) -> Claim:
    """Return whether Pegasos is about as accurate as gradient descent, and faster."""
    text = f"Pegasos is about as accurate as gradient descent, and faster ({where})."
    found = _compared(entries, "SSG", "GD")
    if found is None:
        return Claim(text, None, "Not both were run.")
    lead, times, n = found
    shown = f"Pegasos: {lead:+.2f} points of accuracy, {1 / times:.1f} times as fast"
    evidence = f"{shown}, averaged over {n} settings."
    return Claim(text, abs(lead) < _NEAR and times < 1, evidence)


def newton_claim(entries: Entries, where: str) -> Claim:
    """Return whether Newton's method is slower than Pegasos and not more accurate."""
    text = f"Newton's method takes longer than Pegasos, and is not better ({where})."
    found = _compared(entries, "NM", "SSG")
    if found is None:
        return Claim(text, None, "Not both were run.")
    lead, times, n = found
    shown = f"Newton takes {times:.1f} times as long, {lead:+.2f} points of accuracy"
    return Claim(text, times > 1 and lead <= 0, f"{shown}, averaged over {n} settings.")


def _compared(entries: Entries, first: str, second: str) -> tuple[float, float, int] | None:
    """Return the mean lead of the first method (points), its relative time, and the settings.

    The relative time is a geometric mean of ratios.
    """
    pairs = [
        (entries[first, *of], entries[second, *of])
        for of in itertools.product(LABELS, FEATURES)
        if (first, *of) in entries and (second, *of) in entries
    ]
    if not pairs:
        return None
    leads = [a["accuracy"] - b["accuracy"] for a, b in pairs]
    ratios = [a["seconds"] / b["seconds"] for a, b in pairs]
    return 100 * float(np.mean(leads)), float(np.exp(np.mean(np.log(ratios)))), len(pairs)


def all_rows_claim(entries: Entries) -> Claim:
    """Return whether Newton's method cannot be run on all phrases."""
    text = "Newton's method cannot be run on all phrases in a reasonable time."
    of_newton = {key: record for key, record in entries.items() if key[0] == "NM"}
    if not of_newton:
        return Claim(text, None, "It was not run on all phrases.")
    shown = ", ".join(
        f"{record['seconds']:.1f} s and {100 * record['accuracy']:.1f} % ({LABELS[mode]} labels, "
        f"{FEATURES[features]})"
        for (_, mode, features), record in of_newton.items()
    )
    return Claim(text, False, f"With a linear kernel, solving for w: {shown}.")


def chance_claim(entries: Entries, paper: printed.Entries, where: str) -> Claim:
    """Return whether one over the number of labels is the accuracy of guessing."""
    text = f"An accuracy above 0.5 with two labels, 0.2 with five, improves upon chance ({where})."
    largest = {mode: record["largest"] for (_, mode, _), record in entries.items()}
    if not largest:
        return Claim(text, None, "Nothing was run.")
    shares = listed([f"{share:.4f} ({LABELS[mode]} labels)" for mode, share in largest.items()])
    beyond = [
        100 * (accuracy - largest[mode])
        for (_, mode, _), (accuracy, _) in paper.items()
        if mode in largest
    ]
    return Claim(
        text,
        all(share <= printed.CHANCE[mode] for mode, share in largest.items()),
        f"Always predicting the most frequent label has an accuracy of {shares}; the published "
        f"accuracies are {_distance(min(beyond), max(beyond))} that.",
    )


def _distance(least: float, most: float) -> str:
    """Return by how many points accuracies are above or below another."""
    if least >= 0:
        return f"{least:.2f} to {most:.2f} points above"
    return f"{least:+.2f} to {most:+.2f} points from"
