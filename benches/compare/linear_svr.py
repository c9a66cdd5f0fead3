"""Does LinearSVR reach the same objective in less time than scikit-learn's, at the same tol?

Both losses, C of 0.01, 1 and 100, and the defaults of both packages for the rest (tol 1e-4, epsilon
0, an intercept in the norm, at most 1,000 iterations). Fits alternate for a second, and the best
time of each counts. The data is float64: normal features with noise of heavy tails, the same with
features of very different scales, more features than samples, sparse features, and the diabetes
data. The solvers run on one thread unless ``--n-jobs`` is given; scikit-learn's has only one.

    python linear_svr.py
    python linear_svr.py --sets wide,sparse --C 1

An objective ratio below 1 means that ours is closer to the optimum. ``gap`` is our duality gap
relative to the objective, which bounds the distance from the optimum.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import svm
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import softmargin
from harness import announce, parser, write_json
from linear import alternating

warnings.simplefilter("ignore", ConvergenceWarning)

SETS = "normal,unscaled,wide,sparse,diabetes"
LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


def problem(name: str) -> tuple[Any, np.ndarray]:
    """Return samples and targets of a variance near 1."""
    rng = np.random.default_rng(0)
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
        return StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    if name == "sparse":
        X = sp.random(20_000, 5_000, density=0.004, random_state=0, format="csr")
    elif name == "wide":
        X = rng.normal(size=(500, 4_000))
    else:
        X = rng.normal(size=(20_000, 50))
    y = np.asarray(X @ rng.normal(size=X.shape[1])).ravel()
    y = y / y.std() + 0.3 * rng.standard_t(3, size=len(y))
    if name == "unscaled":
        X = X * np.logspace(-2, 2, X.shape[1])
    return X, y


def objective(model: Any, X: Any, y: np.ndarray) -> float:
    """Return the objective with a regularized intercept, from its definition."""
    slack = np.maximum(0, np.abs(y - model.predict(X)) - model.epsilon)
    losses = slack.sum() if model.loss == LOSSES[0] else slack @ slack
    norm = model.coef_ @ model.coef_ + np.sum(np.square(model.intercept_))
    return float(0.5 * norm + model.C * losses)


def compare(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Print a line for each set, loss and C; return them."""
    lines = []
    for name in arguments.sets.split(","):
        X, y = problem(name)
        for loss in LOSSES:
            for c in map(float, arguments.C.split(",")):
                kept = {"loss": loss, "C": c, "tol": arguments.tol, "epsilon": arguments.epsilon}
                kept["random_state"] = 0
                mine, theirs, ours, peer = alternating(
                    lambda k=kept, X=X, y=y: softmargin.LinearSVR(**k, n_jobs=arguments.n_jobs).fit(
                        X, y
                    ),
                    lambda k=kept, X=X, y=y: svm.LinearSVR(**k, dual="auto").fit(X, y),
                    arguments.repeats,
                )
                values = [objective(model, X, y) for model in (ours, peer)]
                gap = ours.certificate_.gap / ours.certificate_.primal
                print(
                    f"{name:<9} {loss:<27} C {c:<6g} ours {mine:8.4f} s  sklearn {theirs:8.4f} s  "
                    f"{theirs / mine:6.2f}x  objective ours / theirs {values[0] / values[1]:.6f}  "
                    f"gap {gap:.0e}  iterations {ours.n_iter_} / {peer.n_iter_}  {ours.status_}",
                    flush=True,
                )
                lines.append(
                    {"name": name, "loss": loss, "C": c, "ours_seconds": mine}
                    | {"peer_seconds": theirs, "ratio": theirs / mine, "shape": X.shape}
                    | {"objective_ratio": values[0] / values[1], "gap": gap}
                )
    ratios = [line["ratio"] for line in lines]
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}x, least {min(ratios):.2f}x")
    return lines


def main() -> None:
    options = parser(__doc__)
    options.set_defaults(n_jobs=1)
    options.add_argument("--sets", default=SETS, help="names, separated by commas")
    options.add_argument("--C", default="0.01,1,100", help="values, separated by commas")
    options.add_argument("--tol", type=float, default=1e-4)
    options.add_argument("--epsilon", type=float, default=0.0)
    arguments = options.parse_args()
    question = "Linear regression: softmargin.LinearSVR against sklearn.svm.LinearSVR, same tol"
    announce(question, arguments, ("scikit-learn",))
    write_json(question, arguments, ("scikit-learn",), compare(arguments))


if __name__ == "__main__":
    main()
