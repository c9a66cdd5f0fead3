"""The claims of Lu and Jin (2017), checked against the curves of the four rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from softmargin.experiments import _lu_jin_2017 as printed
from softmargin.experiments._curves import RULES, Outcome
from softmargin.experiments._findings import Claim

_EARLY = 1_000

Outcomes = Mapping[str, Outcome]
# Whether a claim holds, and the evidence.
Verdict = tuple[bool | None, str]


def accuracy_claims(name: str, found: Outcomes) -> list[Claim]:
    """Return the claims about the most accurate rule on a data set."""
    table = dict(zip(printed.RULES, printed.TABLE_2[name], strict=True))
    first = max(table, key=lambda rule: table[rule])
    claimed = {first: "table 2"}
    if name in printed.FIVE_SETS:
        claimed.setdefault(printed.BEST_OF_FIVE, f"abstract; in table 2 it is {RULES[first]}")
    return [
        _checked(
            f"{name}: {RULES[rule]} is the most accurate ({where}).",
            found,
            partial(_most_accurate, rule),
        )
        for rule, where in claimed.items()
    ]


def speed_claims(name: str, found: Outcomes) -> list[Claim]:
    """Return the claims about the fastest rule on a data set, by three measures."""
    rule = printed.FASTEST[name]
    text = f"{name}: {RULES[rule]} converges the fastest (figure {printed.FIGURES[name]})"
    measures = {
        f"it is ahead after {_EARLY:,} steps": _ahead,
        "it first comes within a point of its own final accuracy": _first_at_own_end,
        "it first comes within a point of the best final accuracy": _first_at_best_end,
    }
    return [
        _checked(f"{text}: {what}.", found, partial(check, rule))
        for what, check in measures.items()
    ]


def _checked(text: str, found: Outcomes, check: Callable[[Outcomes], Verdict]) -> Claim:
    """Return a claim about the four rules of the paper; undecided unless all were run."""
    ours = {rule: found[rule] for rule in printed.RULES if rule in found}
    if len(ours) < len(printed.RULES):
        return Claim(text, None, "Not all four rules were run.")
    return Claim(text, *check(ours))


def _most_accurate(claimed: str, ours: Outcomes) -> Verdict:
    """Tell whether a rule has the best final accuracy, by more than two standard errors.

    If the best two, or the claimed and the best, are closer than that, it is undecided.
    """
    order = sorted(ours, key=lambda rule: -ours[rule].end)
    best = order[0]
    rival = order[1] if best == claimed else claimed
    lead = ours[best].end - ours[rival].end
    is_clear = lead > 2 * math.hypot(ours[best].error, ours[rival].error)
    shown = ", ".join(f"{RULES[rule]} {ours[rule].shown}" for rule in order)
    note = "" if is_clear else f" {RULES[best]} and {RULES[rival]} are too close to tell apart."
    return (best == claimed) if is_clear else None, f"{shown} %.{note}"


def _ahead(claimed: str, ours: Outcomes) -> Verdict:
    early = {rule: of.at(_EARLY) for rule, of in ours.items()}
    order = sorted(early, key=lambda rule: -early[rule])
    shown = ", ".join(f"{RULES[rule]} {early[rule]:.2f}" for rule in order)
    return order[0] == claimed, f"{shown} %."


def _first_at_own_end(claimed: str, ours: Outcomes) -> Verdict:
    return _first(claimed, {rule: of.steps_to(of.end - 1) for rule, of in ours.items()})


def _first_at_best_end(claimed: str, ours: Outcomes) -> Verdict:
    best = max(of.end for of in ours.values())
    return _first(claimed, {rule: of.steps_to(best - 1) for rule, of in ours.items()})


def _first(claimed: str, steps: Mapping[str, int | None]) -> Verdict:
    """Tell whether a rule needs no more steps than any other."""
    order = sorted(steps, key=lambda rule: steps[rule] or math.inf)
    shown = ", ".join(f"{RULES[rule]} {_steps(steps[rule])}" for rule in order)
    is_first = steps[claimed] is not None and steps[claimed] == steps[order[0]]
    return is_first, f"Steps: {shown}."


def _steps(steps: int | None) -> str:
    return "never" if steps is None else f"{steps:,}"
