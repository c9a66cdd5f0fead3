"""Gradient descent, Newton or Pegasos on a corpus of phrases? (Paper 004.)

Tables 3 and 4 of D. Duros and J. Katzman, Comparison of SVM Optimization Techniques in the Primal.
Phrases of film reviews with labels 0 to 4: "bin" is 3, 4 against 0-2, "multi" all five with
machines for neighbouring labels (``multi_class="ordinal"``); features are the words of a phrase,
that are there (bin) or counted (freq), lower case, punctuation left out. The corpus is a
reconstruction with 156,817 phrases, not the file of the competition.

As in the paper: rounds in which a tenth of the phrases, drawn at random, is held out. Phrases are
parts of sentences, and parts of one sentence fall on both sides: these accuracies say nothing about
new reviews. The share of the largest class stands beside them, because the paper does not give it.

- GD: all rows a step, squared hinge, eta from a grid, lambda 1e-6 (the paper has none).
- SSG: Pegasos in mini-batches with projection, last iterate; lambda and batch from grids. (Its
  listing divides by the number of rows in the batch that have a loss, ours by the batch.)
- NM: Newton. Table 4 as in the paper with an RBF kernel on 1,000 rows (the first ones; which ones
  the paper took is not said); table 3, which the paper could not do, with a linear kernel on all.
- dual: ``LinearSVC(loss="hinge")``, not in the paper.

The bias of GD and SSG is found afterwards from rows with a loss, as in the paper. Parameters are
the best in other rounds than those of the table, for each mode and kind of features, and printed.
Seconds are those of one training.

    python primal_text.py                  table 4, then table 3 with 3 rounds; a few minutes
    python primal_text.py --rounds 10      as many as in the paper
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer

import hinge

warnings.simplefilter("ignore", ConvergenceWarning)

# Rows and rounds of table 4.
SMALL, SMALL_ROUNDS = 1_000, 10
# The seed of the first round in which parameters are chosen.
OTHER_ROUNDS = 10_000
# Accuracy and seconds by method, mode and data.
Paper = dict[tuple[str, str, str], tuple[float, int]]
TABLE_3: Paper = {
    ("GD", "bin", "bin"): (0.7328, 184),
    ("GD", "multi", "bin"): (0.5119, 300),
    ("SSG", "bin", "bin"): (0.7319, 140),
    ("SSG", "bin", "freq"): (0.7312, 67),
    ("SSG", "multi", "bin"): (0.5142, 120),
    ("SSG", "multi", "freq"): (0.5141, 122),
}
TABLE_4: Paper = {
    ("GD", "bin", "bin"): (0.8343, 1),
    ("GD", "bin", "freq"): (0.8404, 1),
    ("GD", "multi", "bin"): (0.6979, 2),
    ("GD", "multi", "freq"): (0.6929, 3),
    ("SSG", "bin", "bin"): (0.8485, 2),
    ("SSG", "bin", "freq"): (0.8485, 3),
    ("SSG", "multi", "bin"): (0.7061, 1),
    ("SSG", "multi", "freq"): (0.7172, 1),
    ("NM", "bin", "bin"): (0.7959, 470),
    ("NM", "multi", "bin"): (0.6828, 537),
}


class Method(NamedTuple):
    """Makes an estimator from a cell of a grid."""

    make: Callable[..., Any]
    grid: dict[str, tuple[Any, ...]]

    def cells(self) -> list[dict[str, Any]]:
        return [
            dict(zip(self.grid, values, strict=True))
            for values in itertools.product(*self.grid.values())
        ]


class Result(NamedTuple):
    """Means of the rounds, and the share of the largest class."""

    accuracy: float
    spread: float
    seconds: float
    largest: float


def methods(is_small: bool, steps: int, n_jobs: int) -> dict[str, Method]:
    shared = {"multi_class": "ordinal", "n_jobs": n_jobs}
    found_later = {"fit_intercept": "violators", **shared}
    stochastic = {"project": True, "average": 0, "shuffle": "draw", "random_state": 0}

    def gd(**cell: Any) -> Any:
        return hinge.GDSVC(lambda_=1e-6, max_iter=steps, **found_later, **cell)

    def ssg(**cell: Any) -> Any:
        epochs = 50 if is_small else 5
        return hinge.SGDSVC("pegasos", epochs=epochs, **stochastic, **found_later, **cell)

    def newton(**cell: Any) -> Any:
        return hinge.NewtonSVC(kernel="rbf" if is_small else "linear", **shared, **cell)

    def dual(**cell: Any) -> Any:
        return hinge.LinearSVC(loss="hinge", tol=1e-2, random_state=0, **shared, **cell)

    lambdas = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    kernels = {"C": (0.1, 1.0, 10.0, 100.0), "gamma": (0.01, 0.1, 1.0)}
    found = {
        "GD": Method(gd, {"eta0": (0.1, 0.3, 1.0, 2.0, 3.0, 5.0)}),
        "SSG": Method(ssg, {"lambda_": lambdas, "batch_size": (1, 10, 100)}),
        "NM": Method(newton, kernels if is_small else {"C": (0.1, 0.3, 1.0)}),
    }
    return found if is_small else found | {"dual": Method(dual, {"C": (0.3, 1.0, 3.0)})}


def hold_out(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(seed).permutation(n)
    return order[n // 10 :], order[: n // 10]


def measure(method: Method, cell: dict[str, Any], X: Any, y: Any, seed: int) -> tuple[float, float]:
    """Return accuracy and seconds of a round."""
    train, test = hold_out(len(y), seed)
    rows = X[train]
    model = method.make(**cell)
    start = time.perf_counter()
    model.fit(rows, y[train])
    seconds = time.perf_counter() - start
    return float(model.score(X[test], y[test])), seconds


def choose(method: Method, X: Any, y: Any, rounds: int) -> dict[str, Any]:
    """Return the cell with the best mean accuracy in rounds of their own."""

    def score(cell: dict[str, Any]) -> float:
        seeds = range(OTHER_ROUNDS, OTHER_ROUNDS + rounds)
        return float(np.mean([measure(method, cell, X, y, seed)[0] for seed in seeds]))

    return max(method.cells(), key=score)


def table(
    phrases: list[str],
    labels: np.ndarray,
    contestants: dict[str, Method],
    paper: Paper,
    rounds: int,
    n_choices: int,
) -> dict[tuple[str, str, str], Result]:
    results = {}
    pattern = r"\S*\w\S*"
    for data in ("bin", "freq"):
        words = CountVectorizer(binary=data == "bin", token_pattern=pattern, dtype=np.float32)
        X = words.fit_transform(phrases)
        print(f"\nfeatures {data}: {X.shape[0]} x {X.shape[1]}, {X.nnz / X.shape[0]:.2f} a phrase")
        for mode in ("bin", "multi"):
            y = (labels > 2).astype(int) if mode == "bin" else labels
            largest = np.bincount(y).max() / len(y)
            print(f"  {mode}, the largest class is {largest:.4f}")
            for name, method in contestants.items():
                cell = choose(method, X, y, n_choices)
                runs = [measure(method, cell, X, y, seed) for seed in range(rounds)]
                scores, seconds = np.transpose(runs)
                found = Result(scores.mean(), scores.std(), seconds.mean(), largest)
                results[name, mode, data] = found
                print(
                    f"    {name:<5}{line(found, paper.get((name, mode, data)), cell)}", flush=True
                )
    return results


def line(found: Result, theirs: tuple[float, int] | None, cell: dict[str, Any]) -> str:
    said = (
        "paper         -        -" if theirs is None else f"paper {theirs[0]:9.4f} {theirs[1]:6d} s"
    )
    chosen = ", ".join(f"{name} {value:g}" for name, value in cell.items())
    ours = f"{found.accuracy:.4f} ± {found.spread:.4f} {found.seconds:8.3f} s"
    return f"{ours}   {said}   {chosen}"


def claims(paper: Paper, results: dict[tuple[str, str, str], Result]) -> None:
    """Print what the paper says in words, beside what was found."""

    def mean(name: str, of: str) -> float:
        values = [getattr(found, of) for key, found in results.items() if key[0] == name]
        return float(np.exp(np.mean(np.log(values))) if of == "seconds" else np.mean(values))

    def say(claim: str, holds: bool, numbers: str) -> None:
        print(f"  {claim}: {'holds' if holds else 'does not hold'} ({numbers})")

    print("\n  means of all settings (of seconds, geometric)")
    for name in dict.fromkeys(key[0] for key in results):
        print(f"    {name:<5}{mean(name, 'accuracy'):.4f} {mean(name, 'seconds'):18.3f} s")
    lead = 100 * (mean("SSG", "accuracy") - mean("GD", "accuracy"))
    faster = mean("GD", "seconds") / mean("SSG", "seconds")
    numbers = f"{lead:+.2f} points, {faster:.1f}x as fast"
    say("SSG is about as accurate as GD, and faster", abs(lead) < 2 and faster > 1, numbers)
    lead = 100 * (mean("NM", "accuracy") - mean("SSG", "accuracy"))
    slower = mean("NM", "seconds") / mean("SSG", "seconds")
    numbers = f"{slower:.1f}x the time, {lead:+.2f} points"
    say("NM is slower than SSG, and not better", slower > 1 and lead <= 0, numbers)
    beyond = [100 * (paper[key][0] - results[key].largest) for key in paper]
    print(
        f"  The paper's accuracies are {min(beyond):.2f} to {max(beyond):.2f} points above the "
        "share of the largest class here."
    )


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=3, help="of table 3; table 4 has 10")
    options.add_argument("--steps", type=int, default=200, help="of gradient descent")
    options.add_argument("--tables", default="4,3", help="comma-separated numbers")
    options.add_argument("--n-jobs", type=int, default=1, help="threads")
    arguments = options.parse_args()
    phrases, labels = hinge.datasets.phrases()
    for number in arguments.tables.split(","):
        is_small = number == "4"
        n, rounds = (SMALL, SMALL_ROUNDS) if is_small else (len(labels), arguments.rounds)
        print(f"\nTable {number}: {n} phrases, {rounds} rounds; accuracy, seconds of a training")
        contestants = methods(is_small, arguments.steps, arguments.n_jobs)
        paper = TABLE_4 if is_small else TABLE_3
        n_choices = 5 if is_small else 1
        results = table(phrases[:n], labels[:n], contestants, paper, rounds, n_choices)
        claims(paper, results)


if __name__ == "__main__":
    main()
