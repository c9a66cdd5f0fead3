"""How does nested_cv grow with rows, grid and folds?

Rows of letter (26 classes) and of adult (2 classes): seconds of one run each, and the
exponent between neighbouring sizes. Then grids of 4 x 4 to 16 x 16 and folds of 3 x 3 to
10 x 10 on 1,000 rows, where the exponent is that of the number of trainings.
"""

from __future__ import annotations

import itertools
import math
import time
import warnings

import numpy as np

import softmargin
from data import raw
from harness import parser


def run(X, y, method: str, n_jobs: int, side: int = 8, folds: int = 5) -> tuple[float, int]:
    """Return the seconds and the number of trainings of a nested cross-validation."""
    along = np.geomspace(4.0**-2, 4.0**5, side).tolist()
    if method == "ollawv":
        along = np.geomspace(0.001, 0.8, side).tolist()
    grid = {
        "margin" if method == "ollawv" else "C": along,
        "gamma": np.geomspace(4.0**-5, 4.0**2, side).tolist(),
    }
    start = time.perf_counter()
    result = softmargin.nested_cv(
        X, y, method, grid, outer=folds, inner=folds, n_jobs=n_jobs, random_state=0
    )
    return time.perf_counter() - start, result.counts["trainings"]


def show(what: str, sizes: list[float], seconds: list[float]) -> None:
    """Print the seconds, and the exponents between neighbours."""
    parts = [f"{size:,.0f}: {s:.3f} s" for size, s in zip(sizes, seconds, strict=True)]
    steps = itertools.pairwise(zip(sizes, seconds, strict=True))
    exponents = [math.log(t / s) / math.log(m / n) for (n, s), (m, t) in steps]
    print(
        f"{what:<28} {'; '.join(parts)}   exponents", [round(e, 1) for e in exponents], flush=True
    )


def main() -> None:
    arguments = parser(__doc__).parse_args()
    warnings.simplefilter("ignore")
    print(f"float64 samples, {arguments.n_jobs} threads; kernel values of nested_cv in float32")
    for name in ("letter", "adult"):
        X, y, _ = raw(name)
        order = np.random.default_rng(0).permutation(X.shape[0])
        for method, sizes in (
            ("ollawv", [500, 1000, 2000, 4000, 8000]),
            ("svc", [500, 1000, 2000]),
        ):
            seconds = []
            for size in sizes:
                rows = np.sort(order[:size])
                seconds.append(run(X[rows], y[rows], method, arguments.n_jobs)[0])
            show(f"{name}, {method}, rows", sizes, seconds)
    X, y, _ = raw("prokaryotic")
    for method in ("ollawv", "svc"):
        found = [run(X, y, method, arguments.n_jobs, side=side) for side in (4, 8, 16)]
        show(f"prokaryotic, {method}, grid", [n for _, n in found], [s for s, _ in found])
        found = [run(X, y, method, arguments.n_jobs, folds=folds) for folds in (3, 5, 10)]
        show(f"prokaryotic, {method}, folds", [n for _, n in found], [s for s, _ in found])


if __name__ == "__main__":
    main()
