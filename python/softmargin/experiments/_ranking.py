"""Friedman ranks of methods over sets, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import softmargin
from softmargin.experiments._beside import Numbers, common
from softmargin.experiments._findings import Cell, Claim, Column, Picture, Table, number, word
from softmargin.statistics import Comparison


def compared(
    numbers: Numbers, methods: Mapping[str, str], higher_is_better: bool, control: str | None = None
) -> Comparison | None:
    """Return the comparison over the sets that all methods have, or None if these are too few."""
    sets = common(numbers, list(methods))
    if len(sets) < 2 or len(methods) < 2:
        return None
    scores = {label: [numbers[name][key] for name in sets] for key, label in methods.items()}
    return softmargin.statistics.compare(scores, control=control, higher_is_better=higher_is_better)


def ranking_table(
    title: str,
    ours: Numbers,
    theirs: Numbers,
    methods: Mapping[str, str],
    higher_is_better: bool,
    printed: Mapping[str, float],
) -> Table:
    """Return mean ranks of our numbers, of the paper's numbers, and as the paper prints them.

    ``printed`` has ranks by method, and maybe "p" and "distance".
    """
    columns = [
        Column("method", is_number=False),
        Column("ours"),
        Column("from its table", "paper", is_paper=True),
        Column("printed", "paper", is_paper=True),
    ]
    mine = compared(ours, methods, higher_is_better)
    known = compared(theirs, methods, higher_is_better)
    rows = []
    for place, (key, label) in enumerate(methods.items()):
        values = [None if each is None else float(each.ranks[place]) for each in (mine, known)]
        first = values[0] is not None and mine is not None and values[0] == min(mine.ranks)
        rows.append(
            [
                word(label),
                number(values[0], 3, is_best=first),
                number(values[1], 3),
                number(printed.get(key), 3),
            ]
        )
    foot = [
        [
            word(text),
            *(_test_cell(None if each is None else of(each), key) for each in (mine, known)),
            _test_cell(printed.get(key), key),
        ]
        for key, (text, of) in _TESTS.items()
    ]
    n_sets = 0 if mine is None else mine.n_sets
    caption = f"Ours over {n_sets} sets, the paper's over {0 if known is None else known.n_sets}."
    return Table(title, columns, rows, foot, caption)


def _test_cell(value: float | None, key: str) -> Cell:
    if key == "p" and value is not None and value < 1e-4:
        return Cell(value, "< 0.0001")
    return number(value, 4 if key == "p" else 2)


_TESTS: dict[str, tuple[str, Callable[[Comparison], float]]] = {
    "f": ("Iman-Davenport F", lambda found: found.f),
    "p": ("p", lambda found: found.p_f),
    "distance": ("critical distance (Bonferroni-Dunn)", lambda found: found.bonferroni_dunn),
}

# With fewer sets a difference must be large to be significant.
_FEW_SETS = 12


def ranking_picture(
    name: str,
    title: str,
    numbers: Numbers,
    methods: Mapping[str, str],
    higher_is_better: bool,
    control: str | None = None,
) -> Picture | None:
    """Return the diagram of critical differences, if there are sets to compare."""
    found = compared(numbers, methods, higher_is_better, control)
    if found is None:
        return None

    def draw() -> Any:
        from softmargin import plots

        return plots.critical_difference(found)

    caption = (
        f"Mean ranks over {found.n_sets} sets, the best on the left; the bar is the critical "
        f"distance of the Bonferroni-Dunn test from {found.control}. Who is within it is not "
        "significantly worse (5 %)."
    )
    return Picture(name, title, caption, draw)


def ranking_claim(
    text: str,
    numbers: Numbers,
    methods: Mapping[str, str],
    higher_is_better: bool,
    control: str,
    worse: set[str],
) -> Claim:
    """Return whether just these methods are significantly worse than the control."""
    found = compared(numbers, methods, higher_is_better, control)
    if found is None:
        return Claim(text, None, "Too few sets were run with all methods.")
    ranks = ", ".join(
        f"{label} {rank:.2f}" for label, rank in zip(found.names, found.ranks, strict=True)
    )
    shown = ", ".join(found.worse_than_control) or "none"
    significant = set(found.worse_than_control)
    cannot_be_told = significant < worse and found.n_sets < _FEW_SETS
    return Claim(
        text,
        None if cannot_be_told else significant == worse,
        f"Significantly worse than {control}: {shown}. Mean ranks over {found.n_sets} sets: "
        f"{ranks}; critical distance {found.bonferroni_dunn:.2f}, p of Iman and Davenport "
        f"{found.p_f:.2g}." + (" Too few sets for more." if cannot_be_told else ""),
    )
