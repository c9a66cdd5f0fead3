"""How fast is hinge.nested_cv beside liquidSVM's integrated selection?

Both choose among 8 x 8 cells (the same C and gamma; liquidSVM's own kernel width is
1 / sqrt(gamma)) by five inner folds, in each of the same five outer folds, on one thread.
liquidSVM draws its inner folds itself and gets rows scaled by the outer training rows. The
loop over outer folds is ours, its time is that of training, selection and prediction.

liquidSVM is no dependency of ours: ``pip install "setuptools<81" wheel`` and
``pip install --no-build-isolation --no-deps liquidSVM`` build it from its sources.
"""

from __future__ import annotations

import math
import sysconfig
import time
import warnings

import numpy as np

import hinge
from data import raw
from harness import parser

SETS = (
    "iris,teach,wine,cancer,sonar,glass,vote,heart,dermatology,prokaryotic,eukaryotic,"
    "optdigits,satimage"
)
CS = [4.0**power for power in range(-2, 6)]
GAMMAS = [4.0**power for power in range(-5, 3)]


def load_liquidsvm():
    """Import liquidSVM, which asks for a variable that newer Pythons do not have."""
    ask = sysconfig.get_config_var
    sysconfig.get_config_var = lambda name: ask("EXT_SUFFIX" if name == "SO" else name)
    try:
        import liquidSVM
    finally:
        sysconfig.get_config_var = ask
    return liquidSVM


def peer(liquid, X, y) -> tuple[float, float]:
    """Return seconds and mean accuracy of liquidSVM."""
    outer, _ = hinge.nested_fold_labels(y, 5, 5, random_state=0)
    classes, codes = np.unique(y, return_inverse=True)
    codes = codes + 1.0 if len(classes) > 2 else 2.0 * codes - 1.0
    seconds, scores = 0.0, []
    for fold in range(5):
        train, test = outer != fold, outer == fold
        scaler = hinge.MinMaxScaler().fit(X[train])
        rows, others = scaler.transform(X[train]), scaler.transform(X[test])
        start = time.perf_counter()
        model = liquid.mcSVM(
            rows,
            codes[train],
            threads=1,
            folds=5,
            gammas=[1 / math.sqrt(gamma) for gamma in GAMMAS],
            c_values=CS,
        )
        predicted = np.asarray(model.test(others, codes[test])[0])[:, 0]
        seconds += time.perf_counter() - start
        scores.append(float(np.mean(predicted == codes[test])))
    return seconds, float(np.mean(scores))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sets", default=SETS, help="comma-separated names")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    liquid = load_liquidsvm()
    found: dict[str, list[tuple[float, float]]] = {"svc": [], "ollawv": []}
    for name in arguments.sets.split(","):
        X, y, _ = raw(name)
        seconds, score = peer(liquid, X, y)
        line = f"{name:<12} liquidSVM {seconds:8.3f} s {100 * score:.2f}"
        for method, values in found.items():
            took, result = math.inf, None
            for _ in range(arguments.repeats):
                start = time.perf_counter()
                result = hinge.nested_cv(X, y, method=method, n_jobs=1, random_state=0)
                took = min(took, time.perf_counter() - start)
            values.append((seconds / took, result.mean_score - score))
            line += f"   {method} {took:8.3f} s {100 * result.mean_score:.2f}"
            line += f" {seconds / took:6.1f}x"
        print(line, flush=True)
    for method, values in found.items():
        ratios, gains = zip(*values, strict=True)
        mean = math.exp(np.mean(np.log(ratios)))
        print(
            f"{method}: geometric mean {mean:.1f}x, least {min(ratios):.1f}x, "
            f"accuracy {100 * np.mean(gains):+.2f} points"
        )


if __name__ == "__main__":
    main()
