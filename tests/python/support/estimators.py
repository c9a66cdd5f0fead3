"""All estimators, with settings that are fast on small problems, for common tests."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import softmargin

KERNEL = {
    "OLLAWV": softmargin.OLLAWV(),
    "NLSGD": softmargin.NLSGD(random_state=0),
    "SVC": softmargin.SVC(),
    "NNISDA": softmargin.NNISDA(),
    "MNSVM": softmargin.MNSVM(),
    "NewtonSVC": softmargin.NewtonSVC(),
}
LINEAR = {
    "LinearSVC": softmargin.LinearSVC(random_state=0),
    "SGDSVC": softmargin.SGDSVC(random_state=0),
    "GDSVC": softmargin.GDSVC(eta0=0.1, max_iter=100, tol=0.1),
}
CLASSIFIERS = KERNEL | LINEAR
SEARCHES = {
    "GridSearchCV": softmargin.GridSearchCV(softmargin.SVC(), {"C": [0.5, 2.0]}, cv=2),
    "PatternSearchCV": softmargin.PatternSearchCV(softmargin.SVC(), {"C": [0.5, 2.0]}, cv=2),
}
PREDICTORS = CLASSIFIERS | SEARCHES


class NestedCV(BaseEstimator):
    """`softmargin.nested_cv` as an estimator, which must reject the same input."""

    def fit(self, X, y, sample_weight=None):
        options = {"outer": 2, "inner": 2, "n_jobs": 1, "random_state": 0}
        grid = {"C": [0.5, 2.0], "gamma": ["scale"]}
        softmargin.nested_cv(X, y, "svc", grid, sample_weight=sample_weight, **options)
        return self


class KernelMatrix(BaseEstimator):
    """`softmargin.kernel_matrix` as an estimator."""

    def fit(self, X, y):
        softmargin.kernel_matrix(X, n_jobs=1)
        return self


TRAINERS = PREDICTORS | {"nested_cv": NestedCV()}
# Everything that takes samples, with or without labels.
READERS = TRAINERS | {"MinMaxScaler": softmargin.MinMaxScaler(), "kernel_matrix": KernelMatrix()}
WEIGHTED = {name: model for name, model in TRAINERS.items() if name != "OLLAWV"}
# Methods that solve their problem up to a tolerance.
EXACT = {name: CLASSIFIERS[name] for name in ("SVC", "NNISDA", "MNSVM", "NewtonSVC", "LinearSVC")}


def each(estimators):
    """Run a test with a clone of each of the estimators as ``estimator``."""
    return pytest.mark.parametrize("estimator", estimators, indirect=True)


def problem(n=40, d=4, k=2):
    """Return samples of k overlapping classes of equal size, and their labels."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + 1.5 * np.eye(k, d)[y], y
