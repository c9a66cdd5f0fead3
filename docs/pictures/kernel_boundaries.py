"""What the kernel methods do, on two Gaussian classes whose Bayes boundary is known."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from matplotlib.patheffects import withStroke
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from drawing import bare, ink, page, panels, picture, quiet
from softmargin import NLSGD, OLLAWV, SVC, MinMaxScaler, plots
from softmargin.datasets import bayes_decision, two_gaussians
from softmargin.plots._look import COLOURS, legend_outside, tidy

GAMMA = 0.25


def _data(n_samples: int = 200) -> tuple[Any, Any]:
    data = two_gaussians(n_samples, random_state=0)
    return data.X, 2 * data.y - 1


@picture("svc-boundary")
def svc_boundary() -> Any:
    """Draw the boundary of SVC beside that of Bayes."""
    X, y = _data()
    _, ax = panels(1, 1, 3.9)
    model = SVC(C=1, gamma=GAMMA).fit(X, y)
    return plots.decision_boundary(model, X, y, ax, bayes=bayes_decision)


def _alphas(model: Any, n_samples: int) -> Any:
    alpha = np.zeros(n_samples)
    alpha[model.support_] = np.abs(model.dual_coef_).ravel()
    return alpha


@picture("svc-bounds")
def svc_bounds() -> Any:
    """Draw coefficients against margins: early in training, and at the optimum."""
    X, y = _data()
    _, axes = panels(1, 2, 3.2, sharey=True)
    for ax, max_iter, title in zip(
        axes, (30, -1), ("after 30 steps", "at the optimum"), strict=True
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = SVC(C=1, gamma=GAMMA, max_iter=max_iter).fit(X, y)
        alpha, margin = _alphas(model, len(y)), y * model.decision_function(X)
        kinds = {
            "α = 0": (alpha == 0, COLOURS[2], "^"),
            "0 < α < C, free": ((alpha > 0) & (alpha < 1), COLOURS[0], "o"),
            "α = C, bounded": (alpha == 1, COLOURS[1], "s"),
        }
        low, high = -1.9, 2.9
        ax.plot([low, 1, 1, high], [1, 1, 0, 0], color=quiet(), linewidth=5, alpha=0.3)
        for name, (chosen, color, mark) in kinds.items():
            look = {"color": color, "marker": mark, "s": 24, "linewidths": 0, "alpha": 0.85}
            ax.scatter(margin[chosen], alpha[chosen], label=name, zorder=3, **look)
        ax.set(title=title, xlabel="margin y f(x)", xlim=(low, high), ylim=(-0.08, 1.12))
        tidy(ax)
    axes[0].set_ylabel("coefficient α")
    handles, names = axes[1].get_legend_handles_labels()
    axes[0].figure.legend(handles, names, loc="outside upper center", ncols=3, frameon=False)
    return axes[0]


@picture("svc-support")
def svc_support() -> Any:
    """Draw free and bounded support vectors in the plane."""
    from matplotlib.lines import Line2D

    X, y = _data()
    _, ax = panels(1, 1, 3.9)
    model = SVC(C=1, gamma=GAMMA).fit(X, y)
    plots.decision_boundary(model, X, y, ax, support=False)
    alpha = _alphas(model, len(y))
    handles = ax.get_legend().legend_handles[:4]
    for name, chosen, mark, size in (
        ("free", (alpha > 0) & (alpha < 1), "o", 80),
        ("bounded", alpha == 1, "D", 62),
    ):
        look = {"facecolors": "none", "edgecolors": ink(), "linewidths": 0.9}
        ax.scatter(*X[chosen].T, s=size, marker=mark, **look)
        handles.append(
            Line2D(
                [],
                [],
                linestyle="none",
                marker=mark,
                markersize=8,
                markerfacecolor="none",
                color=ink(),
                label=f"{name} ({chosen.sum()})",
            )
        )
    ax.get_legend().remove()
    legend_outside(ax, handles)
    return ax


@picture("ollawv-steps")
def ollawv_steps() -> Any:
    """Draw the model after some steps, with the samples in the order in which they joined."""
    X, y = _data(90)
    whole = OLLAWV(gamma=GAMMA, margin=0.1).fit(X, y)
    _, axes = panels(2, 2, 5.4)
    for ax, n_steps in zip(axes.flat, (2, 6, 15, len(whole.support_)), strict=True):
        model = OLLAWV(gamma=GAMMA, margin=0.1, max_sv_fraction=n_steps / len(y)).fit(X, y)
        plots.decision_boundary(
            model, X, y, ax, margin=None, support=False, bayes=bayes_decision, resolution=80
        )
        bare(ax)
        # Step t gives its sample the coefficient 2 / sqrt(t).
        order = model.support_[np.argsort(-np.abs(model.dual_coef_).ravel())]
        ax.scatter(*X[order].T, s=100, facecolors="none", edgecolors=ink(), linewidths=0.9)
        for step, sample in enumerate(order if n_steps <= 6 else [], 1):
            ax.annotate(
                str(step),
                X[sample],
                xytext=(9, 7),
                textcoords="offset points",
                fontweight="bold",
                path_effects=[withStroke(linewidth=3, foreground=page())],
            )
        ended = " (end)" if n_steps == len(whole.support_) else ""
        ax.set_title(f"{n_steps} steps{ended}")
    return axes[0, 0]


@picture("ollawv-margins")
def ollawv_margins() -> Any:
    """Draw accuracy and model size of all margins of one training run."""
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    scaler = MinMaxScaler().fit(X)
    margins = np.geomspace(0.001, 3, 24)
    models = OLLAWV(gamma=0.25).margin_path(scaler.transform(X), y, margins=margins)
    scores = [model.score(scaler.transform(X_test), y_test) for model in models]
    shares = [len(model.support_) / len(y) for model in models]
    _, (top, bottom) = panels(2, 1, 4.2, sharex=True)
    top.plot(margins, 100 * np.array(scores), "o-", color=COLOURS[0], markersize=4)
    bottom.plot(margins, 100 * np.array(shares), "s--", color=COLOURS[1], markersize=4)
    top.set_ylabel("Accuracy (%)")
    bottom.set(ylabel="Support vectors (%)", xlabel="margin", xscale="log", ylim=(0, 104))
    bottom.set_xticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
    for ax in (top, bottom):
        tidy(ax)
    return top


@picture("nlsgd-average")
def nlsgd_average() -> Any:
    """Draw the objective of the last iterate and of the mean of the last half of the steps."""
    X, y = _data(400)
    C = 400.0
    kernel = np.exp(-GAMMA * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    epochs = np.unique(np.geomspace(1, 100, 30).round().astype(int))
    curves = {}
    for name, average in (("last iterate", 0.0), ("mean of the last half", 0.5)):
        values = []
        for n_epochs in epochs.tolist():
            model = NLSGD(C=C, gamma=GAMMA, epochs=n_epochs, average=average, random_state=0).fit(
                X, y
            )
            beta = np.zeros(len(y))
            beta[model.support_] = model.dual_coef_.ravel()
            losses = np.maximum(0, 1 - y * (kernel @ beta))
            values.append(beta @ kernel @ beta / (2 * C) + losses.mean())
        curves[name] = {"step": epochs, "objective": values}
    _, ax = panels(1, 1, 3.2)
    plots.convergence(curves, ax=ax)
    ax.set(xscale="log", xlabel="Epochs")
    ax.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    ax.minorticks_off()
    return ax
