"""How long does a linear classifier take to come within 1 % of the optimal objective?

lambda / 2 |w|^2 + mean hinge loss, no bias. Our exact solver computes the optimum with a small
tolerance. Each contestant uses the fewest epochs that reach 1.01 times the optimum (found first,
not timed; SGD with and without averaging, the better counts), and is then timed with them. The
solvers of each package run on one thread. Peers: ``SGDClassifier(loss="hinge")`` and
``LinearSVC(loss="hinge")`` of scikit-learn.

    python linear.py                      all sets; the generated one has 400,000 x 500 values
    python linear.py --sets adult,mnist
    python linear.py --equal-tol          LinearSVC against LinearSVC at the same tol

``--equal-tol`` compares whole fits for both losses, also with several classes (one against the
rest) and on small sets, which are repeated for half a second. Features are scaled to [-1, 1],
or standardized with ``--standardize``. C is ``1 / (lam n)`` unless ``--C`` is given; tol is
0.01 for the hinge loss and 1e-4, the default of both packages, for its square, unless ``--tol``
is given. An objective is summed over the binary
classifiers. ``--record`` writes the table of ``docs/benchmarks.md``.
"""

from __future__ import annotations

import argparse
import functools
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import svm
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import softmargin
from data import raw
from harness import announce, best_of, parser, record, version, write_json

warnings.simplefilter("ignore", ConvergenceWarning)

SETS = "adult,phrases,covtype,mnist,generated"
EQUAL_TOL_SETS = (
    "adult,w8a_train,phrases,tf-idf,covtype,mnist,usps,letter,satimage,breast-cancer,heart,sonar,"
    "iris,generated"
)

# Sets that scikit-learn contains.
SMALL = {"breast-cancer": load_breast_cancer, "digits": load_digits}

# The least time, in seconds, of the repeated runs of a comparison.
ENOUGH = 1.0

# A contestant that takes longer, in seconds, gets no more epochs.
LONG = 5.0

EPOCHS = [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 130, 160, 200, 300]


def generated(n: int, d: int, dtype: str) -> tuple[Any, np.ndarray]:
    """Return normal features of equal variance, and labels of a noisy hyperplane."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)).astype(dtype)
    X /= X.dtype.type(d**0.5)
    w = rng.normal(size=d)
    return X, (X @ w + rng.normal(size=len(X)) * 0.5 > 0).astype(int)


def problem(name: str, dtype: str, *, standardize: bool = False) -> tuple[Any, np.ndarray]:
    """Return scaled samples and class codes; mnist and covtype have two classes."""
    if name == "generated":
        return generated(400_000, 500, dtype)
    if name in ("phrases", "tf-idf"):
        phrases, labels = softmargin.datasets.phrases()
        kind = TfidfVectorizer if name == "tf-idf" else CountVectorizer
        X = kind(binary=name == "phrases", dtype=np.dtype(dtype)).fit_transform(phrases)
        return X, (labels if name == "tf-idf" else (labels > 2).astype(int))
    if name in SMALL:
        X, y = SMALL[name](return_X_y=True)
        X = X.astype(dtype)
    else:
        X, y, n_train = raw(name, dtype)
        if n_train is not None and name != "covtype":
            X, y = X[:n_train], y[:n_train]
    if standardize:
        X = StandardScaler(with_mean=not sp.issparse(X)).fit_transform(X)
    else:
        X = MaxAbsScaler().fit_transform(X)
    two = {"mnist": y < 5, "covtype": y == 1}.get(name, y)
    return X, np.unique(two, return_inverse=True)[1]


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


def total_objective(model: Any, X: Any, y: np.ndarray, c: float, loss: str) -> float:
    """Return the objective with a regularized bias, summed over the binary classifiers."""
    signs = [1] if len(model.classes_) == 2 else range(len(model.classes_))
    total = 0.0
    for k, w, b in zip(signs, model.coef_, model.intercept_, strict=True):
        slack = np.maximum(0, 1 - np.where(y == k, 1, -1) * (X @ w + b))
        total += 0.5 * (w @ w + b * b) + c * (slack.sum() if loss == "hinge" else slack @ slack)
    return float(total)


def alternating(
    ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int
) -> tuple[float, float, Any, Any]:
    """Return the best times of both, and the last results; short runs are repeated."""
    mine = peer = np.inf
    start, n_runs = time.perf_counter(), 0
    while n_runs < repeats or time.perf_counter() - start < ENOUGH:
        seconds, own = best_of(ours, 1)
        mine = min(mine, seconds)
        seconds, other = best_of(theirs, 1)
        peer = min(peer, seconds)
        n_runs += 1
    return mine, peer, own, other


def equal_tol(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Compare LinearSVC with LinearSVC, both losses, at scikit-learn's defaults for the rest."""
    ratios, lines = [], []
    for name in arguments.sets.split(","):
        X, y = problem(name, arguments.dtype, standardize=arguments.standardize)
        c = arguments.C or 1 / (arguments.lam * X.shape[0])
        for loss in arguments.losses.split(","):
            tol = arguments.tol or (1e-2 if loss == "hinge" else 1e-4)
            kept = {"loss": loss, "C": c, "tol": tol, "max_iter": arguments.max_iter}
            mine, theirs, ours, peer = alternating(
                lambda k=kept, X=X, y=y: softmargin.LinearSVC(
                    **k, random_state=0, n_jobs=arguments.n_jobs
                ).fit(X, y),
                lambda k=kept, X=X, y=y: svm.LinearSVC(**k, random_state=0).fit(X, y),
                arguments.repeats,
            )
            values = [total_objective(model, X, y, c, loss) for model in (ours, peer)]
            gap = max(found.gap / found.primal for found in ours.certificate_)
            ratios.append(theirs / mine)
            print(
                f"{name:<14} {loss:<13} ours {mine:8.4f} s  sklearn {theirs:8.4f} s  "
                f"{ratios[-1]:5.2f}x  objective ours / theirs {values[0] / values[1]:.6f}  "
                f"gap {gap:.0e}  iterations {ours.n_iter_} / {peer.n_iter_}",
                flush=True,
            )
            lines.append(
                {"name": name, "loss": loss, "ours_seconds": mine, "peer_seconds": theirs}
                | {"ratio": ratios[-1], "objective_ratio": values[0] / values[1]}
                | {"shape": X.shape, "n_classes": len(ours.classes_)}
            )
    mean = np.exp(np.mean(np.log(ratios)))
    print(f"geometric mean {mean:.2f}x, least {min(ratios):.2f}x")
    return lines


