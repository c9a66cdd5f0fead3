"""How many steps a second does each update rule take, and how near is that to the memory?

One thread. A step looks at one row, so no rule can be faster than its rows are read. The limit is
measured in the same run: an array as large as the rows of the set, read in order by the fastest of
a few reductions of numpy (a set of some megabytes stays in a cache, which is then the limit). Rows
in random order come in pieces, so a share of 100 % is out of reach.

Printed: steps a second in the core (``curve_["seconds"]``, best of --repeats, without the checks of
``fit``), bytes of a row (values, and for sparse rows indices), gigabytes of rows a second, and the
share of the limit. RMSprop visits every feature in each step, and reads and writes 16 bytes for
each of them, in cache, that are not counted here (of sparse rows it gets 10,000: it is slow).
"dual" is the first pass of ``LinearSVC(loss="hinge")``, which visits every row once, and reads and
writes another 32 bytes for each.

    python rules.py
    python rules.py --sets adult --repeats 10
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import softmargin
from harness import best_of, parser
from linear import problem

warnings.simplefilter("ignore", ConvergenceWarning)

RULES = ("pegasos", "sgd", "momentum", "nag", "rmsprop")
LAMBDA = 1e-4


def bytes_of(X: Any) -> int:
    """Return the bytes of all rows: values, and with sparse rows a u32 index for each."""
    return X.nnz * (4 + X.data.itemsize) if sp.issparse(X) else X.nbytes


def bandwidth(n_bytes: int) -> float:
    """Return the most bytes a second that numpy reads on one core from an array of this size."""
    words = np.ones(max(1, n_bytes // 8), dtype=np.int64)
    reductions: tuple[Callable[[], Any], ...] = (
        words.sum,
        words.max,
        words.view(np.float64).max,
        lambda: np.bitwise_or.reduce(words),
    )
    calls = max(1, (1 << 26) // words.nbytes)

    def seconds(read: Callable[[], Any]) -> float:
        return best_of(lambda: [read() for _ in range(calls)], 7)[0] / calls

    return words.nbytes / min(seconds(read) for read in reductions)


def seconds_of_step(model: Any, X: Any, y: np.ndarray, steps: int, repeats: int) -> float:
    """Return the fewest seconds of a step, from the first to the last snapshot."""
    found = np.inf
    for _ in range(repeats):
        seconds = model.fit(X, y).curve_["seconds"]
        found = min(found, seconds[1] - seconds[0])
    return float(found / steps)


def contestant(who: str, n: int) -> tuple[Any, int]:
    """Return a model that keeps two snapshots, and the steps between them."""
    if who == "dual":
        c = 1 / (LAMBDA * n)
        return softmargin.LinearSVC(
            loss="hinge", C=c, max_iter=1, record_every=1, random_state=0
        ), n
    # Passes enough to be timed.
    epochs = max(1, 200_000 // n)
    steps = epochs * n
    settings = {"epochs": epochs, "record_every": steps, "average": 0, "random_state": 0}
    return softmargin.SGDSVC(who, LAMBDA, **settings), steps


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sets", default="mnist,phrases,adult", help="comma-separated names")
    arguments = options.parse_args()
    for name in arguments.sets.split(","):
        X, y = problem(name)
        (n, d), total = X.shape, bytes_of(X)
        limit, row = bandwidth(total), total / n
        kind = "sparse" if sp.issparse(X) else "dense"
        print(
            f"{name}: {n} x {d}, {kind}, {total / 1e6:.1f} MB, {row:.0f} bytes a row; "
            f"limit {limit / 1e9:.1f} GB/s, {limit / row / 1e6:.2f} million rows a second"
        )
        print(f"{'':<10}{'million steps/s':>18}{'ns a step':>12}{'GB/s':>8}{'of the limit':>14}")
        for who in (*RULES, "dual"):
            n_used = min(n, 10_000) if who == "rmsprop" and kind == "sparse" else n
            model, steps = contestant(who, n_used)
            data = (X, y) if n_used == n else (X[:n_used], y[:n_used])
            seconds = seconds_of_step(model, *data, steps, arguments.repeats)
            rate = row / seconds
            print(
                f"{who:<10}{1e-6 / seconds:>18.2f}{1e9 * seconds:>12.0f}{rate / 1e9:>8.1f}"
                f"{100 * rate / limit:>12.0f} %",
                flush=True,
            )
        print()


if __name__ == "__main__":
    main()
