"""Pictures that several studies share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from softmargin.experiments._findings import Picture
from softmargin.experiments._paper_tables import common, pick
from softmargin.experiments._study import Records


def accuracies(
    name: str, title: str, records: Records, sets: Sequence[str], methods: Mapping[str, str]
) -> Picture | None:
    """Return bars of accuracy with deviations, for the data sets that all methods have."""
    scores = pick(records, sets, list(methods), "accuracy")
    spreads = pick(records, sets, list(methods), "deviation")
    shown = common(scores, list(methods))
    if not shown:
        return None

    def draw() -> Any:
        from softmargin import plots

        by_method, errors = (
            {
                label: [numbers[each].get(key, 0.0) for each in shown]
                for key, label in methods.items()
            }
            for numbers in (scores, spreads)
        )
        return plots.accuracy_bars(by_method, errors, sets=shown, perfect=100)

    caption = "Mean and standard deviation over the outer folds of each data set."
    return Picture(name, title, caption, draw)


def growth(
    name: str,
    title: str,
    records: Records,
    sets: Sequence[str],
    methods: Mapping[str, str],
    what: str,
    ylabel: str,
    is_share: bool = False,
) -> Picture | None:
    """Return one field of the records by number of samples, with a line for each method."""
    rows = {
        each: record["rows"]
        for each in sets
        for method in methods
        if "rows" in (record := records.get(f"{each}/{method}", {}))
    }
    numbers = pick(records, list(rows), list(methods), what)
    series = {}
    for key, label in methods.items():
        known = [each for each in rows if key in numbers[each]]
        if known:
            series[label] = ([rows[each] for each in known], [numbers[each][key] for each in known])
    if not series:
        return None

    def draw() -> Any:
        from softmargin import plots

        return plots.growth(
            series, ylabel=ylabel, yscale="linear" if is_share else "log", sets=rows
        )

    caption = f"{ylabel} by number of samples; each point is a data set."
    return Picture(name, title, caption, draw)


def available(*pictures: Picture | None) -> list[Picture]:
    """Return the pictures that could be drawn."""
    return [picture for picture in pictures if picture is not None]
