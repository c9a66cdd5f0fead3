"""Sparse rows: every index is checked before it is used, and layouts do not matter."""

import numpy as np
import pytest
import scipy.sparse as sp

from hinge import OLLAWV, MinMaxScaler, kernel_matrix
from processes import facts_of


@pytest.fixture
def rows(noisy):
    X, y = noisy
    return sp.csr_matrix(np.where(X < 0, 0, X)), y


def everywhere(X, match):
    """The scaler, the kernel matrix and prediction refuse the same rows as fit."""
    model = OLLAWV().fit(np.eye(4), [0, 1, 0, 1])
    for call in (MinMaxScaler().fit, kernel_matrix, model.predict):
        with pytest.raises(ValueError, match=match):
            call(X)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_stored_value_that_is_not_finite_is_named(rows, refuses, value):  # case 36
    X, y = rows
    row = int(np.flatnonzero(np.diff(X.indptr))[2])
    column = int(X.indices[X.indptr[row]])
    X.data[X.indptr[row]] = value
    refuses(X, y, rf"row {row}, column {column}")
    everywhere(X, rf"row {row}, column {column}")


def tampered(X, **parts):
    """A copy whose arrays were changed behind the back of scipy's checks."""
    X = X.copy()
    for name, change in parts.items():
        array = getattr(X, name).copy()
        setattr(X, name, change(array))
    return X


def at(place, value):
    def change(array):
        array[place] = value
        return array

    return change


WILD = {
    "column too large": {"indices": at(5, 4)},  # case 30
    "column far too large": {"indices": at(5, 2**31 - 1)},
    "negative column": {"indices": at(5, -1)},  # case 31
    "decreasing indptr": {"indptr": at(7, 10**6)},  # case 32
    "negative indptr": {"indptr": at(7, -3)},
    "indptr from 1": {"indptr": at(0, 1)},
    "indptr beyond the values": {"indptr": at(-1, 10**6)},  # case 33
    "indptr before the values": {"indptr": lambda a: np.minimum(a, a[-1] - 3)},  # case 33
    "short indptr": {"indptr": lambda a: a[:-1]},
    "long indptr": {"indptr": lambda a: np.r_[a, a[-1]]},
    "no indptr": {"indptr": lambda a: a[:0]},
    "data too short": {"data": lambda a: a[:-1]},  # case 34
    "data too long": {"data": lambda a: np.r_[a, 1.0]},
    "indices too short": {"indices": lambda a: a[:-1]},
}


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("parts", WILD.values(), ids=WILD)
def test_wild_indices_are_refused_before_they_are_used(rows, refuses, parts, index):
    X, y = rows
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    bad = tampered(X, **parts)
    refuses(bad, y, "ind|data|column|row|sample")
    everywhere(bad, "ind|data|column|row|sample")


TAMPER = {
    "coo_array": "X.coords[1][2] = 2**31 - 1",
    "coo_matrix": "X.row[2] = 2**31 - 1",
    "csc_array": "X.indices[2] = 2**31 - 1",
    "bsr_array": "X.indices[2] = 2**31 - 1",
    "lil_array": "X.rows[2] = [10**9]",
}


@pytest.mark.parametrize("layout", TAMPER)
def test_wild_indices_of_other_layouts_are_refused(layout):  # cases 30, 31
    """In a process of its own: a conversion that trusts them writes out of bounds."""
    facts = facts_of(
        f"""
        import scipy.sparse as sp
        X = sp.{layout}(np.eye(6))
        {TAMPER[layout]}
        try:
            hinge.OLLAWV().fit(X, [0, 1] * 3)
        except (ValueError, IndexError) as refusal:
            report(refusal=str(refusal))
        """
    )
    assert facts["refusal"]


def test_sparse_vectors_are_refused_by_their_shape(refuses):
    refuses(sp.csr_array(np.ones(120)), np.arange(120) % 2, r"2D|\(120,\)")


def test_complex_sparse_rows_are_refused(rows, refuses):  # case 9
    X, y = rows
    refuses(X * 1j, y, "[Cc]omplex")


@pytest.mark.parametrize(
    ("X", "match"), [(sp.csr_matrix((0, 4)), "0 sample"), (sp.csr_matrix((120, 0)), "0 feature")]
)
def test_sparse_rows_without_samples_or_features_are_refused(refuses, X, match):  # cases 5, 6
    refuses(X, np.arange(120) % 2, match)


def test_a_sparse_precomputed_matrix_is_refused(refuses):
    refuses(sp.csr_matrix(np.eye(120)), np.arange(120) % 2, "dense", kernel="precomputed")
