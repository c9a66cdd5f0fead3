"""The fits and searches that ``readme.py`` measures, as each package runs them."""

from __future__ import annotations

import functools
import gc
import importlib
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import datasets, model_selection, preprocessing, svm
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

import softmargin
from worker import Task

OURS, SKLEARN, INTELEX = "softmargin", "scikit-learn", "scikit-learn-intelex"
N_TEST = 10_000  # held-out samples at most
CACHE = 1000  # MB of kernel values, for all packages

Samples = tuple[Any, Any]


def run(package: str, task: Task) -> dict[str, Any]:
    """Run a task with a package; return its seconds, its accuracy and a note."""
    kinds = {"fit": fit, "grid": grid_search, "nested": nested}
    return kinds[task["kind"]](package, task)


def fit(package: str, task: Task) -> dict[str, Any]:
    """Fit a classifier; predict held-out samples if the task asks for the accuracy."""
    (X, y), (X_test, y_test) = scaled(task["data"], task["n"], task["is_bundled"])
    classes = np.unique(y)
    some = np.concatenate([np.flatnonzero(y == label)[:20] for label in classes])
    classifier(package, task).fit(X[some], y[some])  # loads libraries and starts threads
    model = classifier(package, task)
    gc.collect()
    start = time.perf_counter()
    model.fit(X, y)
    found: dict[str, Any] = {"seconds": time.perf_counter() - start}
    found["note"] = f"{X.shape[0]:,} samples, {X.shape[1]} features, {len(classes)} classes"
    if task["needs_accuracy"]:
        found["accuracy"] = float(np.mean(model.predict(X_test) == y_test))
    return found


def grid_search(package: str, task: Task) -> dict[str, Any]:
    """Search a grid on the training part, and score the best candidate on the held-out part."""
    (X, y), (X_test, y_test) = samples(task["data"], task["n"], task["is_bundled"])
    warm_up(package, task, X, y)
    found = search(package, task)
    gc.collect()
    start = time.perf_counter()
    found.fit(X, y)
    seconds = time.perf_counter() - start
    note = f"{len(y):,} samples, {sizes(task)}, {task['scaler']}"
    if package == OURS:
        note += f"; {found.engine_reason_ or 'all fits are one computation'}"
    return {"seconds": seconds, "accuracy": found.score(X_test, y_test), "note": note}


def nested(package: str, task: Task) -> dict[str, Any]:
    """Do nested cross-validation on all samples; the accuracy is the mean of the outer folds."""
    training, held_out = samples(task["data"], task["n"], task["is_bundled"])
    X, y = (np.concatenate(part) for part in zip(training, held_out, strict=True))
    outer = folds(task, 0)
    note = f"{len(y):,} samples, {sizes(task)} in each of {task['folds']} outer folds"
    warm_up(package, task, X, y)
    gc.collect()
    start = time.perf_counter()
    if package == OURS:
        scores = softmargin.nested_cv(
            X,
            y,
            grid=task["grid"],
            outer=outer,
            inner=folds(task, 1),
            n_jobs=task["threads"],
            random_state=0,
        ).outer_scores
        note += ", kernel values in float32"
    else:
        scores = cross_val_score(search(package, task), X, y, cv=outer)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "accuracy": float(np.mean(scores)), "note": note}


def classifier(package: str, task: Task) -> Any:
    """Return the classifier of a contestant."""
    if package == OURS and task["method"] == "OLLAWV":
        return softmargin.OLLAWV(gamma=task["gamma"], random_state=0, n_jobs=task["threads"])
    kinds = {OURS: lambda: softmargin.SVC, SKLEARN: lambda: svm.SVC, INTELEX: intelex}
    model = kinds[package]()(C=task["C"], gamma=task["gamma"], tol=1e-3, cache_size=CACHE)
    can_use_threads = "n_jobs" in model.get_params()
    return model.set_params(n_jobs=task["threads"]) if can_use_threads else model


def intelex() -> Any:
    """Return the SVC of scikit-learn-intelex, which is not a dependency."""
    return importlib.import_module("sklearnex.svm").SVC


def search(package: str, task: Task) -> Any:
    """Return the grid search of a contestant, over a pipeline with a scaler."""
    scaler = getattr(preprocessing, task["scaler"])()
    svc = softmargin.SVC() if package == OURS else svm.SVC()
    kind = softmargin.GridSearchCV if package == OURS else model_selection.GridSearchCV
    return kind(
        make_pipeline(scaler, svc.set_params(cache_size=CACHE)),
        {f"svc__{name}": values for name, values in task["grid"].items()},
        cv=folds(task, 1),
        n_jobs=task["threads"],
    )


def warm_up(package: str, task: Task, X: Any, y: Any) -> None:
    """Search a tiny grid on a few samples, which loads libraries and starts threads and workers."""
    small = search(package, {**task, "grid": {"C": [1.0, 2.0]}, "folds": 2})
    some = np.concatenate([np.flatnonzero(y == label)[:10] for label in np.unique(y)])
    small.fit(X[some], y[some])


def folds(task: Task, seed: int) -> StratifiedKFold:
    """Return the splitter that both sides use."""
    return StratifiedKFold(task["folds"], shuffle=True, random_state=seed)


def sizes(task: Task) -> str:
    """Return the size of the grid and the number of folds as text."""
    n_candidates = int(np.prod([len(values) for values in task["grid"].values()]))
    return f"{n_candidates} candidates on {task['folds']} folds"


def bundled(name: str) -> tuple[Any, Any]:
    """Return a data set that scikit-learn bundles or generates."""
    if name in ("digits", "wine", "breast_cancer"):
        return getattr(datasets, f"load_{name}")(return_X_y=True)
    is_sparse = "sparse" in name
    X, y = datasets.make_classification(
        n_samples=8_000 if is_sparse else 12_000,
        n_features=300 if is_sparse else 20,
        n_informative=60 if is_sparse else 10,
        n_classes=20 if "20" in name else 2,
        random_state=0,
    )
    return (sp.csr_matrix(np.where(X > 1, X, 0.0)) if is_sparse else X), y


@functools.lru_cache(maxsize=1)
def samples(name: str, n: int | None, is_bundled: bool) -> tuple[Samples, Samples]:
    """Return training and held-out samples in float64, not scaled.

    Held out is the official test part, or a quarter of the set; of it at most N_TEST samples.
    """
    n_train = None
    if is_bundled:
        X, y = bundled(name)
    else:
        found = softmargin.datasets.load(name)
        X, y, n_train = found.X, found.y, found.n_train
    X = X.astype(np.float64)
    if n_train is None or name == "covtype":  # whose official training part is balanced
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
    else:
        X, X_test, y, y_test = X[:n_train], X[n_train:], y[:n_train], y[n_train:]
    rng = np.random.default_rng(0)
    if n is not None and n < len(y):
        kept = rng.permutation(len(y))[:n]
        X, y = X[kept], y[kept]
    if len(y_test) > N_TEST:
        kept = rng.permutation(len(y_test))[:N_TEST]
        X_test, y_test = X_test[kept], y_test[kept]
    return (X, y), (X_test, y_test)


@functools.lru_cache(maxsize=1)
def scaled(name: str, n: int | None, is_bundled: bool) -> tuple[Samples, Samples]:
    """Return the same with features in [0, 1]."""
    (X, y), (X_test, y_test) = samples(name, n, is_bundled)
    scaler = softmargin.MinMaxScaler().fit(X)
    return (scaler.transform(X), y), (scaler.transform(X_test), y_test)
