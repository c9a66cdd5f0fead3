"""Friedman ranks of methods over data sets, ours and the published ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import softmargin
from softmargin.experiments._findings import Cell, Claim, Column, Picture, Table, number, word
from softmargin.experiments._paper_tables import Numbers, common
from softmargin.statistics import Comparison


def compared(
    numbers: Numbers, methods: Mapping[str, str], higher_is_better: bool, control: str | None = None
) -> Comparison | None:
    """Return the comparison over the data sets that all methods have; None if too few."""
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
    """Return the mean ranks of our numbers and of the published numbers, and the published ranks.

    ``printed`` contains ranks by method, and optionally "p" and "distance".
    """
    columns = [
        Column("method", is_number=False),
        Column("ours"),
        Column("paper, from its table", is_paper=True),
        Column("paper, as printed", is_paper=True),
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
    n_theirs = 0 if known is None else known.n_sets
    caption = f"Ours over {n_sets} data sets, the paper's over {n_theirs}."
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

# With fewer data sets only large differences are significant.
_FEW_SETS = 12


def ranking_picture(
    name: str,
    title: str,
    numbers: Numbers,
    methods: Mapping[str, str],
    higher_is_better: bool,
    control: str | None = None,
) -> Picture | None:
    """Return the diagram of critical differences, if there are data sets to compare."""
    found = compared(numbers, methods, higher_is_better, control)
    if found is None:
        return None

    def draw() -> Any:
        from softmargin import plots

        return plots.critical_difference(found)

    caption = (
        f"Mean ranks over {found.n_sets} data sets, the best on the left. The bar covers the "
        f"critical distance from {found.control} in the Bonferroni-Dunn test; methods within it do "
        "not differ significantly (5 %)."
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
    """Return whether exactly these methods are significantly worse than the control."""
    found = compared(numbers, methods, higher_is_better, control)
    if found is None:
        return Claim(text, None, "Too few data sets were run with all methods.")
    ranks = ", ".join(
        f"{label} {rank:.2f}" for label, rank in zip(found.names, found.ranks, strict=True)
    )
    shown = ", ".join(found.worse_than_control) or "none"
    significant = set(found.worse_than_control)
    is_undecided = significant < worse and found.n_sets < _FEW_SETS
    return Claim(
        text,
        None if is_undecided else significant == worse,
        f"Significantly worse than {control}: {shown}. Mean ranks over {found.n_sets} data sets: "
        f"{ranks}; critical distance {found.bonferroni_dunn:.2f}, Iman-Davenport p "
        f"{found.p_f:.2g}."
        + (" More data sets are needed to detect smaller differences." if is_undecided else ""),
    )
