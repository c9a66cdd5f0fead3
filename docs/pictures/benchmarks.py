"""The figures of the benchmark page, from ``benches/results``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from drawing import ink, panels, picture
from softmargin import plots
from softmargin.plots._log_axis import log_ticks
from softmargin.plots._look import COLORS, HATCHES, tidy
from tables import benchmark


def _speed_ups(names: Sequence[str], values: dict[str, Sequence[float]], peer: str) -> Any:
    """Draw bars from 1 on a logarithmic axis, with their values."""
    thick = 0.78 / len(values)
    _, ax = panels(1, 1, 1.1 + len(names) * max(0.28, 0.18 * len(values) + 0.06))
    for k, (label, lengths) in enumerate(values.items()):
        places = np.arange(len(names)) + (k - (len(values) - 1) / 2) * thick
        look = {"facecolor": (COLORS[k], 0.55), "edgecolor": COLORS[k], "hatch": HATCHES[k]}
        ax.barh(places, np.array(lengths) - 1, thick, left=1, label=label, **look)
        for place, length in zip(places, lengths, strict=True):
            ax.annotate(
                f"{length:g}×",
                (length, place),
                xytext=(4, 0),
                va="center",
                textcoords="offset points",
                fontsize=9.5,
            )
    ax.axvline(1, color=ink(), linewidth=1.2)
    most = max(max(lengths) for lengths in values.values())
    ax.set(xscale="log", xlim=(min(1, *map(min, values.values())) * 0.95, most**1.12 * 1.1))
    log_ticks(ax.xaxis)
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.4, -0.6), xlabel=f"Speed-up over {peer}")
    tidy(ax, "x")
    if len(values) > 1:
        ax.figure.legend(
            *ax.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False
        )
    return ax


@picture("benchmarks-svc")
def svc() -> Any:
    """Draw the speed-up of SVC."""
    rows = benchmark("svc_fit")
    names = [row[0].replace(", ", ",\n") for row in rows]
    return _speed_ups(names, {"SVC": [row[4] for row in rows]}, "the faster peer")


@picture("benchmarks-nested")
def nested() -> Any:
    """Draw the speed-up of nested cross-validation."""
    rows = benchmark("nested_scikit_learn")
    values = {"svc": [row[3] for row in rows], "ollawv": [row[5] for row in rows]}
    return _speed_ups([row[0] for row in rows], values, "scikit-learn")


@picture("benchmarks-searches")
def searches() -> Any:
    """Draw the speed-up of the searches of scripts."""
    rows = benchmark("searches")
    return _speed_ups(
        [row[0] for row in rows], {"search": [row[3] for row in rows]}, "scikit-learn"
    )


@picture("benchmarks-linear")
def linear() -> Any:
    """Draw the speed-up of LinearSVC at equal tolerance."""
    rows = benchmark("linear_equal_tol")
    names = [row[0].partition(",")[0] for row in rows]
    values = {"hinge": [row[1] for row in rows], "squared hinge": [row[2] for row in rows]}
    return _speed_ups(names, values, "liblinear")


@picture("benchmarks-growth")
def growth() -> Any:
    """Draw how the time of nested cross-validation grows with the number of samples."""
    sizes = [500, 1000, 2000, 4000, 8000]
    series = {}
    for data, method, *values in benchmark("nested_growth_samples"):
        seconds = [np.nan if value is None else value for value in values[:5]]
        series[f"{method}, {data}"] = (sizes, seconds)
    _, ax = panels(1, 1, 3.5)
    return plots.growth(series, "Nested cross-validation (s)", ax)


@picture("benchmarks-newton")
def newton() -> Any:
    """Draw how the time of NewtonSVC grows with the number of samples."""
    rows = benchmark("newton_growth")
    sizes = [row[0] for row in rows]
    series = {
        "NewtonSVC": (sizes, [row[1] for row in rows]),
        "Duros and Katzman (2014)": (sizes, [row[2] for row in rows]),
    }
    _, ax = panels(1, 1, 3.3)
    return plots.growth(series, ax=ax)
