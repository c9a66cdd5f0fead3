"""Every estimator, set up to be quick on small problems: for tests of what all of them promise."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import hinge

KERNEL = {
    "OLLAWV": hinge.OLLAWV(),
    "NLSGD": hinge.NLSGD(random_state=0),
    "SVC": hinge.SVC(),
    "NNISDA": hinge.NNISDA(),
    "MNSVM": hinge.MNSVM(),
    "NewtonSVC": hinge.NewtonSVC(),
}
LINEAR = {
    "LinearSVC": hinge.LinearSVC(random_state=0),
    "SGDSVC": hinge.SGDSVC(random_state=0),
    "GDSVC": hinge.GDSVC(eta0=0.1, max_iter=100, tol=0.1),
}
CLASSIFIERS = KERNEL | LINEAR
SEARCHES = {
    "GridSearchCV": hinge.GridSearchCV(hinge.SVC(), {"C": [0.5, 2.0]}, cv=2),
    "PatternSearchCV": hinge.PatternSearchCV(hinge.SVC(), {"C": [0.5, 2.0]}, cv=2),
}
PREDICTORS = CLASSIFIERS | SEARCHES


class NestedCV(BaseEstimator):
    """`hinge.nested_cv` as an estimator, which must refuse what the others refuse."""

    def fit(self, X, y, sample_weight=None):
        options = {"outer": 2, "inner": 2, "n_jobs": 1, "random_state": 0}
        grid = {"C": [0.5, 2.0], "gamma": ["scale"]}
        hinge.nested_cv(X, y, "svc", grid, sample_weight=sample_weight, **options)
        return self


class KernelMatrix(BaseEstimator):
    """`hinge.kernel_matrix` as an estimator."""

    def fit(self, X, y):
        hinge.kernel_matrix(X, n_jobs=1)
        return self


TRAINERS = PREDICTORS | {"nested_cv": NestedCV()}
# What takes rows, with labels or without.
READERS = TRAINERS | {"MinMaxScaler": hinge.MinMaxScaler(), "kernel_matrix": KernelMatrix()}
WEIGHTED = {name: model for name, model in TRAINERS.items() if name != "OLLAWV"}
# What solves its problem to a tolerance.
EXACT = {name: CLASSIFIERS[name] for name in ("SVC", "NNISDA", "MNSVM", "NewtonSVC", "LinearSVC")}


def each(estimators):
    """Run a test with a clone of each of the estimators as ``estimator``."""
    return pytest.mark.parametrize("estimator", estimators, indirect=True)


def problem(n=40, d=4, k=2):
    """Rows of k overlapping classes, as many of each."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + 1.5 * np.eye(k, d)[y], y
