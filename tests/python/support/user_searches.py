"""Model-selection searches as users write them, each runnable with several packages.

A search is a function of a namespace that has the names SVC, LinearSVC, GridSearchCV,
RandomizedSearchCV, HalvingGridSearchCV and HalvingRandomSearchCV; it returns the fitted search.
Tolerances are so small that all solvers find the same table. With balanced class weights and a
small C, all samples may be bounded support vectors. Any bias of an interval is then optimal, and
rounding errors decide which one scikit-learn finds; only scores that ignore the bias may use it.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.stats
from sklearn import datasets, model_selection, svm
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.exceptions import FitFailedWarning, UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, confusion_matrix, fbeta_score, make_scorer
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from threadpoolctl import threadpool_limits

import softmargin

SKLEARN = SimpleNamespace(
    SVC=svm.SVC,
    LinearSVC=svm.LinearSVC,
    GridSearchCV=model_selection.GridSearchCV,
    RandomizedSearchCV=model_selection.RandomizedSearchCV,
    HalvingGridSearchCV=model_selection.HalvingGridSearchCV,
    HalvingRandomSearchCV=model_selection.HalvingRandomSearchCV,
)
# The estimators of softmargin in the searches of scikit-learn.
MIXED = SimpleNamespace(
    **vars(SKLEARN) | {"SVC": softmargin.SVC, "LinearSVC": softmargin.LinearSVC}
)
SOFTMARGIN = softmargin
NAMESPACES = {"scikit-learn": SKLEARN, "mixed": MIXED, "softmargin": SOFTMARGIN}

TOL = 1e-6
LINEAR = {"tol": 1e-8, "random_state": 0, "max_iter": 100_000}


class Run(NamedTuple):
    """A fitted search, and the categories of the warnings on the way."""

    search: Any
    warned: frozenset[type[Warning]]


@dataclass(frozen=True)
class UserSearch:
    """A search, and what is expected of it."""

    name: str
    build: Callable[[Any], Any]
    """Builds and fits the search with the classes of a namespace."""
    reason: str | None
    """A pattern for ``engine_reason_``; None if the engine must be used."""
    atol: float
    """Largest difference between two scores of different packages."""
    warns: frozenset[type[Warning]]
    """Categories of the expected warnings."""

    def run(self, namespace: Any) -> Run:
        """Fit the search with the classes of a namespace, and record the warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if namespace is SKLEARN:
                warnings.filterwarnings("ignore", "The `probability` parameter", FutureWarning)
            # On a busy machine, two threads of BLAS take many times as long for a small PCA.
            with threadpool_limits(1, user_api="blas"):
                search = self.build(namespace)
        return Run(search, frozenset(found.category for found in caught))


SEARCHES: dict[str, UserSearch] = {}


def declared(reason=None, atol=1e-12, warns=()):
    """Add a function to the searches; by default, scores may differ only by rounding errors."""

    def add(build):
        name = build.__name__
        SEARCHES[name] = UserSearch(name, build, reason, atol, frozenset(warns))
        return build

    return add


def engine_use():
    """Return how many of the searches use the engine with the classes of softmargin."""
    return sum(case.run(SOFTMARGIN).search.used_engine_ for case in SEARCHES.values())


# Data sets.


def iris():
    return datasets.load_iris(return_X_y=True)


def wine():
    return datasets.load_wine(return_X_y=True)


def tumors(n=150):
    """Return some rows of the breast cancer data, unscaled, with malignant as class 1."""
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return X[:n], 1 - y[:n]


def digits(n=150):
    X, y = datasets.load_digits(return_X_y=True)
    return X[:n], y[:n]


def frauds(n=160, share=0.12):
    """Return two classes, the second of which is rare."""
    return datasets.make_classification(
        n, n_features=6, n_informative=4, weights=[1 - share], class_sep=0.9, random_state=3
    )


def passengers(n=120, seed=1):
    """Return a frame with missing values and text columns, and who survived."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(32, 12, n).clip(1).round(1),
            "fare": rng.lognormal(3, 0.8, n).round(2),
            "relatives": rng.integers(0, 5, n),
            "sex": rng.choice(["female", "male"], n),
            "port": rng.choice(["Cherbourg", "Queenstown", "Southampton"], n),
        }
    )
    chance = 1.5 * (frame["sex"] == "female") + 0.02 * frame["fare"] - 0.03 * frame["age"]
    survived = (chance + rng.normal(0, 0.8, n) > 0.2).astype(int).rename("survived")
    frame.loc[rng.random(n) < 0.15, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "port"] = np.nan
    return frame, survived


def passenger_columns():
    """Return the usual preparation of the frame of passengers."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    )
    return ColumnTransformer(
        [("numbers", numbers, ["age", "fare", "relatives"]), ("words", words, ["sex", "port"])]
    )


