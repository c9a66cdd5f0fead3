"""How fast is softmargin.nested_cv compared with scikit-learn's nested cross-validation?

The peer is ``cross_val_score(GridSearchCV(make_pipeline(MinMaxScaler(), SVC())))`` with its outer
loop written out, so that it uses the folds of ours: the same outer and inner folds, the same
8 x 8 grid, two jobs. Ours is the plain call, folds included. Prints for each set the seconds
of both, the ratio, the mean accuracies and in how many outer folds both chose the same
candidate; then the geometric means. ``--methods ollawv`` times OLLAWV (8 margins x 8 gammas)
against the same peer. ``--peer none`` runs ours alone. ``--phases`` prints the time of each
phase, ``--loops`` how many loops the path over C saved. ``--dtype`` is the type of the samples;
with scaled features, ``nested_cv`` computes kernel values in float32 either way.
"""

from __future__ import annotations

import math
import time
import warnings

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
from sklearn.svm import SVC

import softmargin
from data import raw
from harness import announce, parser, write_json

SETS = (
    "iris,teach,wine,cancer,sonar,glass,vote,heart,dermatology,prokaryotic,eukaryotic,"
    "optdigits,satimage"
)
QUESTION = "Nested cross-validation: softmargin.nested_cv against scikit-learn"
GRID = {
    "svc__C": [4.0**power for power in range(-2, 6)],
    "svc__gamma": [4.0**power for power in range(-5, 3)],
}


def peer(X, y, n_jobs: int) -> tuple[float, np.ndarray, list[dict[str, float]]]:
    """Return seconds, outer scores and chosen candidates of scikit-learn."""
    outer, inner = softmargin.nested_fold_labels(y, 5, 5, random_state=0)
    scaler = MinMaxScaler() if isinstance(X, np.ndarray) else MaxAbsScaler()
    seconds, scores, best = 0.0, [], []
    for o, inside in enumerate(inner):
        train, test = np.flatnonzero(outer != o), np.flatnonzero(outer == o)
        inside = inside[train]
        cv = [(np.flatnonzero(inside != i), np.flatnonzero(inside == i)) for i in range(5)]
        search = GridSearchCV(
            make_pipeline(scaler, SVC(cache_size=1000)), GRID, cv=cv, n_jobs=n_jobs
        )
        start = time.perf_counter()
        scores.append(search.fit(X[train], y[train]).score(X[test], y[test]))
        seconds += time.perf_counter() - start
        chosen = search.best_params_.items()
        best.append({name.removeprefix("svc__"): value for name, value in chosen})
    return seconds, np.array(scores), best


def ours(X, y, method: str, n_jobs: int) -> tuple[float, softmargin.NestedResult]:
    """Return seconds and the result."""
    start = time.perf_counter()
    result = softmargin.nested_cv(X, y, method=method, n_jobs=n_jobs, random_state=0)
    return time.perf_counter() - start, result


def loops_saved(X, y, result: softmargin.NestedResult, n_jobs: int) -> str:
    """Return how many loops the path over C saves compared with a cold start for each C."""
    alone = 0
    for C in GRID["svc__C"]:
        one = {"C": [C], "gamma": GRID["svc__gamma"]}
        alone += softmargin.nested_cv(X, y, grid=one, n_jobs=n_jobs, random_state=0).counts["loops"]
    return f"{alone - result.counts['loops']} of {alone} loops saved"


def main() -> None:
    options = parser(__doc__, dtype=True)
    options.add_argument("--sets", default=SETS, help="comma-separated names")
    options.add_argument("--methods", default="svc,ollawv", help="comma-separated names")
    options.add_argument("--peer", default="sklearn", choices=["sklearn", "none"])
    options.add_argument("--phases", action="store_true", help="seconds of each phase, all threads")
    options.add_argument("--loops", action="store_true", help="loops that the path over C saves")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    methods = arguments.methods.split(",")
    peers = () if arguments.peer == "none" else ("scikit-learn",)
    announce(QUESTION, arguments, peers)
    ratios: dict[str, list[float]] = {method: [] for method in methods}
    lines = []
    for name in arguments.sets.split(","):
        X, y, _ = raw(name, arguments.dtype)
        best = {}
        for method in methods:
            runs = [ours(X, y, method, arguments.n_jobs) for _ in range(arguments.repeats)]
            best[method] = min(runs, key=lambda run: run[0])
        line = f"{name:<12} {X.shape[0]:6} samples"
        facts = {"name": name, "n_samples": X.shape[0]}
        if arguments.peer == "sklearn":
            seconds, scores, chosen = peer(X, y, arguments.n_jobs)
            line += f"   sklearn {seconds:8.2f} s {np.mean(scores):.4f}"
            facts["scikit-learn"] = {"seconds": seconds, "accuracy": float(np.mean(scores))}
        for method, (took, result) in best.items():
            line += f"   {method} {took:8.3f} s {result.mean_score:.4f}"
            line += f" sv {100 * np.mean(result.support_fraction):.0f} %"
            facts[method] = {"seconds": took, "accuracy": result.mean_score}
            if arguments.peer == "sklearn":
                ratios[method].append(seconds / took)
                line += f" {seconds / took:6.0f}x"
                if method == "svc":
                    same = sum(a == b for a, b in zip(result.best_params, chosen, strict=True))
                    line += f" ({same} of {len(chosen)} choices the same)"
        print(line, flush=True)
        lines.append(facts)
        for method, (_, result) in best.items():
            if arguments.phases:
                shares = ", ".join(f"{name} {s:.3f} s" for name, s in result.seconds.items())
                print(f"    {method}: {shares}; {result.counts}", flush=True)
            if arguments.loops and method == "svc":
                print(f"    {loops_saved(X, y, result, arguments.n_jobs)}", flush=True)
    for method, values in ratios.items():
        if values:
            mean = math.exp(np.mean(np.log(values)))
            print(f"{method}: geometric mean {mean:.0f}x, least {min(values):.0f}x")
    write_json(QUESTION, arguments, peers, lines)


if __name__ == "__main__":
    main()
