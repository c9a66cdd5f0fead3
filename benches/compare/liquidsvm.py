"""How fast is softmargin.nested_cv beside liquidSVM's integrated selection?

Both choose among 8 x 8 cells (the same C and gamma; liquidSVM's own kernel width is
1 / sqrt(gamma)) by five inner folds, in each of the same five outer folds. liquidSVM draws its
inner folds itself and gets rows scaled by the outer training rows. The loop over outer folds
is ours, its time is that of training, selection and prediction. liquidSVM runs on one thread:
with two it took longer on all sets of some size. Ours has ``--n-jobs`` threads. Accuracies
are means over ``--seeds`` different outer folds, with the standard error of the difference.

liquidSVM is no dependency of ours: ``pip install "setuptools<81" wheel`` and
``pip install --no-build-isolation --no-deps liquidSVM`` build it from its sources.
"""

from __future__ import annotations

import math
import os
import sysconfig
import time
import warnings

import numpy as np

import softmargin
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


def peer(liquid, X, y, seed: int) -> tuple[float, float]:
    """Return seconds and mean accuracy of liquidSVM."""
    outer, _ = softmargin.nested_fold_labels(y, 5, 5, random_state=seed)
    classes, codes = np.unique(y, return_inverse=True)
    codes = codes + 1.0 if len(classes) > 2 else 2.0 * codes - 1.0
    seconds, scores = 0.0, []
    for fold in range(5):
        train, test = outer != fold, outer == fold
        scaler = softmargin.MinMaxScaler().fit(X[train])
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
    # It binds the process to one core, for good.
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    return seconds, float(np.mean(scores))


def ours(X, y, method: str, seed: int, n_jobs: int) -> tuple[float, float]:
    """Return seconds and mean accuracy of softmargin."""
    start = time.perf_counter()
    result = softmargin.nested_cv(X, y, method=method, n_jobs=n_jobs, random_state=seed)
    return time.perf_counter() - start, result.mean_score


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sets", default=SETS, help="comma-separated names")
    options.add_argument("--seeds", default=3, type=int, help="different outer folds")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    print(f"float64 samples, {arguments.n_jobs} threads; kernel values of nested_cv in float32")
    liquid = load_liquidsvm()
    ratios: dict[str, list[float]] = {"svc": [], "ollawv": []}
    gains: dict[str, list[float]] = {"svc": [], "ollawv": []}
    for name in arguments.sets.split(","):
        X, y, _ = raw(name)
        seeds = range(arguments.seeds)
        runs = [peer(liquid, X, y, seed) for seed in seeds]
        seconds = min(took for took, _ in runs)
        line = f"{name:<12} liquidSVM {seconds:8.3f} s {100 * np.mean([s for _, s in runs]):.2f}"
        for method in ratios:
            own = [ours(X, y, method, seed, arguments.n_jobs) for seed in seeds]
            took = min(took for took, _ in own)
            ratios[method].append(seconds / took)
            gains[method] += [a - b for (_, a), (_, b) in zip(own, runs, strict=True)]
            line += f"   {method} {took:8.3f} s {100 * np.mean([s for _, s in own]):.2f}"
            line += f" {seconds / took:6.1f}x"
        print(line, flush=True)
    for method, values in ratios.items():
        mean = math.exp(np.mean(np.log(values)))
        gain = 100 * np.array(gains[method])
        print(
            f"{method}: geometric mean {mean:.1f}x, least {min(values):.1f}x, accuracy "
            f"{gain.mean():+.2f} points (standard error {gain.std() / math.sqrt(len(gain)):.2f})"
        )


if __name__ == "__main__":
    main()