def visits(seed=2):
    """Return measurements, diagnoses and patients: ten patients with twelve visits each."""
    rng = np.random.default_rng(seed)
    patients = np.repeat(np.arange(10), 12)
    ill = np.tile([0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0], 10)
    own = rng.normal(0, 0.7, (10, 5))[patients]
    X = own + rng.normal(0, 1, (120, 5)) + np.outer(ill, [1.2, -0.8, 0.6, 0.0, 0.0])
    return X, ill, patients


def machine_log(n=120, seed=3):
    """Return hourly readings of a machine, and its state as text."""
    rng = np.random.default_rng(seed)
    times = pd.date_range("2024-03-01", periods=n, freq="h", name="time")
    hour = np.arange(n)
    frame = pd.DataFrame(
        {
            "temperature": 60 + 8 * np.sin(hour / 7) + rng.normal(0, 2, n),
            "pressure": 2.5 + 0.3 * np.cos(hour / 5) + rng.normal(0, 0.1, n),
            "speed": 1500 + rng.normal(0, 60, n),
        },
        index=times,
    )
    stress = (frame["temperature"] - 60) / 8 + (frame["pressure"] - 2.5) / 0.3
    state = pd.cut(stress, [-np.inf, -0.6, 0.6, np.inf], labels=["idle", "normal", "overload"])
    return frame, state.astype(str).rename("state")


TOPICS = {
    "cooking": "oven butter flour recipe sauce garlic onion bake simmer spice dough pan",
    "gardening": "soil seed compost prune rose tomato harvest weed spade bloom mulch root",
    "space": "orbit rocket launch planet telescope lunar crew probe galaxy solar comet star",
}
COMMON = "the a with for and very today new some good time small first long after then"


def posts(n=90, seed=4):
    """Return texts about three topics that share words, and their topics."""
    rng = np.random.default_rng(seed)
    names = sorted(TOPICS)
    texts, labels = [], []
    for number in range(n):
        topic = names[number % len(names)]
        words = []
        for _ in range(rng.integers(9, 22)):
            draw = rng.random()
            source = COMMON
            if draw < 0.22:
                source = TOPICS[topic]
            elif draw < 0.38:
                source = TOPICS[names[rng.integers(len(names))]]
            words.append(rng.choice(source.split()))
        texts.append(" ".join(words).capitalize() + ".")
        labels.append(topic)
    return texts, labels


# Scorers and kernels that users write themselves.


def savings(estimator, X, y):
    """Return the money saved per case: 20 for a tumor that is found, -3 for a false alarm."""
    predicted = estimator.predict(X)
    found = np.sum((predicted == 1) & (y == 1))
    alarms = np.sum((predicted == 1) & (y == 0))
    return (20 * found - 3 * alarms) / len(y)


def confusion_scores(estimator, X, y):
    """Return the parts of the confusion matrix, as in scikit-learn's user guide."""
    table = confusion_matrix(y, estimator.predict(X))
    return {"tn": table[0, 0], "fp": table[0, 1], "fn": table[1, 0], "tp": table[1, 1]}


def sparse_accuracy(estimator, X, y):
    """Return the accuracy minus a price for each support vector."""
    return estimator.score(X, y) - 0.002 * len(estimator[-1].support_)


def simplest_within_one_std(results):
    """Return the candidate with the fewest components that is almost as good as the best."""
    means, stds = results["mean_test_accuracy"], results["std_test_accuracy"]
    best = np.argmax(means)
    enough = np.flatnonzero(means >= means[best] - stds[best])
    components = results["param_pca__n_components"][enough].astype(int)
    return enough[np.argmin(components)]


def histogram_intersection(X, Z):
    """Return the sums of the smaller counts, a kernel for histograms."""
    return np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2)


# Scaling and a plain classifier.


@declared()
def standardized_rbf(ns):
    """The first search of many notebooks."""
    X, y = iris()
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.1, 1, 10, 100], "svc__gamma": [0.01, 0.1, 1]}
    return ns.GridSearchCV(model, grid, cv=5).fit(X, y)


@declared()
def unscaled_svc(ns):
    X, y = iris()
    grid = {"C": [0.1, 1, 10], "gamma": ["scale", "auto"]}
    return ns.GridSearchCV(ns.SVC(tol=TOL), grid).fit(X, y)


