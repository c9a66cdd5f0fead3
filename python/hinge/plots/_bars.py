"""Scores of several methods on several sets, side by side."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hinge._score_table import score_table
from hinge.plots._look import COLOURS, HATCHES, axes_of, ink, legend_beside, plain, pyplot, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Floats = NDArray[np.float64]


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
    label: str = "accuracy",
) -> Axes:
    """Draw a bar for each method on each set.

    The axis starts at 0, or at a floor that its label states: with scores above a half, at a half.

    Parameters
    ----------
    scores : array of shape (n_sets, n_methods), DataFrame, or mapping
        As in :func:`hinge.statistics.compare`; a mapping may have a single number for each
        method. NaN leaves out a bar.
    errors : like scores, or None
        Half the length of the error bars, such as standard deviations; NaN for none.
    ax : matplotlib Axes or None
        Where to draw; None for a figure of its own.
    names, sets : sequence of str or None, default=None
        The methods, where ``scores`` is an array; and the sets.
    perfect : float, default=1.0
        The score that means 100 %; 100 for scores that are percentages.
    floor : float or None, default=None
        Where the axis starts; None for 0, or half of ``perfect`` where all scores are above.
    horizontal : bool or None, default=None
        Whether bars lie, with names on the left; None if there are more than a few names.
    label : str, default="accuracy"
        What the scores are.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from hinge import plots
    >>> scores = {"SVC": [0.97, 0.98], "OLLAWV": [0.96, 0.97]}
    >>> ax = plots.accuracy_bars(scores, sets=["iris", "wine"])
    >>> ax.get_ylabel()
    'accuracy (axis from 50 %)'
    """
    pyplot()
    names, table = score_table(scores, names)
    spread = _errors(errors, names, table)
    sets = _sets(scores, sets, len(table))
    floor = _floor(table, perfect, floor)
    is_one = len(sets) == 1
    ticks = list(names) if is_one else sets
    if horizontal is None:
        horizontal = len(ticks) > 6 or len(ticks) * max(map(len, ticks)) > 50
    ax = axes_of(ax, *_size(len(ticks), 1 if is_one else len(names), horizontal))
    handles = _draw(ax, names, table, spread, horizontal)

    ends = table if spread is None else table + np.nan_to_num(spread)
    top = max(perfect, float(np.nanmax(ends)))
    if is_one:
        _write_values(ax, table[0], ends[0], perfect, horizontal)
        top = max(perfect, float(np.nanmax(ends)) + 0.12 * (perfect - floor))
    else:
        legend_beside(ax, handles)
    stated = f" (axis from {100 * floor / perfect:g} %)" if floor else ""
    _scale(ax.xaxis if horizontal else ax.yaxis, floor, perfect, label + stated)
    (ax.set_yticks if horizontal else ax.set_xticks)(range(len(ticks)), list(map(plain, ticks)))
    ends_of_sets = (-0.6, len(ticks) - 0.4)
    if horizontal:
        ax.set(xlim=(floor, top), ylim=ends_of_sets[::-1])  # the first set on top
    else:
        ax.set(xlim=ends_of_sets, ylim=(floor, top))
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
            f"errors has methods {', '.join(found)} on {len(spread)} sets, "
            f"but scores {', '.join(names)} on {len(table)}"
        )
    if np.nanmin(spread, initial=0) < 0:
        raise ValueError(f"errors has {np.nanmin(spread):g}, but lengths are not negative")
    return spread[:, [found.index(name) for name in names]]


def _sets(scores: Any, sets: Any, n_sets: int) -> list[str]:
    """Return the names of the sets: as given, or the index of a DataFrame, or numbers."""
    if sets is None and hasattr(scores, "columns"):
        sets = getattr(scores, "index", None)
    if sets is None:
        sets = [f"set {k + 1}" for k in range(n_sets)]
    found = [str(name) for name in sets]
    if len(found) != n_sets:
        raise ValueError(f"scores has {n_sets} sets, but there are {len(found)} names in sets")
    return found


def _floor(table: _Floats, perfect: float, floor: float | None) -> float:
    """Return where the axis starts: never so near to the scores that small steps look large."""
    if np.isnan(table).all():
        raise ValueError("scores has nothing but NaN")
    low, high = float(np.nanmin(table)), float(np.nanmax(table))
    if np.isinf(low):
        raise ValueError(f"scores has {low:g}, which is not a score")
    if high > perfect:
        raise ValueError(
            f"scores has {high:g}, more than perfect = {perfect:g}; perfect=100 is for percentages"
        )
    if floor is None:
        return perfect / 2 if low > perfect / 2 else min(low, 0.0)
    if not floor <= low or floor == perfect:
        raise ValueError(
            f"floor = {floor:g} is not valid: it must be below the scores, the least is {low:g}"
        )
    return floor


def _size(n_groups: int, n_bars: int, horizontal: bool) -> tuple[float, float]:
    """Return width and height of a figure for groups of bars, in inches."""
    if horizontal:
        return 7.0, 1.0 + n_groups * max(0.24, 0.1 * n_bars + 0.08)
    return float(np.clip(2.0 + n_groups * max(0.7, 0.2 * n_bars), 4.0, 9.0)), 3.8


def _draw(
    ax: Axes, names: tuple[str, ...], table: _Floats, spread: _Floats | None, horizontal: bool
) -> list[Any]:
    """Draw the bars, methods side by side on each set, or beside each other on a single one."""
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
        look |= {"label": plain(name), "linewidth": 0.8}
        handles.append(bar(start + shown + step * k, table[shown, k], thick, **look))
    return handles


def _write_values(
    ax: Axes, values: _Floats, ends: _Floats, perfect: float, horizontal: bool
) -> None:
    """Write each score beyond the end of its bar."""
    for k in np.flatnonzero(~np.isnan(values)):
        ax.annotate(
            f"{100 * values[k] / perfect:.2f}",
            (ends[k], k) if horizontal else (k, ends[k]),
            xytext=(4, 0) if horizontal else (0, 4),
            textcoords="offset points",
            ha="left" if horizontal else "center",
            va="center" if horizontal else "bottom",
        )


def _scale(axis: Any, floor: float, perfect: float, label: str) -> None:
    """Give an axis percentages up to 100, and its label."""
    from matplotlib.ticker import MaxNLocator

    ticks = np.asarray(MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(floor, perfect))
    is_inside = (ticks >= floor - 1e-9 * perfect) & (ticks <= perfect * (1 + 1e-9))
    ticks = ticks[is_inside]
    axis.set_ticks(ticks, [f"{100 * tick / perfect:g} %" for tick in ticks])
    axis.set_label_text(label)
