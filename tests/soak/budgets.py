"""Peak memory of calls against the budgets that they were given.

Each runs in a forked child, after a small call like it. What is resident at the most, over
what was before, must fit the budget, what is promised beside it, and FIXED. Blocks that were
freed are given back at once: what the allocator would keep for later is not ours to bound.
Sizes are such that whoever keeps all kernel values, makes rows dense or copies a result needs more
than is allowed; ``nested_cv`` of linear machines has too little to hold for that.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import softmargin
from soak.children import in_a_child
from soak.resident import forget_peak, give_back_at_once, resident, status
from soak.tables import end, show

# For threads, blocks of rows, lists of the allocator, and what Python does meanwhile.
FIXED = 24_000_000
# Numbers that a machine, its model and the checks hold for a row.
OF_A_ROW = 200
# The matrix of the working set of SVC, at most 2,048 rows, and its factor.
WORKING_SET = 2 * 8 * 2048**2
MB = 2**20


class Configuration(NamedTuple):
    """A call, its budget, and the bytes that it may hold beside."""

    budget: int
    beside: int
    run: Any
    large: Any
    small: Any


def configurations(share=1.0):
    """Return configurations by name; ``share`` of the rows makes them small.

    Not smaller than what is over its budget if nobody minds it.
    """
    rng = np.random.default_rng(0)

    def rows(n, d=20, classes=2, dtype=np.float64):
        X = rng.normal(size=(n, d)).astype(dtype)
        y = np.argmax(X[:, :classes] + rng.normal(size=(n, classes)), axis=1)
        return X, y

    def fit(name, params, budget, data, copies=2, beside=0):
        X, y = data
        stored = sum(part.nbytes for part in (X.data, X.indices)) if sp.issparse(X) else X.nbytes
        besides = copies * stored + OF_A_ROW * len(y) + beside

        def run(data):
            return softmargin.fit(*data, name, n_jobs=2, **params)

        return Configuration(budget, besides, run, data, (X[:50], y[:50]))

    n, m = max(int(20_000 * share), 4000), max(int(4000 * share), 2500)
    data, some = rows(n), rows(m, classes=3)
    wide = sp.random(n, 5000, density=0.004, format="csr", rng=rng)
    predicting = softmargin.OLLAWV(max_sv_fraction=0.5, n_jobs=2).fit(*rows(m, classes=3))
    many = rows(20 * n)[0]
    linear = {"C": [0.1, 1.0, 10.0]}

    def select(method, grid, budget, data, copies):
        def run(data):
            options = {"outer": 3, "inner": 2, "random_state": 0, "n_jobs": 2}
            return softmargin.nested_cv(*data, method, grid, memory_budget=budget, **options)

        X, y = data
        besides = copies * X.nbytes + OF_A_ROW * len(y) + 30 * 12 * len(y)  # row numbers of splits
        return Configuration(budget, besides, run, data, (X[:60], y[:60]))

    small = {"C": [1.0, 16.0], "gamma": [0.05]}
    newton = rows(m, classes=2)
    large = {
        "SVC, cache of 200 MB": fit("svc", {"cache_size": 200}, 200 * MB, data, beside=WORKING_SET)
    }
    return {
        "SVC, cache of 10 MB": fit("svc", {"cache_size": 10}, 10 * MB, data, beside=WORKING_SET),
        **(large if 8 * n * n > 400 * MB else {}),
        "NNISDA, cache of 50 MB": fit("nnisda", {"cache_size": 50}, 50 * MB, data),
        "NLSGD, cache of 50 MB": fit("nlsgd", {"cache_size": 50, "random_state": 0}, 50 * MB, data),
        "OLLAWV, one-vs-rest, cache of 10 MB": fit(
            "ollawv", {"cache_size": 10, "multi_class": "ovr", "margin": 1e9}, 10 * MB, some
        ),
        "NewtonSVC, cache of 5 MB, and its matrix": fit(
            "newton", {"cache_size": 5}, 5 * MB, newton, beside=8 * m * m
        ),
        "LinearSVC, sparse rows": fit("linear", {}, 0, (wide, data[1]), copies=1),
        "nested_cv svc, budget of 10 MB": select("svc", small, 10 * MB, some, 6),
        "nested_cv linear, budget of 40 MB": select("linear", linear, 40 * MB, data, 2),
        "kernel_matrix, its result": Configuration(
            8 * m * m,
            2 * some[0].nbytes,
            lambda X: softmargin.kernel_matrix(X, n_jobs=2),
            some[0],
            some[0][:50],
        ),
        "predict of many rows": Configuration(
            0, 32 * len(many), predicting.predict, many, many[:50]
        ),
    }


def peak(configuration):
    """Return the bytes that a call adds to what is resident, at the most."""

    def work():
        configuration.run(configuration.small)
        before = resident()
        forget_peak()
        configuration.run(configuration.large)
        return status("VmHWM") - before

    return in_a_child(work)


def measure(share=1.0):
    """Return a line for each configuration, and what is over its budget."""
    give_back_at_once()
    lines, faults = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, configuration in configurations(share).items():
            found = peak(configuration)
            allowed = configuration.budget + configuration.beside + FIXED
            parts = (configuration.budget, configuration.beside, allowed, found)
            lines.append((name, *(part / 1e6 for part in parts)))
            if found > allowed:
                faults.append(f"{name}: {found:,} bytes, {allowed:,} allowed")
    return lines, faults


def main():
    """Show the table; return the exit code."""
    lines, faults = measure()
    heads = ("configuration", "budget, MB", "beside", "with fixed", "peak")
    show("Peak of resident memory over that before the call", heads, lines)
    return end("budgets", faults)