@declared()
def min_max_precision(ns):
    X, y = wine()
    model = Pipeline([("scale", MinMaxScaler()), ("svm", ns.SVC(tol=TOL))])
    grid = {"svm__C": [0.5, 2, 8], "svm__gamma": [0.1, 1, 5]}
    cv = ShuffleSplit(n_splits=4, test_size=0.3, random_state=0)
    return ns.GridSearchCV(model, grid, scoring="precision_macro", cv=cv).fit(X, y)


@declared()
def robust_recall(ns):
    X, y = tumors()
    model = make_pipeline(RobustScaler(quantile_range=(10, 90)), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": ["scale", 0.01]}
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=7)
    return ns.GridSearchCV(model, grid, scoring="recall", cv=cv).fit(X, y)


@declared()
def scaler_or_none(ns):
    """The scaler is a parameter of the search."""
    X, y = wine()
    model = Pipeline([("scaler", StandardScaler()), ("clf", ns.SVC(kernel="linear", tol=TOL))])
    grid = {
        "scaler": [StandardScaler(), MinMaxScaler(), "passthrough"],
        "clf__C": [0.001, 0.01],
    }
    return ns.GridSearchCV(model, grid, scoring="matthews_corrcoef", cv=3).fit(X, y)


@declared()
def kernels_in_a_list(ns):
    X, y = wine()
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = [
        {"svc__kernel": ["linear"], "svc__C": [0.01, 0.1, 1]},
        {"svc__kernel": ["rbf"], "svc__C": [1, 10], "svc__gamma": [0.01, 0.1]},
        {"svc__kernel": ["poly"], "svc__degree": [2, 3], "svc__coef0": [1.0]},
    ]
    return ns.GridSearchCV(model, grid, scoring="f1_macro", cv=4).fit(X, y)


@declared()
def boolean_moons(ns):
    X, y = datasets.make_moons(100, noise=0.25, random_state=5)
    grid = {"C": [0.1, 1, 10], "degree": [2, 3]}
    model = ns.SVC(kernel="poly", coef0=1.0, gamma=1.0, tol=TOL)
    return ns.GridSearchCV(model, grid, scoring="jaccard", cv=5).fit(X, y == 1)


@declared()
def one_left_out(ns):
    """Forty samples, each of which is a fold, only for the table."""
    X, y = iris()
    X, y = X[50:130:2, :2], y[50:130:2]
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": [0.1, 1]}
    return ns.GridSearchCV(model, grid, cv=LeaveOneOut(), refit=False).fit(X, y)


@declared()
def one_versus_one_shape(ns):
    """Eight classes, with a column of the decision function for each pair."""
    X, y = datasets.make_blobs(160, n_features=3, centers=8, cluster_std=2.5, random_state=6)
    model = ns.SVC(decision_function_shape="ovo", tol=TOL)
    grid = {"C": [0.1, 1, 10], "gamma": [0.01, 0.1]}
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    return ns.GridSearchCV(model, grid, scoring="balanced_accuracy", cv=cv).fit(X, y)


# Rare classes and weights.


@declared()
def balanced_average_precision(ns):
    X, y = frauds()
    model = make_pipeline(StandardScaler(), ns.SVC(class_weight="balanced", tol=TOL))
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": [0.03, 0.3]}
    return ns.GridSearchCV(model, grid, scoring="average_precision", cv=4).fit(X, y)


@declared(warns=[UndefinedMetricWarning])
def class_weights_in_the_grid(ns):
    """Without weights, no sample of a fold may be a predicted fraud: no precision is defined."""
    X, y = frauds(share=0.08)
    model = ns.SVC(tol=TOL)
    grid = {"C": [0.5, 5], "class_weight": [None, "balanced", {0: 1, 1: 5}]}
    scoring = ["f1", "precision"]
    return ns.GridSearchCV(model, grid, scoring=scoring, refit="f1", cv=3).fit(X, y)


@declared()
def weighted_samples(ns):
    """Old samples count less."""
    X, y = datasets.make_classification(
        120, n_features=5, n_informative=3, n_redundant=0, flip_y=0.1, random_state=8
    )
    weights = 0.98 ** np.arange(120)[::-1]
    grid = {"C": [0.1, 1, 10], "gamma": [0.05, 0.5]}
    return ns.GridSearchCV(ns.SVC(tol=TOL), grid, cv=4).fit(X, y, sample_weight=weights)


