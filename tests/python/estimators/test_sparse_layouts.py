"""Sparse rows of any layout give the model of their canonical CSR form."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from equality import dense
from estimators import CLASSIFIERS, PREDICTORS, each
from softmargin import MinMaxScaler, kernel_matrix

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def rows(noisy):
    X, y = noisy
    return sp.csr_matrix(np.where(X < 0, 0, X)), y


def assert_same_model(estimator, X, expected_X, y):
    model, expected = clone(estimator).fit(X, y), clone(estimator).fit(expected_X, y)
    for name in ("dual_coef_", "coef_", "intercept_"):
        if hasattr(expected, name):
            np.testing.assert_array_equal(
                dense(getattr(model, name)), dense(getattr(expected, name))
            )
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))
    np.testing.assert_array_equal(kernel_matrix(X), kernel_matrix(expected_X))
    scaled = MinMaxScaler().fit_transform(X)
    assert abs(scaled - MinMaxScaler().fit_transform(expected_X)).max() == 0


def unsorted(X):
    """Each row backwards."""
    order = np.concatenate([np.arange(b - 1, a - 1, -1) for a, b in pairwise(X.indptr)])
    return sp.csr_matrix((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def repeated(X):
    """Each value as two halves."""
    parts = np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr
    return sp.csr_matrix(parts, shape=X.shape)


def strided(X):
    """Arrays that are every other element of larger ones."""
    data, indices = np.repeat(X.data, 2)[::2], np.repeat(X.indices, 2)[::2]
    view = sp.csr_matrix((data, indices, np.repeat(X.indptr, 2)[::2]), shape=X.shape)
    assert not view.indices.flags.c_contiguous
    return view


def misaligned(X):
    buffer = np.zeros(X.data.nbytes + 1, dtype=np.uint8)
    data = buffer[1:].view(X.data.dtype)
    data[:] = X.data
    return sp.csr_matrix((data, X.indices, X.indptr), shape=X.shape)


def read_only(X):
    X = X.copy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


SAME = {
    "unsorted": unsorted,
    "repeated": repeated,
    "strided": strided,
    "misaligned": misaligned,
    "read-only": read_only,
    "csc": sp.csc_matrix,
    "coo": sp.coo_matrix,
    "lil": sp.lil_matrix,
    "dok": sp.dok_matrix,
    "bsr": sp.bsr_matrix,
    "csr array": sp.csr_array,
    "coo array": sp.coo_array,
    "big-endian": lambda X: sp.csr_matrix((X.data.astype(">f8"), X.indices, X.indptr), X.shape),
}


@pytest.mark.case(29)
@pytest.mark.parametrize("make", SAME.values(), ids=SAME)
@each(PREDICTORS)
def test_every_layout_gives_the_model_of_the_canonical_rows(estimator, rows, make):
    X, y = rows
    other = make(X)
    before = other.toarray()
    parts = [part.copy() for part in vars(other).values() if isinstance(part, np.ndarray)]
    assert_same_model(estimator, other, X, y)
    np.testing.assert_array_equal(other.toarray(), before)
    after = [part for part in vars(other).values() if isinstance(part, np.ndarray)]
    for old, new in zip(parts, after, strict=True):
        np.testing.assert_array_equal(new, old)


@pytest.mark.case(36)
@each(PREDICTORS)
def test_stored_zeros_do_not_change_the_numbers(estimator, rows):
    X, y = rows
    zeros = X.copy()
    zeros.data[::5] = 0.0
    plain = zeros.copy()
    plain.eliminate_zeros()
    assert zeros.nnz > plain.nnz
    assert_same_model(estimator, zeros, plain, y)


@pytest.mark.case(37)
@each(CLASSIFIERS)
def test_empty_rows_and_columns_are_zeros(estimator, rows):
    X, y = rows
    dense = X.toarray()
    dense[[0, 3, -1]] = 0
    dense[:, 2] = 0
    model, expected = clone(estimator).fit(sp.csr_matrix(dense), y), estimator.fit(dense, y)
    np.testing.assert_allclose(
        model.decision_function(sp.csr_matrix(dense)), expected.decision_function(dense), atol=1e-6
    )


@pytest.mark.case(21, 37)
@each(PREDICTORS)
def test_rows_without_any_value_fit(estimator):
    X = sp.csr_matrix((12, 3))
    model = estimator.fit(X, np.arange(12) % 2)
    assert np.isfinite(model.decision_function(X)).all()
    assert (kernel_matrix(X) == 1).all()


@pytest.mark.case(12)
@pytest.mark.parametrize("dtype", ["i1", "u8", "?"])
@each(PREDICTORS)
def test_other_numbers_are_converted_to_float64(estimator, rng, dtype):
    X = sp.csr_matrix(rng.integers(0, 2, size=(30, 4)).astype(dtype))
    assert_same_model(estimator, X, X.astype(np.float64), np.arange(30) % 2)
