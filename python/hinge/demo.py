"""The main job on data that comes with scikit-learn: ``python -m hinge.demo``.

Nested cross-validation: in each of five outer folds, choose among 64 models by inner
cross-validation, and judge the choice on the rows held out. scikit-learn's SVC in
GridSearchCV does the same beside it, on the same folds.
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

import hinge

N_JOBS = 2
OUTER = StratifiedKFold(5, shuffle=True, random_state=0)
INNER = StratifiedKFold(5, shuffle=True, random_state=1)
GRID = {
    "svc__C": [4.0**power for power in range(-2, 6)],
    "svc__gamma": [4.0**power for power in range(-5, 3)],
}


def sets() -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    """Yield name, rows and labels of the embedded sets."""
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
    """Return the mean accuracy of the same with hinge."""
    result = hinge.nested_cv(X, y, method=method, outer=OUTER, inner=INNER, n_jobs=N_JOBS)
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
    print(f"hinge {hinge.__version__} ({hinge.simd_level()} instructions, {N_JOBS} threads)")
    print("Nested cross-validation, 5 x 5 folds, 64 models: 1,605 trainings for each entry\n")
    columns = f"{'accuracy':>9}{'seconds':>9}"
    heads = [f"{columns:<25}"] + 2 * [f"{columns}{'faster':>7}"]
    titles = ("scikit-learn SVC", "hinge svc (exact)", "hinge ollawv")
    print(f"{'':<24} | " + " | ".join(f"{title:^25}" for title in titles))
    print(f"{'set':<14}{'rows':>5}{'cl.':>5} | " + " | ".join(heads))
    print("-" * 108)
    for name, X, y in sets():
        score, peer = timed(lambda X=X, y=y: theirs(X, y))  # type: ignore[misc]
        cells = [f"{score:>9.1%}{peer:>9.2f}{'':7}"]
        for method in ("svc", "ollawv"):
            score, took = timed(lambda X=X, y=y, m=method: ours(X, y, m))  # type: ignore[misc]
            cells.append(f"{score:>9.1%}{took:>9.3f}{peer / took:>6.0f}x")
        size = f"{name:<14}{len(y):>5}{len(np.unique(y)):>5}"
        print(f"{size} | " + " | ".join(cells), flush=True)
    print(
        "\nNext: hinge.nested_cv(X, y), hinge.GridSearchCV, or hinge.SVC in place of sklearn's SVC."
    )


if __name__ == "__main__":
    main()
