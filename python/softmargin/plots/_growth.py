"""How time and model size grow with the number of samples."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from softmargin.plots._look import (
    COLOURS,
    DASHES,
    MARKS,
    axes_of,
    legend_outside,
    plain,
    pyplot,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Floats = NDArray[np.float64]


def growth(
    series: Mapping[str, tuple[Any, Any]],
    ylabel: str = "Training time (s)",
    ax: Axes | None = None,
    *,
    yscale: Literal["log", "linear"] = "log",
    sets: Mapping[str, float] | None = None,
) -> Axes:
    """Plot how a quantity, such as the training time, grows with the number of samples.

    Parameters
    ----------
    series : mapping of str to (n_samples, values)
        For each method the sizes of the data sets, in any order, and the values measured there;
        NaN where nothing was measured.
    ylabel : str, default="Training time (s)"
        What the values are, with their unit.
    ax : matplotlib Axes or None, default=None
        Where to draw; None creates a new figure.
    yscale : {"log", "linear"}, default="log"
        Scale of the vertical axis. A linear axis, for example for percentages, starts at 0. The
        horizontal axis is always logarithmic.
    sets : mapping of str to int or None, default=None
        Number of samples of data sets by name. The names are written along the top: all of them
        if there is room, else only those that do not overlap.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from softmargin import plots
    >>> seconds = {"SVC": ([100, 1000, 9000], [0.01, 0.5, 40]), "OLLAWV": ([100, 9000], [0.01, 9])}
    >>> plots.growth(seconds, sets={"iris": 100, "letter": 9000}).get_xlabel()
    'Number of samples'
    """
    pyplot()
    from softmargin.plots._log_axis import log_ticks

    if yscale not in ("log", "linear"):
        raise ValueError(f"yscale = {yscale!r} is not valid: it must be 'log' or 'linear'")
    if not series:
        raise ValueError("series is empty; pass at least one method")
    lines = {name: _line(name, *of, is_log=yscale == "log") for name, of in series.items()}
    ax = axes_of(ax, 6.2, 4.6 if sets else 3.8)
    for (name, (sizes, values)), colour, dash, mark in zip(
        lines.items(), cycle(COLOURS), cycle(DASHES), cycle(MARKS)
    ):
        look = {"color": colour, "linestyle": dash, "marker": mark}
        # Between different data sets, a line only leads the eye.
        ax.plot(
            sizes, values, label=plain(name), markersize=5, linewidth=0.6 if sets else 1.4, **look
        )
    ax.set(xscale="log", yscale=yscale, xlabel="Number of samples", ylabel=ylabel)
    log_ticks(ax.xaxis)
    if yscale == "linear":
        ax.set_ylim(bottom=0)
    else:
        log_ticks(ax.yaxis)
    tidy(ax)
    if len(lines) > 1:
        handles = ax.get_lines()[-len(lines) :]
        legend_outside(ax, handles, below=bool(sets), handlelength=3.0)
    if sets:
        _write_sets(ax, sets)
    return ax


def _line(name: str, n_samples: Any, values: Any, is_log: bool) -> tuple[_Floats, _Floats]:
    """Return the sizes in ascending order and the values there, without unknown values."""
    sizes, found = (np.asarray(part, dtype=np.float64).reshape(-1) for part in (n_samples, values))
    if len(sizes) != len(found):
        raise ValueError(f"series[{name!r}] has {len(sizes)} sizes but {len(found)} values")
    _check_sizes(sizes, f"series[{name!r}]")
    is_known = np.isfinite(found)
    if not is_known.any():
        raise ValueError(f"series[{name!r}] has no finite value")
    sizes, found = sizes[is_known], found[is_known]
    if is_log and found.min() <= 0:
        raise ValueError(
            f"series[{name!r}] has the value {found.min():g}, which a logarithmic axis cannot "
            "show; use yscale='linear'"
        )
    order = np.argsort(sizes, kind="stable")
    return sizes[order], found[order]


def _check_sizes(sizes: _Floats, what: str) -> None:
    if not (np.isfinite(sizes).all() and (sizes > 0).all()):
        raise ValueError(f"{what} has a number of samples that is not positive")


def _write_sets(ax: Axes, sets: Mapping[str, float]) -> None:
    """Write names along the top, as close to their sizes as possible without overlap."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.figure.canvas.figure
    names = sorted(sets, key=lambda name: sets[name])
    sizes = np.array([float(sets[name]) for name in names])
    _check_sizes(sizes, "sets")
    low, high = ax.get_xlim()
    ax.set_xlim(min(low, sizes.min() / 1.2), max(high, sizes.max() * 1.2))
    figure.draw_without_rendering()  # determines the layout, and with it the width
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
    line |= {"relpos": (0.5, 0.0), "shrinkA": 1, "shrinkB": 0}  # to the bottom of the name
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
    """Return places in [0, 1] that are ``gap`` apart and closest to the given ones."""
    steps = gap * np.arange(len(places))
    # Without their steps, places only have to be monotone: an isotonic least-squares problem.
    free = isotonic_regression(places - steps, y_min=0.0, y_max=1.0 - steps[-1])
    return np.asarray(free + steps)


def _thinned(places: _Floats, gap: float) -> NDArray[np.intp]:
    """Return the indices of places, from the left, that are already ``gap`` apart."""
    kept = [0]
    for k in range(1, len(places)):
        if places[k] - places[kept[-1]] >= gap:
            kept.append(k)
    return np.array(kept)
