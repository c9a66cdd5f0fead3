"""Calls of all kinds that take a while, and what their results are compared by."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import softmargin
from softmargin import GridSearchCV, nested_cv


class Call(NamedTuple):
    """A call with a large and a small input.

    ``run(model, n_jobs, data)`` returns its result as arrays by name. That of ``nested_cv`` may
    be a part of the whole: ``complete`` tells.
    """

    run: Any
    large: Any
    small: Any
    # Estimators to call it with, whose state must survive an interrupt.
    models: tuple = (None,)
    # Whether an interrupted call left a file from which the next goes on.
    goes_on: bool = False


# Parameters and rows with which a fit on one thread takes some tenths of a second.
FITS = {
    "gd": ({"max_iter": 600, "tol": 1e-12}, 9000),
    "linear": ({"C": 30.0, "loss": "hinge", "max_iter": 150, "random_state": 0}, 20_000),
    "linear-svr": ({"C": 30.0, "max_iter": 150, "random_state": 0}, 20_000),
    "mnsvm": ({}, 6000),
    "newton": ({}, 2500),
    "nlsgd": ({"random_state": 0}, 8000),
    "nnisda": ({}, 6000),
    "ollawv": ({}, 14_000),
    "sgd": ({"epochs": 100, "random_state": 0}, 15_000),
    "svc": ({}, 8000),
    "svr": ({}, 8000),
    "nu-svr": ({}, 8000),
    "nu-svc": ({"nu": 0.6}, 8000),
    "one-class": ({}, 14_000),
}
GRID = {"C": [1.0, 16.0], "gamma": [0.03, 0.1, 0.3, 1.0]}


def rows(n, seed=0):
    """Return rows of ten features in three classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    outputs = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n)
    return X, np.digitize(outputs, np.quantile(outputs, [1 / 3, 2 / 3]))


def machines(model):
    """Return what a fitted estimator has learned."""
    if hasattr(model, "best_estimator_"):
        return {"scores": model.cv_results_["mean_test_score"], **machines(model.best_estimator_)}
    names = ("dual_coef_", "support_", "intercept_")
    names = names if hasattr(model, "dual_coef_") else ("coef_", "intercept_")
    return {name: getattr(model, name) for name in names}


def same(result, reference):
    """Tell whether results agree to the bit, as far as they are complete."""
    is_part = not result.get("complete", True)
    return result.keys() == reference.keys() and all(
        name == "complete" or _same_array(np.asarray(value), np.asarray(reference[name]), is_part)
        for name, value in result.items()
    )


def _same_array(value, reference, is_part):
    if (value.dtype, value.shape) != (reference.dtype, reference.shape):
        return False
    if is_part:
        return bool((np.isnan(value) | (value == reference)).all())
    return value.tobytes() == reference.tobytes()


def all_calls(folder, share=1.0, training=None):
    """Return calls by name; ``share`` of the rows shortens them, ``folder`` takes files.

    What trains has its own share, if ``training`` is given.
    """
    training = share if training is None else training
    return {
        **fits(training),
        **predictions(share),
        **selections(folder, training),
        **files(folder, share),
    }


def fits(share):
    """Return fits and refits of each method, and what else trains."""

    def fit(model, n_jobs, data):
        return machines(model.fit(*data))

    def margin_path(model, n_jobs, data):
        first, second = model.margin_path(*data, [0.1, 0.5])
        return {"first": first.dual_coef_, "second": second.dual_coef_}

    def partial_fit(model, n_jobs, data):
        return machines(model.partial_fit(*data, classes=[0, 1, 2]))

    found = {}
    small = rows(60, seed=1)
    for method, (params, n) in FITS.items():
        fitted = softmargin.fit(*small, method, **params)
        new = type(fitted)(**params)
        found[f"fit {method}"] = Call(fit, rows(int(n * share)), small, (new, fitted))
    path = softmargin.OLLAWV().fit(*small)
    found["margin_path"] = Call(margin_path, rows(int(14_000 * share)), small, (path,))
    begun = softmargin.SGDSVC(random_state=0).partial_fit(*small, classes=[0, 1, 2])
    found["partial_fit"] = Call(partial_fit, rows(int(1_500_000 * share)), small, (begun,))
    return found


