"""How time and model size grow with the rows of a set."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from hinge.plots._look import COLOURS, DASHES, MARKS, axes_of, legend_beside, plain, pyplot, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Floats = NDArray[np.float64]


def against_rows(
    series: Mapping[str, tuple[Any, Any]],
    ylabel: str = "time of training (s)",
    ax: Axes | None = None,
    *,
    yscale: Literal["log", "linear"] = "log",
    sets: Mapping[str, float] | None = None,
) -> Axes:
    """Draw values of several methods, such as times, against the number of rows.

    Parameters
    ----------
    series : mapping of str to (n_rows, values)
        For each method the sizes of the sets, in any order, and what was measured there; NaN
        where nothing was.
    ylabel : str, default="time of training (s)"
        What the values are, with their unit.
    ax : matplotlib Axes or None
        Where to draw; None for a figure of its own.
    yscale : {"log", "linear"}, default="log"
        Powers of ten, or, for shares, a plain axis from 0. Rows are always in powers of ten.
    sets : mapping of str to int or None, default=None
        Rows of sets by name, to be written along the top: side by side where there is room for
        all, else only those that do not overlap.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from hinge import plots
    >>> seconds = {"SVC": ([100, 1000, 9000], [0.01, 0.5, 40]), "OLLAWV": ([100, 9000], [0.01, 9])}
    >>> plots.against_rows(seconds, sets={"iris": 100, "letter": 9000}).get_xlabel()
    'rows'
    """
    pyplot()
    if yscale not in ("log", "linear"):
        raise ValueError(f"yscale = {yscale!r} is not valid: it must be 'log' or 'linear'")
    if not series:
        raise ValueError("series is empty: there is nothing to draw")
    lines = {name: _line(name, *of, is_log=yscale == "log") for name, of in series.items()}
    ax = axes_of(ax, 7.0, 5.0 if sets else 4.2)
    for (name, (rows, values)), colour, dash, mark in zip(
        lines.items(), cycle(COLOURS), cycle(DASHES), cycle(MARKS)
    ):
        look = {"color": colour, "linestyle": dash, "marker": mark}
        ax.plot(rows, values, label=plain(name), markersize=5, linewidth=1.4, **look)
    ax.set(xscale="log", yscale=yscale, xlabel="rows", ylabel=ylabel)
    if yscale == "linear":
        ax.set_ylim(bottom=0)
    tidy(ax)
    if len(lines) > 1:
        legend_beside(ax, ax.get_lines()[-len(lines) :], handlelength=3.0)
    if sets:
        _write_sets(ax, sets)
    return ax


def _line(name: str, n_rows: Any, values: Any, is_log: bool) -> tuple[_Floats, _Floats]:
    """Return sizes in order and the values there, of points that are known."""
    rows, found = (np.asarray(part, dtype=np.float64).reshape(-1) for part in (n_rows, values))
    if len(rows) != len(found):
        raise ValueError(f"series has {len(rows)} sizes of {name!r}, but {len(found)} values")
    _check_sizes(rows, f"series has a size of {name!r}")
    is_known = np.isfinite(found)
    if not is_known.any():
        raise ValueError(f"series has no values of {name!r}")
    rows, found = rows[is_known], found[is_known]
    if is_log and found.min() <= 0:
        raise ValueError(
            f"series has the value {found.min():g} of {name!r}, which powers of ten do not show; "
            "yscale='linear' does"
        )
    order = np.argsort(rows, kind="stable")
    return rows[order], found[order]


def _check_sizes(rows: _Floats, what: str) -> None:
    if not (np.isfinite(rows).all() and (rows > 0).all()):
        raise ValueError(f"{what} that is not a positive number")


def _write_sets(ax: Axes, sets: Mapping[str, float]) -> None:
    """Write names along the top, as near to their sizes as they go without overlap."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.figure.canvas.figure
    names = sorted(sets, key=lambda name: sets[name])
    sizes = np.array([float(sets[name]) for name in names])
    _check_sizes(sizes, "sets has a size")
    low, high = ax.get_xlim()
    ax.set_xlim(min(low, sizes.min() / 1.2), max(high, sizes.max() * 1.2))
    figure.draw_without_rendering()  # the layout, and with it the width, is known after this
    to_share = ax.transScale + ax.transLimits
    places = to_share.transform(np.column_stack([sizes, np.ones_like(sizes)]))[:, 0]
    font = 8.0
    width = ax.get_window_extent().width * 72 / figure.dpi
    gap = 1.35 * font / width
    kept = np.arange(len(names))
    if gap * (len(names) - 1) > 1:
        kept = _thinned(places, gap)
    above = ax.transAxes + ScaledTranslation(0, 16 / 72, figure.dpi_scale_trans)
    line = {"arrowstyle": "-", "color": pyplot().rcParams["axes.edgecolor"], "linewidth": 0.6}
    line |= {"relpos": (0.5, 0.0), "shrinkA": 1, "shrinkB": 0}  # to the foot of the name
    for k, place in zip(kept, _spread(places[kept], gap), strict=True):
        ax.annotate(
            plain(names[k]),
            (sizes[k], 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(place, 1.0),
            textcoords=above,
            rotation=90,
            ha="center",
            va="bottom",
            fontsize=font,
            arrowprops=line,
            annotation_clip=False,
        )


def _spread(places: _Floats, gap: float) -> _Floats:
    """Return places in [0, 1] that are ``gap`` apart and nearest to the given ones."""
    steps = gap * np.arange(len(places))
    # Places less their steps need only not fall: least squares under that order.
    free = isotonic_regression(places - steps, y_min=0.0, y_max=1.0 - steps[-1])
    return np.asarray(free + steps)


def _thinned(places: _Floats, gap: float) -> NDArray[np.intp]:
    """Return some of the places, from the left, that are ``gap`` apart as they are."""
    kept = [0]
    for k in range(1, len(places)):
        if places[k] - places[kept[-1]] >= gap:
            kept.append(k)
    return np.array(kept)
