"""Blocks of rows that cannot be trained on are named by their number, and change nothing."""

import numpy as np
import pytest

from estimators import problem
from softmargin import SGDSVC

X, Y = problem()
NONE = np.full(40, None)
NAN = np.where(np.arange(40) == 7, np.nan, Y)
MASKED = np.ma.array(Y, mask=np.arange(40) == 7)
WORDS = np.array(["a", "b"] * 20, dtype=object)

BLOCKS = {
    "rows only": ((X,), "must be"),
    "four parts": ((X, Y, None, 1), "must be"),
    "a word": ("XY", "must be"),
    "a dictionary": ({0: X, 1: Y}, "must be"),
    "a number": (5, "must be"),
    "no labels": ((X, NONE), r"y contains None \(first at row 0\)"),
    "an unknown label": ((X, NAN), r"y contains nan \(first at row 7\)"),
    "a masked label": ((X, MASKED), "y has masked values"),
    "fewer labels": ((X, Y[:5]), r"\[40, 5\]"),
    "a bad row": ((np.where(X[3, 2] == X, np.nan, X), Y), "X contains NaN.* row 3, column 2"),
    "another feature": ((np.ones((40, 5)), Y), "5 features"),
    "a bad weight": ((X, Y, -np.ones(40)), r"sample_weight\[0\] = -1"),
    "weights of words": ((X, Y, ["1"] * 40), "sample_weight has dtype"),
}


@pytest.mark.parametrize("classes", [None, [0, 1]])
@pytest.mark.parametrize("fault", BLOCKS)
def test_a_bad_block_is_named_by_its_number(fault, classes):
    block, sentence = BLOCKS[fault]
    model = SGDSVC(random_state=0).fit(X, Y)
    before = dict(vars(model))
    with pytest.raises((ValueError, TypeError), match=rf"^block 1\b.*{sentence}"):
        model.fit_blocks([(X, Y), block], classes=classes)
    assert all(vars(model)[name] is value for name, value in before.items())
    assert vars(model).keys() == before.keys()


def test_labels_of_blocks_need_an_order():
    with pytest.raises(TypeError, match="the labels of the blocks cannot be sorted"):
        SGDSVC().fit_blocks([(X, Y), (X, WORDS)])
    with pytest.raises(TypeError, match="block 1: y has labels of dtype object"):
        SGDSVC().fit_blocks([(X, Y), (X, WORDS)], classes=[0, 1])


@pytest.mark.parametrize(
    "blocks", [None, 5, "ab", {"X": X}, lambda: None], ids=lambda blocks: type(blocks).__name__
)
def test_what_has_no_blocks_is_named(blocks):
    with pytest.raises(ValueError, match=r"blocks is a .*iterable"):
        SGDSVC().fit_blocks(blocks)


def test_a_wrong_parameter_is_not_blamed_on_a_block():
    with pytest.raises(ValueError, match=r"^C = 1"):
        SGDSVC(C=1.0).fit_blocks([(X, Y)])


@pytest.mark.case(28, 44, of="SGDSVC")
@pytest.mark.parametrize("y", [MASKED, NAN, NONE], ids=["masked", "NaN", "None"])
def test_missing_labels_do_not_stream(y):
    model = SGDSVC(random_state=0).partial_fit(X, Y, classes=[0, 1])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match=r"^y (contains|has masked)"):
        model.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)


@pytest.mark.case(54, of="SGDSVC")
@pytest.mark.parametrize("average", [2, -0.5, float("nan")])
def test_a_mean_of_more_than_all_steps_does_not_stream(average):
    with pytest.raises(ValueError, match=f"average = {average} "):
        SGDSVC(average=average).partial_fit(X, Y, classes=[0, 1])


@pytest.mark.parametrize(
    ("y", "classes", "sentence"),
    [
        (WORDS, [0, 1], "y has labels of dtype object.*classes of dtype int64"),
        (Y, [0], "classes has only one class"),
        (Y, [0, np.nan], "classes contains nan"),
    ],
    ids=["words", "one class", "NaN"],
)
def test_classes_that_do_not_fit_are_named(y, classes, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        SGDSVC().partial_fit(X, y, classes=classes)


def test_other_classes_are_other_classes_even_without_an_order():
    model = SGDSVC().partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, Y, classes=[0, None])
