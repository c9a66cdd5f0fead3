"""How fast is LIBSVM text read beside sklearn.datasets.load_svmlight_file?

The adult set (a9a, 48,842 rows) is written in that format first.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

import softmargin
from data import raw
from harness import Comparison, parser


def main() -> None:
    arguments = parser(__doc__).parse_args()
    X, y, _ = raw("adult")
    table = Comparison("Reading adult as LIBSVM text", arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.txt"
        softmargin.dump_libsvm(X, y, path)
        ours, theirs = softmargin.load_libsvm(path)[0], load_svmlight_file(str(path))[0]
        assert ours.shape == theirs.shape
        assert (ours != theirs).nnz == 0
        for dtype in (np.float64, np.float32):
            table.run(
                f"{path.stat().st_size / 1e6:.1f} MB to {np.dtype(dtype)}",
                lambda dtype=dtype: softmargin.load_libsvm(path, dtype=dtype),
                lambda dtype=dtype: load_svmlight_file(str(path), dtype=dtype),
            )
    table.finish()


if __name__ == "__main__":
    main()
