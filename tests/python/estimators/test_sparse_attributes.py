"""Coefficients are sparse and read-only where those of scikit-learn are."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.exceptions import NotFittedError

import softmargin
from equality import assert_same_estimator, dense
from estimators import KERNEL, LINEAR, each

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LAYOUTS = [np.asarray, sp.csr_matrix, sp.csr_array]


def same_numbers(one, other):
    np.testing.assert_array_equal(dense(one), dense(other))


@pytest.mark.parametrize("layout", LAYOUTS)
@each(KERNEL)
def test_dual_coef_is_sparse_where_that_of_svc_is(estimator, layout, iris):
    X, y = iris
    model, peer = estimator.fit(layout(X), y), svm.SVC().fit(layout(X), y)
    assert type(model.dual_coef_) is type(peer.dual_coef_)
    assert model.dual_coef_.dtype == peer.dual_coef_.dtype
    assert model.dual_coef_.shape == (peer.dual_coef_.shape[0], len(model.support_))


@pytest.mark.parametrize("k", [2, 3])
def test_dual_coef_of_sparse_rows_has_the_numbers_of_svc(k, iris):
    X, y = iris
    X, y = sp.csr_matrix(X[y < k]), y[y < k]
    model, peer = softmargin.SVC(tol=1e-9).fit(X, y), svm.SVC(tol=1e-9).fit(X, y)
    assert model.support_.tolist() == peer.support_.tolist()
    np.testing.assert_allclose(model.dual_coef_.toarray(), peer.dual_coef_.toarray(), atol=1e-4)


@each(KERNEL)
def test_a_model_of_sparse_rows_is_copied_with_its_coefficients(estimator, iris, again):
    X, y = sp.csr_matrix(iris[0]), iris[1]
    model = estimator.fit(X, y)
    for copy in (pickle.loads(pickle.dumps(model)), again(model)):
        assert type(copy.dual_coef_) is type(model.dual_coef_)
        same_numbers(copy.dual_coef_, model.dual_coef_)
        np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))


def test_a_fit_of_sparse_rows_starts_from_another(iris):
    X, y = sp.csr_matrix(iris[0]), iris[1]
    first = softmargin.SVC(tol=1e-6).fit(X, y)
    second = softmargin.SVC(tol=1e-6).fit(X, y, init=first)
    assert second.n_iter_.sum() < first.n_iter_.sum()
    np.testing.assert_allclose(second.decision_function(X), first.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("scheme", ["ovo", "ovr"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_weights_of_a_linear_kernel_are_read_only(layout, scheme, iris):
    X, y = layout(iris[0]), iris[1]
    model = softmargin.SVC(kernel="linear", multi_class=scheme, tol=1e-9).fit(X, y)
    peer = svm.SVC(kernel="linear", tol=1e-9).fit(X, y)
    assert type(model.coef_) is type(peer.coef_)
    if scheme == "ovo":
        np.testing.assert_allclose(dense(model.coef_), dense(peer.coef_), atol=1e-3)
    for coef in (peer.coef_, model.coef_):
        values = coef.data if sp.issparse(coef) else coef
        with pytest.raises(ValueError, match="read-only"):
            values[:] = 0
    with pytest.raises(AttributeError):
        model.coef_ = np.zeros((3, 4))


@pytest.mark.parametrize("k", [2, 3])
@each(LINEAR)
def test_sparsified_weights_predict_the_same(estimator, k, iris, again):
    X, y = iris
    X, y = X[y < k], y[y < k]
    model = estimator.fit(X, y)
    coef, expected = model.coef_.copy(), model.decision_function(X)
    assert model.densify() is model
    assert model.sparsify() is model
    assert type(model.coef_) is type(svm.LinearSVC().fit(X, y).sparsify().coef_)
    for copy in (model, pickle.loads(pickle.dumps(model)), again(model)):
        assert sp.issparse(copy.coef_)
        np.testing.assert_array_equal(copy.decision_function(X), expected)
    assert_same_estimator(again(model), model)
    assert type(model.densify().coef_) is np.ndarray
    np.testing.assert_array_equal(model.coef_, coef)
    assert type(model.sparsify().fit(X, y).coef_) is np.ndarray


def test_a_sparsified_stream_goes_on(iris):
    X, y = iris
    plain, sparse = (softmargin.SGDSVC(random_state=0).fit(X, y) for _ in range(2))
    sparse.sparsify().partial_fit(X, y)
    np.testing.assert_array_equal(sparse.coef_, plain.partial_fit(X, y).coef_)


@each(LINEAR)
def test_weights_are_not_sparsified_before_there_are_some(estimator):
    for method in (estimator.sparsify, estimator.densify):
        with pytest.raises(NotFittedError):
            method()
