"""A pickle that was tampered with is refused by the name of the field."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from softmargin import OLLAWV
from softmargin._estimators.model_state import from_dict, to_dict

TAMPERED = pytest.mark.case(92)


@pytest.fixture(params=["dense", "csr", "precomputed"])
def state(request, three_classes):
    X, y = three_classes
    if request.param == "precomputed":
        return to_dict(OLLAWV(kernel="precomputed").fit(X @ X.T, y)._model)
    return to_dict(OLLAWV().fit(sp.csr_matrix(X) if request.param == "csr" else X, y)._model)


FIELDS = [
    "version",
    "dtype",
    "kernel",
    "gamma",
    "degree",
    "coef0",
    "multi_class",
    "rows",
    "n_cols",
    "support",
    "n_support",
    "dual_coef",
    "intercept",
    "n_iter",
    "n_loops",
    "status",
    "n_kernel_evals",
]


def test_a_state_makes_an_equal_model(state):
    again = to_dict(from_dict(state))
    assert pickle.dumps(again) == pickle.dumps(state)
    assert sorted(again) == sorted(FIELDS)


@TAMPERED
@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_is_named(state, field):
    del state[field]
    with pytest.raises(ValueError, match=f"not a model: {field} is missing"):
        from_dict(state)


@TAMPERED
@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_another_type_is_named(state, field):
    for wrong in (object(), {}, [[]], np.zeros((2, 2, 2)), 1j):
        with pytest.raises(ValueError, match=field):
            from_dict(state | {field: wrong})


@TAMPERED
def test_a_status_for_each_machine_is_needed(state):
    with pytest.raises(ValueError, match="status"):
        from_dict(state | {"status": state["status"][:-1]})


@TAMPERED
@pytest.mark.parametrize("field", ["support", "n_support", "dual_coef", "intercept", "n_iter"])
def test_arrays_of_another_length_are_refused(state, field):
    array = state[field]
    for changed in (array[:-1], np.r_[array, array[-1:]], array[:0]):
        with pytest.raises(ValueError, match="not a model"):
            from_dict(state | {field: changed})


@TAMPERED
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("field", ["dual_coef", "intercept"])
def test_numbers_that_are_not_finite_are_refused(state, field, value):
    state[field] = state[field].copy()
    state[field][0] = value
    with pytest.raises(ValueError, match="must be finite"):
        from_dict(state)


@TAMPERED
@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        pytest.param("version", 2, "version 2", marks=pytest.mark.case(91)),
        ("kernel", "cosine", "cosine"),
        ("gamma", -1.0, "gamma"),
        ("gamma", float("nan"), "gamma"),
        ("coef0", float("inf"), "coef0"),
        ("multi_class", "all", "all"),
        ("dtype", "float16", "dtype"),
        ("dtype", "float32", "dtype"),
    ],
)
def test_values_outside_their_domain_are_refused(three_classes, field, value, sentence):
    state = to_dict(OLLAWV().fit(*three_classes)._model) | {field: value}
    with pytest.raises(ValueError, match=sentence):
        from_dict(state)


@pytest.fixture
def ordinal(three_classes):
    X, y = three_classes
    rows, new = slice(None, None, 2), slice(1, None, 2)
    model = OLLAWV(margin=0.01, multi_class="ordinal").fit(X[rows], y[rows])
    return model, X[new]


def test_patterns_come_back_with_their_counts(ordinal):
    model, X = ordinal
    state = to_dict(model._model)
    assert sorted(state) == sorted([*FIELDS, "patterns", "pattern_counts"])
    patterns = state["patterns"].reshape(-1, 2)
    assert sorted(set(map(tuple, patterns))) == list(map(tuple, patterns))
    assert state["pattern_counts"].reshape(-1, 3).sum() == len(X)
    again = pickle.loads(pickle.dumps(model))
    assert pickle.dumps(to_dict(again._model)) == pickle.dumps(state)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_states_without_patterns_are_read_where_there_are_none(state):
    for none in ({}, {"patterns": None, "pattern_counts": None}):
        assert sorted(to_dict(from_dict(state | none))) == sorted(FIELDS)


@TAMPERED
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda s: s.pop("patterns"), "patterns is missing"),
        (lambda s: s.pop("pattern_counts"), "pattern_counts is missing"),
        (lambda s: s.update(patterns=None, pattern_counts=None), "patterns are missing"),
        (lambda s: s.update(patterns=None), "patterns has the wrong type"),
        (lambda s: s.update(patterns=s["patterns"].astype(bool)), "patterns has the wrong type"),
        (lambda s: s.update(patterns=s["patterns"] + 1), "not 0 or 1"),
        (lambda s: s.update(patterns=s["patterns"][:-1]), "do not match 3 classes"),
        (lambda s: s.update(patterns=s["patterns"][:0]), "do not match 3 classes"),
        (lambda s: s.update(patterns=0 * s["patterns"]), "duplicate"),
        (lambda s: s.update(pattern_counts=s["pattern_counts"][:-3]), "do not match 3 classes"),
        (lambda s: s.update(pattern_counts=0 * s["pattern_counts"]), "no counts"),
        (lambda s: s.update(pattern_counts=-s["pattern_counts"]), "not negative"),
        (lambda s: s.update(pattern_counts=s["pattern_counts"] + np.nan), "must be finite"),
        (lambda s: s.update(pattern_counts=s["pattern_counts"] + np.inf), "must be finite"),
        (lambda s: s.update(multi_class="ovo"), "intercepts do not match"),
        (lambda s: s.update(multi_class="ovr"), "coefficients do not match"),
    ],
)
def test_patterns_that_were_tampered_with_are_refused(ordinal, change, sentence):
    state = to_dict(ordinal[0]._model)
    change(state)
    with pytest.raises(ValueError, match=f"not a model: .*{sentence}"):
        from_dict(state)


@TAMPERED
def test_patterns_of_other_machines_are_refused(ordinal, state):
    patterns = {name: to_dict(ordinal[0]._model)[name] for name in ("patterns", "pattern_counts")}
    with pytest.raises(ValueError, match="has no patterns"):
        from_dict(state | patterns)


@TAMPERED
@pytest.mark.case(76)
@pytest.mark.parametrize("counts", [[2**63, 2**63, 5], [2**64 - 1, 1, 1]])
def test_counts_that_overflow_are_refused(state, counts):
    state["n_support"] = np.array(counts, dtype=np.uint64)
    with pytest.raises(ValueError, match="n_support"):
        from_dict(state)


@TAMPERED
def test_a_column_that_does_not_exist_is_refused():
    state = to_dict(OLLAWV(kernel="precomputed").fit(np.eye(6), [0, 1] * 3)._model)
    state["support"] = state["support"] + 6
    with pytest.raises(ValueError, match="does not exist"):
        from_dict(state)


@TAMPERED
def test_a_sparse_state_with_wild_indices_is_refused(three_classes):
    X, y = three_classes
    state = to_dict(OLLAWV().fit(sp.csr_matrix(X), y)._model)
    indptr, indices, data, n_cols = state["rows"]
    wild = indices.copy()
    wild[3] = n_cols
    for rows in (
        (indptr, wild, data, n_cols),
        (indptr, -indices - 1, data, n_cols),
        (indptr[::-1].copy(), indices, data, n_cols),
        (indptr, indices, data[:-1], n_cols),
        (indptr, indices, data, 1),
    ):
        with pytest.raises(ValueError, match="sparse X"):
            from_dict(state | {"rows": rows})


@TAMPERED
@pytest.mark.case(90)
def test_every_flipped_byte_of_a_pickle_is_an_error_or_a_usable_model():
    """Flips inside a model's own state; those that break the pickle itself are numpy's."""
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 2]
    model = OLLAWV(gamma=1.0).fit(X, y)._model
    state = to_dict(model)
    for field in ("support", "n_support", "dual_coef", "intercept", "n_iter", "rows"):
        for place in range(state[field].nbytes):
            for bit in (0, 7):
                bytes_ = bytearray(state[field].tobytes())
                bytes_[place] ^= 1 << bit
                changed = np.frombuffer(bytes_, dtype=state[field].dtype)
                changed = changed.reshape(state[field].shape)
                try:
                    other = from_dict(state | {field: changed})
                except ValueError as refusal:
                    assert str(refusal)  # noqa: PT017
                else:
                    assert other.decision_values(X, 1).shape == (3, 3)
