"""Every method in forked, spawned and remote processes and in threads: the same bits."""

import contextlib
import hashlib
import multiprocessing
import threading
import warnings

import joblib
import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

import softmargin
from soak.children import in_a_child
from soak.tables import end, show

# What is varied in a nested cross-validation.
PATHS = dict.fromkeys(("nu-svc", "one-class"), "nu")
PATHS |= {"ollawv": "margin", "sgd": "lambda_", "gd": "lambda_"}
# Whose labels tell inliers from outliers.
DETECTORS = ("one-class",)


def samples(method):
    """Return samples with classes, which regressors take for targets."""
    X, y = load_iris(return_X_y=True)
    return X, np.where(y == 0, -1, 1) if method in DETECTORS else y


def scoring_of(method):
    """Return a score of detectors of outliers, which have none of their own."""
    return "accuracy" if method in DETECTORS else None


def work(method):
    """Return scores and machines of a method, both from two threads, as text."""
    X, y = samples(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = softmargin.fit(X, y, method, n_jobs=2)
        if "random_state" in model.get_params():
            model.set_params(random_state=0).fit(X, y)
        scores = cross_val_score(model, X, y, cv=3, scoring=scoring_of(method))
    values = getattr(model, "decision_function", model.predict)(X)
    return _digest(values, np.atleast_1d(model.intercept_), scores)


def select(method):
    """Return the scores of a nested cross-validation, which a backend may spread, as text."""
    X, y = samples(method)
    grid = {PATHS.get(method, "C"): [0.1, 0.5, 1.0 if method != "one-class" else 0.9]}
    options = {"outer": 2, "inner": 2, "random_state": 0, "scoring": scoring_of(method)}
    found = softmargin.nested_cv(X, y, method, grid, **options)
    return _digest(found.inner_scores, found.outer_scores)


def _digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


def forked(methods):
    """Work in a child that was forked after fits."""
    return in_a_child(lambda: [work(method) for method in methods])


def forked_while_working(methods):
    """Work in children that are forked while a thread fits."""
    done = threading.Event()

    def fit():
        while not done.is_set():
            work("svc")

    worker = threading.Thread(target=fit)
    worker.start()
    try:
        return [in_a_child(lambda method=method: work(method)) for method in methods]
    finally:
        done.set()
        worker.join()


def pool(start):
    """Return a way to work in a pool of processes that start so."""

    def way(methods):
        with multiprocessing.get_context(start).Pool(2) as workers:
            return workers.map(work, methods)

    return way


def threads(methods):
    """Work in two threads of this process at the same time."""
    return joblib.Parallel(n_jobs=2, backend="threading")(map(joblib.delayed(work), methods))


def loky(methods):
    """Work in the processes of joblib."""
    return joblib.Parallel(n_jobs=2, backend="loky")(map(joblib.delayed(work), methods))


@contextlib.contextmanager
def cluster(processes):
    """Give a client of a dask cluster on this machine."""
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=processes, **options) as own, Client(own) as client:
        yield client


def dask(processes):
    """Return a way to work on a dask cluster, by its futures and as the backend of joblib."""

    def way(methods):
        with cluster(processes) as client:
            found = client.gather(client.map(work, methods))
            with joblib.parallel_config(backend="dask"):
                again = joblib.Parallel()(map(joblib.delayed(work), methods))
        if again != found:
            raise AssertionError("the backend of joblib and the futures of dask differ")
        return found

    return way


def spread(backend):
    """Return a way to spread a nested cross-validation over processes."""

    def way(methods):
        with contextlib.ExitStack() as stack:
            if backend == "dask":
                stack.enter_context(cluster(processes=True))
            count = {} if backend == "dask" else {"n_jobs": 2}
            stack.enter_context(joblib.parallel_config(backend=backend, **count))
            return [select(method) for method in methods]

    return way


# Ways to work with what each method gives by itself.
WAYS = {
    "fork after a fit": (work, forked),
    "fork during a fit": (work, forked_while_working),
    "multiprocessing, fork": (work, pool("fork")),
    "multiprocessing, spawn": (work, pool("spawn")),
    "threads": (work, threads),
    "loky": (work, loky),
    "dask, threads": (work, dask(processes=False)),
    "dask, processes": (work, dask(processes=True)),
    "nested_cv over loky": (select, spread("loky")),
    "nested_cv over dask": (select, spread("dask")),
}


def differing(name, methods):
    """Return the methods that give other bits in this way than alone."""
    alone, way = WAYS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = [alone(method) for method in methods], way(methods)
    return [m for m, own, other in zip(methods, expected, found, strict=True) if own != other]


def main():
    """Try all methods in all ways; return the exit code."""
    methods, lines, faults = softmargin.methods(), [], []
    for name in WAYS:
        wrong = differing(name, methods)
        lines.append((name, len(methods) - len(wrong), len(wrong)))
        faults += [f"{name}: {method} gave other bits" for method in wrong]
    show("Methods in other processes and threads", ("way", "same bits", "other"), lines)
    return end("processes", faults)
