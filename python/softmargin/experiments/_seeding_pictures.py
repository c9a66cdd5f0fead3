"""Figures 1 and 2 of paper 002, by our numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from softmargin.experiments._findings import Picture
from softmargin.experiments._savings import SERIES, Run, shared
from softmargin.experiments._series import FAMILIES, WAYS

_MEASURES = {"loops": "loops", "seconds": "time"}
_AXES = {"linear": "C", "poly": "degree", "rbf": "C (mean over gamma)"}


def common_picture(runs: Sequence[Run]) -> list[Picture]:
    """Return figure 1: the share of support vectors in common, by set and kernel."""
    known = {(run.set, run.family): share for run in runs if (share := shared(run)) is not None}
    if not known:
        return []
    sets = list(dict.fromkeys(name for name, _ in known))

    def draw() -> Any:
        from softmargin import plots

        nothing = float("nan")
        bars = {
            SERIES[family]: [known.get((name, family), nothing) for name in sets]
            for family in FAMILIES
        }
        return plots.accuracy_bars(
            bars, sets=sets, perfect=100, floor=0, label="support vectors in common"
        )

    caption = (
        f"Support vectors of the second machine that the first has too, on {', '.join(sets)}: "
        "linear C 1 and 2, polynomial degree 2 and 3, RBF C 1 and 2 with gamma 0.01; all "
        "one-vs-rest machines."
    )
    return [Picture("figure-1", "Figure 1: support vectors in common", caption, draw)]


def series_pictures(runs: Sequence[Run]) -> list[Picture]:
    """Return figure 2: loops and time of each setting, for each set and working set."""
    found = []
    for name, is_own in dict.fromkeys((run.set, run.is_own) for run in runs if run.is_known):
        own = [run for run in runs if (run.set, run.is_own) == (name, is_own) and run.is_known]
        rows = "our own working set" if is_own else f"a working set of {own[0].working_set} rows"
        found.append(
            Picture(
                f"figure-2-{name}-{'own' if is_own else 'paper'}",
                f"Figure 2: {name}, {rows}",
                "Loops and time of each setting, divided by the largest of its panel.",
                partial(_draw_series, own),
            )
        )
    return found


def _draw_series(runs: Sequence[Run]) -> Any:
    from matplotlib.ticker import MaxNLocator

    from softmargin.plots._look import COLOURS, DASHES, MARKS, pyplot, tidy

    figure, axes = pyplot().subplots(
        len(_MEASURES),
        len(runs),
        figsize=(1.0 + 3.2 * len(runs), 4.6),
        layout="constrained",
        squeeze=False,
        sharey=True,
    )
    for column, run in enumerate(runs):
        axes[0][column].set_title(SERIES[run.family])
        axes[-1][column].set_xlabel(_AXES[run.family])
        for row, (what, label) in enumerate(_MEASURES.items()):
            ax = axes[row][column]
            curves = {way: _curve(run, f"{what}_{way}") for way in WAYS}
            top = max(max(curve.values()) for curve in curves.values())
            for k, (way, curve) in enumerate(curves.items()):
                look: dict[str, Any] = {"color": COLOURS[k], "linestyle": DASHES[k]}
                shown = [value / top for value in curve.values()]
                ax.plot(list(curve), shown, label=way, marker=MARKS[k], markersize=4, **look)
            tidy(ax)
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            ax.set_ylim(0, 1.05)
            if column == 0:
                ax.set_ylabel(f"{label} (share of the most)")
    figure.legend(
        *axes[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False
    )
    return figure


def _curve(run: Run, what: str) -> dict[float, float]:
    """Return a number of each machine by C or degree, for RBF the mean over gamma.

    Such a mean leaves out the first setting, at which all ways are alone.
    """
    values = run.record["machines"][what]
    pairs = list(zip(run.record["cells"], values, strict=True))
    if run.family == "poly":
        return {cell["degree"]: value for cell, value in pairs}
    if run.family == "linear":
        return {cell["C"]: value for cell, value in pairs}
    by_cost: dict[float, list[float]] = {}
    for cell, value in pairs[1:]:
        by_cost.setdefault(cell["C"], []).append(value)
    return {cost: sum(by_cost[cost]) / len(by_cost[cost]) for cost in sorted(by_cost)}
