"""How fast is the RBF Gram matrix of pendigits (10,992 rows, f32)?

Peer: sklearn.metrics.pairwise.rbf_kernel in f32. Beside it: the rate of the same loop on
rows that stay in cache, and the time that writing so many bytes takes.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

import softmargin
from data import raw
from harness import Comparison, best_of, parser


def main() -> None:
    arguments = parser(__doc__).parse_args()
    X = softmargin.MinMaxScaler().fit_transform(raw("pendigits")[0].astype(np.float32))
    table = Comparison("RBF Gram matrix of pendigits, f32", arguments)
    line = table.run(
        f"pendigits {X.shape}",
        lambda: softmargin.kernel_matrix(X, gamma=1.0, n_jobs=arguments.n_jobs),
        lambda: rbf_kernel(X, gamma=1.0),
        repeats=max(arguments.repeats, 5),
    )
    n, d = X.shape
    work = n * n * d / line.ours.seconds
    # 384 rows of 2,048 features stay in cache, and nothing is mirrored or worth an exp.
    wide = np.random.default_rng(0).random((384, 2048), dtype=np.float32)
    seconds, _ = best_of(
        lambda: softmargin.kernel_matrix(wide, gamma=1e-3, n_jobs=arguments.n_jobs), 30
    )
    peak = wide.shape[0] ** 2 * wide.shape[1] / seconds
    touch = best_of(lambda: np.zeros((n, n), dtype=np.float32).fill(1.0), 5)[0]
    print(
        f"\nproducts {work / 1e9:.1f} G feature pairs/s; {peak / 1e9:.1f} G where all is in cache"
    )
    print(f"writing the {n * n * 4 / 1e6:.0f} MB once, one thread: {touch:.3f} s")
    table.finish()


if __name__ == "__main__":
    main()
