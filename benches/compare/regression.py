"""How fast are regression, nu-SVC and novelty detection, compared with the faster of two peers?

The peers are scikit-learn and scikit-learn-intelex (sklearnex; skipped if it is not installed; it
has no OneClassSVM). Float64 samples, standardized (texts: TF-IDF as CSR), the same kernel, gamma,
tol and hyperparameters. The gap is the primal minus the dual objective divided by the primal; the
same code computes it from the coefficients of a peer. Nu-SVC is compared by the score on held-out
samples instead, because peers do not report the margin of their solution.

Each package runs in its own process; they alternate, and the best of ``--repeats`` runs counts.
Runs of more than 20 s are not repeated, and a peer that takes longer than the other one is ended.
``--searches`` measures grid searches over C, gamma and epsilon against scikit-learn's, with the
same number of jobs. ``--record`` writes the tables of ``docs/benchmarks.md``.

    python benches/compare/regression.py
    python benches/compare/regression.py --only friedman --peers sklearn
    python benches/compare/regression.py --searches
"""

from __future__ import annotations

import functools
import gc
import importlib
import importlib.util
import math
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import model_selection, svm
from sklearn.datasets import make_classification, make_friedman1
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize

import softmargin
from harness import announce, best_of, parser, record, version, write_json
from peer_certificates import certificates_of
from svc_fit import MODULES, OURS, TITLES, measured
from worker import Task, Worker

QUESTION = "How fast are SVR, NuSVC and OneClassSVM, compared with the faster of two peers?"
PEERS = ("scikit-learn", "scikit-learn-intelex")

# Name, class, data, number of training samples, and parameters.
FITS: list[tuple[str, str, str, int, dict[str, float]]] = [
    *(
        (f"friedman1, C {c}", "SVR", "friedman1", 12_000, {"C": c, "epsilon": 0.1})
        for c in (1, 10, 100)
    ),
    *((f"houses, C {c}", "SVR", "houses", 20_000, {"C": c, "epsilon": 0.1}) for c in (1, 10, 100)),
    *(
        ("texts, C " + str(c), "SVR", "texts", 10_000, {"C": c, "epsilon": 0.1})
        for c in (1, 10, 100)
    ),
    ("NuSVC, nu 0.2", "NuSVC", "classes", 10_000, {"nu": 0.2}),
    ("NuSVC, nu 0.2", "NuSVC", "classes", 50_000, {"nu": 0.2}),
    ("OneClassSVM, nu 0.1", "OneClassSVM", "classes", 10_000, {"nu": 0.1}),
    ("OneClassSVM, nu 0.1", "OneClassSVM", "classes", 50_000, {"nu": 0.1}),
]
N_TEST = 2000


def houses(n: int, seed: int = 0) -> tuple[Any, Any]:
    """Return generated prices of houses: skewed features, two of them a location."""
    rng = np.random.default_rng(seed)
    income, age = rng.gamma(4.0, 1.0, n), rng.uniform(1, 52, n)
    rooms, people = rng.lognormal(1.6, 0.3, n), rng.lognormal(7.0, 0.7, n)
    bedrooms, household = rng.lognormal(0.05, 0.15, n), rng.lognormal(1.0, 0.25, n)
    place = rng.normal(size=(n, 2)) + rng.choice([-2.0, 0.0, 2.5], (n, 1))
    center = np.exp(-0.5 * (place**2).sum(axis=1)) + 0.5 * np.sin(2 * place[:, 0])
    price = 0.4 * income + 0.01 * age + 0.1 * rooms / household + 1.5 * center
    price += rng.normal(0, 0.4, n)
    X = np.column_stack([income, age, rooms, bedrooms, people, household, place])
    return X, np.clip(price, 0.2, 5.0)


def texts(n: int, seed: int = 0) -> tuple[Any, Any]:
    """Return TF-IDF-like rows of 50 words out of 5,000, and the sum of what the words are worth."""
    rng = np.random.default_rng(seed)
    d, length = 5000, 50
    words = (d * rng.random((n, length)) ** 3).astype(np.int64)
    counts = sp.csr_matrix(
        (np.ones(n * length), words.ravel(), np.arange(0, n * length + 1, length)), (n, d)
    )
    counts.sum_duplicates()
    weight = np.log(n / np.maximum(1, counts.getnnz(axis=0))) + 1
    X = normalize(counts @ sp.diags(weight)).tocsr()
    y = X @ rng.normal(0, 2, d) + rng.normal(0, 0.2, n)
    return X, np.asarray(y)