@declared()
def classifiers_in_the_grid(ns):
    X, y = datasets.make_classification(
        150, n_features=6, n_informative=4, n_classes=3, weights=[0.6, 0.3], random_state=9
    )
    model = Pipeline([("scale", StandardScaler()), ("clf", ns.SVC())])
    grid = [
        {"clf": [ns.SVC(tol=TOL), ns.LinearSVC(**LINEAR)], "clf__C": [0.1, 1, 10]},
        {"clf": [ns.SVC(kernel="linear", tol=TOL)], "clf__class_weight": [None, "balanced"]},
    ]
    return ns.GridSearchCV(model, grid, scoring="balanced_accuracy", cv=4).fit(X, y)


# Scores.


@declared()
def standardized_auc(ns):
    X, y = tumors()
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": [0.001, 0.01, 0.05]}
    return ns.GridSearchCV(model, grid, scoring="roc_auc", cv=5).fit(X, y)


@declared(reason=r"probabilit|predict_proba|neg_log_loss", atol=0.05)
def log_loss(ns):
    """Probabilities are fitted to random inner folds, which change a score by up to 0.04."""
    X, y = datasets.make_classification(
        200,
        n_features=4,
        n_informative=3,
        n_redundant=0,
        class_sep=0.8,
        flip_y=0.1,
        random_state=10,
    )
    model = make_pipeline(StandardScaler(), ns.SVC(probability=True, random_state=0, tol=TOL))
    grid = {"svc__C": [1, 10], "svc__gamma": [0.01, 0.1]}
    return ns.GridSearchCV(model, grid, scoring="neg_log_loss", cv=4).fit(X, y)


@declared()
def digits_top_two(ns):
    """Images through PCA; the right digit is among the best two."""
    X, y = digits()
    model = make_pipeline(MinMaxScaler(), PCA(12, random_state=0), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.3, 3], "svc__gamma": [0.01, 0.1]}
    scoring = {"top2": "top_k_accuracy", "accuracy": "accuracy"}
    return ns.GridSearchCV(model, grid, scoring=scoring, refit="top2", cv=3).fit(X, y)


@declared()
def kappa_of_components(ns):
    X, y = wine()
    model = Pipeline([("scale", StandardScaler()), ("pca", PCA()), ("svc", ns.SVC(tol=TOL))])
    grid = {
        "pca__n_components": [2, 5, 0.95],
        "svc__C": [0.5, 5],
        "svc__gamma": [0.02, 0.2],
    }
    return ns.GridSearchCV(model, grid, scoring=make_scorer(cohen_kappa_score), cv=3).fit(X, y)


@declared()
def fbeta_of_selected_features(ns):
    X, y = tumors()
    model = Pipeline(
        [
            ("constant", VarianceThreshold()),
            ("scale", StandardScaler()),
            ("select", SelectKBest(f_classif)),
            ("svc", ns.SVC(kernel="linear", tol=TOL)),
        ]
    )
    grid = {"select__k": [3, 8, "all"], "svc__C": [0.01, 0.1, 1]}
    scoring = make_scorer(fbeta_score, beta=2)
    return ns.GridSearchCV(model, grid, scoring=scoring, cv=4).fit(X, y)


@declared()
def money_saved(ns):
    X, y = tumors()
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.1, 1, 10], "svc__class_weight": [None, {1: 4}]}
    return ns.GridSearchCV(model, grid, scoring=savings, cv=4).fit(X, y)


@declared()
def confusion_of_a_callable(ns):
    X, y = frauds(share=0.3)
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": [0.05, 0.5]}
    return ns.GridSearchCV(model, grid, scoring=confusion_scores, refit="tp", cv=3).fit(X, y)


@declared(reason=r"the score needs the fitted steps of the pipeline")
def price_of_support_vectors(ns):
    """The scorer reads an attribute of the fitted classifier."""
    X, y = datasets.make_moons(90, noise=0.2, random_state=11)
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": [0.3, 3]}
    return ns.GridSearchCV(model, grid, scoring=sparse_accuracy, cv=3).fit(X, y)


@declared()
def several_scores_with_training(ns):
    X, y = wine()
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.05, 0.5, 5], "svc__gamma": [0.01, 0.1, 1]}
    scoring = ["accuracy", "f1_macro", "balanced_accuracy", "recall_weighted"]
    search = ns.GridSearchCV(
        model, grid, scoring=scoring, refit="f1_macro", cv=3, return_train_score=True
    )
    return search.fit(X, y)


