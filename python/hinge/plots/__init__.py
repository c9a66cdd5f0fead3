"""Pictures of results; they need matplotlib (``pip install matplotlib``).

Each function draws into the given axes, or into a figure of its own, and returns the axes. Methods
and classes are told apart by colour, and without it by dash, mark or hatch. Text, axes and grid
have the colours of matplotlib's settings, and nothing has a background, so that a picture drawn in
``plt.style.context("dark_background")`` is one for dark pages.
"""

from hinge.plots._bars import accuracy_bars
from hinge.plots._boundary import decision_boundary
from hinge.plots._convergence import convergence
from hinge.plots._growth import against_rows
from hinge.plots._inner_table import inner_table
from hinge.plots._rank_diagram import critical_difference

__all__ = [
    "accuracy_bars",
    "against_rows",
    "convergence",
    "critical_difference",
    "decision_boundary",
    "inner_table",
]
