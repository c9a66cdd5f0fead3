"""Calls that would take long: rows, columns or classes are many."""

import numpy as np

import softmargin
from soak.calls import GRID, Call, machines, rows


def long_calls():
    """Return calls by name, for whose end nobody waits."""
    rng = np.random.default_rng(0)
    tall = rng.standard_normal((200_000, 50), dtype=np.float32), rng.integers(0, 2, 200_000)
    wide = rng.standard_normal((3000, 20_000), dtype=np.float32), rng.integers(0, 2, 3000)
    huge = rng.standard_normal((1_000_000, 40)), rng.integers(0, 2, 1_000_000)
    classes = rng.standard_normal((20_000, 20)), np.arange(20_000) % 200
    small = rows(60, seed=1)

    def fit(model, n_jobs, data):
        return machines(model.fit(*data))

    def select(method):
        def run(model, n_jobs, data):
            found = softmargin.nested_cv(
                *data, method, outer=2, inner=2, random_state=0, n_jobs=n_jobs
            )
            return {"inner": found.inner_scores, "complete": found.complete}

        return run

    def gram(model, n_jobs, data):
        return {"values": softmargin.kernel_matrix(data[0], n_jobs=n_jobs)}

    def predict(model, n_jobs, data):
        return {"labels": model.predict(data[0])}

    def scale(model, n_jobs, data):
        return {"rows": softmargin.MinMaxScaler().fit_transform(data[0])}

    def long_fit(model, data):
        return Call(fit, data, small, (model.fit(*small),))

    kernels = softmargin.OLLAWV(kernel="sigmoid", gamma=0.01, margin=1e9)
    kernels.fit(tall[0][:20_000, :10], tall[1][:20_000])
    return {
        "OLLAWV, 200,000 rows": long_fit(softmargin.OLLAWV(margin=1e9), tall),
        "SVC, 200,000 rows": long_fit(softmargin.SVC(C=100), tall),
        "SVC, 20,000 columns": long_fit(softmargin.SVC(), wide),
        "NewtonSVC, 20,000 columns": long_fit(softmargin.NewtonSVC(), wide),
        "NewtonSVC, linear kernel": long_fit(softmargin.NewtonSVC(kernel="linear"), wide),
        "NewtonSVC, linear, 10^6 rows": long_fit(softmargin.NewtonSVC(kernel="linear"), huge),
        "OLLAWV, 200 classes": long_fit(softmargin.OLLAWV(multi_class="ovr", margin=1e9), classes),
        "GridSearchCV": long_fit(softmargin.GridSearchCV(softmargin.SVC(), GRID), tall),
        "nested_cv, 200 classes": Call(select("svc"), classes, small),
        "nested_cv, 20,000 columns": Call(select("svc"), wide, small),
        "nested_cv, 10^6 rows": Call(select("linear"), huge, small),
        "kernel_matrix, 40,000 rows": Call(gram, (tall[0][:40_000],), small),
        "kernel_matrix, 20,000 columns": Call(gram, wide, small),
        "MinMaxScaler, 10^6 rows": Call(scale, huge, small),
        "predict, 200,000 rows": Call(predict, (tall[0][:, :10],), small, (kernels,)),
    }
