"""The main job on data that comes with scikit-learn: ``python -m softmargin.demo``.

Nested cross-validation: in each of five outer folds, choose among 64 models by inner
cross-validation, and score the choice on the held-out samples. scikit-learn's SVC in
GridSearchCV does the same on the same folds.
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


def sets() -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    """Yield name, samples and labels of the bundled data sets."""
    loaders: list[tuple[str, Callable[..., Any]]] = [
        ("iris", datasets.load_iris),
        ("wine", datasets.load_wine),
        ("breast cancer", datasets.load_breast_cancer),
    ]
    for name, load in loaders:
        X, y = load(return_X_y=True)
        yield name, X, y


def theirs(X: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the mean accuracy of scikit-learn's nested cross-validation."""
    pipeline = make_pipeline(MinMaxScaler(), SVC())
    search = GridSearchCV(pipeline, GRID, cv=INNER, n_jobs=N_JOBS)
    return float(np.mean(cross_val_score(search, X, y, cv=OUTER)))


def ours(X: NDArray[Any], y: NDArray[Any], method: str) -> float:
    """Return the mean accuracy of the same with softmargin."""
    result = softmargin.nested_cv(X, y, method=method, outer=OUTER, inner=INNER, n_jobs=N_JOBS)
    return float(result.mean_score)


def timed(run: Callable[[], float]) -> tuple[float, float]:
    """Return a result and the seconds that it took."""
    start = time.perf_counter()
    result = run()
    return result, time.perf_counter() - start


def start_workers() -> None:
    """Start the processes that GridSearchCV uses, so that no set is charged for them."""
    X, y = datasets.load_iris(return_X_y=True)
    GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=2, n_jobs=N_JOBS).fit(X, y)


def main() -> None:
    """Print the table."""
    start_workers()
    print(f"Softmargin {softmargin.__version__}, {softmargin.simd_level()} instructions")
    print(f"Nested cross-validation, 5 x 5 folds, 64 cells: 1,605 fits, {N_JOBS} threads each\n")
    titles = ("scikit-learn SVC", "softmargin SVC", "softmargin OLLAWV")
    print(f"{'':<18}" + f"{titles[0]:>18}" + "".join(f"{title:>22}" for title in titles[1:]))
    print(f"{'data set':<13}{'size':>5}{'accuracy':>11}{'s':>7}" + 2 * f"{'acc.':>7}{'s':>8}{'':7}")
    for name, X, y in sets():
        score, peer = timed(lambda X=X, y=y: theirs(X, y))  # type: ignore[misc]
        line = f"{name:<13}{len(y):>5}{score:>11.1%}{peer:>7.2f}"
        for method in ("svc", "ollawv"):
            score, took = timed(lambda X=X, y=y, m=method: ours(X, y, m))  # type: ignore[misc]
            line += f"{score:>7.1%}{took:>8.3f}{peer / took:>6.0f}x"
        print(line, flush=True)
    print("\nNext: softmargin.nested_cv(X, y), softmargin.GridSearchCV, or")
    print("from softmargin import SVC in place of scikit-learn's.")


if __name__ == "__main__":
    main()
