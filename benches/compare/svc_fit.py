"""How fast does softmargin.SVC train compared with sklearn.svm.SVC and sklearnex.svm.SVC?

Same C, gamma and tol; official training part scaled to [0, 1]; accuracy on the official
test part. The gap is the primal minus the dual objective, summed over all binary classifiers and
divided by the primal; the same code computes it from the coefficients of a peer. sklearnex is
part of the PyPI package scikit-learn-intelex and is skipped if it is not installed. Prints the
geometric mean of the ratios against the faster peer at the end. ``--dtype`` is the type of the
samples that all get; scikit-learn's SVC computes in float64 either way.
"""

from __future__ import annotations

import importlib
import importlib.util
import math

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC

import softmargin
from data import load
from harness import Comparison, parser
from softmargin import Certificate
from softmargin._checks.rows import native_rows
from softmargin._estimators.model_state import from_dict

SETS = {
    "optdigits": (16, 4),
    "pendigits": (16, 4),
    "satimage": (16, 4),
    "letter": (16, 4),
    "usps": (4, 1 / 64),
    "mnist": (4, 1 / 64),
    "adult": (1, 1 / 16),
    "w8a_train": (4, 1 / 16),
    "ijcnn1": (16, 1),
    "shuttle": (64, 16),
}
MNIST_ROWS = 20_000


def peers() -> dict[str, type]:
    """Return the classes to compare with."""
    found = {"sklearn": SVC}
    if importlib.util.find_spec("sklearnex"):
        found["sklearnex"] = importlib.import_module("sklearnex.svm").SVC
    return found


def certificates_of(model, X, y, C: float, gamma: float) -> list[Certificate]:
    """Return the certificates of any fitted SVC with an RBF kernel."""
    if isinstance(model, softmargin.SVC):
        return model.certificate_
    dual_coef = model.dual_coef_
    dual_coef = dual_coef.toarray() if sp.issparse(dual_coef) else np.asarray(dual_coef)
    vectors = X[model.support_]
    n_binary = len(model.intercept_)
    state = {
        "version": 1,
        "kernel": "rbf",
        "gamma": float(gamma),
        "degree": 3,
        "coef0": 0.0,
        "dtype": str(X.dtype),
        "n_kernel_evals": 0,
        "rows": native_rows(vectors),
        "n_cols": X.shape[1],
        "multi_class": "ovo",
        "support": model.support_.astype(np.uint32),
        "n_support": model.n_support_.astype(np.uint64),
        "dual_coef": dual_coef.astype(np.float64).ravel(),
        "intercept": np.asarray(model.intercept_, dtype=np.float64),
        "n_iter": np.zeros(n_binary, dtype=np.uint64),
        "n_loops": np.zeros(n_binary, dtype=np.uint64),
        "status": ["converged"] * n_binary,
    }
    codes = np.searchsorted(model.classes_, y).astype(np.uint32)
    rows, cs = native_rows(X.astype(np.float64)), np.full(len(y), float(C))
    found = from_dict(state).certificates(softmargin.SVC()._solver(), rows, codes, cs, 2)
    return [Certificate(*values) for values in found]


def main() -> None:
    options = parser(__doc__, dtype=True)
    options.add_argument("--sets", default=",".join(SETS), help="comma-separated names")
    options.add_argument("--peers", default=",".join(peers()), help="comma-separated names")
    arguments = options.parse_args()
    table = Comparison(
        "Fit: softmargin.SVC against sklearn.svm.SVC and sklearnex.svm.SVC",
        arguments,
        ("scikit-learn", "scikit-learn-intelex"),
    )
    slowest = {}
    for name in arguments.sets.split(","):
        C, gamma = SETS[name]
        split = load(name, arguments.dtype)
        X, y = split.X, split.y
        if name == "mnist":
            X, y = X[:MNIST_ROWS], y[:MNIST_ROWS]

        def describe(model, split=split, X=X, y=y, C=C, gamma=gamma):
            accuracy = np.mean(model.predict(split.X_test[:10_000]) == split.y_test[:10_000])
            found = certificates_of(model, X, y, C, gamma)
            gap = sum(c.gap for c in found) / sum(c.primal for c in found)
            return {
                "accuracy": float(accuracy),
                "vectors": len(model.support_),
                "gap": f"{gap:.1e}",
                "violation": f"{max(c.violation for c in found):.1e}",
            }

        settings = {"C": C, "gamma": gamma}
        for peer in arguments.peers.split(","):
            make = peers()[peer]
            line = table.run(
                f"{name} / {peer}",
                lambda s=settings, X=X, y=y: softmargin.SVC(**s, n_jobs=arguments.n_jobs).fit(X, y),
                lambda s=settings, X=X, y=y, make=make: make(**s, cache_size=2000).fit(X, y),
                describe_ours=describe,
                describe_peer=describe,
            )
            slowest[name] = min(slowest.get(name, math.inf), line.ratio)
    mean = math.exp(np.mean([math.log(ratio) for ratio in slowest.values()]))
    print(
        f"\nagainst the faster peer: geometric mean {mean:.2f}x, least {min(slowest.values()):.2f}x"
    )
    table.finish()


if __name__ == "__main__":
    main()
