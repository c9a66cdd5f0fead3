"""Nested cross-validation, its inner table, and the comparison of methods by ranks."""

from __future__ import annotations

from typing import Any

from sklearn.datasets import load_wine

import softmargin
from drawing import ink, panels, picture
from softmargin import plots
from softmargin.plots._look import COLOURS


@picture("nested-cv")
def nested_cv() -> Any:
    """Draw the outer folds, and the inner splits of the first one."""
    from matplotlib.patches import Patch, Rectangle

    figure, ax = panels(1, 1, 4.3)
    looks = {
        "training": {"facecolor": (COLOURS[0], 0.45), "edgecolor": COLOURS[0]},
        "validation: choose C and gamma": {
            "facecolor": (COLOURS[5], 0.6),
            "edgecolor": COLOURS[5],
            "hatch": "////",
        },
        "test: score of the choice": {
            "facecolor": (COLOURS[1], 0.6),
            "edgecolor": COLOURS[1],
            "hatch": "xxxx",
        },
    }
    train, choose, test = looks.values()

    def row(y: float, held_out: int, left: float, n_folds: int, part: float, of: Any) -> None:
        for fold in range(n_folds):
            look = of if fold == held_out else train
            place = (left + fold * part, y)
            ax.add_patch(Rectangle(place, 0.94 * part, 0.62, linewidth=0.9, **look))

    ax.text(0, 10.35, "outer folds", fontweight="bold")
    for fold in range(5):
        y = 9.3 - fold * 0.8
        row(y, fold, 0, 5, 1.0, test)
        ax.text(5.15, y + 0.3, f"score {fold + 1}", va="center")
    ax.text(6.75, 7.95, "mean and\ndeviation\nare reported", va="center", ha="left")
    ax.plot([6.45, 6.6, 6.6, 6.45], [9.9, 9.9, 6.1, 6.1], color=ink(), linewidth=0.8)
    ax.text(0, 5.0, "inner splits of outer fold 1, for each cell of the grid", fontweight="bold")
    for fold in range(5):
        row(3.95 - fold * 0.8, fold, 1.0, 5, 0.8, choose)
    ax.text(
        5.15, 2.66, "the cell with the best\nmean is trained again\non all of these", va="center"
    )
    for place in (1.0, 4.97):
        for span in ([0.6, 4.75], [5.75, 9.25]):  # not through the words between them
            ax.plot([place, place], span, ":", color=ink(), linewidth=0.8, zorder=0)
    handles = [Patch(label=name, **look) for name, look in looks.items()]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=3,
        frameon=False,
        fontsize=9.5,
        columnspacing=1.0,
        handlelength=1.6,
    )
    ax.set(xlim=(-0.05, 8.6), ylim=(0.4, 10.9))
    ax.axis("off")
    return ax


@picture("inner-table")
def inner_table() -> Any:
    """Draw the inner scores of a run on wine."""
    X, y = load_wine(return_X_y=True)
    result = softmargin.nested_cv(X, y, method="svc", random_state=0)
    return plots.inner_table(result)


@picture("pattern-search")
def pattern_search() -> Any:
    """Draw the cells that a pattern search evaluates."""
    X, y = load_wine(return_X_y=True)
    result = softmargin.nested_cv(X, y, method="svc", search="pattern", random_state=0)
    return plots.inner_table(result)
