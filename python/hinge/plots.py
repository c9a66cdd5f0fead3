"""Pictures of results; needs matplotlib (``pip install hinge[plots]``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hinge._nested_result import NestedResult


def inner_table(result: NestedResult, ax: Any = None) -> Any:
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
    import matplotlib.pyplot as plt
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
    if ax is None:
        size = (1.6 + 0.75 * table.shape[1], 1.4 + 0.5 * table.shape[0])
        _, ax = plt.subplots(figsize=size, layout="constrained")
    image = ax.imshow(table, cmap="cividis", aspect="auto", origin="lower")
    ax.figure.colorbar(image, ax=ax, label=f"mean inner {result.scoring}")
    middle = np.nanmean([np.nanmin(table), np.nanmax(table)])
    for (row, column), value in np.ndenumerate(table):
        if np.isnan(value):
            continue
        colour = "black" if value > middle else "white"
        ax.text(column, row, f"{value:.3f}", ha="center", va="center", color=colour, fontsize=8)
        if chosen[row, column]:
            corner = (column - 0.47, row - 0.47)
            ax.add_patch(Rectangle(corner, 0.94, 0.94, fill=False, edgecolor="red", linewidth=2))
            ax.text(
                column + 0.42,
                row + 0.44,
                f"{chosen[row, column]}",
                ha="right",
                va="top",
                color=colour,
                fontsize=6,
            )
    ax.set_xticks(range(table.shape[1]), [_short(value) for value in values[across]], rotation=45)
    ax.set_yticks(range(table.shape[0]), [_short(value) for value in values[down]])
    ax.set_xlabel(across)
    ax.set_ylabel(down)
    ax.set_title(f"{result.method}: framed = chosen in so many outer folds", fontsize=9)
    return ax


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
