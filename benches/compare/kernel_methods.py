"""Which kernel method is how fast, how accurate and how sparse?

Nested cross-validation (5 x 5 folds, the papers' 8 x 8 grids) of every kernel method on the
sets of paper 000 (table III) and 003 (table 1.3): training time of all cells in thread
seconds, mean accuracy, mean share of support vectors, all relative to NN-ISDA in time. The
papers rank NL-SGD and OLLAWV before NN-ISDA before MN-SVM.

``--alone`` compares single trainings instead, at C = 16 and gamma = 1 on scaled rows: without a
path and without shared kernel values, as the papers' programs train.
"""

from __future__ import annotations

import math
import time
import warnings

import numpy as np

import softmargin
from data import raw
from harness import parser

SETS = "iris,teach,wine,cancer,sonar,glass,vote,heart,dermatology,prokaryotic,eukaryotic"
METHODS = {
    "nlsgd": softmargin.NLSGD,
    "ollawv": softmargin.OLLAWV,
    "nnisda": softmargin.NNISDA,
    "mnsvm": softmargin.MNSVM,
    "newton": softmargin.NewtonSVC,
    "svc": softmargin.SVC,
}


def nested(X, y, method: str, n_jobs: int) -> tuple[float, float, float]:
    """Return seconds of training, mean accuracy, and share of support vectors."""
    estimator = METHODS[method](random_state=0)
    result = softmargin.nested_cv(X, y, method=estimator, n_jobs=n_jobs, random_state=0)
    support = float(np.mean(result.support_fraction))
    return result.seconds["training"], result.mean_score, support


def alone(X, y, method: str, n_jobs: int) -> tuple[float, float, float]:
    """Return the same of five trainings, one for each of five folds."""
    folds = softmargin.fold_labels(y, 5, random_state=0)
    seconds, scores, shares = 0.0, [], []
    for fold in range(5):
        train, test = folds != fold, folds == fold
        scaler = softmargin.MinMaxScaler().fit(X[train])
        rows, others = (scaler.transform(X[part]).astype(np.float32) for part in (train, test))
        settings = {} if method == "ollawv" else {"C": 16.0}
        model = METHODS[method](gamma=1.0, n_jobs=n_jobs, random_state=0, **settings)
        start = time.perf_counter()
        model.fit(rows, y[train])
        seconds += time.perf_counter() - start
        scores.append(model.score(others, y[test]))
        shares.append(len(model.support_) / train.sum())
    return seconds, float(np.mean(scores)), float(np.mean(shares))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sets", default=SETS, help="comma-separated names")
    options.add_argument("--alone", action="store_true", help="single trainings")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    measure = alone if arguments.alone else nested
    ratios: dict[str, list[float]] = {method: [] for method in METHODS}
    print("seconds of training / accuracy, % / support vectors, %")
    print(f"{'':<12}" + "".join(f"{method:>22}" for method in METHODS))
    for name in arguments.sets.split(","):
        X, y, _ = raw(name)
        runs = {}
        for _ in range(arguments.repeats):
            for method in METHODS:
                found = measure(X, y, method, arguments.n_jobs)
                runs[method] = min(runs.get(method, found), found)
        line = f"{name:<12}"
        for method, (seconds, score, support) in runs.items():
            line += f"{seconds:10.3f}/{100 * score:6.2f}/{100 * support:4.0f}"
            ratios[method].append(seconds / runs["nnisda"][0])
        print(line, flush=True)
    print("time over that of nnisda, geometric mean:")
    for method, values in ratios.items():
        print(f"    {method:<8} {math.exp(np.mean(np.log(values))):.4f}")


if __name__ == "__main__":
    main()
