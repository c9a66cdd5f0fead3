"""Scores of several methods on several data sets, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softmargin.plots._look import (
    COLOURS,
    HATCHES,
    axes_of,
    ink,
    is_narrow,
    legend_outside,
    pyplot,
    room_of,
    text_width,
    tidy,
    wrapped,
)
from softmargin.statistics._score_table import score_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Floats = NDArray[np.float64]

# Longer names of data sets and methods are written on several lines.
_WIDTH = 24


def accuracy_bars(
    scores: Any,
    errors: Any = None,
    ax: Axes | None = None,
    *,
    names: Any = None,
    sets: Any = None,
    perfect: float = 1.0,
    floor: float | None = None,
    horizontal: bool | None = None,
    label: str = "Accuracy",
) -> Axes:
    """Plot a bar for each method on each data set.

    The axis starts at 0, or at a floor that its label states: at 50% if all scores are above.

    Parameters
    ----------
    scores : array of shape (n_sets, n_methods), DataFrame, or mapping
        As in :func:`softmargin.statistics.compare`; a mapping may have a single number for each
        method. NaN omits a bar.
    errors : like scores, or None, default=None
        Half the length of the error bars, such as standard deviations; NaN for none.
    ax : matplotlib Axes or None, default=None
        Where to draw; None creates a new figure.
    names : sequence of str or None, default=None
        Names of the methods, if ``scores`` is an array.
    sets : sequence of str or None, default=None
        Names of the data sets; None for the index of a DataFrame, or numbers.
    perfect : float, default=1.0
        The score that is shown as 100%; use 100 for scores in percent.
    floor : float or None, default=None
        Where the axis starts; None for 0, or half of ``perfect`` if all scores are above.
    horizontal : bool or None, default=None
        Whether bars are horizontal, with names on the left; None for horizontal bars if the names
        do not fit side by side.
    label : str, default="Accuracy"
        What the scores are.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from softmargin import plots
    >>> scores = {"SVC": [0.97, 0.98], "OLLAWV": [0.96, 0.97]}
    >>> ax = plots.accuracy_bars(scores, sets=["iris", "wine"])
    >>> ax.get_ylabel()
    'Accuracy (axis starts at 50%)'
    """
    pyplot()
    names, table = score_table(scores, names)
    spread = _errors(errors, names, table)
    sets = _sets(scores, sets, len(table))
    floor = _floor(table, perfect, floor)
    is_one = len(sets) == 1
    ticks = [wrapped(name, _WIDTH) for name in (names if is_one else sets)]
    is_new = ax is None
    ax = axes_of(ax, *_size(ticks, names, is_one, bool(horizontal)))
    fits = _fits(ax, ticks, names, is_one)
    if horizontal is None:
        horizontal = len(ticks) > 6 or not fits
        if is_new and horizontal:
            figure: Any = ax.figure
            figure.set_size_inches(*_size(ticks, names, is_one, True))
    handles = _draw(ax, names, table, spread, horizontal)

    ends = table if spread is None else table + np.nan_to_num(spread)
    top = max(perfect, float(np.nanmax(ends)))
    if is_one:
        _write_values(ax, table[0], ends[0], perfect, horizontal)
        top = max(perfect, float(np.nanmax(ends)) + 0.12 * (perfect - floor))
    else:
        legend_outside(ax, handles)
    stated = f"(axis starts at {100 * floor / perfect:g}%)" if floor else ""
    length = _length(ax, ticks, handles if ax.get_legend() else []) if horizontal else np.inf
    joint = "\n" if length < text_width(f"{label} {stated}") else " "
    n_ticks = int(np.clip(length / 0.6, 2, 6))
    label = f"{label}{joint}{stated}" if stated else label
    _scale(ax.xaxis if horizontal else ax.yaxis, floor, perfect, label, n_ticks)
    turned = (
        {} if horizontal or fits else {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    )
    place = ax.set_yticks if horizontal else ax.set_xticks
    place(range(len(ticks)), ticks, **turned)  # type: ignore[arg-type]
    span = (-0.6, len(ticks) - 0.4)
    if horizontal:
        ax.set(xlim=(floor, top), ylim=span[::-1])  # the first data set on top
    else:
        ax.set(xlim=span, ylim=(floor, top))
    tidy(ax, "x" if horizontal else "y")
    return ax


def _errors(errors: Any, names: tuple[str, ...], table: _Floats) -> _Floats | None:
    """Return the errors in the order of the scores."""
    if errors is None:
        return None
    is_named = hasattr(errors, "keys") or hasattr(errors, "columns")
    found, spread = score_table(errors, None if is_named else names)
    if spread.shape != table.shape or set(found) != set(names):
        raise ValueError(
            f"errors has the methods {', '.join(found)} on {len(spread)} data sets, "
            f"but scores has {', '.join(names)} on {len(table)}"
        )
    if np.nanmin(spread, initial=0) < 0:
        raise ValueError(f"errors contains {np.nanmin(spread):g}; errors must not be negative")
    return spread[:, [found.index(name) for name in names]]


def _sets(scores: Any, sets: Any, n_sets: int) -> list[str]:
    """Return the names of the data sets: as given, the index of a DataFrame, or numbers."""
    if sets is None and hasattr(scores, "columns"):
        sets = getattr(scores, "index", None)
    if sets is None:
        sets = [f"set {k + 1}" for k in range(n_sets)]
    found = [str(name) for name in sets]
    if len(found) != n_sets:
        raise ValueError(f"scores has {n_sets} data sets, but sets has {len(found)} names")
    return found


def _floor(table: _Floats, perfect: float, floor: float | None) -> float:
    """Return where the axis starts: never so close to the scores that they look far apart."""
    if np.isnan(table).all():
        raise ValueError("scores contains only NaN")
    low, high = float(np.nanmin(table)), float(np.nanmax(table))
    if np.isinf(low):
        raise ValueError(f"scores contains {low:g}; scores must be finite")
    if high > perfect:
        raise ValueError(
            f"scores contains {high:g}, which is above perfect={perfect:g}; "
            "use perfect=100 for percentages"
        )
    if floor is None:
        return perfect / 2 if low > perfect / 2 else min(low, 0.0)
    if not floor <= low or floor == perfect:
        raise ValueError(
            f"floor={floor:g} is not valid: it must not exceed the lowest score, {low:g}, "
            f"and be below perfect={perfect:g}"
        )
    return floor


def _size(
    ticks: Sequence[str], names: Sequence[str], is_one: bool, horizontal: bool
) -> tuple[float, float]:
    """Return width and height in inches of a figure for groups of bars."""
    n_bars = 1 if is_one else len(names)
    legend = 0.0 if is_one else _legend_width(names)
    if horizontal:
        width = 3.2 + min(max(map(text_width, ticks)), 3.0) + legend
        n_lines = max(tick.count("\n") for tick in ticks) + 1
        group = max(0.25, 0.085 * n_bars + 0.09, 0.08 + 0.17 * n_lines)
        return max(5.4, min(width, 7.0)), 1.0 + len(ticks) * group
    group = max(0.7, 0.2 * n_bars, 0.25 + max(map(text_width, ticks)))
    return float(np.clip(1.0 + legend + len(ticks) * group, 3.8, 8.0)), 3.4


def _fits(ax: Axes, ticks: Sequence[str], names: Sequence[str], is_one: bool) -> bool:
    """Tell whether names fit side by side below vertical bars."""
    legend = 0.0 if is_one else _legend_width(names)
    room = room_of(ax) - 0.8
    if room - legend > 0.5 * room:  # else the legend stands above
        room -= legend
    return len(ticks) * (0.12 + max(map(text_width, ticks))) < room


def _legend_width(names: Sequence[str]) -> float:
    return 0.5 + max(text_width(wrapped(name, _WIDTH)) for name in names)


def _length(ax: Axes, ticks: Sequence[str], handles: Sequence[Any]) -> float:
    """Return about how long the horizontal axis is beside names and legend, in inches."""
    legend = max((text_width(handle.get_label()) for handle in handles), default=-0.5) + 0.5
    if is_narrow(ax, handles):
        legend = 0.0
    return room_of(ax) - 0.3 - max(map(text_width, ticks)) - legend


def _draw(
    ax: Axes, names: tuple[str, ...], table: _Floats, spread: _Floats | None, horizontal: bool
) -> list[Any]:
    """Draw the bars of all methods, grouped by data set."""
    n_sets, n_methods = table.shape
    thick = 0.8 if n_sets == 1 else 0.8 / n_methods
    step = 1.0 if n_sets == 1 else thick
    start = 0.0 if n_sets == 1 else -step * (n_methods - 1) / 2
    handles: list[Any] = []
    for k, (name, colour, hatch) in enumerate(zip(names, cycle(COLOURS), cycle(HATCHES))):
        shown = np.flatnonzero(~np.isnan(table[:, k]))
        look: dict[str, Any] = {"facecolor": (colour, 0.55), "edgecolor": colour, "hatch": hatch}
        if spread is not None:
            look["xerr" if horizontal else "yerr"] = spread[shown, k]
            look["error_kw"] = {"ecolor": ink(), "elinewidth": 0.9, "capsize": 2}
        bar = ax.barh if horizontal else ax.bar
        look |= {"label": wrapped(name, _WIDTH), "linewidth": 0.8}
        handles.append(bar(start + shown + step * k, table[shown, k], thick, **look))
    return handles


def _write_values(
    ax: Axes, values: _Floats, ends: _Floats, perfect: float, horizontal: bool
) -> None:
    """Write each score at the end of its bar."""
    for k in np.flatnonzero(~np.isnan(values)):
        ax.annotate(
            f"{100 * values[k] / perfect:.2f}%",
            (ends[k], k) if horizontal else (k, ends[k]),
            xytext=(4, 0) if horizontal else (0, 4),
            textcoords="offset points",
            ha="left" if horizontal else "center",
            va="center" if horizontal else "bottom",
        )


def _scale(axis: Any, floor: float, perfect: float, label: str, n_ticks: int) -> None:
    """Give an axis percentages up to 100 and a label."""
    from matplotlib.ticker import MaxNLocator

    ticks = np.asarray(MaxNLocator(n_ticks, steps=[1, 2, 5, 10]).tick_values(floor, perfect))
    is_inside = (ticks >= floor - 1e-9 * perfect) & (ticks <= perfect * (1 + 1e-9))
    ticks = ticks[is_inside]
    axis.set_ticks(ticks, [f"{100 * tick / perfect:g}%" for tick in ticks])
    axis.set_label_text(label)
