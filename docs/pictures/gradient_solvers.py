"""How the gradient methods converge; steps are counted, not seconds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from drawing import panels, picture
from softmargin import GDSVC, SGDSVC, LinearSVC, plots
from softmargin.plots._look import COLOURS, DASHES, legend_outside, tidy

RULES = ("pegasos", "sgd", "momentum", "nag", "rmsprop")


def _digits() -> tuple[Any, Any]:
    X, y = load_digits(return_X_y=True)
    return X / 16, np.where(y < 5, -1, 1)


@picture("sgd-rules")
def sgd_rules() -> Any:
    """Draw the objective of all update rules."""
    X, y = _digits()
    models = [
        SGDSVC(rule, lambda_=1e-3, epochs=10, average=0, record_every=300, random_state=0).fit(X, y)
        for rule in RULES
    ]
    _, ax = panels(1, 1, 3.4)
    plots.convergence(models, labels=RULES, ax=ax)
    return ax


@picture("sgd-average")
def sgd_average() -> Any:
    """Draw how far the last iterate and the mean of the last half are above the optimum."""
    X, y = _digits()
    lambda_ = 1e-3
    exact = LinearSVC(
        loss="hinge", C=1 / (lambda_ * len(y)), tol=1e-6, max_iter=10**6, random_state=0
    ).fit(X, y)
    optimum = lambda_ * exact.certificate_[0].primal
    epochs = np.unique(np.geomspace(1, 60, 24).round().astype(int))
    curves = {}
    for name, average in (("last iterate", 0.0), ("mean of the last half", 0.5)):
        ends = []
        for n_epochs in epochs.tolist():
            model = SGDSVC(
                lambda_=lambda_,
                epochs=n_epochs,
                average=average,
                record_every=10**9,
                random_state=0,
            ).fit(X, y)
            ends.append(model.curve_["objective"][-1] / optimum - 1)
        curves[name] = {"step": epochs, "objective": np.array(ends)}
    _, ax = panels(1, 1, 3.2)
    plots.convergence(curves, ax=ax)
    ax.set(xscale="log", xlabel="Epochs", ylabel="objective / optimum − 1")
    ax.set_xticks([1, 3, 10, 30], ["1", "3", "10", "30"])
    ax.minorticks_off()
    return ax


@picture("gd-steps")
def gd_steps() -> Any:
    """Draw the objective of gradient descent with several step lengths."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    _, ax = panels(1, 1, 3.2)
    for k, eta0 in enumerate((0.001, 0.01, 0.1, 2.0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = GDSVC(lambda_=0.1, eta0=eta0, max_iter=60, tol=1e-9, record_every=1).fit(X, y)
        found = model.curve_
        look = {"color": COLOURS[k], "linestyle": DASHES[k], "linewidth": 1.6}
        ax.plot(found["step"], found["objective"], label=f"eta0 = {eta0:g}", **look)
    ax.set(xlabel="Steps", ylabel="Objective", yscale="log", ylim=(0.1, 100))
    ax.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    tidy(ax)
    legend_outside(ax, ax.get_lines(), handlelength=2.6)
    return ax
