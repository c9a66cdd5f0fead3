"""How long does a linear classifier take to come within 1 % of the optimal objective?

lambda / 2 |w|^2 + mean hinge loss, no bias. Our exact solver computes the optimum with a small
tolerance. Each contestant uses the fewest epochs that reach 1.01 times the optimum (found first,
not timed; SGD with and without averaging, the better counts), and is then timed with them. The
solvers of each package run on one thread. Peers: ``SGDClassifier(loss="hinge")`` and
``LinearSVC(loss="hinge")`` of scikit-learn.

    python linear.py                      all sets; the generated one has 400,000 x 500 values
    python linear.py --sets adult,mnist
    python linear.py --equal-tol          LinearSVC against LinearSVC at the same tol
"""

from __future__ import annotations

import argparse
import functools
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import MaxAbsScaler

import softmargin
from data import raw
from harness import announce, best_of, parser, write_json

warnings.simplefilter("ignore", ConvergenceWarning)

# A contestant that takes longer, in seconds, gets no more epochs.
LONG = 5.0

EPOCHS = [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 130, 160, 200, 300]


def problem(name: str, dtype: str) -> tuple[Any, np.ndarray]:
    """Return samples and labels 0, 1."""
    if name == "generated":
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400_000, 500)).astype(dtype)
        X /= X.dtype.type(500**0.5)
        w = rng.normal(size=500)
        return X, (X @ w + rng.normal(size=len(X)) * 0.5 > 0).astype(int)
    if name == "phrases":
        phrases, labels = softmargin.datasets.phrases()
        X = CountVectorizer(binary=True, dtype=np.dtype(dtype)).fit_transform(phrases)
        return X, (labels > 2).astype(int)
    X, y, n_train = raw(name, dtype)
    if n_train is not None and name != "covtype":
        X, y = X[:n_train], y[:n_train]
    X = MaxAbsScaler().fit_transform(X)
    positive = {"mnist": y < 5, "adult": y == 1, "covtype": y == 1}[name]
    return X, positive.astype(int)


def objective(model: Any, X: Any, y: np.ndarray, lam: float) -> float:
    w = model.coef_.ravel()
    losses = np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ w))
    return float(0.5 * lam * (w @ w) + losses.mean())


def contestants(n: int, lam: float) -> dict[str, Callable[[int], Any]]:
    """Return estimators by name, for a number of epochs."""
    c = 1 / (lam * n)
    seed = {"random_state": 0}
    plain = {"fit_intercept": False}

    def ours(optimizer: str, average: float) -> Callable[[int], Any]:
        return lambda epochs: softmargin.SGDSVC(
            optimizer, lam, epochs=epochs, average=average, **plain, **seed
        )

    def theirs(average: bool) -> Callable[[int], Any]:
        return lambda epochs: SGDClassifier(
            alpha=lam, max_iter=epochs, tol=None, average=average, **plain, **seed
        )

    return {
        "softmargin pegasos": ours("pegasos", 0.5),
        "softmargin sgd": ours("sgd", 0.5),
        "softmargin LinearSVC": lambda epochs: softmargin.LinearSVC(
            loss="hinge", C=c, max_iter=epochs, tol=1e-9, **plain, **seed
        ),
        "sklearn SGD": theirs(False),
        "sklearn SGD averaged": theirs(True),
        "sklearn LinearSVC": lambda epochs: svm.LinearSVC(
            loss="hinge", dual=True, C=c, max_iter=epochs, tol=1e-9, **plain, **seed
        ),
    }