@functools.lru_cache(maxsize=1)
def samples(data: str, n: int) -> tuple[Any, Any, Any, Any]:
    """Return training and held-out samples."""
    total = n + N_TEST
    if data == "texts":
        X, y = texts(total)
        return X[:n], y[:n], X[n:], y[n:]
    if data == "friedman1":
        X, y = make_friedman1(total, n_features=10, noise=1.0, random_state=0)
    elif data == "houses":
        X, y = houses(total)
    else:
        X, y = make_classification(total, 20, n_informative=10, flip_y=0.02, random_state=0)
    scaler = StandardScaler().fit(X[:n])
    return scaler.transform(X[:n]), y[:n], scaler.transform(X[n:]), y[n:]


def run(package: str, task: Task) -> dict[str, Any]:
    """Fit, and describe the model if the task asks for it."""
    X, y, X_test, y_test = samples(task["data"], task["n"])
    gamma = 1.0 if task["data"] == "texts" else 1.0 / X.shape[1]
    if package == OURS:
        model = getattr(softmargin, task["kind"])(
            gamma=gamma, n_jobs=task["n_jobs"], **task["params"]
        )
    else:
        kind = getattr(importlib.import_module(MODULES[package]), task["kind"])
        model = kind(gamma=gamma, cache_size=2000, **task["params"])
    gc.collect()
    start = time.perf_counter()
    model.fit(X, y)
    found: dict[str, Any] = {"seconds": time.perf_counter() - start}
    if task["describe"]:
        found |= {"vectors": len(model.support_), "gap": math.nan, "violation": 0.0}
        if task["kind"] == "SVR":
            c, epsilon = task["params"]["C"], task["params"]["epsilon"]
            (own,) = certificates_of(model, X, y, gamma, c, epsilon)
            found |= {"gap": own.gap / own.primal, "violation": own.violation}
            found["score"] = float(r2_score(y_test, model.predict(X_test)))
        elif task["kind"] == "NuSVC":
            found["score"] = float(np.mean(model.predict(X_test) == y_test))
        else:
            found["score"] = float(np.mean(model.predict(X_test) == 1))
        if package == OURS:
            found["values"] = int(model.n_kernel_evals_)
            found["samples"] = X.shape[0]
    return found


def fits(arguments: Any) -> list[dict[str, Any]]:
    """Measure single fits."""
    lines = []
    for name, kind, data, n, params in FITS:
        title = f"{name}, {n:,} samples"
        if arguments.only not in title:
            continue
        peers = [peer for peer in arguments.peers.split(",") if has_class(peer, kind)]
        workers = {package: Worker(package, run) for package in (OURS, *peers)}
        task = {"data": data, "n": n, "kind": kind, "params": params}
        task["n_jobs"] = arguments.n_jobs
        try:
            best = measured(workers, task, arguments.repeats)
        finally:
            for worker in workers.values():
                worker.close()
        ours = best.pop(OURS)
        peer, theirs = min(best.items(), key=lambda item: item[1]["seconds"])
        ratio = theirs["seconds"] / ours["seconds"]
        values = ours["values"] / (ours["samples"] * ours["vectors"])
        lines.append(
            {"name": title, "kind": kind, "peer": TITLES[peer], "ratio": ratio}
            | {"values": values, "ours": ours, "theirs": theirs, "all": best}
        )
        print(
            f"{title:<34} {ours['seconds']:8.3f} s  {TITLES[peer]:<12} {theirs['seconds']:8.3f} s"
            f"  {ratio:5.2f}x  gap {ours['gap']:.1e} / {theirs['gap']:.1e}"
            f"  score {ours['score']:.4f} / {theirs['score']:.4f}"
            f"  vectors {ours['vectors']} / {theirs['vectors']}  values {values:.2f} n x vectors",
            flush=True,
        )
    return lines


def has_class(peer: str, kind: str) -> bool:
    """Return whether a peer has its own version of a class."""
    return peer == "sklearn" or kind != "OneClassSVM"


GRID = {
    "svr__C": [0.1, 1, 10, 100, 1000],
    "svr__gamma": [0.001, 0.01, 0.1, 1, 10],
    "svr__epsilon": [0.01, 0.1, 0.3, 1],
}
SEARCHES = {
    "friedman1, 500 samples": ("friedman1", 500),
    "friedman1, 1,000 samples": ("friedman1", 1000),
    "houses, 1,000 samples": ("houses", 1000),
}


