"""Plots of results; they require matplotlib (``pip install matplotlib``).

Each function draws into the given axes, or into a new figure, and returns the axes. Methods and
classes differ in color and also in dash, marker or hatch. Text, axes and grid take their colors
from matplotlib's settings and nothing has a background of its own, so that a plot drawn within
``plt.style.context("dark_background")`` suits dark pages.
"""

from softmargin.plots._bars import accuracy_bars
from softmargin.plots._boundary import decision_boundary
from softmargin.plots._convergence import convergence
from softmargin.plots._growth import growth
from softmargin.plots._inner_table import inner_table
from softmargin.plots._rank_diagram import critical_difference
from softmargin.plots._regression import predicted, residuals, tube

__all__ = [
    "accuracy_bars",
    "convergence",
    "critical_difference",
    "decision_boundary",
    "growth",
    "inner_table",
    "predicted",
    "residuals",
    "tube",
]