@declared()
def simplest_good_model(ns):
    """A function chooses from two scores, one of them made by hand."""
    X, y = digits(120)
    model = Pipeline([("pca", PCA(random_state=0)), ("svc", ns.SVC(kernel="linear", tol=TOL))])
    grid = {"pca__n_components": [4, 8, 16], "svc__C": [0.1, 1]}
    scoring = {"accuracy": "accuracy", "kappa": make_scorer(cohen_kappa_score, weights="linear")}
    search = ns.GridSearchCV(model, grid, scoring=scoring, refit=simplest_within_one_std, cv=3)
    return search.fit(X / 16, y)


# Frames and text.


@declared()
def mixed_columns(ns):
    """A frame with missing values, numbers and words."""
    X, y = passengers()
    model = Pipeline([("prepare", passenger_columns()), ("svc", ns.SVC(tol=TOL))])
    grid = {
        "prepare__numbers__simpleimputer__strategy": ["mean", "median"],
        "svc__C": [0.1, 1, 10],
        "svc__gamma": ["scale", 0.1],
    }
    return ns.GridSearchCV(model, grid, cv=5, return_train_score=True).fit(X, y)


@declared()
def frame_between_steps(ns):
    """Readings in the order of time, in a frame also after scaling; splits as pairs of indices."""
    X, y = machine_log()
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL)).set_output(transform="pandas")
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": [0.1, 1]}
    cv = list(TimeSeriesSplit(4).split(X))
    return ns.GridSearchCV(model, grid, cv=cv).fit(X, y)


@declared()
def words_to_topics(ns):
    texts, topics = posts()
    model = make_pipeline(TfidfVectorizer(sublinear_tf=True), ns.LinearSVC(**LINEAR))
    grid = {
        "tfidfvectorizer__ngram_range": [(1, 1), (1, 2)],
        "linearsvc__C": [0.1, 1, 10],
    }
    return ns.GridSearchCV(model, grid, cv=3).fit(texts, topics)


@declared()
def counts_to_topics(ns):
    """Counts, their weights and a linear kernel on a sparse matrix; text labels in a Series."""
    texts, topics = posts(seed=12)
    model = Pipeline(
        [
            ("counts", CountVectorizer(stop_words=["the", "a", "and"])),
            ("tfidf", TfidfTransformer()),
            ("clf", ns.SVC(kernel="linear", tol=TOL)),
        ]
    )
    grid = {"counts__min_df": [1, 2], "tfidf__use_idf": [True, False], "clf__C": [0.5, 5]}
    search = ns.GridSearchCV(model, grid, scoring="f1_weighted", cv=3)
    return search.fit(pd.Series(texts), pd.Series(topics, name="topic"))


# Features.


@declared()
def united_features(ns):
    X, y = wine()
    features = FeatureUnion([("pca", PCA(2)), ("best", SelectKBest(k=1))])
    model = Pipeline(
        [("scale", StandardScaler()), ("features", features), ("svc", ns.SVC(tol=TOL))]
    )
    grid = {
        "features__pca__n_components": [1, 3],
        "features__best__k": [1, 2],
        "svc__C": [0.1, 1, 10],
    }
    return ns.GridSearchCV(model, grid, cv=3).fit(X, y)


@declared()
def polynomial_features(ns):
    X, y = datasets.make_moons(100, noise=0.3, random_state=13)
    model = make_pipeline(
        PolynomialFeatures(include_bias=False), StandardScaler(), ns.LinearSVC(**LINEAR)
    )
    grid = {"polynomialfeatures__degree": [1, 2, 3], "linearsvc__C": [0.1, 1]}
    return ns.GridSearchCV(model, grid, scoring="accuracy", cv=5).fit(X, y)


@declared()
def approximate_kernel(ns):
    X, y = digits()
    model = Pipeline(
        [
            ("scale", MinMaxScaler()),
            ("map", Nystroem(random_state=0)),
            ("clf", ns.LinearSVC(**LINEAR)),
        ]
    )
    grid = {"map__n_components": [15, 40], "map__gamma": [0.02, 0.2], "clf__C": [0.1, 1]}
    return ns.GridSearchCV(model, grid, cv=3).fit(X, y)


@declared()
def kernel_matrix(ns):
    X, y = wine()
    K = laplacian_kernel(StandardScaler().fit_transform(X), gamma=0.05)
    grid = {"C": [0.01, 0.1, 1, 10]}
    return ns.GridSearchCV(ns.SVC(kernel="precomputed", tol=TOL), grid, cv=5).fit(K, y)


