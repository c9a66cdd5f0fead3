"""Sparse rows: every index is checked before it is used, and layouts do not matter."""

import numpy as np
import pytest
import scipy.sparse as sp

from estimators import PREDICTORS, READERS, each
from processes import facts_of
from systems import linux


@pytest.fixture
def rows(noisy):
    X, y = noisy
    return sp.csr_matrix(np.where(X < 0, 0, X)), y


@pytest.mark.case(36)
@pytest.mark.parametrize("value", [np.nan, np.inf])
@each(READERS)
def test_a_stored_value_that_is_not_finite_is_named(rows, refuses, value):
    X, y = rows
    row = int(np.flatnonzero(np.diff(X.indptr))[2])
    column = int(X.indices[X.indptr[row]])
    X.data[X.indptr[row]] = value
    refuses(X, y, rf"row {row}, column {column}")


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


def wild(*cases, **parts):
    return pytest.param(parts, marks=pytest.mark.case(*cases))


WILD = {
    "column too large": wild(30, indices=at(5, 4)),
    "column far too large": wild(30, indices=at(5, 2**31 - 1)),
    "negative column": wild(31, indices=at(5, -1)),
    "decreasing indptr": wild(32, indptr=at(7, 10**6)),
    "negative indptr": wild(32, indptr=at(7, -3)),
    "indptr from 1": wild(33, indptr=at(0, 1)),
    "indptr beyond the values": wild(33, indptr=at(-1, 10**6)),
    "indptr before the values": wild(33, indptr=lambda a: np.minimum(a, a[-1] - 3)),
    "short indptr": wild(33, indptr=lambda a: a[:-1]),
    "long indptr": wild(33, indptr=lambda a: np.r_[a, a[-1]]),
    "no indptr": wild(33, indptr=lambda a: a[:0]),
    "data too short": wild(34, data=lambda a: a[:-1]),
    "data too long": wild(34, data=lambda a: np.r_[a, 1.0]),
    "indices too short": wild(34, indices=lambda a: a[:-1]),
}


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("parts", WILD.values(), ids=WILD)
@each(READERS)
def test_wild_indices_are_refused_before_they_are_used(rows, refuses, parts, index):
    X, y = rows
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    refuses(tampered(X, **parts), y, "ind|data|column|row|sample")


@pytest.mark.parametrize("parts", WILD.values(), ids=WILD)
@each(PREDICTORS)
def test_wild_indices_are_not_predicted(rows, estimator, parts):
    X, y = rows
    model = estimator.fit(X, y)
    with pytest.raises(ValueError, match=r"ind|data|column|row|sample"):
        model.predict(tampered(X, **parts))


TAMPER = {
    "coo_array": "X.coords[1][2] = 2**31 - 1",
    "coo_matrix": "X.row[2] = 2**31 - 1",
    "csc_array": "X.indices[2] = 2**31 - 1",
    "bsr_array": "X.indices[2] = 2**31 - 1",
    "lil_array": "X.rows[2] = [10**9]",
}


@pytest.mark.case(30, 31, of="OLLAWV")
@pytest.mark.parametrize("layout", TAMPER)
def test_wild_indices_of_other_layouts_are_refused(layout):
    """In a process of its own: a conversion that trusts them writes out of bounds."""
    facts = facts_of(
        f"""
        import scipy.sparse as sp
        X = sp.{layout}(np.eye(6))
        {TAMPER[layout]}
        try:
            softmargin.OLLAWV().fit(X, [0, 1] * 3)
        except (ValueError, IndexError) as refusal:
            report(refusal=str(refusal))
        """
    )
    assert facts["refusal"]


MALFORMED = {
    "fewer columns in a list": "X = sp.lil_array(F); X.rows[0] = [0, 1]",
    "more columns in a list": "X = sp.lil_array(F); X.rows[0] = [0, 1, 2, 2]",
    "columns that are no list": "X = sp.lil_array(F); X.rows[0] = None",
    "columns that are no numbers": "X = sp.lil_array(F); X.rows[0] = [0.5, 1, 2]",
    "fewer lists": "X = sp.lil_array(F); X.rows = X.rows[:3]",
    "fewer offsets": "X = sp.dia_array(F); X.offsets = X.offsets[:3]",
    "fewer diagonals": "X = sp.dia_array(F); X.data = X.data[:3]",
    "offsets that are no numbers": "X = sp.dia_array(F); X.offsets = X.offsets + 0.5",
    "a diagonal twice": "X = sp.dia_array(F); X.offsets[1] = X.offsets[0]",
    "fewer coordinates": "X = sp.coo_array(F); X.coords = tuple(c[:3] for c in X.coords)",
    "blocks that do not fit": "X = sp.bsr_array(F); X.data = np.ones((len(X.data), 5, 5))",
    "blocks without rows": "X = sp.bsr_array(F); X.data = np.ones((len(X.data), 0, 3))",
    "columns that are fractions": "X = sp.csr_array(F); X.indices = X.indices + 0.5",
    "rows that are fractions": "X = sp.csc_array(F); X.indices = X.indices + 0.5",
}


