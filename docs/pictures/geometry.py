"""Small problems in the plane, on which the steps of MN-SVM and NN-ISDA can be seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from drawing import ink, panels, picture, quiet
from softmargin.plots._look import COLOURS, tidy


@picture("mnsvm-hull")
def mnsvm_hull() -> Any:
    """Draw the steps of a minimal norm problem in the convex hull of the points y x."""
    rng = np.random.default_rng(5)
    points = np.array([3.0, 2.2]) + rng.normal(size=(30, 2)) @ [[1.1, -0.5], [0.3, 0.6]]
    path, alpha = _minimal_norm(points)
    _, ax = panels(1, 1, 3.9)
    hull = points[ConvexHull(points).vertices]
    ax.fill(*hull.T, color=COLOURS[6], alpha=0.22, linewidth=0)
    ax.plot(*np.vstack([hull, hull[:1]]).T, color=COLOURS[0], linewidth=1)
    ax.scatter(*points.T, s=22, color=COLOURS[0], linewidths=0, label="samples $y_i \\varphi(x_i)$")
    look = {"facecolors": "none", "edgecolors": ink(), "linewidths": 1}
    ax.scatter(*points[alpha > 1e-9].T, s=110, label="support vectors", **look)
    ax.plot(*path.T, ".-", color=COLOURS[1], linewidth=1.2, markersize=6, label="steps")
    w = path[-1]
    ax.plot([0, w[0]], [0, w[1]], color=ink(), linewidth=2, label="shortest vector w")
    side = np.array([-w[1], w[0]]) / np.linalg.norm(w)
    ends = np.array([w - 1.6 * side, w + 1.6 * side])
    ax.plot(*ends.T, "--", color=quiet(), linewidth=1, label="perpendicular to w")
    ax.plot(0, 0, "+", color=ink(), markersize=11, markeredgewidth=2)
    ax.annotate("0", (0, 0), xytext=(6, -12), textcoords="offset points")
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _minimal_norm(points: Any) -> tuple[Any, Any]:
    """Return the points of the path to the minimal norm, and the weights of the last."""
    alpha = np.zeros(len(points))
    alpha[np.argmax((points**2).sum(axis=1))] = 1
    path = [alpha @ points]
    while True:
        gradient = points @ path[-1]
        least = int(np.argmin(gradient))
        most = int(np.argmax(np.where(alpha > 0, gradient, -np.inf)))
        if gradient[most] - gradient[least] < 1e-6:
            return np.array(path), alpha
        apart = ((points[most] - points[least]) ** 2).sum()
        step = min(alpha[most], (gradient[most] - gradient[least]) / apart)
        alpha[most] -= step
        alpha[least] += step
        path.append(alpha @ points)


@picture("nnisda-steps")
def nnisda_steps() -> Any:
    """Draw steps in one coefficient at a time on two dual problems of two samples."""
    figure, axes = panels(1, 2, 3.3, sharey=True)
    for ax, C in zip(axes, (1.0, 16.0), strict=True):
        Q = np.array([[1.0, 0.82], [0.82, 1.0]]) + np.eye(2) / C
        path = _coordinate_steps(Q)
        first, second = np.meshgrid(np.linspace(-0.12, 1.15, 160), np.linspace(-0.12, 1.15, 160))
        value = 0.5 * (Q[0, 0] * first**2 + Q[1, 1] * second**2) + Q[0, 1] * first * second
        value -= first + second
        levels = value.min() + np.geomspace(0.003, 0.6, 8)
        ax.contour(
            first, second, value, levels=levels, colors=[quiet()], linewidths=0.7, linestyles="-"
        )
        ax.axvspan(-0.12, 0, color=quiet(), alpha=0.18, linewidth=0)
        ax.axhspan(-0.12, 0, color=quiet(), alpha=0.18, linewidth=0)
        ax.plot(*path.T, ".-", color=COLOURS[1], linewidth=1.4, markersize=6, label="steps")
        best = np.linalg.solve(Q, [1, 1])
        ax.plot(*best, "*", color=COLOURS[0], markersize=13, label="optimum", linestyle="none")
        ax.set(title=f"C = {C:g}: {len(path) - 1} steps", xlabel=r"$\alpha_1$", aspect="equal")
        ax.set(xlim=(-0.12, 1.15), ylim=(-0.12, 1.15), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    axes[0].set_ylabel(r"$\alpha_2$")
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=2, frameon=False)
    return figure


def _coordinate_steps(Q: Any, tol: float = 0.01) -> Any:
    alpha, path = np.zeros(2), [np.zeros(2)]
    while True:
        slack = 1 - Q @ alpha
        slack[(alpha == 0) & (slack < 0)] = 0
        worst = int(np.argmax(np.abs(slack)))
        if abs(slack[worst]) < tol:
            return np.array(path)
        alpha[worst] = max(0.0, alpha[worst] + slack[worst] / Q[worst, worst])
        path.append(alpha.copy())


@picture("losses")
def losses() -> Any:
    """Draw the hinge loss and the squared hinge loss."""
    margin = np.linspace(-1.2, 2.2, 200)
    hinge = np.maximum(0, 1 - margin)
    _, ax = panels(1, 1, 2.9, width=5.4)
    ax.plot(margin, hinge**2, color=COLOURS[1], linewidth=2, label="squared hinge")
    ax.plot(margin, hinge, "--", color=COLOURS[0], linewidth=2, label="hinge")
    ax.plot(margin, margin < 0, ":", color=quiet(), linewidth=1.6, label="misclassified")
    ax.set(xlabel="margin y f(x)", ylabel="loss", ylim=(-0.1, 4.2))
    tidy(ax)
    ax.legend(frameon=False)
    return ax