def predictions(share):
    """Return calls that evaluate kernels."""
    X, y = rows(3000)
    model = softmargin.OLLAWV(kernel="sigmoid", gamma=0.01, margin=1e9).fit(X, y)
    many, few = rows(int(20_000 * share), seed=2)[0], rows(50, seed=2)[0]

    def predict(model, n_jobs, data):
        return {"labels": model.predict(data)}

    def decide(model, n_jobs, data):
        return {"values": model.decision_function(data)}

    def gram(model, n_jobs, data):
        return {"values": softmargin.kernel_matrix(data, "sigmoid", gamma=0.01, n_jobs=n_jobs)}

    side = int(5000 * share**0.5)
    return {
        "predict": Call(predict, many, few, (model,)),
        "decision_function": Call(decide, sp.csr_matrix(many), few, (model,)),
        "kernel_matrix": Call(gram, many[:side].astype(np.float32), few),
    }


def selections(folder, share):
    """Return searches, one of which goes on from its file."""
    folds = {"outer": 3, "inner": 2, "random_state": 0}

    def search(model, n_jobs, data):
        return machines(model.fit(*data))

    def select(method, checkpoint=None):
        def run(model, n_jobs, data):
            path = None if checkpoint is None else folder / f"{len(data[1])} {checkpoint}"
            grid = GRID if method != "linear" else {"C": np.logspace(-2, 2, 8).tolist()}
            found = nested_cv(*data, method, grid, n_jobs=n_jobs, checkpoint=path, **folds)
            if path is not None and found.complete:
                path.unlink()
            return {
                "inner": found.inner_scores,
                "outer": found.outer_scores,
                "complete": found.complete,
            }

        return run

    small = rows(60, seed=1)
    svc, engine = softmargin.SVC(), {"cv": 3}
    new, fitted = GridSearchCV(svc, GRID, **engine), GridSearchCV(svc, GRID, **engine).fit(*small)
    data = rows(int(4000 * share))
    return {
        "nested_cv svc": Call(select("svc"), data, small),
        "nested_cv linear": Call(select("linear"), rows(int(40_000 * share)), small),
        "nested_cv, checkpoint": Call(select("ollawv", "run.npz"), data, small, goes_on=True),
        "GridSearchCV.fit": Call(search, data, small, (new, fitted)),
    }


def files(folder, share):
    """Return calls that read and write."""

    def load_text(model, n_jobs, path):
        X, y = softmargin.load_libsvm(path)
        return {"data": X.data, "indices": X.indices, "y": y}

    def fit_blocks(model, n_jobs, path):
        return machines(model.fit_blocks(softmargin.LibsvmBlocks(path, block_rows=2000)))

    def save(model, n_jobs, data):
        path = folder / "saved.softmargin"
        data.save(path)
        return {"bytes": np.frombuffer(path.read_bytes(), np.uint8)}

    def load(model, n_jobs, path):
        return machines(softmargin.load(path))

    paths = {}
    for size, n in (("large", int(300_000 * share)), ("small", 60)):
        X, y = rows(n, seed=3)
        paths[size] = folder / f"{size}.svm"
        softmargin.dump_libsvm(X, y, paths[size])
    model = softmargin.OLLAWV(margin=1e9).fit(*rows(60))
    X = np.random.default_rng(0).normal(size=(int(4000 * share), 1000))
    large = softmargin.OLLAWV(margin=1e9).fit(X, np.arange(len(X)) % 3)
    saved = {"large": folder / "large.softmargin", "small": folder / "small.softmargin"}
    large.save(saved["large"])
    model.save(saved["small"])
    streaming = softmargin.SGDSVC(epochs=1, random_state=0, n_jobs=1).fit(*rows(60))
    return {
        "load_libsvm": Call(load_text, paths["large"], paths["small"]),
        "fit_blocks": Call(fit_blocks, paths["large"], paths["small"], (streaming,)),
        "save": Call(save, large, model),
        "load": Call(load, saved["large"], saved["small"]),
    }
