"""What all pictures share: colours and marks, axes, the legend beside."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Told apart by readers of any colour vision (M. Okabe and K. Ito; their black is a grey here, to be
# seen on dark pages too), and in grey by dashes, marks and hatches.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7F7F7F", "#E69F00", "#56B4E9")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----", "++++", "oo", "||||")

_NOT_DRAWN = re.compile("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]")


def pyplot() -> Any:
    """Return ``matplotlib.pyplot``, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from error
    return plt


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the given axes, or those of a new figure of so many inches."""
    if ax is not None:
        return ax
    new: Axes = pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    return new


def ink() -> str:
    """Return the colour of text, for lines that belong to no method or class."""
    return str(pyplot().rcParams["text.color"])


def tidy(ax: Axes, grid: Literal["both", "x", "y"] = "both") -> None:
    """Draw a faint grid below the data along some axes, and no frame above and on the right."""
    ax.grid(axis=grid, linewidth=0.6, alpha=0.4)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def legend_beside(ax: Axes, handles: list[Any], **arguments: Any) -> None:
    """Name the handles on the right of the data."""
    ax.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, **arguments
    )


def plain(name: Any) -> str:
    """Return a name for matplotlib to write as it is: a dollar sign in it begins no formula.

    Control characters and halves of characters, which matplotlib cannot draw and an SVG must not
    hold, are replaced.
    """
    return _NOT_DRAWN.sub("\ufffd", str(name)).replace("$", r"\$")


def short(value: Any) -> str:
    """Return a value in a few characters."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
