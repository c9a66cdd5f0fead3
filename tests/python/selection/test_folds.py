"""Fold labels are stratified, balanced, shuffled and repeatable."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from softmargin import fold_labels, nested_fold_labels

NOT_IN = 2**32 - 1

labels = st.lists(st.integers(0, 4), min_size=4, max_size=80).map(np.array)


def assert_balanced(folds, y, n_folds):
    """Counts of each class, and sizes of the folds, differ by at most one."""
    for group in [folds, *(folds[y == c] for c in np.unique(y))]:
        counts = np.bincount(group, minlength=n_folds)
        assert len(counts) == n_folds
        assert counts.max() - counts.min() <= 1


@given(y=labels, n_folds=st.integers(2, 6), seed=st.integers(0, 2**32 - 1))
def test_folds_and_classes_are_balanced(y, n_folds, seed):
    assume(len(np.unique(y)) > 1 and np.bincount(y).max() >= n_folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        folds = fold_labels(y, n_folds, random_state=seed)
    assert folds.shape == y.shape
    assert_balanced(folds, y, n_folds)


@given(
    counts=st.lists(st.integers(8, 20), min_size=2, max_size=4),
    outer=st.integers(2, 4),
    inner=st.integers(2, 4),
    seed=st.integers(0, 99),
)
def test_inner_folds_are_balanced_over_the_rows_that_are_left(counts, outer, inner, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    folds, nested = nested_fold_labels(y, outer, inner, random_state=seed)
    np.testing.assert_array_equal(folds, fold_labels(y, outer, random_state=seed))
    assert len(nested) == outer
    for held_out, inner_folds in enumerate(nested):
        kept = folds != held_out
        assert (inner_folds[~kept] == NOT_IN).all()
        assert_balanced(inner_folds[kept], y[kept], inner)


def test_a_seed_gives_the_same_folds_and_another_seed_others():
    y = np.arange(60) % 3
    one = fold_labels(y, 5, random_state=1)
    np.testing.assert_array_equal(fold_labels(y, 5, random_state=1), one)
    assert (fold_labels(y, 5, random_state=2) != one).any()


def test_a_random_state_object_moves_on():
    y, state = np.arange(60) % 3, np.random.RandomState(0)
    assert (fold_labels(y, 5, random_state=state) != fold_labels(y, 5, random_state=state)).any()


def test_rows_are_shuffled_inside_their_class():
    """Without a shuffle, the first rows of a class would go to folds 0, 1, 2, …"""
    folds = fold_labels(np.repeat([0, 1], 50), 5, random_state=0)
    assert folds[:5].tolist() != [0, 1, 2, 3, 4]


def test_every_row_is_as_likely_in_every_fold():
    y = np.repeat([0, 1], 10)
    counts = sum(
        np.bincount(fold_labels(y, 2, random_state=s)[:1], minlength=2) for s in range(400)
    )
    assert abs(counts[0] - 200) < 60  # six standard deviations


def test_string_labels_give_the_folds_of_their_codes():
    y = np.arange(30) % 3
    np.testing.assert_array_equal(
        fold_labels(np.array(["x", "y", "z"])[y], 3, random_state=0),
        fold_labels(y, 3, random_state=0),
    )


@pytest.mark.case(53)
def test_a_class_with_fewer_rows_than_folds_warns():
    with pytest.warns(UserWarning, match=r"smallest class has 2 samples.* 3 folds"):
        folds = fold_labels([0] * 9 + [1] * 2, 3, random_state=0)
    assert_balanced(folds, np.array([0] * 9 + [1] * 2), 3)


@pytest.mark.case(53)
def test_a_class_with_fewer_rows_than_inner_folds_warns():
    """Five rows are enough for five outer folds, but only four are left for five inner ones."""
    with pytest.warns(UserWarning, match="smallest class"):
        nested_fold_labels([0] * 50 + [1] * 5, outer=5, inner=5, random_state=0)


@pytest.mark.case(53)
def test_more_folds_than_rows_in_every_class_are_refused():
    with pytest.raises(ValueError, match="n_folds = 6"):
        fold_labels([0] * 5 + [1] * 5, 6)


@pytest.mark.case(53)
@pytest.mark.parametrize("name", ["outer", "inner"])
def test_a_nested_split_names_the_number_that_is_too_large(name):
    with pytest.raises(ValueError, match=f"{name} = 9"):
        nested_fold_labels([0] * 8 + [1] * 8, **{"outer": 2, "inner": 2} | {name: 9})


@pytest.mark.case(54)
@pytest.mark.parametrize("n_folds", [1, 0, -3])
def test_fewer_than_two_folds_are_refused(n_folds):
    with pytest.raises(ValueError, match=f"n_folds = {n_folds}"):
        fold_labels([0, 0, 1, 1], n_folds)
    with pytest.raises(ValueError, match=f"inner = {n_folds}"):
        nested_fold_labels([0, 0, 1, 1], 2, n_folds)


@pytest.mark.case(54)
@pytest.mark.parametrize("n_folds", [2.0, "3", None, True])
def test_a_number_of_folds_is_a_whole_number(n_folds):
    with pytest.raises(TypeError, match="n_folds"):
        fold_labels([0, 0, 1, 1], n_folds)
