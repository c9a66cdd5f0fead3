"""Pictures that several studies have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hinge.experiments._beside import Numbers, common, pick
from hinge.experiments._findings import Picture
from hinge.experiments._study import Records


def accuracies(
    name: str, title: str, records: Records, sets: Sequence[str], methods: Mapping[str, str]
) -> Picture | None:
    """Return bars of accuracy with deviations, set by set."""
    spreads = pick(records, sets, list(methods), "deviation")
    scores = pick(records, sets, list(methods), "accuracy")
    return bars_of_sets(name, title, scores, methods, "accuracy, %", spreads)


def bars_of_sets(
    name: str,
    title: str,
    numbers: Numbers,
    methods: Mapping[str, str],
    unit: str,
    spreads: Numbers | None = None,
) -> Picture | None:
    """Return bars of the sets that all methods have, on a scale of powers of ten for times."""
    sets = common(numbers, list(methods))
    if not sets:
        return None

    def draw() -> Any:
        from hinge import plots

        by_method = {
            label: {each: numbers[each][key] for each in sets} for key, label in methods.items()
        }
        if spreads is None:
            return plots.bars(by_method, ylabel=unit, scale="log")
        errors = {
            label: {each: spreads[each].get(key, 0.0) for each in sets}
            for key, label in methods.items()
        }
        return plots.accuracy_bars(by_method, errors)

    caption = (
        f"Each set that was run with all methods: {unit}."
        if spreads is None
        else "Mean and standard deviation of the outer folds of each set."
    )
    return Picture(name, title, caption, draw)
