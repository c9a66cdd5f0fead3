"""Support vector regression, the parameter nu, and novelty detection."""

from __future__ import annotations

from typing import Any

import numpy as np

from drawing import bare, ink, panels, picture, quiet
from softmargin import SVR, NuSVC, NuSVR, OneClassSVM
from softmargin.plots._look import COLORS, tidy


def _wave(n_samples: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    x = np.sort(rng.uniform(0, 5, n_samples))
    return x[:, None], np.sin(2 * x) + 0.2 * rng.normal(size=n_samples)


@picture("svr-tube")
def svr_tube() -> Any:
    """Draw the function and the tube of SVR for three half-widths."""
    X, y = _wave()
    grid = np.linspace(-0.1, 5.1, 200)
    _, axes = panels(1, 3, 2.9, sharey=True)
    for ax, epsilon in zip(axes, (0.05, 0.3, 0.8), strict=True):
        model = SVR(C=10, gamma=1, epsilon=epsilon, tol=1e-6).fit(X, y)
        f = model.predict(grid[:, None])
        look = {"color": COLORS[0], "alpha": 0.2, "linewidth": 0}
        ax.fill_between(grid, f - epsilon, f + epsilon, **look)
        ax.plot(grid, f, color=COLORS[0], linewidth=2)
        is_vector = np.isin(np.arange(len(y)), model.support_)
        for chosen, color, mark, name in (
            (~is_vector, quiet(), "o", "inside the tube"),
            (is_vector, COLORS[1], "D", "support vector"),
        ):
            look = {"color": color, "marker": mark, "s": 15, "linewidths": 0, "zorder": 3}
            ax.scatter(X[chosen], y[chosen], label=name, **look)
        ax.set_title(f"epsilon = {epsilon}: {is_vector.sum()} of {len(y)}")
        bare(ax)
        tidy(ax)
    handles, names = axes[1].get_legend_handles_labels()
    axes[0].figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False)
    return axes[0]


@picture("nu-shares")
def nu_shares() -> Any:
    """Draw the shares of support vectors and of errors against nu."""
    X, y = _wave(80)
    labels = y > np.median(y)
    nus = np.linspace(0.25, 0.97, 25)
    _, axes = panels(1, 2, 3.3, sharey=True)
    for ax, name in zip(axes, ("NuSVC", "NuSVR"), strict=True):
        vectors, errors = [], []
        for nu in nus:
            if name == "NuSVC":
                model: Any = NuSVC(nu=nu, gamma=1, tol=1e-5).fit(X, labels)
                margins = np.where(labels, 1, -1) * model.decision_function(X)
                errors.append((margins < 1 - 1e-2).mean())
            else:
                model = NuSVR(nu=nu, gamma=1, tol=1e-6).fit(X, y)
                residuals = np.abs(y - model.predict(X))
                errors.append((residuals > model.epsilon_ + 1e-4).mean())
            vectors.append(len(model.support_) / len(X))
        ax.plot([0, 1], [0, 1], "--", color=ink(), linewidth=1.2, label="nu")
        look = {"markersize": 4, "linewidth": 0}
        ax.plot(nus, vectors, "^", color=COLORS[0], label="support vectors", **look)
        what = "margin errors" if name == "NuSVC" else "outside of the tube"
        ax.plot(nus, errors, "v", color=COLORS[1], label="errors", **look)
        ax.set(title=f"{name} ({what})", xlabel="nu", xlim=(0, 1), ylim=(0, 1.03))
        tidy(ax)
    axes[0].set_ylabel("share of the samples")
    handles, names = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(handles, names, loc="outside upper center", ncols=3, frameon=False)
    return axes[0]


@picture("one-class-regions")
def one_class_regions() -> Any:
    """Draw the regions of OneClassSVM for three values of nu."""
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, np.pi, 130)
    arc = np.c_[2 * np.cos(angle), 2 * np.sin(angle)] + 0.2 * rng.normal(size=(130, 2))
    X = np.vstack([arc, rng.uniform([-3, -1], [3, 3], size=(20, 2))])
    grid = np.meshgrid(np.linspace(-3.2, 3.2, 100), np.linspace(-1.2, 3.2, 80))
    points = np.c_[grid[0].ravel(), grid[1].ravel()]
    _, axes = panels(1, 3, 2.4)
    for ax, nu in zip(axes, (0.05, 0.2, 0.5), strict=True):
        model = OneClassSVM(nu=nu, gamma=1, tol=1e-6).fit(X)
        values = model.decision_function(points).reshape(grid[0].shape)
        ax.contourf(*grid, values, levels=[0, np.inf], colors=[COLORS[0]], alpha=0.2)
        ax.contour(*grid, values, levels=[0], colors=[COLORS[0]], linewidths=1.8)
        is_out = model.decision_function(X) < -1e-5
        for chosen, color, mark, name in (
            (~is_out, quiet(), "o", "inlier"),
            (is_out, COLORS[1], "D", "outlier"),
        ):
            look = {"color": color, "marker": mark, "s": 13, "linewidths": 0, "zorder": 3}
            ax.scatter(*X[chosen].T, label=name, **look)
        ax.set_title(f"nu = {nu}: {100 * is_out.mean():.0f} % outside")
        bare(ax)
    handles, names = axes[2].get_legend_handles_labels()
    axes[0].figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False)
    return axes[0]
