"""Figures 1 and 2 of Nguyen and Ho (2005), from our numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from softmargin.experiments._findings import Picture
from softmargin.experiments._savings import SERIES, Run, shared
from softmargin.experiments._series import FAMILIES, WAYS

_MEASURES = {"loops": "Loops", "seconds": "Time"}
_AXES = {"linear": "C", "poly": "degree", "rbf": "C (mean over gamma)"}


def common_picture(runs: Sequence[Run]) -> list[Picture]:
    """Return figure 1: the share of common support vectors by data set and kernel."""
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
            bars, sets=sets, perfect=100, floor=0, label="Support vectors in common"
        )

    caption = (
        f"Share of the support vectors of the second classifier that are also support vectors of "
        f"the first, on {', '.join(sets)}: linear with C 1 and 2, polynomial with degree 2 and 3, "
        "RBF with C 1 and 2 and gamma 0.01; all one-vs-rest classifiers."
    )
    return [Picture("figure-1", "Figure 1: support vectors in common", caption, draw)]


def series_pictures(runs: Sequence[Run]) -> list[Picture]:
    """Return figure 2: loops and time of each setting, for each data set and working set."""
    found = []
    for name, is_own in dict.fromkeys((run.set, run.is_own) for run in runs if run.is_known):
        own = [run for run in runs if (run.set, run.is_own) == (name, is_own) and run.is_known]
        size = "default working set" if is_own else f"working set of {own[0].working_set} samples"
        found.append(
            Picture(
                f"figure-2-{name}-{'own' if is_own else 'paper'}",
                f"Figure 2: {name}, {size}",
                "Loops and time of each setting, relative to the maximum of the panel.",
                partial(_draw_series, own),
            )
        )
    return found


def _draw_series(runs: Sequence[Run]) -> Any:
    from matplotlib.ticker import MaxNLocator

    from softmargin.plots._look import COLORS, DASHES, MARKS, pyplot, tidy

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
                look: dict[str, Any] = {"color": COLORS[k], "linestyle": DASHES[k]}
                shown = [value / top for value in curve.values()]
                ax.plot(list(curve), shown, label=way, marker=MARKS[k], markersize=4, **look)
            tidy(ax)
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            ax.set_ylim(0, 1.05)
            if column == 0:
                ax.set_ylabel(f"{label} (relative)")
    figure.legend(
        *axes[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False
    )
    return figure


def _curve(run: Run, what: str) -> dict[float, float]:
    """Return a number of each classifier by C or degree, for RBF the mean over gamma.

    The mean excludes the first setting, at which nothing is seeded.
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