def record_table(question: str, arguments: argparse.Namespace, lines: list[dict[str, Any]]) -> None:
    """Write the table of the page: one row for each set."""
    found = {(line["name"], line["loss"]): line for line in lines}
    rows = []
    for name in arguments.sets.split(","):
        hinge, square = (found[name, loss] for loss in ("hinge", "squared_hinge"))
        n, d = hinge["shape"]
        size = f"{name}, {n:,} × {d:,}, {hinge['n_classes']} classes"
        ratios = [hinge["ratio"], square["ratio"]]
        rows.append([size, *ratios, hinge["objective_ratio"], square["objective_ratio"]])
    ratios = [line["ratio"] for line in lines]
    record(
        "linear_equal_tol",
        question,
        arguments,
        f"scikit-learn {version('scikit-learn')} LinearSVC (liblinear), one thread",
        {"data set": None, "hinge, speed-up": ".1f", "squared hinge, speed-up": ".1f"}
        | {f"{loss}, objective / peer's": ".5f" for loss in ("hinge", "squared hinge")},
        rows,
        parameters=f"C = 1 / ({arguments.lam:g} n), tol 0.01 for the hinge, 1e-4 for its square",
        repeats=f"best of alternating runs of each, at least {arguments.repeats} and a second",
        cells=f"geometric mean {np.exp(np.mean(np.log(ratios))):.1f}, least {min(ratios):.1f}",
    )


def main() -> None:
    options = parser(__doc__, dtype=True)
    options.add_argument("--sets", help="names, separated by commas")
    options.add_argument("--lam", type=float, default=1e-4)
    options.add_argument("--equal-tol", action="store_true")
    options.add_argument("--losses", default="hinge,squared_hinge")
    options.add_argument("--standardize", action="store_true")
    options.add_argument("--C", type=float)
    options.add_argument("--tol", type=float)
    options.add_argument("--max-iter", type=int, default=10_000)
    options.add_argument("--record", action="store_true", help="write the table of the page")
    arguments = options.parse_args()
    arguments.sets = arguments.sets or (EQUAL_TOL_SETS if arguments.equal_tol else SETS)
    question = "Linear classifiers: seconds until the objective is within 1 % of the optimum"
    if arguments.equal_tol:
        question = (
            "Linear classifiers: softmargin.LinearSVC against sklearn.svm.LinearSVC, same tol"
        )
    else:
        arguments.n_jobs = 1
    announce(question, arguments, ("scikit-learn",))
    lines = equal_tol(arguments) if arguments.equal_tol else to_one_percent(arguments)
    if arguments.equal_tol and arguments.record:
        record_table(question, arguments, lines)
    write_json(question, arguments, ("scikit-learn",), lines)


if __name__ == "__main__":
    main()
