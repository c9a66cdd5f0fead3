"""Scores of the cells of a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.plots._look import COLOURS, axes_of, pyplot, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hinge._nested_result import NestedResult

_DARK, _LIGHT = "#1A1A1A", "#F5F5F5"


def inner_table(result: NestedResult, ax: Axes | None = None) -> Axes:
    """Draw the mean inner score of each cell of a grid with two parameters.

    Cells that were chosen in some outer folds are framed, with the number of these folds.

    Parameters
    ----------
    result : NestedResult
        Of :func:`hinge.nested_cv`.
    ax : matplotlib Axes or None
        Where to draw; None for a figure of its own.

    Returns
    -------
    matplotlib Axes
    """
    pyplot()
    from matplotlib.patches import Rectangle

    values = {
        name: list(dict.fromkeys(cell[name] for cell in result.cells)) for name in result.cells[0]
    }
    axes = [name for name, of_name in values.items() if len(of_name) > 1]
    if len(axes) != 2:
        raise ValueError(f"a heat map needs a grid of two parameters, but {len(axes)} vary")
    down, across = axes
    table = np.full((len(values[down]), len(values[across])), np.nan)
    chosen = np.zeros(table.shape, dtype=int)
    reached = ~np.isnan(result.inner_scores)
    sums = np.where(reached, result.inner_scores, 0.0).sum(axis=(0, 1))
    counts = reached.sum(axis=(0, 1))
    for cell, total, count in zip(result.cells, sums, counts, strict=True):
        place = values[down].index(cell[down]), values[across].index(cell[across])
        table[place] = total / count if count else np.nan
        chosen[place] = sum(cell == best for best in result.best_params)
    ax = axes_of(ax, 1.6 + 0.75 * table.shape[1], 1.4 + 0.5 * table.shape[0])
    image = ax.imshow(table, cmap="cividis", aspect="auto", origin="lower")
    figure: Any = ax.figure
    figure.colorbar(image, ax=ax, label=f"mean inner {result.scoring}")
    middle = np.nanmean([np.nanmin(table), np.nanmax(table)])
    for (row, column), value in np.ndenumerate(table):
        if np.isnan(value):
            continue
        colour = _DARK if value > middle else _LIGHT  # on the colour of the cell, on any page
        ax.text(column, row, f"{value:.3f}", ha="center", va="center", color=colour, fontsize=8)
        if chosen[row, column]:
            corner = (column - 0.47, row - 0.47)
            ax.add_patch(
                Rectangle(corner, 0.94, 0.94, fill=False, edgecolor=COLOURS[1], linewidth=2)
            )
            ax.text(
                column + 0.42,
                row + 0.44,
                f"{chosen[row, column]}",
                ha="right",
                va="top",
                color=colour,
                fontsize=6,
            )
    ax.set_xticks(range(table.shape[1]), [short(value) for value in values[across]], rotation=45)
    ax.set_yticks(range(table.shape[0]), [short(value) for value in values[down]])
    ax.set_xlabel(across)
    ax.set_ylabel(down)
    ax.set_title(f"{result.method}: framed = chosen in so many outer folds", fontsize=9)
    return ax
