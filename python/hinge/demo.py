"""The main job on data that comes with scikit-learn: ``python -m hinge.demo``.

For each set: choose margin and kernel width by cross-validation on the training
rows, then score the chosen model on rows it has never seen. scikit-learn's SVC
does the same beside it, with as many candidates and the same folds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.model_selection import GridSearchCV, PredefinedSplit, train_test_split
from sklearn.svm import SVC

import hinge

GAMMAS = [4.0**k for k in range(-5, 3)]
COSTS = [4.0**k for k in range(-2, 6)]
MARGINS = [0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8, 1.6]


class Result(NamedTuple):
    """What one method reached on one set."""

    accuracy: float
    n_support: int
    seconds: float


def sets() -> Iterator[tuple[str, NDArray[np.float32], NDArray[Any]]]:
    """Yield name, rows and labels of the embedded sets."""
    loaders: list[tuple[str, Callable[..., Any]]] = [
        ("iris", datasets.load_iris),
        ("wine", datasets.load_wine),
        ("breast cancer", datasets.load_breast_cancer),
        ("digits", datasets.load_digits),
    ]
    for name, load in loaders:
        X, y = load(return_X_y=True)
        yield name, X.astype(np.float32), y


def choose_ollawv(
    X: NDArray[Any], y: NDArray[Any], folds: NDArray[np.uint32], n_jobs: int
) -> hinge.OLLAWV:
    """Return the model with the best mean accuracy over folds, fitted to all rows.

    One run gives the models of all margins, so the table costs a training for
    each gamma and fold.
    """
    table = np.zeros((len(GAMMAS), len(MARGINS)))
    for g in range(len(GAMMAS)):
        estimator = hinge.OLLAWV(gamma=GAMMAS[g], n_jobs=n_jobs)
        for fold in np.unique(folds):
            held_out = folds == fold
            path = estimator.margin_path(X[~held_out], y[~held_out], MARGINS)
            table[g] += [np.mean(model.predict(X[held_out]) == y[held_out]) for model in path]
    # Ties go to the smaller margin, then to the smaller gamma.
    margin, gamma = divmod(int(np.argmax(table.T)), len(GAMMAS))
    best = hinge.OLLAWV(gamma=GAMMAS[gamma], margin=MARGINS[margin], n_jobs=n_jobs)
    return best.fit(X, y)


def choose_svc(X: NDArray[Any], y: NDArray[Any], folds: NDArray[np.uint32], n_jobs: int) -> Any:
    """Return scikit-learn's choice among as many candidates on the same folds."""
    grid = {"C": COSTS, "gamma": GAMMAS}
    search = GridSearchCV(SVC(), grid, cv=PredefinedSplit(folds.astype(int)), n_jobs=n_jobs)
    return search.fit(X, y).best_estimator_


def measure(choose: Callable[[], Any], X_test: NDArray[Any], y_test: NDArray[Any]) -> Result:
    """Time a choice and score it on unseen rows."""
    start = time.perf_counter()
    model = choose()
    seconds = time.perf_counter() - start
    return Result(model.score(X_test, y_test), len(model.support_), seconds)


def start_workers(n_jobs: int) -> None:
    """Start the processes that GridSearchCV uses, so that no set is charged for them."""
    X, y = datasets.load_iris(return_X_y=True)
    GridSearchCV(SVC(), {"C": [1.0, 2.0]}, cv=2, n_jobs=n_jobs).fit(X, y)


def main() -> None:
    """Print the table."""
    n_jobs = 2
    start_workers(n_jobs)
    print(f"hinge {hinge.__version__} ({hinge.simd_level()} instructions, {n_jobs} threads)")
    print("Choosing among 64 models by 5-fold cross-validation, then testing on unseen rows:\n")
    head = f"{'set':<14}{'rows':>6}{'classes':>9}"
    print(f"{'':<29} | {'hinge OLLAWV':^28} | {'scikit-learn SVC':^28} |")
    columns = f"{'accuracy':>9}{'vectors':>9}{'seconds':>9} "
    print(f"{head} | {columns} | {columns} | faster")
    print("-" * 103)
    for name, X, y in sets():
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=0.3, stratify=y, random_state=0
        )
        scaler = hinge.MinMaxScaler().fit(X_train)
        X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
        folds = hinge.fold_labels(y_train, n_folds=5, random_state=0)
        problem = (X_train, y_train, folds, n_jobs)
        ours = measure(lambda p=problem: choose_ollawv(*p), X_test, y_test)  # type: ignore[misc]
        theirs = measure(lambda p=problem: choose_svc(*p), X_test, y_test)  # type: ignore[misc]
        cells = [f"{r.accuracy:>9.1%}{r.n_support:>9}{r.seconds:>9.2f} " for r in (ours, theirs)]
        line = f"{name:<14}{len(y):>6}{len(np.unique(y)):>9} | {cells[0]} | {cells[1]} | "
        print(line + f"{theirs.seconds / ours.seconds:>5.0f}x", flush=True)
    print(
        "\naccuracy: share of unseen rows classified right; vectors: training rows the model keeps."
        "\nNext: hinge.fit(X, y, method='ollawv'), or hinge.OLLAWV in place of sklearn's SVC."
    )


if __name__ == "__main__":
    main()
