"""MinMaxScaler against scikit-learn's, and on sparse rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn import preprocessing

from softmargin import MinMaxScaler

# No range is so narrow that scikit-learn would take it for none.
sixty_fourths = st.integers(-(10**7), 10**7).map(lambda number: number / 64)
tables = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=sixty_fourths
)


@given(X=tables)
def test_dense_rows_are_scaled_as_scikit_learn_does(X):
    ours, theirs = MinMaxScaler().fit(X), preprocessing.MinMaxScaler().fit(X)
    np.testing.assert_array_equal(ours.data_min_, theirs.data_min_)
    constant = theirs.data_range_ == 0
    np.testing.assert_array_equal(ours.data_range_, np.where(constant, 1, theirs.data_range_))
    scaled = ours.transform(X)
    np.testing.assert_allclose(scaled, theirs.transform(X), rtol=1e-9, atol=1e-9)
    assert ((scaled >= 0) & (scaled <= 1)).all()


@given(X=tables)
def test_sparse_rows_are_divided_by_the_largest_absolute_value(X):
    rows = sp.csr_matrix(X)
    scaled = MinMaxScaler().fit_transform(rows)
    assert sp.issparse(scaled)
    np.testing.assert_array_equal(scaled.indices, rows.indices)
    expected = preprocessing.MaxAbsScaler().fit_transform(X)
    np.testing.assert_allclose(scaled.toarray(), expected, rtol=1e-12, atol=0)


def test_layouts_agree_where_the_minimum_is_zero(rng):
    X = rng.uniform(size=(40, 5))
    X[0] = 0
    np.testing.assert_array_equal(
        MinMaxScaler().fit_transform(sp.csr_matrix(X)).toarray(), MinMaxScaler().fit_transform(X)
    )
    fitted = MinMaxScaler().fit(X)
    np.testing.assert_array_equal(fitted.transform(sp.csr_matrix(X)).toarray(), fitted.transform(X))


@pytest.mark.case(23)
@pytest.mark.parametrize("value", [0.0, 7.5, -3.0, 1e-310])
def test_a_constant_feature_becomes_zero(rng, value):
    X = rng.normal(size=(10, 3))
    X[:, 1] = value
    scaled = MinMaxScaler().fit_transform(X)
    assert (scaled[:, 1] == 0).all()
    assert scaled[:, [0, 2]].min() == 0
    assert scaled[:, [0, 2]].max() == 1


@pytest.mark.case(23)
def test_an_empty_sparse_feature_stays_empty():
    X = sp.csr_matrix(np.array([[0.0, 2.0], [0.0, 4.0]]))
    assert MinMaxScaler().fit_transform(X).toarray().tolist() == [[0, 0.5], [0, 1]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_the_type_of_the_rows_stays(rng, dtype, layout):
    X = layout(rng.uniform(size=(10, 3)).astype(dtype))
    scaler = MinMaxScaler().fit(layout(rng.uniform(size=(10, 3))) if layout is np.asarray else X)
    assert scaler.transform(X).dtype == dtype


def test_rows_outside_the_fitted_range_leave_the_unit_interval():
    scaler = MinMaxScaler().fit([[0.0], [2.0]])
    assert scaler.transform([[-2.0], [5.0]]).ravel().tolist() == [-1.0, 2.5]


def test_sparse_rows_after_dense_ones_with_another_minimum_are_refused():
    scaler = MinMaxScaler().fit([[0.0, 1.0], [2.0, 3.0]])
    with pytest.raises(ValueError, match="feature 1"):
        scaler.transform(sp.csr_matrix([[0.0, 1.0]]))


def test_the_input_is_not_changed(rng):
    X = rng.normal(size=(10, 3))
    before = X.copy()
    MinMaxScaler().fit_transform(X)
    np.testing.assert_array_equal(X, before)


def test_scaled_sparse_rows_share_nothing_with_the_input():
    """In-place operations of scipy on the result must not reach the caller's matrix."""
    X = sp.csr_matrix(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))
    before = X.toarray()
    scaled = MinMaxScaler().fit_transform(X)
    scaled.data[0] = 0
    scaled.eliminate_zeros()
    np.testing.assert_array_equal(X.toarray(), before)


def test_the_widest_range_of_all_is_scaled_or_refused_by_its_name():
    """The width overflows; X itself contains no infinity."""
    X = np.array([[-1.7e308], [1.7e308]])
    try:
        scaled = MinMaxScaler().fit_transform(X)
    except ValueError as refusal:
        message = str(refusal)
    else:
        message = ""
        np.testing.assert_allclose(scaled.ravel(), [0, 1])
    assert "X contains inf" not in message
    assert len(message) < 100


def test_a_failing_refit_leaves_the_scaler_as_it_was():
    scaler = MinMaxScaler().fit([[0.0, 0.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="row 0, column 2"):
        scaler.fit([[0.0, 1.0, np.nan]])
    assert scaler.transform([[1.0, 1.0]]).tolist() == [[1.0, 0.5]]
