"""Candidates that the engine cannot evaluate are left to scikit-learn, or refused as there."""

import numpy as np
import pytest
from sklearn import model_selection, svm
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import KernelCenterer, StandardScaler

from softmargin import SVC, GridSearchCV

SEARCHES = (GridSearchCV, model_selection.GridSearchCV)
PIPELINE = Pipeline([("scale", StandardScaler()), ("svc", SVC())])


class Wrong(SVC):
    """Its score is the share of wrong predictions."""

    def score(self, X, y, sample_weight=None):
        return 1 - super().score(X, y, sample_weight)


def assert_same_tables(X, y, model, grid, reason):
    """Compare a search with scikit-learn's, which runs all fits of both."""
    ours, theirs = (kind(model, grid, cv=3, return_train_score=True).fit(X, y) for kind in SEARCHES)
    assert not ours.used_engine_
    assert reason in ours.engine_reason_
    assert list(ours.cv_results_) == list(theirs.cv_results_)
    for name, expected in theirs.cv_results_.items():
        if name.endswith("_score"):
            assert not np.isnan(expected).any()
            np.testing.assert_array_equal(ours.cv_results_[name], expected, err_msg=name)
    assert ours.best_index_ == theirs.best_index_


def test_a_time_limit_in_the_grid_applies_to_each_fit(three_classes):
    grid = {"C": [0.1, 1.0], "time_limit": [None, 1e6]}
    reason = "the time_limit of SVC applies to each fit"
    assert_same_tables(*three_classes, SVC(), grid, reason)
    assert_same_tables(*three_classes, SVC(time_limit=1e6), {"C": [0.1, 1.0]}, reason)


def test_a_time_limit_in_the_grid_of_a_pipeline_applies_to_each_fit(three_classes):
    grid = [{"svc__C": [0.1, 1.0]}, {"svc__time_limit": [1e6]}, {"svc": [SVC(time_limit=1e6)]}]
    for own in (grid[:2], grid[::2]):
        assert_same_tables(
            *three_classes, PIPELINE, own, "the time_limit of SVC applies to each fit"
        )


def test_the_grid_may_remove_the_time_limit(three_classes):
    search = GridSearchCV(SVC(time_limit=1e6), {"time_limit": [None], "C": [0.1, 1.0]}, cv=3)
    search.fit(*three_classes)
    assert search.used_engine_
    plain = GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=3).fit(*three_classes)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )


@pytest.mark.parametrize("error_score", [np.nan, "raise"])
@pytest.mark.parametrize(
    ("model", "known", "unknown"),
    [
        (SVC(), "C", "c"),
        (PIPELINE, "svc__C", "svc__c"),
        (PIPELINE, "svc__C", "scaler__copy"),
        (PIPELINE, "svc__C", "C"),
    ],
    ids=["estimator", "last step", "missing step", "no step"],
)
def test_an_unknown_parameter_is_an_error_and_no_failed_fit(
    three_classes, model, known, unknown, error_score
):
    messages = []
    for kind in SEARCHES:
        search = kind(model, [{known: [0.1, 1.0]}, {unknown: [1.0]}], error_score=error_score)
        with pytest.raises(ValueError, match="Invalid parameter") as refusal:
            search.fit(*three_classes)
        messages.append(str(refusal.value))
        assert not hasattr(search, "cv_results_")
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    ("classifier", "reason"),
    [(Wrong(), "Wrong is a subclass of SVC"), (svm.SVC(), "SVC is not an estimator of softmargin")],
    ids=["subclass", "other"],
)
def test_a_classifier_in_the_grid_is_called_itself(three_classes, classifier, reason):
    grid = {"svc": [SVC(), classifier], "svc__C": [0.1, 1.0]}
    assert_same_tables(*three_classes, PIPELINE, grid, reason)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(Wrong, "Wrong is a subclass of SVC"), (svm.SVC, "SVC is not an estimator of softmargin")],
    ids=["subclass", "other"],
)
def test_a_classifier_of_kernel_values_in_the_grid_is_called_itself(three_classes, kind, reason):
    X, y = three_classes
    model = Pipeline([("center", KernelCenterer()), ("svc", SVC(kernel="precomputed"))])
    grid = {"svc": [SVC(kernel="precomputed"), kind(kernel="precomputed")], "svc__C": [0.1, 1.0]}
    assert_same_tables(X @ X.T, y, model, grid, reason)
