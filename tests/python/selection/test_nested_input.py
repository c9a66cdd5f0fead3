"""Splits and methods that nested_cv is given: checked before any work, and named."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedShuffleSplit

from estimators import problem
from softmargin import OLLAWV, SVC, nested_cv
from softmargin._selection import engine

NUMBERS = np.arange(60)
MASK = NUMBERS % 3 > 0
FEW = {"grid": {"C": [1.0, 4.0]}, "outer": 2, "inner": 2, "random_state": 0}


def test_masks_are_the_rows_that_they_mark():
    X, y = problem(n=60)
    by_mask = nested_cv(X, y, **FEW | {"outer": [(MASK, ~MASK)]})
    by_number = nested_cv(X, y, **FEW | {"outer": [(NUMBERS[MASK], NUMBERS[~MASK])]})
    np.testing.assert_array_equal(by_mask.inner_scores, by_number.inner_scores)
    np.testing.assert_array_equal(by_mask.outer_scores, by_number.outer_scores)


@pytest.mark.parametrize("name", ["outer", "inner"])
@pytest.mark.parametrize(
    ("split", "sentence"),
    [
        ((1, 2, 3), "is not a pair"),
        (7, "is not a pair"),
        ((NUMBERS[:20, None], NUMBERS[:20]), r"shape \(20, 1\)"),
        ((NUMBERS[:20] / 1, NUMBERS[:20]), "dtype float64"),
        ((NUMBERS[:20], MASK[:7]), "masks of length"),
        ((NUMBERS[:20], 3), r"shape \(\)"),
    ],
    ids=["three parts", "no parts", "two dimensions", "floats", "short mask", "one number"],
)
def test_splits_that_are_none_are_named(name, split, sentence):
    with pytest.raises(ValueError, match=f"split 0 of {name} .*{sentence}"):
        nested_cv(*problem(n=60), **FEW | {name: [split]})


def test_one_inner_split_can_be_fitted_again():
    X, y = problem(n=60)
    inner = StratifiedShuffleSplit(1, random_state=0)
    assert nested_cv(X, y, **FEW | {"inner": inner}).refit().score(X, y) > 0.7


@pytest.mark.case(54, of="nested_cv")
@pytest.mark.parametrize("method", [None, 5, SVC, [], {}, [None]], ids=str)
def test_what_names_no_method_is_named(method):
    with pytest.raises(ValueError, match="method = "):
        nested_cv(*problem(n=60), method, **FEW)


@pytest.mark.case(54, of="nested_cv")
@pytest.mark.parametrize(
    ("methods", "grid", "sentence"),
    [
        (["svc", "forest"], {"C": [1.0]}, "forest"),
        (["svc", OLLAWV(C=-1.0)], None, "C = -1"),
        (["svc", "ollawv"], {"gamma": [1.0], "margin": [0.1]}, "margin"),
        ([SVC(), SVC(tol=-1.0)], {"C": [1.0]}, "tol = -1"),
        ([SVC(), SVC(cache_size=0)], {"C": [1.0]}, "cache_size = 0"),
        ([SVC(), SVC(gamma=-1.0)], {"C": [1.0]}, "gamma = -1"),
    ],
    ids=["name", "setting", "grid", "tolerance", "cache", "kernel"],
)
def test_all_methods_are_checked_before_the_first_begins(monkeypatch, methods, grid, sentence):
    def begin(*arguments):
        raise AssertionError("work began")

    monkeypatch.setattr(engine, "evaluate", begin)
    with pytest.raises(ValueError, match=sentence):
        nested_cv(*problem(n=60), methods, **FEW | {"grid": grid})
