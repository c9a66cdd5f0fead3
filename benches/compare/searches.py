"""How fast are softmargin's searches, compared with scikit-learn's, on the searches people run?

Twelve searches of scripts: pipelines with StandardScaler, PCA, ColumnTransformer or TF-IDF, several
scores, random candidates, groups, many classes, 36-cell grids on 500 to 10,000 samples. Each is
built once with scikit-learn's classes and once with softmargin's; data are generated or bundled
with scikit-learn, float64, both with the same number of jobs. Prints the seconds of both (ours
best of ``--repeats``, scikit-learn once), the ratio, the largest difference of a mean score, and
whether the best parameters are equal; then the geometric mean. ``--only`` names some searches.
``--extras`` adds ``SVC(probability=True)`` and ``SVCCV``; ``--record`` writes the tables of
``docs/benchmarks.md``.
"""

from __future__ import annotations

import math
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy.stats import loguniform
from sklearn import datasets, model_selection, svm
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GroupKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import softmargin
from harness import announce, best_of, parser, record, version, write_json

QUESTION = "Searches of scripts: softmargin against scikit-learn"
THEIRS = SimpleNamespace(
    SVC=svm.SVC,
    LinearSVC=svm.LinearSVC,
    GridSearchCV=model_selection.GridSearchCV,
    RandomizedSearchCV=model_selection.RandomizedSearchCV,
)
GRID = {
    "svc__C": [0.1, 1, 10, 100, 1000, 10000],
    "svc__gamma": [0.0001, 0.001, 0.01, 0.1, 1, 10],
}
SMALL = {"svc__C": [0.1, 1, 10, 100], "svc__gamma": [0.001, 0.01, 0.1]}


def blobs(n, d=20, k=2, seed=0):
    return datasets.make_classification(
        n, d, n_informative=d // 2, n_classes=k, flip_y=0.05, random_state=seed
    )


def frame(n):
    """Return a table with missing numbers and text columns."""
    X, y = blobs(n, 10)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(X, columns=[f"number{i}" for i in range(10)])
    table = table.mask(rng.random(table.shape) < 0.05)
    for name, size in (("city", 8), ("plan", 4)):
        noise = rng.integers(0, size, n)
        table[name] = np.where(rng.random(n) < 0.5, y * (size // 2), noise).astype(str)
    return table, y


def phrases(n, seed=0):
    """Return generated texts of four topics."""
    rng = np.random.default_rng(seed)
    topics = [[f"topic{t}word{i}" for i in range(300)] for t in range(4)]
    common = np.array([f"word{i}" for i in range(2000)])
    y = rng.integers(0, 4, n)
    texts = []
    for label in y:
        own = rng.choice(topics[label], rng.integers(3, 10))
        texts.append(" ".join([*rng.choice(common, rng.integers(40, 120)), *own]))
    return np.array(texts, dtype=object), y


def pipeline(ns, *steps):
    return make_pipeline(*steps, ns.SVC())


def standard(n, scoring=None, **options):
    X, y = blobs(n)

    def build(ns, jobs):
        model = pipeline(ns, StandardScaler())
        return ns.GridSearchCV(model, GRID, scoring=scoring, n_jobs=jobs, **options), X, y, {}

    return build


def components(ns, jobs):
    X, y = datasets.load_digits(return_X_y=True)
    grid = {"pca__n_components": [10, 20, 30], "svc__C": [1, 10, 100], "svc__gamma": [0.001, 0.01]}
    model = make_pipeline(StandardScaler(), PCA(random_state=0), ns.SVC())
    return ns.GridSearchCV(model, grid, n_jobs=jobs), X, y, {}


def columns(ns, jobs):
    X, y = frame(2000)
    numbers = [name for name in X if name.startswith("number")]
    prepared = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), ["city", "plan"]),
    )
    return ns.GridSearchCV(make_pipeline(prepared, ns.SVC()), SMALL, n_jobs=jobs), X, y, {}


def text(ns, jobs):
    X, y = phrases(3000)
    model = make_pipeline(TfidfVectorizer(), ns.LinearSVC())
    grid = {
        "tfidfvectorizer__ngram_range": [(1, 1), (1, 2)],
        "linearsvc__C": [0.01, 0.1, 1, 10, 100],
    }
    return ns.GridSearchCV(model, grid, n_jobs=jobs), X, y, {}


