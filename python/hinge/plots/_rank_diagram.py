"""Mean ranks, and which of them differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hinge.plots._look import COLOURS, axes_of, ink, plain, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hinge._comparison import Comparison

_BAND: dict[str, Any] = {"color": COLOURS[4], "alpha": 0.6, "linewidth": 0.0}
_THICK = 0.34  # of a bar; the unit is a line of names


def critical_difference(
    comparison: Comparison,
    ax: Axes | None = None,
    test: Literal["bonferroni-dunn", "nemenyi"] = "bonferroni-dunn",
) -> Axes:
    """Draw mean ranks and the distance from which on they differ significantly.

    A line leads from each mean rank to the name of the method. With ``"bonferroni-dunn"`` a grey
    bar reaches as far from the control, whose name is bold, as others do not differ from it. With
    ``"nemenyi"`` bars join methods of which no two differ. (J. Demsar, 2006, figure 1.)

    Parameters
    ----------
    comparison : Comparison
        Of :func:`hinge.statistics.compare`.
    ax : matplotlib Axes or None
        Where to draw; None for a figure of its own.
    test : {"bonferroni-dunn", "nemenyi"}, default="bonferroni-dunn"
        All methods with the control, or all with all.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from hinge import plots
    >>> from hinge.statistics import compare
    >>> found = compare([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7]], names=["a", "b", "c"])
    >>> ax = plots.critical_difference(found)
    >>> ax.get_xlabel()
    'mean rank (1 is best)'
    """
    pyplot()
    if test not in ("bonferroni-dunn", "nemenyi"):
        raise ValueError(f"test = {test!r} is not valid: it must be 'bonferroni-dunn' or 'nemenyi'")
    bars, distance, title = _tested(comparison, test)
    n_methods = len(comparison.names)
    left, right = _sides(comparison)
    first = -(0.9 + 0.55 * len(bars))
    bottom = first - len(left) - 1.3
    ax = axes_of(ax, *_size(comparison, bottom))
    for k, (start, end) in enumerate(bars):
        ax.broken_barh([(start, end - start)], (-0.4 - 0.55 * k - _THICK / 2, _THICK), **_BAND)
    bold = comparison.control if test == "bonferroni-dunn" else None
    _name(ax, comparison, left, 1, first, bold)
    _name(ax, comparison, right, n_methods, first, bold)
    ax.plot(comparison.ranks, np.zeros(n_methods), "o", color=COLOURS[0], clip_on=False, zorder=5)
    _scale(ax, distance, bottom + 0.7, f"critical distance {distance:.3g} ({title})")

    ax.set(xlim=(1, n_methods), ylim=(bottom, 0), xticks=range(1, n_methods + 1), yticks=[])
    ax.set_xlabel("mean rank (1 is best)")
    ax.xaxis.set_label_position("top")
    ax.xaxis.tick_top()
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    return ax


def _tested(comparison: Comparison, test: str) -> tuple[list[tuple[float, float]], float, str]:
    """Return where bars start and end, the critical distance, and the test in words."""
    rank = dict(zip(comparison.names, comparison.ranks.tolist(), strict=True))
    if test == "nemenyi":
        joined = [group for group in comparison.groups if len(group) > 1]
        beyond = 0.008 * (len(rank) - 1)
        bars = [(rank[group[0]] - beyond, rank[group[-1]] + beyond) for group in joined]
        return bars, comparison.nemenyi, f"Nemenyi, level {comparison.alpha:g}"
    control, distance = rank[comparison.control], comparison.bonferroni_dunn
    bar = max(1.0, control - distance), min(float(len(rank)), control + distance)
    title = f"Bonferroni-Dunn, level {comparison.alpha:g}"
    return [bar], distance, title


def _sides(comparison: Comparison) -> tuple[list[int], list[int]]:
    """Return who is named on the left, from the best on, and on the right, from the worst."""
    order = np.argsort(comparison.ranks, kind="stable").tolist()
    half = (len(order) + 1) // 2
    return order[:half], order[: half - 1 : -1]


def _label(comparison: Comparison, k: int) -> str:
    return f"{comparison.names[k]} ({comparison.ranks[k]:.2f})"


def _size(comparison: Comparison, bottom: float) -> tuple[float, float]:
    """Return width and height of a figure in which names and ranks have room, in inches."""
    font = pyplot().rcParams["font.size"] / 72
    names = [
        max((len(_label(comparison, k)) for k in side), default=0) for side in _sides(comparison)
    ]
    ranks = max(3.6, 0.34 * len(comparison.names))
    return ranks + 0.3 + 0.62 * font * sum(names), font * (5.8 - 1.7 * bottom)


def _name(
    ax: Axes, comparison: Comparison, side: list[int], edge: int, first: float, bold: str | None
) -> None:
    """Lead lines from ranks to names at an edge of the axis, line below line."""
    is_left = edge == 1
    for line, k in enumerate(side):
        rank, height = comparison.ranks[k], first - line
        ax.plot([rank, rank, edge], [0, height, height], color=ink(), linewidth=0.9, clip_on=False)
        ax.annotate(
            plain(_label(comparison, k)),
            (edge, height),
            xytext=(-6 if is_left else 6, 0),
            textcoords="offset points",
            ha="right" if is_left else "left",
            va="center",
            fontweight="bold" if comparison.names[k] == bold else "normal",
            annotation_clip=False,
        )


def _scale(ax: Axes, distance: float, height: float, text: str) -> None:
    """Draw a rule as long as the critical distance, with what it is below it."""
    look: dict[str, Any] = {"color": ink(), "linewidth": 1.4, "clip_on": False}
    ax.plot([1, 1 + distance], [height, height], marker="|", markersize=8, **look)
    ax.annotate(
        text,
        (1, height),
        xytext=(0, -7),
        textcoords="offset points",
        ha="left",
        va="top",
        annotation_clip=False,
        fontsize="small",
    )
