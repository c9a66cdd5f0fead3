"""How fast is the RBF kernel matrix of pendigits (10,992 samples)?

Peer: sklearn.metrics.pairwise.rbf_kernel in the same type. Also printed: the rate of the same
loop on samples that stay in the cache, and the time to write as many bytes.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

import softmargin
from data import raw
from harness import Comparison, best_of, parser


def main() -> None:
    arguments = parser(__doc__, dtype=True).parse_args()
    dtype = np.dtype(arguments.dtype)
    X = softmargin.MinMaxScaler().fit_transform(raw("pendigits", arguments.dtype)[0])
    table = Comparison(f"RBF kernel matrix of pendigits, {dtype}", arguments)
    line = table.run(
        f"pendigits {X.shape}",
        lambda: softmargin.kernel_matrix(X, gamma=1.0, n_jobs=arguments.n_jobs),
        lambda: rbf_kernel(X, gamma=1.0),
        repeats=max(arguments.repeats, 5),
    )
    n, d = X.shape
    work = n * n * d / line.ours.seconds
    # 384 samples of 2,048 features stay in the cache; the products take most of the time.
    wide = np.random.default_rng(0).random((384, 2048), dtype=dtype)
    seconds, _ = best_of(
        lambda: softmargin.kernel_matrix(wide, gamma=1e-3, n_jobs=arguments.n_jobs), 30
    )
    peak = wide.shape[0] ** 2 * wide.shape[1] / seconds
    touch = best_of(lambda: np.zeros((n, n), dtype=dtype).fill(1.0), 5)[0]
    print(
        f"\nproducts {work / 1e9:.1f} G feature pairs/s; {peak / 1e9:.1f} G with all data in cache"
    )
    print(f"writing the {n * n * dtype.itemsize / 1e6:.0f} MB once, one thread: {touch:.3f} s")
    table.finish()


if __name__ == "__main__":
    main()