def random(ns, jobs):
    X, y = blobs(1500)
    space = {"svc__C": loguniform(1e-1, 1e3), "svc__gamma": loguniform(1e-4, 1e0)}
    model = pipeline(ns, StandardScaler())
    options = {"n_iter": 60, "random_state": 0, "n_jobs": jobs}
    return ns.RandomizedSearchCV(model, space, **options), X, y, {}


def groups(ns, jobs):
    X, y = blobs(1500)
    own = np.random.default_rng(0).integers(0, 40, len(y))
    model = pipeline(ns, StandardScaler())
    return ns.GridSearchCV(model, GRID, cv=GroupKFold(5), n_jobs=jobs), X, y, {"groups": own}


def classes(ns, jobs):
    X, y = blobs(3000, 40, 20)
    return ns.GridSearchCV(pipeline(ns, StandardScaler()), SMALL, n_jobs=jobs), X, y, {}


def large(ns, jobs):
    X, y = blobs(10_000)
    grid = {"svc__C": [0.1, 1, 10, 100], "svc__gamma": [0.001, 0.01, 0.1]}
    return ns.GridSearchCV(pipeline(ns, StandardScaler()), grid, cv=3, n_jobs=jobs), X, y, {}


SEARCHES = {
    "StandardScaler, accuracy, 2,000": standard(2000),
    "StandardScaler, roc_auc, 2,000": standard(2000, "roc_auc"),
    "StandardScaler, f1_macro, 1,000": standard(1000, "f1_macro"),
    "several scores, 1,000": standard(1000, ["accuracy", "f1", "roc_auc"], refit="f1"),
    "StandardScaler, accuracy, 500": standard(500),
    "PCA, digits": components,
    "ColumnTransformer, frame of 2,000": columns,
    "TF-IDF, LinearSVC, 3,000 texts": text,
    "60 random candidates, 1,500": random,
    "GroupKFold, 1,500": groups,
    "20 classes, 3,000": classes,
    "12 cells, 10,000": large,
}


def compared(name, build, jobs, repeats):
    """Return the facts of one search."""

    def fitted(ns):
        search, X, y, params = build(ns, jobs)
        return search.fit(X, y, **params)

    seconds, ours = best_of(lambda: fitted(softmargin), repeats)
    start = time.perf_counter()
    theirs = fitted(THEIRS)
    peer = time.perf_counter() - start
    means = [key for key in theirs.cv_results_ if key.startswith("mean_test")]
    difference = max(np.abs(ours.cv_results_[key] - theirs.cv_results_[key]).max() for key in means)
    return {
        "name": name,
        "ours": seconds,
        "peer": peer,
        "ratio": peer / seconds,
        "difference": float(difference),
        "same": bool(ours.best_params_ == theirs.best_params_),
        "engine": bool(ours.used_engine_),
    }


def brier(P, y):
    return float(((P - np.eye(P.shape[1])[y]) ** 2).sum(axis=1).mean())


def probabilities(jobs, repeats):
    """Compare SVC(probability=True) with scikit-learn's."""
    rows = []
    for name, (X, y) in {
        "2 classes, 4,000": blobs(4000),
        "4 classes, 4,000": blobs(4000, 20, 4),
        "digits": datasets.load_digits(return_X_y=True),
        "2 classes, 10,000": blobs(10_000),
    }.items():
        X, X_test, y, y_test = train_test_split(
            StandardScaler().fit_transform(X), y, random_state=0
        )
        ours_seconds, ours = best_of(
            lambda X=X, y=y: softmargin.SVC(probability=True, n_jobs=jobs).fit(X, y), repeats
        )
        peer_seconds, peer = best_of(
            lambda X=X, y=y: svm.SVC(probability=True, random_state=0).fit(X, y), 1
        )
        scores = [brier(model.predict_proba(X_test), y_test) for model in (ours, peer)]
        rows.append((name, ours_seconds, peer_seconds, *scores))
        ratio = peer_seconds / ours_seconds
        print(f"  {name:36s} {ours_seconds:8.3f} {peer_seconds:8.3f} {ratio:7.1f}x  Brier {scores}")
    return rows


