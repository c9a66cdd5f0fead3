"""How the exact solvers converge: Newton's method, and the two methods of LinearSVC."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import minmax_scale, scale

from drawing import ink, panels, picture
from softmargin import LinearSVC, NewtonSVC, plots
from softmargin.datasets import two_gaussians
from softmargin.plots._look import COLOURS, DASHES, MARKS, legend_outside, tidy


@picture("newton-steps")
def newton_steps() -> Any:
    """Draw how far the objective is above the optimum after each Newton step."""
    X, y = load_breast_cancer(return_X_y=True)
    X = minmax_scale(X)
    _, ax = panels(1, 1, 3.2)
    for k, C in enumerate((1, 10, 100)):
        best = NewtonSVC(C=C, gamma=1).fit(X, y)
        optimum = best.certificate_[0].primal
        above = []
        for step in range(1, best.n_iter_[0] + 1):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = NewtonSVC(C=C, gamma=1, max_iter=step).fit(X, y)
            above.append(model.certificate_[0].primal / optimum - 1)
        steps = np.arange(1, len(above) + 1)
        # What is left at the end is rounding.
        shown = np.maximum(above, 1e-12)
        look = {"color": COLOURS[k], "linestyle": DASHES[k], "marker": MARKS[k], "markersize": 5}
        ax.plot(steps, shown, label=f"C = {C}", **look)
    ax.set(yscale="log", xlabel="Newton steps", ylabel="objective / optimum − 1", ylim=(3e-13, 30))
    ax.set_yticks([1e-12, 1e-8, 1e-4, 1], ["0", "$10^{-8}$", "$10^{-4}$", "1"])
    ax.minorticks_off()
    tidy(ax)
    legend_outside(ax, ax.get_lines())
    return ax


@picture("linear-losses")
def linear_losses() -> Any:
    """Draw the lines that both losses find."""
    data = two_gaussians(160, random_state=1)
    X, y = data.X, 2 * data.y - 1
    _, ax = panels(1, 1, 3.8)
    model = LinearSVC(
        loss="hinge", C=1, intercept_scaling=10, max_iter=100_000, random_state=0
    ).fit(X, y)
    plots.decision_boundary(model, X, y, ax)
    handles = list(ax.get_legend().legend_handles)
    handles[2].set_label("hinge loss")
    other = LinearSVC(C=1, intercept_scaling=10).fit(X, y)
    spans = [np.linspace(*limits, 100) for limits in (ax.get_xlim(), ax.get_ylim())]
    grid = np.column_stack([part.ravel() for part in np.meshgrid(*spans)])
    values = other.decision_function(grid).reshape(100, 100)
    ax.contour(*spans, values, levels=[0.0], colors=[COLOURS[3]], linewidths=2, linestyles=["-."])
    (line,) = ax.plot([], [], "-.", color=COLOURS[3], linewidth=2, label="squared hinge loss")
    ax.get_legend().remove()
    legend_outside(ax, [*handles[:3], line, *handles[3:]])
    return ax


@picture("linear-convergence")
def linear_convergence() -> Any:
    """Draw how far both methods are above their optimum after each pass or Newton step."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    curves = {}
    for name, loss in (
        ("hinge: dual passes", "hinge"),
        ("squared hinge: Newton steps", "squared_hinge"),
    ):
        model = LinearSVC(
            loss=loss, C=1, tol=1e-7, max_iter=100_000, record_every=1, random_state=0
        ).fit(X, y)
        objective = np.array(model.curve_["objective"])
        above = objective / objective.min() - 1
        known = np.flatnonzero(above > 1e-7)
        curves[name] = {
            "step": np.array(model.curve_["step"])[known],
            "objective": above[known],
        }
    _, ax = panels(1, 1, 3.3)
    plots.convergence(curves, ax=ax)
    ax.set(xscale="symlog", xlabel="passes or steps", ylabel="objective / optimum − 1")
    ax.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    ax.axhline(0.01, color=ink(), linewidth=0.6, linestyle=":")
    return ax