def to_one_percent(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Print the times until the objective is within 1 % of the optimum; return them."""
    lam, repeats = arguments.lam, arguments.repeats
    ratios, lines = [], []
    for name in arguments.sets.split(","):
        X, y = problem(name, arguments.dtype)
        n = X.shape[0]
        exact = softmargin.LinearSVC(
            loss="hinge", C=1 / (lam * n), tol=1e-3, max_iter=3000, fit_intercept=False
        ).fit(X, y)
        best = exact.certificate_[0].primal * lam
        gap = exact.certificate_[0].gap * lam / best
        print(f"{name}: {X.shape[0]} x {X.shape[1]}, optimum {best:.6f}, gap {gap:.1e}")
        times = {}
        for who, make in contestants(n, lam).items():
            for epochs in EPOCHS:
                start = time.perf_counter()
                reached = objective(make(epochs).fit(X, y), X, y, lam) / best
                if reached <= 1.01 or time.perf_counter() - start > LONG:
                    break
            model = make(epochs)
            run = functools.partial(model.fit, X, y)
            seconds, _ = best_of(run, 1)
            if seconds < LONG:
                seconds = min(seconds, best_of(run, repeats - 1)[0])
            times[who] = seconds if reached <= 1.01 else np.inf
            note = "" if reached <= 1.01 else f"  not reached: {reached:.3f} times the optimum"
            print(f"    {who:<22} {epochs:4d} epochs {seconds:9.4f} s{note}", flush=True)
        ours = min(t for who, t in times.items() if who.startswith("softmargin"))
        peer = min(t for who, t in times.items() if who.startswith("sklearn"))
        ratios.append(peer / ours)
        print(f"    fastest of theirs / fastest of ours: {ratios[-1]:.1f}x")
        reached_in = {
            who: seconds if np.isfinite(seconds) else None for who, seconds in times.items()
        }
        lines.append({"name": name, "seconds": reached_in, "ratio": ratios[-1]})
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}x")
    return lines


def equal_tol(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Compare LinearSVC with LinearSVC, both losses, at scikit-learn's defaults for the rest."""
    ratios, lines = [], []
    for name in arguments.sets.split(","):
        X, y = problem(name, arguments.dtype)
        c = 1 / (arguments.lam * X.shape[0])
        for loss in ("hinge", "squared_hinge"):
            kept = {"loss": loss, "C": c, "tol": 1e-2 if loss == "hinge" else 1e-4}
            kept |= {"random_state": 0, "max_iter": 10_000}

            def run(kind: Any, kept: dict[str, Any], extra: dict[str, Any], data: Any) -> Any:
                return kind(**kept, **extra).fit(*data)

            mine = theirs = np.inf
            threads = {"n_jobs": arguments.n_jobs}
            for _ in range(arguments.repeats):
                seconds, ours = best_of(
                    lambda k=kept, d=(X, y), t=threads: run(softmargin.LinearSVC, k, t, d), 1
                )
                mine = min(mine, seconds)
                seconds, peer = best_of(lambda k=kept, d=(X, y): run(svm.LinearSVC, k, {}, d), 1)
                theirs = min(theirs, seconds)

            def value(model: Any, X: Any = X, y: Any = y, c: float = c, loss: str = loss) -> float:
                w = np.append(model.coef_.ravel(), model.intercept_)
                lack = np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ w[:-1] + w[-1]))
                return float(0.5 * w @ w + c * (lack.sum() if loss == "hinge" else lack @ lack))

            ratios.append(theirs / mine)
            print(
                f"{name:<10} {loss:<14} ours {mine:8.3f} s   sklearn {theirs:8.3f} s   "
                f"{ratios[-1]:5.1f}x   objective ours / theirs {value(ours) / value(peer):.6f}   "
                f"gap {ours.certificate_[0].gap / ours.certificate_[0].primal:.1e}   "
                f"epochs {ours.n_iter_} / {peer.n_iter_}",
                flush=True,
            )
            lines.append(
                {"name": name, "loss": loss, "ours_seconds": mine, "peer_seconds": theirs}
                | {"ratio": ratios[-1], "objective_ratio": value(ours) / value(peer)}
            )
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}x")
    return lines


def main() -> None:
    options = parser(__doc__, dtype=True)
    options.add_argument("--sets", default="adult,phrases,covtype,mnist,generated")
    options.add_argument("--lam", type=float, default=1e-4)
    options.add_argument("--equal-tol", action="store_true")
    arguments = options.parse_args()
    question = "Linear classifiers: seconds until the objective is within 1 % of the optimum"
    if arguments.equal_tol:
        question = (
            "Linear classifiers: softmargin.LinearSVC against sklearn.svm.LinearSVC, same tol"
        )
    else:
        arguments.n_jobs = 1
    announce(question, arguments, ("scikit-learn",))
    lines = equal_tol(arguments) if arguments.equal_tol else to_one_percent(arguments)
    write_json(question, arguments, ("scikit-learn",), lines)


if __name__ == "__main__":
    main()
