"""Heat maps of the inner scores of a search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softmargin.plots._look import COLOURS, axes_of, plain, pyplot, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from softmargin._selection.result import NestedResult

_DARK, _LIGHT = "#1A1A1A", "#F5F5F5"

# The least size of a cell, in points, in which its score can be written.
_CELL_WIDTH, _CELL_HEIGHT = 25.0, 11.0

_Floats = NDArray[np.float64]


def inner_table(result: NestedResult, ax: Axes | None = None) -> Axes:
    """Plot the mean inner score of each cell of a grid with two parameters as a heat map.

    Frames mark the cells that were selected in some outer fold, with the number of these folds.
    The colors resolve differences near the best score: all scores far below it share the darkest
    color. Parameters with geometric values are labeled as powers.

    Parameters
    ----------
    result : NestedResult
        The result of :func:`softmargin.nested_cv`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None creates a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from softmargin import nested_cv, plots
    >>> from sklearn.datasets import load_wine
    >>> grid = {"C": [1, 4, 16], "gamma": [0.0625, 0.25, 1]}
    >>> result = nested_cv(*load_wine(return_X_y=True), grid=grid, random_state=0)
    >>> ax = plots.inner_table(result)
    >>> ax.get_xlabel()
    'gamma'
    """
    pyplot()
    down, across, values = _parameters(result)
    table, chosen = _cells(result, down, across, values)
    n_rows, n_columns = table.shape
    size = max(4.0, min(1.7 + 0.45 * n_columns, 9.0)), max(2.6, min(1.4 + 0.36 * n_rows, 8.0))
    ax = axes_of(ax, *size)
    low, high = _color_range(table)
    image = ax.imshow(table, cmap="cividis", aspect="auto", origin="lower", vmin=low, vmax=high)
    is_cut = bool(np.nanmin(table) < low)
    figure: Any = ax.figure
    scoring = str(result.scoring).replace("_", " ")
    bar = figure.colorbar(image, ax=ax, extend="min" if is_cut else "neither")
    bar.set_label(f"Mean inner {scoring}")
    bar.outline.set_visible(False)
    ax.set_xticks(range(n_columns), _tick_labels(values[across]))
    ax.set_yticks(range(n_rows), _tick_labels(values[down]))
    ax.set(xlabel=plain(across), ylabel=plain(down))
    ax.set_title(_title(result, table), fontsize="small", loc="left")
    _thin_labels(ax)
    _write_cells(ax, table, chosen, (low + high) / 2)
    return ax


def _parameters(result: NestedResult) -> tuple[str, str, dict[str, list[Any]]]:
    """Return the two parameters that vary, and the values of all of them."""
    values = {
        name: list(dict.fromkeys(cell[name] for cell in result.cells)) for name in result.cells[0]
    }
    varying = [name for name, of_name in values.items() if len(of_name) > 1]
    if len(varying) != 2:
        raise ValueError(
            f"a heat map needs a grid in which two parameters vary, but {len(varying)} vary"
        )
    return varying[0], varying[1], values


def _cells(
    result: NestedResult, down: str, across: str, values: dict[str, list[Any]]
) -> tuple[_Floats, NDArray[np.intp]]:
    """Return the mean inner score of each cell, and in how many outer folds it was selected."""
    table = np.full((len(values[down]), len(values[across])), np.nan)
    chosen = np.zeros(table.shape, dtype=np.intp)
    reached = ~np.isnan(result.inner_scores)
    sums = np.where(reached, result.inner_scores, 0.0).sum(axis=(0, 1))
    counts = reached.sum(axis=(0, 1))
    for cell, total, count in zip(result.cells, sums, counts, strict=True):
        place = values[down].index(cell[down]), values[across].index(cell[across])
        table[place] = total / count if count else np.nan
        chosen[place] = sum(cell == best for best in result.best_params)
    return table, chosen


def _title(result: NestedResult, table: _Floats) -> str:
    """Return what the colors, frames and blanks are."""
    lines = [f"Inner scores of {plain(result.method)}", "Frame: selected in ×n outer folds"]
    if np.isnan(table).any():
        lines[1] += "; blank: not evaluated"
    return "\n".join(lines)


def _color_range(table: _Floats) -> tuple[float, float]:
    """Return the scores of the darkest and the brightest color.

    The range is twice the distance from the best score to the upper quartile, or to the highest
    quartile that is below the best. With a tail of bad cells it leaves the tail to one color; it
    never goes below the worst score.
    """
    known = table[~np.isnan(table)]
    if not known.size:
        return 0.0, 1.0
    best, worst = float(known.max()), float(known.min())
    if best == worst:
        return best - 0.01, best + 0.01
    if known.size < 16:  # too few for quartiles to say what a tail is
        return worst, best
    quartiles = np.quantile(known, [0.75, 0.5, 0.25])
    near = next((float(q) for q in quartiles if q < best), worst)
    return max(worst, best - 2 * (best - near)), best


def _tick_labels(values: Sequence[Any]) -> list[str]:
    """Return powers such as 2^-5 if the values are geometric, else the values."""
    base = _base(values)
    if base is None:
        return [plain(short(value)) for value in values]
    return [f"${base}^{{{round(math.log(value, base))}}}$" for value in values]


def _base(values: Sequence[Any]) -> int | None:
    """Return the base of which all values are powers, if they form a geometric sequence."""
    is_number = all(isinstance(value, Real) and float(value) > 0 for value in values)
    if len(values) < 3 or not is_number:
        return None
    logs = np.log(np.asarray(values, dtype=np.float64))
    steps = np.diff(logs)
    if not np.allclose(steps, steps[0], rtol=1e-6, atol=0):
        return None
    if min(values) >= 0.01 and max(values) <= 1000 and np.allclose(abs(steps), np.log(10)):
        return None  # 0.1, 1, 10 are easier to read than their powers
    for base in (round(math.exp(abs(steps[0]))), 2, 10, 3):
        if base < 2:
            continue
        exponents = logs / math.log(base)
        if np.allclose(exponents, np.round(exponents), rtol=0, atol=1e-6):
            return base
    return None


def _thin_labels(ax: Axes) -> None:
    """Hide tick labels that would overlap: every second one, or more."""
    figure: Any = ax.figure.figure
    figure.draw_without_rendering()
    for axis in (ax.xaxis, ax.yaxis):
        labels = axis.get_ticklabels()
        boxes = [label.get_window_extent() for label in labels]
        is_across = axis is ax.xaxis
        size = max((box.width + 4 if is_across else box.height for box in boxes), default=0.0)
        ends = [box.x0 + box.x1 if is_across else box.y0 + box.y1 for box in boxes]
        apart = abs(ends[1] - ends[0]) / 2
        every = max(1, math.ceil(size / max(apart, 1e-9)))
        for k, label in enumerate(labels):
            label.set_visible(k % every == 0)


def _write_cells(ax: Axes, table: _Floats, chosen: NDArray[np.intp], middle: float) -> None:
    """Frame the selected cells, and write scores and counts where they fit."""
    from matplotlib.patches import Rectangle

    figure: Any = ax.figure.figure
    box = ax.get_window_extent()
    width = box.width * 72 / figure.dpi / table.shape[1]
    height = box.height * 72 / figure.dpi / table.shape[0]
    has_scores = width >= _CELL_WIDTH and height >= _CELL_HEIGHT
    has_both = has_scores and height >= 2 * _CELL_HEIGHT
    for (row, column), value in np.ndenumerate(table):
        if np.isnan(value):
            continue
        # The color of the text depends on the cell, not on the page.
        look: dict[str, Any] = {"color": _DARK if value > middle else _LIGHT, "ha": "center"}
        count = int(chosen[row, column])
        if count:
            corner = (column - 0.46, row - 0.46)
            frame: dict[str, Any] = {"fill": False, "edgecolor": COLOURS[1], "linewidth": 2}
            ax.add_patch(Rectangle(corner, 0.92, 0.92, **frame))
        if has_scores:
            up = 0.17 if count and has_both else 0.0
            ax.text(column, row + up, f"{value:.3f}", va="center", fontsize=8, **look)
        if count and (has_both or not has_scores) and min(width, height) >= 9:
            down = 0.2 if has_scores else 0.0
            ax.text(column, row - down, f"×{count}", va="center", fontsize=7, **look)
