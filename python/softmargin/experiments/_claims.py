"""Claims that several papers make, held against the records."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from softmargin.experiments._beside import Numbers, common
from softmargin.experiments._findings import Claim


def ratio_claim(
    text: str, numbers: Numbers, methods: Mapping[str, str], at_least: float, unit: str
) -> Claim:
    """Return whether the others take so many times as much as the first method.

    Sums over sets are compared, as in averages of papers.
    """
    first, *others = methods
    sets = common(numbers, list(methods))
    if not sets:
        return Claim(text, None, "No set was run with all methods.")
    total = {key: sum(numbers[name][key] for name in sets) for key in methods}
    ratios = {key: total[key] / total[first] for key in others}
    shown = ", ".join(f"{methods[key]} {ratio:.1f} times" for key, ratio in ratios.items())
    return Claim(
        text,
        min(ratios.values()) >= at_least,
        f"{shown} {unit} of {methods[first]}, in sum over {len(sets)} sets.",
    )


def close_claim(
    table: str,
    numbers: Numbers,
    methods: Mapping[str, str],
    is_off: Callable[[str, str], bool],
) -> Claim:
    """Return whether all accuracies are near those of a table."""
    text = f"Every accuracy is within two standard deviations of {table}."
    entries = [(name, key) for name, row in numbers.items() for key in methods if key in row]
    if not entries:
        return Claim(text, None, "Nothing was run.")
    far = [f"{name} {methods[key]}" for name, key in entries if is_off(name, key)]
    shown = f"{len(entries) - len(far)} of {len(entries)} are"
    return Claim(text, not far, f"{shown}; not: {', '.join(far)}." if far else f"{shown}.")


def order_claim(text: str, means: Mapping[str, float | None]) -> Claim:
    """Return whether the first of two mean accuracies is the larger."""
    (first, better), (second, worse) = means.items()
    if better is None or worse is None:
        return Claim(text, None, "Not all settings were run.")
    evidence = f"Mean accuracy: {first} {better:.2f} %, {second} {worse:.2f} %."
    return Claim(text, better > worse, evidence)