@declared()
def kernel_function(ns):
    """A kernel for counts; the test samples are the last third."""
    X, y = digits(120)
    cv = PredefinedSplit(np.r_[np.full(80, -1), np.zeros(40, dtype=int)])
    grid = {"C": [1e-4, 1e-3, 1e-2, 1e-1]}
    model = ns.SVC(kernel=histogram_intersection, tol=TOL)
    return ns.GridSearchCV(model, grid, cv=cv).fit(X, y)


# Groups.


@declared()
def grouped_visits(ns):
    """Folds of patients; the first step is a pipeline itself."""
    X, y, patients = visits()
    prepare = Pipeline([("scale", StandardScaler()), ("pca", PCA(3))])
    model = Pipeline([("prepare", prepare), ("svc", ns.SVC(tol=TOL))])
    grid = {"prepare__pca__n_components": [2, 4], "svc__C": [0.1, 1, 10]}
    cv = GroupKFold(n_splits=5)
    return ns.GridSearchCV(model, grid, cv=cv).fit(X, y, groups=patients)


@declared()
def stratified_patients(ns):
    X, y, patients = visits(seed=14)
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": [0.05, 0.5]}
    cv = StratifiedGroupKFold(n_splits=4, shuffle=True, random_state=1)
    scoring = ["roc_auc", "f1"]
    search = ns.GridSearchCV(model, grid, scoring=scoring, refit="roc_auc", cv=cv)
    return search.fit(X, y, groups=patients)


@declared()
def each_patient_left_out(ns):
    """The last step is a pipeline itself."""
    X, y, patients = visits(seed=15)
    classify = Pipeline([("select", SelectKBest(k=3)), ("svc", ns.SVC(tol=TOL))])
    model = Pipeline([("scale", RobustScaler()), ("classify", classify)])
    grid = {"classify__select__k": [2, 4], "classify__svc__C": [0.3, 3]}
    cv = LeaveOneGroupOut()
    return ns.GridSearchCV(model, grid, cv=cv).fit(X, y, groups=patients)


# Other searches, failures and other estimators.


@declared()
def random_candidates(ns):
    X, y = tumors()
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    distributions = {
        "svc__C": scipy.stats.loguniform(1, 1e3),
        "svc__gamma": scipy.stats.loguniform(1e-3, 1e-1),
        "svc__class_weight": [None, "balanced"],
    }
    search = ns.RandomizedSearchCV(model, distributions, n_iter=10, cv=4, random_state=42)
    return search.fit(X, y)


@declared()
def halved_grid(ns):
    X, y = datasets.make_classification(
        200, n_features=6, n_informative=4, flip_y=0.05, random_state=16
    )
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [0.1, 1, 10], "svc__gamma": [0.02, 0.1, 0.5]}
    search = ns.HalvingGridSearchCV(
        model, grid, cv=4, factor=2, min_resources=50, random_state=0, resource="n_samples"
    )
    return search.fit(X, y)


@declared()
def halved_random_candidates(ns):
    X, y = passengers(200, seed=17)
    model = make_pipeline(passenger_columns(), ns.SVC(tol=TOL))
    distributions = {
        "svc__C": scipy.stats.loguniform(1e-1, 1e2),
        "svc__gamma": scipy.stats.loguniform(1e-3, 1),
    }
    search = ns.HalvingRandomSearchCV(
        model, distributions, n_candidates=8, cv=3, min_resources=60, factor=2, random_state=0
    )
    return search.fit(X, y)


@declared(warns=[FitFailedWarning, UserWarning])
def one_candidate_fails(ns):
    """A negative C; the search continues with the others."""
    X, y = iris()
    model = make_pipeline(StandardScaler(), ns.SVC(tol=TOL))
    grid = {"svc__C": [-1, 0.1, 1, 10], "svc__gamma": [0.1]}
    return ns.GridSearchCV(model, grid, cv=3, error_score=np.nan).fit(X, y)


@declared(reason=r"LogisticRegression")
def other_classifier_in_the_grid(ns):
    X, y = tumors(100)
    model = Pipeline([("scale", StandardScaler()), ("clf", ns.SVC())])
    grid = [
        {"clf": [ns.SVC(tol=TOL)], "clf__C": [0.1, 1, 10]},
        {"clf": [LogisticRegression()], "clf__C": [0.1, 1]},
    ]
    return ns.GridSearchCV(model, grid, scoring="f1", cv=4).fit(X, y)
