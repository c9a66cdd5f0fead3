"""What all plots share: colors and markers, axes, and legends that never cover the data."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The color-blind-safe palette of Okabe and Ito (2008), with gray instead of black so that every
# color is visible on dark pages; dashes, markers and hatches tell series apart without color.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7F7F7F", "#E69F00", "#56B4E9")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p")
HATCHES = ("", "////", "xxxx", "\\\\\\\\", "----", "++++", "||||", "....", "oo")

# Axes that have less room than this, in inches, get their legend above or below.
_NARROW = 4.4

_NOT_DRAWN = re.compile("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]")


def pyplot() -> Any:
    """Return ``matplotlib.pyplot``, or explain how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("softmargin.plots requires matplotlib: pip install matplotlib") from error
    return plt


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the given axes, or those of a new figure with this size in inches."""
    if ax is not None:
        return ax
    new: Axes = pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    return new


def room_of(ax: Axes) -> float:
    """Return the width in inches of the part of the figure that belongs to the axes."""
    figure: Any = ax.figure
    spec = ax.get_subplotspec()
    share = (spec.get_position(figure) if spec else ax.get_position()).width
    if spec and share > 0.7:  # the only column: the margins of the figure belong to it, too
        share = 1.0
    return float(share * figure.get_window_extent().width / figure.dpi)


def text_width(text: str, size: float | None = None) -> float:
    """Return about how wide the longest line of a text is, in inches."""
    longest = max(map(len, text.split("\n")))
    return 0.56 / 72 * longest * (size or pyplot().rcParams["font.size"])


def ink() -> str:
    """Return the color of text, for lines that belong to no method or class."""
    return str(pyplot().rcParams["text.color"])


def is_dark() -> bool:
    """Tell whether the settings of matplotlib are for a dark page: text is light."""
    from matplotlib.colors import to_rgb

    return sum(to_rgb(ink())) > 1.5


def tidy(ax: Axes, grid: Literal["both", "x", "y"] = "both") -> None:
    """Draw a faint grid below the data along some axes, and no frame on the top and right."""
    ax.grid(axis=grid, linewidth=0.6, alpha=0.4)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def is_narrow(ax: Axes, handles: Sequence[Any]) -> bool:
    """Tell whether a legend beside the axes would leave too little room for the data."""
    names = max((text_width(handle.get_label()) for handle in handles), default=0.0)
    return room_of(ax) - names - 0.5 < 0.55 * _NARROW


def legend_outside(ax: Axes, handles: Sequence[Any], *, below: bool = False, **more: Any) -> None:
    """Name the handles to the right of the data; above or below it where the axes are narrow."""
    if not is_narrow(ax, handles):
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
        ax.legend(handles=handles, frameon=False, **place, **more)
        return
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    figure: Any = ax.figure.figure
    size = pyplot().rcParams["font.size"] * 0.9
    names = [text_width(handle.get_label(), size) for handle in handles]
    marks = (more.setdefault("handlelength", 1.6) + 2.0) * size / 72
    # Below, the legend clears the tick labels and the label of the axis. It is centered in the
    # part of the figure that belongs to the axes, which is wider than the axes.
    shift = ScaledTranslation(0, -4.0 * size / 72 if below else 0, figure.dpi_scale_trans)
    spec = ax.get_subplotspec()
    place = {"loc": "upper center" if below else "lower center"}
    if spec is None:
        middle, across = 0.5, ax.transAxes
    else:
        span = spec.get_position(figure)
        middle, across = (span.x0 + span.x1) / 2, figure.transFigure
        middle = 0.5 if span.width > 0.7 else middle
    place["bbox_to_anchor"] = (middle, 0.0 if below else 1.0)
    place["bbox_transform"] = blended_transform_factory(across, ax.transAxes + shift)
    look: dict[str, Any] = {"frameon": False, "fontsize": size, "columnspacing": 1.2}
    look["ncols"] = _columns([name + marks for name in names], 0.9 * room_of(ax))
    ax.legend(handles=handles, **look, **place, **more)


def _columns(entries: Sequence[float], room: float) -> int:
    """Return the number of columns of a legend whose entries have these widths, in inches."""
    for columns in range(len(entries), 1, -1):
        rows = math.ceil(len(entries) / columns)
        widths = [max(entries[start : start + rows]) for start in range(0, len(entries), rows)]
        if sum(widths) < room:
            return columns
    return 1


def plain(name: Any) -> str:
    """Return a name for matplotlib to write literally: a dollar sign in it starts no formula.

    Control characters and lone surrogates, which matplotlib cannot draw and an SVG must not
    contain, are replaced.
    """
    return _NOT_DRAWN.sub("\ufffd", str(name)).replace("$", r"\$")


def wrapped(name: Any, width: int) -> str:
    """Return a name like :func:`plain` does, on several lines if it is long; words stay whole."""
    text = plain(name)
    if len(text) <= width:
        return text
    return "\n".join(wrap(text, width, break_long_words=False, break_on_hyphens=False))


def short(value: Any) -> str:
    """Return a value in a few characters."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
