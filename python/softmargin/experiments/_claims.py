"""Claims that several papers make, checked against the records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from softmargin.experiments._findings import Claim
from softmargin.experiments._paper_tables import Numbers, common


def ratio_claim(
    text: str,
    numbers: Numbers,
    methods: Mapping[str, str],
    at_least: float,
    verb: Literal["takes", "has"],
    as_much: str,
) -> Claim:
    """Return whether all others need at least this many times as much as the first method.

    The evidence reads "A {verb} 2.0 times {as_much} as B". It compares totals over the data sets,
    like the averages in the papers.
    """
    first, *others = methods
    sets = common(numbers, list(methods))
    if not sets:
        return Claim(text, None, "No data set was run with all methods.")
    total = {key: sum(numbers[name][key] for name in sets) for key in methods}
    ratios = {key: total[key] / total[first] for key in others}
    evidence = f"In total over {len(sets)} data sets, {_joined(_ratios(ratios, methods), verb)}"
    return Claim(
        text, min(ratios.values()) >= at_least, f"{evidence} {as_much} as {methods[first]}."
    )


def lowest_claim(
    text: str,
    numbers: Numbers,
    methods: Mapping[str, str],
    what: str,
    holds: Callable[[list[str]], bool],
) -> Claim:
    """Return whether the first method has the lowest number except on some data sets.

    The evidence reads "A has {what} on 3 of 4 data sets, not on B". ``holds`` takes the
    data sets on which another method is lower.
    """
    first, *others = methods
    sets = common(numbers, list(methods))
    if not sets:
        return Claim(text, None, "No data set was run with all methods.")
    missed = [
        name for name in sets if numbers[name][first] > min(numbers[name][key] for key in others)
    ]
    shown = f"{methods[first]} has {what} on {len(sets) - len(missed)} of {len(sets)} data sets"
    return Claim(text, holds(missed), f"{shown}{f', not on {listed(missed)}' if missed else ''}.")


def factors_claim(
    text: str, numbers: Numbers, methods: Mapping[str, str], factors: Mapping[str, float]
) -> Claim:
    """Return whether others take at least these multiples of the first method, within 10 %.

    Like the averages in the papers, it compares totals over the data sets.
    """
    first = next(iter(methods))
    sets = common(numbers, list(methods))
    if not sets:
        return Claim(text, None, "No data set was run with all methods.")
    total = {key: sum(numbers[name][key] for name in sets) for key in methods}
    ratios = {key: total[key] / total[first] for key in factors}
    evidence = f"In total over {len(sets)} data sets, {_joined(_ratios(ratios, methods), 'takes')}"
    holds = all(ratios[key] >= 0.9 * factor for key, factor in factors.items())
    return Claim(text, holds, f"{evidence} as long as {methods[first]}.")


def _ratios(ratios: Mapping[str, float], methods: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return which methods have which ratio, with those of the same ratio together."""
    names: dict[str, list[str]] = {}
    for key, ratio in ratios.items():
        names.setdefault(f"{ratio:.1f} times", []).append(methods[key])
    return [(listed(of), ratio) for ratio, of in names.items()]


def _joined(pairs: list[tuple[str, str]], verb: str) -> str:
    """Return "A takes 2 times and B 3 times"; a list of names takes the plural of the verb."""
    (first, ratio), *others = pairs
    plural = {"takes": "take", "has": "have"}[verb] if " and " in first else verb
    return listed([f"{first} {plural} {ratio}", *(f"{name} {of}" for name, of in others)])


def close_claim(
    table: str,
    numbers: Numbers,
    methods: Mapping[str, str],
    is_off: Callable[[str, str], bool],
) -> Claim:
    """Return whether all accuracies are close to those of a table."""
    text = f"Every accuracy is within two standard deviations of {table}."
    entries = [(name, key) for name, row in numbers.items() for key in methods if key in row]
    if not entries:
        return Claim(text, None, "Nothing was run.")
    far = [(name, methods[key]) for name, key in entries if is_off(name, key)]
    shown = f"{len(entries) - len(far)} of {len(entries)} are"
    if far:
        shown += f"; the exception{' is' if len(far) == 1 else 's are'} {_exceptions(far)}"
    return Claim(text, not far, f"{shown}.")


def _exceptions(far: Sequence[tuple[str, str]]) -> str:
    """Return "A on iris and wine, and B and C on glass" for pairs of a data set and a method."""
    sets: dict[str, list[str]] = {}
    for name, method in far:
        sets.setdefault(method, []).append(name)
    methods: dict[str, list[str]] = {}
    for method, names in sets.items():
        methods.setdefault(listed(names), []).append(method)
    *first, last = [f"{listed(of)} on {names}" for names, of in methods.items()]
    return f"{', '.join(first)}, and {last}" if first else last


def order_claim(text: str, means: Mapping[str, float | None]) -> Claim:
    """Return whether the first of two mean accuracies is larger."""
    (first, better), (second, worse) = means.items()
    if better is None or worse is None:
        return Claim(text, None, "Not all settings were run.")
    evidence = f"Mean accuracy: {first} {better:.2f} %, {second} {worse:.2f} %."
    return Claim(text, better > worse, evidence)


def listed(parts: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
