"""Estimators keep the contracts of scikit-learn: its own checks, shapes, and signs."""

from unittest import SkipTest

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from softmargin import OLLAWV, MinMaxScaler

ESTIMATORS = [
    OLLAWV(),
    OLLAWV(multi_class="ovr"),
    OLLAWV(kernel="poly", coef0=1.0),
    OLLAWV(kernel="precomputed"),
    OLLAWV(margin=1.0, bias=False, n_jobs=2),
    MinMaxScaler(),
]

# The only check that may skip itself: it wants an environment variable of scipy before the import.
MAY_SKIP = {"check_array_api_input"}


@parametrize_with_checks(ESTIMATORS)
def test_every_check_of_scikit_learn_passes(estimator, check):
    if getattr(check, "func", check).__name__ in MAY_SKIP:
        check(estimator)
        return
    try:
        check(estimator)
    except SkipTest as skipped:
        pytest.fail(f"the check was skipped: {skipped}")


@pytest.fixture(params=[2, 3, 10])
def problem(request, ten_classes):
    X, y = ten_classes
    keep = y < request.param
    return X[keep], y[keep]


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_fitted_attributes_have_the_types_and_shapes_of_svc(problem, layout):
    X, y = problem
    X = layout(X)
    ours, theirs = OLLAWV().fit(X, y), SVC().fit(X, y)
    n_sv = {name: len(model.support_) for name, model in (("ours", ours), ("theirs", theirs))}
    for name in ("classes_", "n_support_", "intercept_", "n_iter_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape, name
        assert getattr(ours, name).dtype.kind == getattr(theirs, name).dtype.kind, name
    assert ours.support_.shape == (n_sv["ours"],)
    assert ours.support_.dtype == theirs.support_.dtype
    assert ours.dual_coef_.shape == (theirs.dual_coef_.shape[0], n_sv["ours"])
    assert ours.support_vectors_.shape == (n_sv["ours"], X.shape[1])
    assert sp.issparse(ours.support_vectors_) == sp.issparse(theirs.support_vectors_)
    assert ours.n_features_in_ == theirs.n_features_in_
    rows = X[ours.support_]
    assert abs(rows - ours.support_vectors_).max() == 0
    np.testing.assert_array_equal(np.sort(y[ours.support_]), y[ours.support_])
    np.testing.assert_array_equal(
        np.bincount(y[ours.support_], minlength=len(ours.classes_)), ours.n_support_
    )


@pytest.mark.parametrize("shape", ["ovo", "ovr"])
def test_decision_values_have_the_shape_of_svc(problem, shape):
    X, y = problem
    ours = OLLAWV(decision_function_shape=shape).fit(X, y)
    theirs = SVC(decision_function_shape=shape).fit(X, y)
    values = ours.decision_function(X[:7])
    assert values.shape == theirs.decision_function(X[:7]).shape
    assert values.dtype == np.float64


def test_one_vs_rest_has_a_coefficient_row_and_an_intercept_for_each_class(problem):
    X, y = problem
    k = len(np.unique(y))
    n_machines = 1 if k == 2 else k
    model = OLLAWV(multi_class="ovr").fit(X, y)
    assert model.dual_coef_.shape == (n_machines, len(model.support_))
    assert model.intercept_.shape == model.n_iter_.shape == (n_machines,)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "ordinal"])
def test_the_largest_decision_value_is_the_prediction(problem, multi_class, rng):
    X, y = problem
    Z = rng.uniform(size=(500, X.shape[1]))
    model = OLLAWV(multi_class=multi_class).fit(X, y)
    values = model.decision_function(Z)
    largest = (values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[largest], model.predict(Z))


def test_signs_are_those_of_svc(problem):
    """Separable rows: each pair is decided alike, and each coefficient pulls the same way."""
    X, y = problem
    ours = OLLAWV(decision_function_shape="ovo").fit(X, y)
    theirs = SVC(decision_function_shape="ovo").fit(X, y)
    own, other = ours.decision_function(X), theirs.decision_function(X)
    if own.ndim == 1:
        assert (np.sign(own) == np.sign(other)).mean() > 0.98
        assert (own[y == 1] > 0).all()
    else:
        pairs = [(a, b) for a in range(own.shape[1]) for b in range(a + 1, len(ours.classes_))]
        for column, (a, b) in enumerate(pairs):
            rows = (y == a) | (y == b)
            np.testing.assert_array_equal(own[rows, column] > 0, y[rows] == a)
            assert (np.sign(own) == np.sign(other))[rows, column].mean() > 0.98
    for model in (ours, theirs):
        first_vs_second = model.dual_coef_[0]
        n_first = model.n_support_[0]
        positive_first = len(model.classes_) > 2
        used = first_vs_second[:n_first][first_vs_second[:n_first] != 0]
        assert ((used > 0) == positive_first).all()


def test_every_parameter_is_an_attribute_of_the_same_name():
    model = OLLAWV()
    assert {name: getattr(model, name) for name in model.get_params()} == model.get_params()
    assert repr(OLLAWV(margin=0.5)) == "OLLAWV(margin=0.5)"


def test_fit_does_not_change_its_parameters(iris):
    X, y = iris
    model = OLLAWV(class_weight={0: 2.0}, gamma="scale")
    before = model.get_params()
    assert model.fit(X, y) is model
    assert model.get_params() == before
