"""How fast, accurate and sparse is each kernel method?

Nested cross-validation (5 x 5 folds, 8 x 8 grids) of every kernel method on the data sets of
Melki and Kecman (2016, table III) and Melki (2018, table 1.3): seconds of training, summed over
threads and candidates, mean accuracy and mean share of support vectors; the last lines give the
time relative to NN-ISDA. These papers rank NL-SGD and OLLAWV before NN-ISDA before MN-SVM.
With scaled features, ``nested_cv`` computes kernel values in float32 whatever ``--dtype`` is.

``--alone`` compares separate fits instead, with C = 16 and gamma = 1 on features scaled to
[0, 1]: without paths and without shared kernel values, as the programs of the papers train.
"""

from __future__ import annotations

import math
import time
import warnings

import numpy as np

import softmargin
from data import raw
from harness import announce, parser, write_json

QUESTION = "Kernel methods: seconds of training, accuracy and share of support vectors"
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
    """Return the same for five separate fits, one on each of five folds."""
    folds = softmargin.fold_labels(y, 5, random_state=0)
    seconds, scores, shares = 0.0, [], []
    for fold in range(5):
        train, test = folds != fold, folds == fold
        scaler = softmargin.MinMaxScaler().fit(X[train])
        X_train, X_test = (scaler.transform(X[part]) for part in (train, test))
        settings = {} if method == "ollawv" else {"C": 16.0}
        model = METHODS[method](gamma=1.0, n_jobs=n_jobs, random_state=0, **settings)
        start = time.perf_counter()
        model.fit(X_train, y[train])
        seconds += time.perf_counter() - start
        scores.append(model.score(X_test, y[test]))
        shares.append(len(model.support_) / train.sum())
    return seconds, float(np.mean(scores)), float(np.mean(shares))


def main() -> None:
    options = parser(__doc__, dtype=True)
    options.add_argument("--sets", default=SETS, help="comma-separated names")
    options.add_argument("--alone", action="store_true", help="separate fits")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    measure = alone if arguments.alone else nested
    ratios: dict[str, list[float]] = {method: [] for method in METHODS}
    announce(QUESTION, arguments, ())
    lines = []
    print("seconds of training / accuracy, % / support vectors, %")
    print(f"{'':<12}" + "".join(f"{method:>22}" for method in METHODS))
    for name in arguments.sets.split(","):
        X, y, _ = raw(name, arguments.dtype)
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
        names = ("seconds", "accuracy", "support_fraction")
        facts = {method: dict(zip(names, run, strict=True)) for method, run in runs.items()}
        lines.append({"name": name} | facts)
    print("time over that of nnisda, geometric mean:")
    for method, values in ratios.items():
        print(f"    {method:<8} {math.exp(np.mean(np.log(values))):.4f}")
    write_json(QUESTION, arguments, (), lines)


if __name__ == "__main__":
    main()