@pytest.mark.case(34, of="OLLAWV")
@pytest.mark.parametrize("fault", MALFORMED)
def test_layouts_whose_parts_do_not_fit_are_refused(fault):
    """In a process of its own: scipy's conversions read and write beyond their arrays."""
    facts = facts_of(
        f"""
        import scipy.sparse as sp
        F = np.arange(1.0, 37.0).reshape(12, 3)
        {MALFORMED[fault]}
        try:
            softmargin.OLLAWV().fit(X, [0, 1] * 6)
        except ValueError as refusal:
            report(refusal=str(refusal))
        """
    )
    assert "sparse X" in facts["refusal"]


@pytest.mark.parametrize(
    ("X", "shape"),
    [
        (sp.csr_array(np.ones(120)), r"\(120,\)"),
        (sp.coo_array(np.ones(120)), r"\(120,\)"),
        (sp.dok_array(np.ones(120)), r"\(120,\)"),
        pytest.param(
            sp.coo_array(np.ones((120, 2, 2))), r"\(120, 2, 2\)", marks=pytest.mark.case(8)
        ),
    ],
    ids=["csr", "coo", "dok", "3-D"],
)
@pytest.mark.case(7)
@each(READERS)
def test_sparse_rows_of_other_dimensions_are_refused_by_their_shape(refuses, X, shape):
    refuses(X, np.arange(120) % 2, f"sparse X has shape {shape}")


@pytest.mark.parametrize(
    "dtype",
    [
        pytest.param("U8", marks=pytest.mark.case(10)),
        pytest.param(object, marks=pytest.mark.case(10)),
        pytest.param(np.dtypes.StringDType(), marks=pytest.mark.case(10)),
        pytest.param("M8[s]", marks=pytest.mark.case(11)),
        pytest.param("m8[s]", marks=pytest.mark.case(11)),
    ],
    ids=str,
)
@each(READERS)
def test_sparse_rows_of_no_numbers_are_refused(rows, refuses, dtype):
    X, y = rows
    X.data = np.ones(X.nnz, dtype=int).astype(dtype)
    refuses(X, y, r"X has dtype")


@pytest.mark.case(13)
@pytest.mark.parametrize("layout", ["csr", "csc", "bsr", "coo"])
@each(READERS)
def test_sparse_input_stays_as_it_is(rows, estimator, layout):
    X, y = rows
    X = X.asformat(layout)
    X.data = X.data.astype(X.dtype.newbyteorder(">"))
    if layout != "coo":
        X.indices = X.indices.astype(np.int64)
    before = dict(vars(X))
    estimator.fit(X, y)
    assert all(vars(X)[name] is part for name, part in before.items())
    assert vars(X).keys() == before.keys()


@pytest.mark.case(9)
@each(READERS)
def test_complex_sparse_rows_are_refused(rows, refuses):
    X, y = rows
    refuses(X * 1j, y, "[Cc]omplex")


@pytest.mark.parametrize(
    ("X", "match"),
    [
        pytest.param(sp.csr_matrix((0, 4)), "0 sample", marks=pytest.mark.case(5)),
        pytest.param(sp.csr_matrix((120, 0)), "0 feature", marks=pytest.mark.case(6)),
    ],
)
@each(READERS)
def test_sparse_rows_without_samples_or_features_are_refused(refuses, X, match):
    refuses(X, np.arange(120) % 2, match)


def test_a_sparse_precomputed_matrix_is_refused(refuses):
    refuses(sp.csr_matrix(np.eye(120)), np.arange(120) % 2, "dense", kernel="precomputed")


@pytest.mark.case(39)
@linux
@pytest.mark.parametrize("estimator", ["OLLAWV", "SVC", "LinearSVC"])
def test_more_values_than_31_bits_count_need_memory_and_nothing_else(estimator):
    """Counts have 64 bits; the arrays are one number each, and a copy has 16 GiB."""
    facts = facts_of(
        f"""
        import resource
        import scipy.sparse as sp
        X, nnz = sp.csr_matrix((4, 3)), 2**31 + 16
        X.data, X.indices = (np.broadcast_to(one, nnz) for one in (np.float32(1), np.int32(1)))
        X.indptr = np.linspace(0, nnz, 5).astype(np.int64)
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        try:
            softmargin.{estimator}().fit(X, [0, 1, 0, 1])
        except MemoryError as refusal:
            report(refusal=str(refusal))
        """
    )
    assert "16" in facts["refusal"]
