"""Does LinearSVC choose the primal or the dual problem well, and at least as well as scikit-learn?

Generated data of ten shapes, float64: dense and text-like sparse, more features than samples and
fewer, two classes and twenty, at several C. Prints the best seconds of ours with dual="auto",
True and False, of scikit-learn with dual="auto", and two ratios: scikit-learn's time over ours,
and ours over the faster of our own two ("regret", 1 at the best).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import svm
from sklearn.feature_extraction.text import TfidfTransformer

import softmargin
from harness import Comparison, best_of, parser


def dense(n: int, d: int, k: int) -> tuple[Any, Any]:
    """Classes that overlap a little, in features of unit variance."""
    rng = np.random.default_rng(n + d)
    y = rng.integers(0, k, n)
    centers = rng.normal(size=(k, d)) * 2 / np.sqrt(d)
    return rng.normal(size=(n, d)) + centers[y], y


def text(n: int, d: int, k: int) -> tuple[Any, Any]:
    """TF-IDF of words that are drawn by Zipf's law, some more often in one class."""
    rng = np.random.default_rng(n + d)
    y = rng.integers(0, k, n)
    lengths = rng.poisson(100, n) + 10
    rows = np.repeat(np.arange(n), lengths)
    words = np.minimum(rng.zipf(1.2, len(rows)) - 1, d - 1)
    is_topic = rng.random(len(rows)) < 0.1
    topics = rng.integers(0, d, size=(k, 200))
    words[is_topic] = topics[y[rows], rng.integers(0, 200, len(rows))][is_topic]
    counts = sp.csr_matrix((np.ones(len(rows)), (rows, words)), shape=(n, d))
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts), y


def problems() -> Iterator[tuple[str, Any, Any, float]]:
    """Name, samples, labels and C."""
    for make, n, d, k, cs in (
        (dense, 500, 5_000, 2, (0.01, 1, 100)),
        (dense, 2_000, 3_000, 5, (1,)),
        (dense, 20_000, 50, 2, (0.01, 1, 100)),
        (dense, 3_000, 1_000, 2, (1,)),
        (text, 6_400, 36_766, 20, (0.1, 1, 10)),
        (text, 3_000, 20_000, 2, (1,)),
        (text, 20_000, 3_000, 5, (1, 10)),
    ):
        X, y = make(n, d, k)
        for C in cs:
            yield f"{make.__name__} {n:,} x {d:,}, {k} classes, C {C:g}", X, y, C


def main() -> None:
    options = parser(__doc__)
    arguments = options.parse_args()
    warnings.simplefilter("ignore")  # of limits of steps, which both may reach
    comparison = Comparison(__doc__.splitlines()[0], arguments)
    for name, X, y, C in problems():

        def ours(dual: Any, X: Any = X, y: Any = y, C: float = C) -> Any:
            return softmargin.LinearSVC(
                C=C, dual=dual, n_jobs=arguments.n_jobs, random_state=0
            ).fit(X, y)

        def peer(X: Any = X, y: Any = y, C: float = C) -> Any:
            return svm.LinearSVC(C=C, dual="auto", random_state=0).fit(X, y)

        alone = [
            best_of(lambda dual=dual: ours(dual), arguments.repeats)[0] for dual in (True, False)
        ]
        line = comparison.run(name, lambda: ours("auto"), peer)
        print(
            f"{'':28} dual {alone[0]:.3f} s, primal {alone[1]:.3f} s, "
            f"regret {line.ours.seconds / min(alone):.2f}"
        )
    ratios = [line.ratio for line in comparison.lines]
    print(f"\ngeometric mean {np.exp(np.mean(np.log(ratios))):.1f}x, least {min(ratios):.2f}x")
    comparison.finish()


if __name__ == "__main__":
    main()
