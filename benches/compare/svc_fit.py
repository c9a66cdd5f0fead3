"""How fast does hinge.SVC train beside the faster of sklearn.svm.SVC and sklearnex.svm.SVC?

Same C, gamma and tol; official training part scaled to [0, 1]; accuracy on the official
test part. sklearnex comes with the PyPI package scikit-learn-intelex and is left out where
it is not installed. Prints the geometric mean of the ratios at the end.
"""

from __future__ import annotations

import importlib
import importlib.util
import math

import numpy as np
from sklearn.svm import SVC

import hinge
from data import load
from harness import Comparison, parser

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


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sets", default=",".join(SETS), help="comma-separated names")
    options.add_argument("--peers", default=",".join(peers()), help="comma-separated names")
    arguments = options.parse_args()
    table = Comparison("Fit: hinge.SVC against sklearn.svm.SVC and sklearnex.svm.SVC", arguments)
    slowest = {}
    for name in arguments.sets.split(","):
        C, gamma = SETS[name]
        split = load(name)
        X, y = split.X, split.y
        if name == "mnist":
            X, y = X[:MNIST_ROWS], y[:MNIST_ROWS]

        def describe(model, split=split):
            accuracy = np.mean(model.predict(split.X_test[:10_000]) == split.y_test[:10_000])
            return {"accuracy": float(accuracy), "vectors": len(model.support_)}

        settings = {"C": C, "gamma": gamma}
        for peer in arguments.peers.split(","):
            make = peers()[peer]
            line = table.run(
                f"{name} / {peer}",
                lambda s=settings, X=X, y=y: hinge.SVC(**s, n_jobs=arguments.n_jobs).fit(X, y),
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
