"""How does primal Newton grow, and does it stay below a minute on 16,000 rows?

letter, A-M against N-Z, scaled to [0, 1], RBF with gamma 4, C = 10. Paper 004 needed 24 s for
1,000 rows and gave up at 16,000. Prints seconds, Newton steps, support vectors, accuracy on the
other rows, and the exact SVC beside it; then the exponent between sizes.
"""

from __future__ import annotations

import math
import time

import numpy as np

import softmargin
from data import raw
from harness import parser


def main() -> None:
    arguments = parser(__doc__, dtype=True).parse_args()
    X, y, _ = raw("letter", arguments.dtype)
    X = softmargin.MinMaxScaler().fit_transform(X)
    print(f"{X.dtype}, {arguments.n_jobs} threads")
    y = (y < 13).astype(int)
    order = np.random.default_rng(0).permutation(len(y))
    test = order[16_000:]
    last = None
    for n in (1_000, 2_000, 4_000, 8_000, 16_000):
        rows = order[:n]
        line, seconds = f"{n:6} rows", math.inf
        for kind in (softmargin.NewtonSVC, softmargin.SVC):
            took = math.inf
            for _ in range(arguments.repeats):
                start = time.perf_counter()
                model = kind(C=10, gamma=4.0, n_jobs=arguments.n_jobs).fit(X[rows], y[rows])
                took = min(took, time.perf_counter() - start)
            line += f"   {kind.__name__} {took:7.3f} s, {int(model.n_iter_[0])} steps, "
            line += f"{len(model.support_)} vectors, {100 * model.score(X[test], y[test]):.2f} %"
            seconds = took if kind is softmargin.NewtonSVC else seconds
        if last is not None:
            line += f"   exponent {math.log2(seconds / last):.1f}"
        last = seconds
        print(line, flush=True)


if __name__ == "__main__":
    main()
