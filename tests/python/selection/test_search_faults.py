"""What goes wrong in one split is reported as scikit-learn reports it, and nothing else is lost."""

import warnings

import numpy as np
import pytest
from sklearn import datasets, model_selection, svm
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import make_scorer
from sklearn.pipeline import make_pipeline

import softmargin
from softmargin import SVC, GridSearchCV

GRID = {"svc__C": [0.1, 1.0, 10.0]}
N_SPLITS = 3


@pytest.fixture(scope="module")
def data():
    X, y = datasets.load_iris(return_X_y=True)
    # The first column is the number of the sample.
    return np.column_stack([np.arange(len(y)), X]), y


class Faulty(TransformerMixin, BaseEstimator):
    """Fails in the split whose training samples lack sample 0."""

    def __init__(self, fault="fit"):
        self.fault = fault

    def fit(self, X, y=None):
        self.is_faulty_ = not (X[:, 0] == 0).any()
        if self.is_faulty_ and self.fault == "fit":
            raise RuntimeError("the sensor is broken")
        return self

    def fit_transform(self, X, y=None):
        return self.fit(X, y)._changed(X, "train")

    def transform(self, X):
        return self._changed(X, "test")

    def _changed(self, X, part):
        found = X[:, 1:].copy()
        if not self.is_faulty_:
            return found
        if self.fault == "NaN":
            found[0, 0] = np.nan
        if self.fault == "NaN in test" and part == "test":
            found[0, 0] = np.nan
        if self.fault == "raises in test" and part == "test":
            raise RuntimeError("the sensor is broken")
        if self.fault == "fewer samples" and part == "train":
            return found[1:]
        if self.fault == "no features":
            return found[:, :0]
        if self.fault == "other features" and part == "test":
            return found[:, :2]
        return found


FAULTS = [
    "fit",
    "NaN",
    "NaN in test",
    "raises in test",
    "fewer samples",
    "no features",
    "other features",
]


def fitted(kind, classifier, data, **options):
    """Return a search and the categories of its warnings."""
    model = make_pipeline(Faulty(options.pop("fault")), classifier)
    search = kind(model, GRID, cv=N_SPLITS, refit=False, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(*data)
    return search, {warning.category for warning in caught}


@pytest.mark.case(104, of="GridSearchCV")
@pytest.mark.parametrize("error_score", [np.nan, 0.0])
@pytest.mark.parametrize("with_train", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_transformer_that_fails_in_one_split_costs_that_split_only(
    data, fault, error_score, with_train
):
    options = {"fault": fault, "error_score": error_score, "return_train_score": with_train}
    ours, our_warnings = fitted(GridSearchCV, SVC(tol=1e-8), data, **options)
    theirs, their_warnings = fitted(
        model_selection.GridSearchCV, svm.SVC(tol=1e-8), data, **options
    )
    assert ours.used_engine_
    for name, expected in theirs.cv_results_.items():
        if name.endswith("_score"):
            np.testing.assert_allclose(ours.cv_results_[name], expected, rtol=1e-12, err_msg=name)
    assert our_warnings == their_warnings


@pytest.mark.parametrize("fault", FAULTS)
def test_the_exception_is_raised_if_it_is_asked_for(data, fault):
    with pytest.raises((ValueError, RuntimeError)):
        fitted(GridSearchCV, SVC(), data, fault=fault, error_score="raise")


def test_messages_name_the_number_of_samples(data):
    with pytest.raises(ValueError, match="returned 99 samples for 100 training samples"):
        fitted(GridSearchCV, SVC(), data, fault="fewer samples", error_score="raise")


@pytest.mark.case(105, of="GridSearchCV")
def test_a_scorer_that_raises_is_scored_as_an_error(data):
    def broken(true, predicted):
        raise ZeroDivisionError("nothing to divide by")

    results = {}
    for kind, model in ((GridSearchCV, SVC()), (model_selection.GridSearchCV, svm.SVC())):
        search = kind(model, {"C": [1, 10]}, scoring=make_scorer(broken), cv=2, refit=False)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results[kind] = search.fit(*data).cv_results_["mean_test_score"]
        assert "Scoring failed" in str(caught[0].message)
    np.testing.assert_array_equal(results[GridSearchCV], [np.nan, np.nan])
    search = GridSearchCV(SVC(), {}, scoring=make_scorer(broken), error_score="raise")
    with pytest.raises(ZeroDivisionError):
        search.fit(*data)


@pytest.mark.case(105, of="GridSearchCV")
def test_a_scorer_that_returns_text_is_an_error_as_in_scikit_learn(data):
    for kind, model in ((GridSearchCV, SVC()), (model_selection.GridSearchCV, svm.SVC())):
        search = kind(model, {"C": [1]}, scoring=lambda *_: "good", cv=2)
        with pytest.raises(ValueError, match=r"scoring must return a number, got good"):
            search.fit(*data)


def test_a_function_that_fails_falls_back_to_scikit_learn(data):
    def broken(estimator, X, y):
        raise ZeroDivisionError("nothing to divide by")

    search = GridSearchCV(SVC(), {"C": [1]}, scoring=broken, cv=2, refit=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(*data)
    assert "broken raised ZeroDivisionError" in search.engine_reason_


def test_a_step_that_drops_all_features_of_one_setting_fails_for_that_setting(data):
    grid = {"selectkbest__k": [0, 2], "svc__C": [1, 10]}
    results = []
    for kind, model in ((GridSearchCV, SVC()), (model_selection.GridSearchCV, svm.SVC())):
        search = kind(make_pipeline(SelectKBest(k=2), model), grid, cv=2, refit=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.append(search.fit(*data).cv_results_["mean_test_score"])
    assert np.isnan(results[0][:2]).all()
    np.testing.assert_allclose(*results)


def test_a_split_with_one_class_fails_alone(data):
    X, y = data
    splits = [(np.arange(40), np.arange(100, 150)), (np.arange(0, 150, 2), np.arange(1, 150, 2))]
    results = []
    for kind, model in ((GridSearchCV, SVC()), (model_selection.GridSearchCV, svm.SVC())):
        search = kind(model, {"C": [1, 10]}, cv=splits, refit=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.append(search.fit(X, y).cv_results_)
    for name in ("split0_test_score", "split1_test_score"):
        np.testing.assert_allclose(results[0][name], results[1][name])
    assert np.isnan(results[0]["split0_test_score"]).all()


def test_a_fallback_is_printed(data, capsys):
    GridSearchCV(svm.SVC(), {"C": [1]}, cv=2, verbose=1).fit(*data)
    printed = capsys.readouterr().out
    assert "Using scikit-learn's search: SVC is not an estimator of softmargin." in printed


@pytest.mark.parametrize("option", [{"time_limit": 1.0}, {"checkpoint": "run.npz"}])
def test_limits_and_checkpoints_need_the_engine(data, option):
    search = GridSearchCV(svm.SVC(), {"C": [1]}, **option)
    with pytest.raises(ValueError, match=r"is not available .* not an estimator of softmargin"):
        search.fit(*data)
    assert not hasattr(search, "cv_results_")


def test_all_failed_fits_are_an_error(data):
    with pytest.raises(ValueError, match=r"All the 6 fits failed"):
        softmargin.GridSearchCV(SVC(), {"C": [-1, -2, -3]}, cv=2).fit(*data)