def searches(arguments: Any) -> list[dict[str, Any]]:
    """Measure grid searches."""
    lines = []
    for name, (data, n) in SEARCHES.items():
        if arguments.only not in name:
            continue
        X, y, _, _ = samples(data, n)
        n_jobs = arguments.n_jobs

        def search(ns: Any, kind: Any, X: Any = X, y: Any = y, n_jobs: int = n_jobs) -> Any:
            model = make_pipeline(StandardScaler(), kind())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ns.GridSearchCV(model, GRID, cv=5, n_jobs=n_jobs, refit=False).fit(X, y)

        ours, own = best_of(
            lambda search=search: search(softmargin, softmargin.SVR), arguments.repeats
        )
        theirs, peer = best_of(lambda search=search: search(model_selection, svm.SVR), 1)
        scores = [found.cv_results_["mean_test_score"] for found in (own, peer)]
        line = {"name": name, "ours": ours, "theirs": theirs, "ratio": theirs / ours}
        line["same"] = own.best_params_ == peer.best_params_
        line["difference"] = float(np.abs(scores[0] - scores[1]).max())
        lines.append(line)
        print(
            f"{name:<28} {ours:8.3f} s  scikit-learn {theirs:8.2f} s  {line['ratio']:6.1f}x  "
            f"largest difference {line['difference']:.1e}  same best {line['same']}",
            flush=True,
        )
    return lines


def mean_ratio(lines: list[dict[str, Any]]) -> float:
    """Return the geometric mean of the ratios."""
    return math.exp(np.mean([math.log(line["ratio"]) for line in lines]))


def main() -> None:
    options = parser(__doc__)
    installed = [
        name for name in MODULES if importlib.util.find_spec(MODULES[name].partition(".")[0])
    ]
    options.add_argument("--only", default="", help="a part of the names to measure")
    options.add_argument("--peers", default=",".join(installed), help="comma-separated names")
    options.add_argument("--searches", action="store_true", help="measure searches, not fits")
    options.add_argument("--record", action="store_true", help="write the table of the page")
    arguments = options.parse_args()
    announce(QUESTION, arguments, PEERS)
    lines = searches(arguments) if arguments.searches else fits(arguments)
    for kind in sorted({line.get("kind", "search") for line in lines}):
        own = [line for line in lines if line.get("kind", "search") == kind]
        least = min(line["ratio"] for line in own)
        print(f"{kind}: geometric mean {mean_ratio(own):.2f}x, least {least:.2f}x")
    if arguments.record and arguments.searches:
        record_searches(arguments, lines)
    elif arguments.record:
        record_fits(arguments, lines)
    write_json(QUESTION, arguments, PEERS, lines)


def record_fits(arguments: Any, lines: list[dict[str, Any]]) -> None:
    """Write the table of single fits."""
    columns = {"problem": None, "softmargin, s": ".3f", "faster peer": None, "peer, s": ".3f"}
    columns |= {"speed-up": ".1f", "gap": ".1e", "peer gap": ".1e"}
    columns |= {"score": ".4f", "peer score": ".4f", "support vectors": ",d"}

    def row(line: dict[str, Any]) -> list[Any]:
        ours, theirs = line["ours"], line["theirs"]
        gaps = [None if math.isnan(side["gap"]) else side["gap"] for side in (ours, theirs)]
        own = [line["name"], ours["seconds"], line["peer"], theirs["seconds"], line["ratio"]]
        return [*own, *gaps, ours["score"], theirs["score"], ours["vectors"]]

    versions = ", ".join(f"{peer} {version(peer)}" for peer in PEERS)
    svr = [line for line in lines if line["kind"] == "SVR"]
    others = [line for line in lines if line["kind"] != "SVR"]
    record(
        "regression",
        QUESTION,
        arguments,
        f"the faster of {versions}",
        columns,
        [row(line) for line in lines],
        repeats=f"best of {arguments.repeats} runs of each; one run where it takes over 20 s",
        cells=f"geometric mean of the speed-ups: SVR {mean_ratio(svr):.1f}, "
        f"NuSVC and OneClassSVM {mean_ratio(others):.1f}; the score is r2, the accuracy, and the "
        "share of held-out samples inside",
    )


def record_searches(arguments: Any, lines: list[dict[str, Any]]) -> None:
    """Write the table of searches."""
    columns = {"search": None, "softmargin, s": ".2f", "scikit-learn, s": ".1f"}
    columns |= {"speed-up": ".1f", "largest difference of a mean score": ".1e"}
    columns |= {"same best parameters": None}
    record(
        "regression_searches",
        "How fast are grid searches of SVR, compared with scikit-learn's?",
        arguments,
        f"scikit-learn {version('scikit-learn')}, {arguments.n_jobs} jobs",
        columns,
        [
            [
                *(line[key] for key in ("name", "ours", "theirs", "ratio", "difference")),
                "yes" if line["same"] else "no",
            ]
            for line in lines
        ],
        cells="StandardScaler and SVR, 5 values of C, 5 of gamma, 4 of epsilon, 5 folds, score r2; "
        f"geometric mean of the speed-ups {mean_ratio(lines):.1f}",
    )


if __name__ == "__main__":
    main()
