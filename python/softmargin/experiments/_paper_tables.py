"""Tables with our numbers next to the published ones: one row per data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from softmargin.experiments._findings import Cell, Column, Table, number, word
from softmargin.experiments._study import Record, Records

# Data set -> method -> number; unknown numbers are omitted.
Numbers = Mapping[str, Mapping[str, float]]

OFF = "more than two standard deviations from the paper"

# Half a unit of the last digit of a published accuracy (%).
_ROUNDING = 0.005


def pick(records: Records, sets: Sequence[str], methods: Sequence[str], what: str) -> Numbers:
    """Return one field of the complete records "set/method" as a table."""
    found: dict[str, dict[str, float]] = {}
    for name in sets:
        rows = {method: records.get(f"{name}/{method}", {}) for method in methods}
        found[name] = {
            method: record[what]
            for method, record in rows.items()
            if record.get(what) is not None and record.get("complete", True)
        }
    return found


def common(numbers: Numbers, methods: Sequence[str]) -> list[str]:
    """Return the data sets for which all of these methods have a number."""
    return [name for name, row in numbers.items() if all(method in row for method in methods)]


def is_off(record: Record, paper: float, deviation: float | None) -> bool:
    """Tell whether an accuracy is more than two standard deviations from the published one.

    The deviation is the published one if there is one, otherwise ours. Published accuracies are
    rounded, so that a difference within their rounding does not count.
    """
    spread = deviation if deviation is not None else record.get("deviation")
    if spread is None or record.get("accuracy") is None:
        return False
    return bool(abs(record["accuracy"] - paper) > 2 * spread + _ROUNDING)


def paper_table(
    title: str,
    ours: Numbers,
    methods: Mapping[str, str],
    paper: Numbers | None = None,
    show: Callable[..., Cell] = number,
    higher_is_better: bool = True,
    off: Callable[[str, str], bool] = lambda name, method: False,
    averaged: Sequence[str] | None = None,
) -> Table:
    """Return the table of these methods (key: label).

    The last row contains the means over the data sets for which all methods, or those in
    ``averaged``, have a number.
    """
    columns = [Column("data set", is_number=False)]
    for label in methods.values():
        columns.append(Column(label) if paper is None else Column("ours", label))
        if paper is not None:
            columns.append(Column("paper", label, is_paper=True))
    best = max if higher_is_better else min
    rows = []
    for name, row in ours.items():
        known = [row[method] for method in methods if method in row]
        if not known and paper is None:
            continue
        cells = [word(name)]
        for method in methods:
            value = row.get(method)
            wins = value is not None and len(known) > 1 and value == best(known)
            far = value is not None and off(name, method)
            cells.append(show(value, is_best=wins, is_off=far, note=OFF if far else ""))
            if paper is not None:
                cells.append(show(paper.get(name, {}).get(method)))
        rows.append(cells)
    return Table(
        title, columns, rows, _means(ours, methods, paper, show, averaged or list(methods))
    )


def _means(
    ours: Numbers,
    methods: Mapping[str, str],
    paper: Numbers | None,
    show: Callable[..., Cell],
    averaged: Sequence[str],
) -> list[list[Cell]]:
    sets = [name for name in common(ours, averaged) if paper is None or name in paper]
    if not sets:
        return []

    def mean(numbers: Numbers, method: str) -> Cell:
        known = [numbers[name][method] for name in sets if method in numbers[name]]
        return show(float(np.mean(known)) if len(known) == len(sets) else None)

    cells = [word(f"mean of {len(sets)}")]
    for method in methods:
        cells.append(mean(ours, method))
        if paper is not None:
            cells.append(mean(paper, method))
    return [cells]
