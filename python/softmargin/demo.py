"""Nested cross-validation on data of scikit-learn: ``python -m softmargin.demo``.

In each of five outer folds, inner cross-validation selects one of 64 candidates, which is then
scored on the held-out samples. scikit-learn's SVC in GridSearchCV does the same on the same folds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

import softmargin

N_JOBS = 2
OUTER = StratifiedKFold(5, shuffle=True, random_state=0)
INNER = StratifiedKFold(5, shuffle=True, random_state=1)
GRID = {
    "svc__C": [4.0**power for power in range(-2, 6)],
    "svc__gamma": [4.0**power for power in range(-5, 3)],
}


def bundled() -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    """Yield name, samples and labels of the data sets."""
    loaders: list[tuple[str, Callable[..., Any]]] = [
        ("iris", datasets.load_iris),
        ("wine", datasets.load_wine),
        ("breast cancer", datasets.load_breast_cancer),
    ]
    for name, load in loaders:
        X, y = load(return_X_y=True)
        yield name, X, y


def scikit_learn(X: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the mean accuracy of scikit-learn's nested cross-validation."""
    pipeline = make_pipeline(MinMaxScaler(), SVC())
    search = GridSearchCV(pipeline, GRID, cv=INNER, n_jobs=N_JOBS)
    return float(np.mean(cross_val_score(search, X, y, cv=OUTER)))


def nested(X: NDArray[Any], y: NDArray[Any], method: str) -> float:
    """Return the mean accuracy of softmargin's nested cross-validation."""
    result = softmargin.nested_cv(X, y, method=method, outer=OUTER, inner=INNER, n_jobs=N_JOBS)
    return float(result.mean_score)


def timed(run: Callable[[], float]) -> tuple[float, float]:
    """Return the result of a call and its duration in seconds."""
    start = time.perf_counter()
    result = run()
    return result, time.perf_counter() - start


def start_workers() -> None:
    """Start the worker processes of GridSearchCV before the first measurement."""
    X, y = datasets.load_iris(return_X_y=True)
    GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=2, n_jobs=N_JOBS).fit(X, y)


def main() -> None:
    """Print the table."""
    start_workers()
    print(f"Softmargin {softmargin.__version__}, {softmargin.simd_level()} instructions")
    print(f"Nested cross-validation: 5 x 5 folds, 64 candidates, 1,605 fits, {N_JOBS} jobs\n")
    _print_row("data set", "samples", "method", "accuracy", "seconds", "speedup")
    for name, X, y in bundled():
        score, baseline = timed(lambda X=X, y=y: scikit_learn(X, y))  # type: ignore[misc]
        _print_row(name, f"{len(y)}", "scikit-learn SVC", f"{score:.1%}", f"{baseline:.2f}", "")
        for title, method in (("softmargin SVC", "svc"), ("softmargin OLLAWV", "ollawv")):
            score, seconds = timed(lambda X=X, y=y, m=method: nested(X, y, m))  # type: ignore[misc]
            speedup = f"{baseline / seconds:,.0f}x"
            _print_row("", "", title, f"{score:.1%}", f"{seconds:.3f}", speedup)
    print("\nNext: call softmargin.nested_cv(X, y) or use softmargin.GridSearchCV on your data,")
    print("or replace scikit-learn's SVC by softmargin.SVC.")


def _print_row(name: str, size: str, method: str, score: str, seconds: str, speedup: str) -> None:
    row = f"{name:<15}{size:>7}  {method:<19}{score:>8}{seconds:>9}{speedup:>9}"
    print(row.rstrip(), flush=True)


if __name__ == "__main__":
    main()
