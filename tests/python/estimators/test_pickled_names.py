"""Pickles name public classes only, so that files may move inside the package."""

import pickle

import pytest

import softmargin
from estimators import CLASSIFIERS

PUBLIC = [
    *CLASSIFIERS,
    "Certificate",
    "GridSearchCV",
    "LibsvmBlocks",
    "MinMaxScaler",
    "NestedComparison",
    "NestedResult",
    "PatternSearchCV",
]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_classes_are_named_after_the_package(name):
    kind = getattr(softmargin, name)
    assert (kind.__module__, kind.__qualname__) == ("softmargin", name)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_fitted_estimator_names_no_private_module(noisy, name):
    model = CLASSIFIERS[name].fit(*noisy)
    getattr(model, "certificate_", None)  # part of the pickle once it was read
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert b"softmargin._" not in pickle.dumps(model, protocol)


def test_seeds_searches_and_results_name_no_private_module(noisy):
    X, y = noisy
    grid = {"C": [1.0, 10.0]}
    objects = [
        softmargin.SVC(warm_start="support_vectors").fit(X, y),
        softmargin.MinMaxScaler().fit(X),
        softmargin.GridSearchCV(softmargin.SVC(), grid).fit(X, y),
        softmargin.PatternSearchCV(softmargin.SVC(), grid).fit(X, y),
        softmargin.nested_cv(X, y, ["svc", "nlsgd"], grid, outer=2, inner=2, random_state=0),
    ]
    for each in objects:
        found = pickle.dumps(each)
        assert b"softmargin._" not in found
        assert type(pickle.loads(found)) is type(each)