def tuned(jobs, repeats):
    """Compare SVCCV with one default fit, and with the grid search of its cells."""
    rows = []
    for n in (500, 2000, 10_000):
        X, y = blobs(n)
        X = StandardScaler().fit_transform(X)
        ours_seconds, ours = best_of(
            lambda X=X, y=y: softmargin.SVCCV(n_jobs=jobs).fit(X, y), repeats
        )
        single, _ = best_of(lambda X=X, y=y: svm.SVC().fit(X, y), repeats)
        cells = [{k: [v] for k, v in own.items()} for own in ours.cv_results_["params"]]
        search, _ = best_of(
            lambda X=X, y=y, cells=cells: model_selection.GridSearchCV(
                svm.SVC(), cells, n_jobs=jobs
            ).fit(X, y),
            1,
        )
        rows.append((n, ours_seconds, single, search))
        print(
            f"  SVCCV on {n:,} samples: {ours_seconds:.3f} s; one fit of scikit-learn's SVC "
            f"{single:.3f} s; its GridSearchCV of the {len(cells)} cells {search:.3f} s"
        )
    return rows


def write_tables(options, lines, probabilities=(), tuned=()) -> None:
    """Write the tables of the page."""
    peer = f"scikit-learn {version('scikit-learn')}"
    seconds = {"Softmargin, s": ".3f", "scikit-learn, s": ".2f", "speed-up": ".1f"}
    if lines:
        record(
            "searches",
            QUESTION,
            options,
            f"{peer}, {options.n_jobs} jobs",
            {"search": None} | seconds | {"largest difference of a mean score": ".1e"},
            [[x["name"], x["ours"], x["peer"], x["ratio"], x["difference"]] for x in lines],
            cells=f"best parameters equal in {sum(x['same'] for x in lines)} of {len(lines)}",
        )
    if probabilities:
        record(
            "probabilities",
            "SVC(probability=True): softmargin against scikit-learn",
            options,
            f"{peer}, one thread",
            {"samples": None} | seconds | {"Brier score": ".5f", "scikit-learn's": ".5f"},
            [[name, ours, own, own / ours, *scores] for name, ours, own, *scores in probabilities],
        )
    if tuned:
        record(
            "self_tuning",
            "SVCCV against one fit of scikit-learn's SVC, and its search of the same cells",
            options,
            f"{peer}, one thread for the fit and {options.n_jobs} jobs for the search",
            {"samples": "d", "SVCCV, s": ".3f", "one fit of SVC, s": ".3f"}
            | {"GridSearchCV, s": ".1f", "speed-up over the search": ".0f"},
            [[n, ours, single, search, search / ours] for n, ours, single, search in tuned],
        )


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--only", default="", help="parts of the names of searches, with commas")
    args.add_argument("--extras", action="store_true", help="also probabilities and SVCCV")
    args.add_argument("--record", action="store_true", help="write the tables of the page")
    options = args.parse_args()
    announce(QUESTION, options, ["scikit-learn"])
    warnings.simplefilter("ignore")
    lines = []
    for name, build in SEARCHES.items():
        if not any(part in name for part in options.only.split(",")):
            continue
        line = compared(name, build, options.n_jobs, options.repeats)
        lines.append(line)
        print(
            f"  {name:36s} {line['ours']:8.3f} {line['peer']:8.3f} {line['ratio']:7.1f}x  "
            f"difference {line['difference']:.1e}, best {'equal' if line['same'] else 'OTHER'}, "
            f"engine {line['engine']}",
            flush=True,
        )
    if lines:
        mean = math.exp(np.mean([math.log(line["ratio"]) for line in lines]))
        print(f"geometric mean {mean:.1f}x, least {min(line['ratio'] for line in lines):.1f}x")
    extras = {}
    if options.extras:
        extras["probabilities"] = probabilities(options.n_jobs, options.repeats)
        extras["tuned"] = tuned(options.n_jobs, options.repeats)
    if options.record:
        write_tables(options, lines, **extras)
    lines += [{"name": name, "rows": rows} for name, rows in extras.items()]
    write_json(QUESTION, options, ["scikit-learn"], lines)


if __name__ == "__main__":
    main()
