"""Diagrams of mean ranks and their critical difference."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from softmargin.plots._look import (
    COLOURS,
    axes_of,
    ink,
    plain,
    pyplot,
    room_of,
    text_width,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from softmargin.statistics._rank_comparison import Comparison

_BAND: dict[str, Any] = {"color": COLOURS[4], "alpha": 0.6, "linewidth": 0.0}
_THICK = 0.34  # of a bar; the unit is a line of names
_WIDTH = 24  # longer names are written on several lines


def critical_difference(
    comparison: Comparison,
    ax: Axes | None = None,
    test: Literal["bonferroni-dunn", "nemenyi"] = "bonferroni-dunn",
) -> Axes:
    """Plot mean ranks and their critical difference (Demsar 2006, figure 1).

    A line leads from each mean rank to the name of the method. With ``"bonferroni-dunn"`` a gray
    bar covers the ranks that do not differ significantly from the control, whose name is bold.
    With ``"nemenyi"`` gray bars join groups of methods that do not differ significantly.

    Parameters
    ----------
    comparison : Comparison
        The result of :func:`softmargin.statistics.compare`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None creates a new figure.
    test : {"bonferroni-dunn", "nemenyi"}, default="bonferroni-dunn"
        Whether to compare all methods with the control, or all pairs of methods.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from softmargin import plots
    >>> from softmargin.statistics import compare
    >>> found = compare([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7]], names=["a", "b", "c"])
    >>> ax = plots.critical_difference(found)
    >>> ax.get_xlabel()
    'Mean rank (1 is best)'
    """
    pyplot()
    if test not in ("bonferroni-dunn", "nemenyi"):
        raise ValueError(f"test = {test!r} is not valid: it must be 'bonferroni-dunn' or 'nemenyi'")
    bars, distance, title = _tested(comparison, test)
    n_methods = len(comparison.names)
    left, right = _sides(comparison)
    first = -(0.9 + 0.55 * len(bars))
    bottom = first - len(left) * _n_lines(comparison) - 2.2
    ax = axes_of(ax, *_size(comparison, bottom))
    for k, (start, end) in enumerate(bars):
        ax.broken_barh([(start, end - start)], (-0.4 - 0.55 * k - _THICK / 2, _THICK), **_BAND)
    bold = comparison.control if test == "bonferroni-dunn" else None
    _name(ax, comparison, left, 1, first, bold)
    _name(ax, comparison, right, n_methods, first, bold)
    ax.plot(comparison.ranks, np.zeros(n_methods), "o", color=COLOURS[0], clip_on=False, zorder=5)
    names = max(text_width(_label(comparison, k)) for k in left)
    _scale(ax, distance, bottom + 1.6, _caption(comparison, distance, title, len(bars)), names)

    ax.set(xlim=(1, n_methods), ylim=(bottom, 0), xticks=range(1, n_methods + 1), yticks=[])
    ax.set_xlabel("Mean rank (1 is best)")
    ax.xaxis.set_label_position("top")
    ax.xaxis.tick_top()
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    return ax


def _tested(comparison: Comparison, test: str) -> tuple[list[tuple[float, float]], float, str]:
    """Return where bars start and end, the critical difference, and the name of the test."""
    rank = dict(zip(comparison.names, comparison.ranks.tolist(), strict=True))
    if test == "nemenyi":
        joined = [group for group in comparison.groups if len(group) > 1]
        beyond = 0.015 * (len(rank) - 1)
        bars = [(rank[group[0]] - beyond, rank[group[-1]] + beyond) for group in joined]
        return bars, comparison.nemenyi, "Nemenyi"
    control, distance = rank[comparison.control], comparison.bonferroni_dunn
    bar = max(1.0, control - distance), min(float(len(rank)), control + distance)
    title = "Bonferroni-Dunn"
    return [bar], distance, title


def _sides(comparison: Comparison) -> tuple[list[int], list[int]]:
    """Return the methods on the left, best first, and those on the right, worst first."""
    order = np.argsort(comparison.ranks, kind="stable").tolist()
    half = (len(order) + 1) // 2
    return order[:half], order[: half - 1 : -1]


def _label(comparison: Comparison, k: int) -> str:
    return wrapped(f"{comparison.names[k]} ({comparison.ranks[k]:.2f})", _WIDTH)


def _n_lines(comparison: Comparison) -> float:
    """Return the distance of two names: the lines of the longest."""
    return 0.2 + 0.8 * max(
        _label(comparison, k).count("\n") + 1 for k in range(len(comparison.names))
    )


def _size(comparison: Comparison, bottom: float) -> tuple[float, float]:
    """Return width and height in inches of a figure with room for names and ranks."""
    font = pyplot().rcParams["font.size"] / 72
    names = [
        max((text_width(_label(comparison, k)) for k in side), default=0.0)
        for side in _sides(comparison)
    ]
    ranks = max(3.6, 0.34 * len(comparison.names))
    return ranks + 0.3 + 1.1 * sum(names), font * (5.8 - 1.7 * bottom)


def _name(
    ax: Axes, comparison: Comparison, side: list[int], edge: int, first: float, bold: str | None
) -> None:
    """Draw lines from ranks to names at an edge of the axis, one below the other."""
    is_left = edge == 1
    for line, k in enumerate(side):
        rank, height = comparison.ranks[k], first - line * _n_lines(comparison)
        ax.plot([rank, rank, edge], [0, height, height], color=ink(), linewidth=0.9, clip_on=False)
        ax.annotate(
            _label(comparison, k),
            (edge, height),
            xytext=(-6 if is_left else 6, 0),
            textcoords="offset points",
            ha="right" if is_left else "left",
            va="center",
            fontweight="bold" if comparison.names[k] == bold else "normal",
            annotation_clip=False,
        )


def _caption(comparison: Comparison, distance: float, title: str, n_bars: int) -> list[str]:
    """Return what the rule and the gray bars mean, line by line."""
    lines = [f"Critical difference {distance:.3g} ({title}, α = {comparison.alpha:g})"]
    if title == "Nemenyi":
        meaning = "Gray bars join methods that do not differ" if n_bars else "All methods differ"
    else:
        meaning = f"Gray bar: no significant difference from {comparison.control}"
    return [*lines, meaning]


def _scale(ax: Axes, distance: float, height: float, lines: list[str], names: float) -> None:
    """Draw a rule as long as the critical difference, with a caption below.

    ``names`` is the width of the names on the left, in inches.
    """
    look: dict[str, Any] = {"color": ink(), "linewidth": 1.4, "clip_on": False}
    ax.plot([1, 1 + distance], [height, height], marker="|", markersize=8, **look)
    size = 0.83 * pyplot().rcParams["font.size"]
    room = room_of(ax) - 0.1
    n_fit = int(room / text_width("n", size))
    lines = [part for line in lines for part in wrap(line, max(n_fit, 20))]
    # Under the rule if there is room to the right of the names, else in the middle.
    is_left = max(text_width(line, size) for line in lines) < room - names
    ax.annotate(
        plain("\n".join(lines)),
        (1, height) if is_left else (0.5, height),
        xycoords="data" if is_left else ("axes fraction", "data"),
        xytext=(0, -7),
        textcoords="offset points",
        ha="left" if is_left else "center",
        va="top",
        annotation_clip=False,
        fontsize=size,
    )
