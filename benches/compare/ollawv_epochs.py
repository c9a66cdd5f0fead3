"""How close does OLLAWV come to SVC if samples are used again, and what does that cost?

Nested cross-validation on each data set: SVC over 8 values of C, and OLLAWV in 1, 3 and 10 epochs
over 8 margins, all over the same 8 values of gamma and the same folds, features scaled to [0, 1]
on the training folds. Large sets are reduced to a stratified sample of --rows samples.

Printed for each set and method: accuracy and its standard deviation over the outer folds; the
share of support vectors and the kernel values, divided by the square of the number of samples, of
a fit with the parameters chosen most often; and the time of the whole selection relative to SVC.
Then, over all sets, the mean ranks of the accuracies and the test of Iman and Davenport with the
critical distance of Bonferroni and Dunn, SVC being the control
(``softmargin.statistics.compare``).

    python ollawv_epochs.py
    python ollawv_epochs.py --sets heart,sonar --rows 500 --json result.json
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import train_test_split

import data
import softmargin
from harness import announce, parser, write_json
from softmargin import statistics

SETS = (
    "iris,teach,wine,cancer,sonar,glass,vote,heart,dermatology,prokaryotic,eukaryotic,"
    "optdigits,satimage,usps,pendigits,letter,reuters,adult,w8a_train"
)
QUESTION = "How close does OLLAWV come to SVC if samples are used again?"
EPOCHS = (1, 3, 10)
GAMMAS = [4.0**power for power in range(-5, 3)]
COSTS = [4.0**power for power in range(-2, 6)]
MARGINS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
SEED = 0


def sample(name: str, n_rows: int) -> tuple[Any, Any]:
    """Return the samples of a data set, or a stratified part of them."""
    X, y, _ = data.raw(name)
    if X.shape[0] > n_rows:
        X, _, y, _ = train_test_split(X, y, train_size=n_rows, stratify=y, random_state=SEED)
    return (X.toarray() if sp.issparse(X) else X), y


def contestants(jobs: int) -> dict[str, tuple[Any, dict[str, list[float]]]]:
    """Return the estimator and the grid of each method."""
    of_epochs = {
        f"OLLAWV, {epochs} epoch{'s' if epochs > 1 else ''}": (
            softmargin.OLLAWV(epochs=epochs, n_jobs=jobs),
            {"margin": MARGINS, "gamma": GAMMAS},
        )
        for epochs in EPOCHS
    }
    return {"SVC": (softmargin.SVC(n_jobs=jobs), {"C": COSTS, "gamma": GAMMAS})} | of_epochs


def measure(estimator: Any, grid: dict[str, list[float]], X: Any, y: Any) -> dict[str, Any]:
    """Return the accuracy of nested cross-validation, and the size of a model."""
    start = time.perf_counter()
    found = softmargin.nested_cv(X, y, method=estimator, grid=grid, random_state=SEED)
    seconds = time.perf_counter() - start
    chosen = Counter(tuple(sorted(best.items())) for best in found.best_params).most_common(1)
    model = estimator.set_params(**dict(chosen[0][0]))
    model.fit(softmargin.MinMaxScaler().fit_transform(X), y)
    return {
        "accuracy": 100 * found.mean_score,
        "deviation": 100 * float(np.std(found.outer_scores)),
        "vectors": 100 * len(model.support_) / len(y),
        "values": model.n_kernel_evals_ / len(y) ** 2,
        "seconds": seconds,
        "params": dict(chosen[0][0]),
    }


def show(name: str, found: dict[str, dict[str, Any]]) -> None:
    """Print the results of a data set."""
    for who, facts in found.items():
        relative = facts["seconds"] / found["SVC"]["seconds"]
        print(
            f"{name:<14}{who:<20}{facts['accuracy']:>8.2f} ±{facts['deviation']:>5.2f}"
            f"{facts['vectors']:>8.1f} %{facts['values']:>9.2f}{relative:>9.2f}",
            flush=True,
        )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sets", default=SETS, help="comma-separated names")
    options.add_argument("--rows", type=int, default=2000, help="largest number of samples")
    arguments = options.parse_args()
    announce(QUESTION, arguments, ())
    print(f"{'set':<14}{'method':<20}{'accuracy, %':>15}{'vectors':>10}{'values':>9}{'time':>9}")
    results: dict[str, dict[str, dict[str, Any]]] = {}
    for name in arguments.sets.split(","):
        X, y = sample(name, arguments.rows)
        of_set = contestants(arguments.n_jobs).items()
        results[name] = {who: measure(*estimator, X, y) for who, estimator in of_set}
        show(name, results[name])
    if len(results) > 1:
        methods = list(next(iter(results.values())))
        scores = {who: [found[who]["accuracy"] for found in results.values()] for who in methods}
        print(statistics.compare(scores, control="SVC"))
    lines = [
        {"set": name, "method": who} | facts
        for name, found in results.items()
        for who, facts in found.items()
    ]
    write_json(QUESTION, arguments, (), lines)


if __name__ == "__main__":
    main()
