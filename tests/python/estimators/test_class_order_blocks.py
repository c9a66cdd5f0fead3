"""Rows that come in blocks: classes or labels state the order, and must agree about it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from test_class_order import ALPHABET, NAMES, grades, ordered

import softmargin

MODEL = softmargin.SGDSVC(multi_class="ordinal", random_state=0)
CLASSES = pd.Categorical(NAMES, categories=NAMES, ordered=True)


@pytest.fixture
def blocks():
    """Two blocks, the second of which has all grades, as codes."""
    X, codes = grades()
    is_first = (codes < 3) & (np.arange(len(codes)) % 2 == 0)
    return (X[is_first], codes[is_first]), (X[~is_first], codes[~is_first])


def trained(blocks, labels, classes):
    model = clone(MODEL)
    for X, codes in blocks:
        model.partial_fit(X, labels(codes), classes=classes)
    return model


@pytest.mark.case(116, of="SGDSVC")
@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (lambda codes: NAMES[codes], CLASSES),
        (lambda codes: ordered(NAMES, codes), sorted(NAMES)),
        (lambda codes: ordered(NAMES, codes), CLASSES),
    ],
    ids=["classes", "labels", "both"],
)
def test_the_model_is_that_of_integers_in_that_order(blocks, labels, classes):
    (X, _), _ = blocks
    plain = trained(blocks, lambda codes: codes, range(4))
    model = trained(blocks, labels, classes)
    assert model.classes_.tolist() == NAMES.tolist()
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    in_blocks = clone(MODEL).fit_blocks([(X, labels(codes)) for X, codes in blocks], classes)
    assert in_blocks.classes_.tolist() == NAMES.tolist()


def test_blocks_of_ordered_labels_need_no_classes(blocks):
    model = clone(MODEL).fit_blocks([(X, ordered(NAMES, codes)) for X, codes in blocks])
    assert model.classes_.tolist() == NAMES.tolist()


def test_the_accuracy_of_a_curve_is_by_labels_in_any_order(blocks):
    _, (X, codes) = blocks
    model = clone(MODEL).set_params(record_every=50)
    model.fit(X, ordered(NAMES, codes), eval_set=(X, NAMES[codes]))
    assert model.curve_["accuracy"][-1] == model.score(X, NAMES[codes])


def test_text_without_an_order_warns_in_the_first_block_only(blocks):
    (X, codes), (Z, others) = blocks
    with pytest.warns(UserWarning, match=ALPHABET) as caught:
        model = clone(MODEL).partial_fit(X, NAMES[codes], classes=NAMES)
    assert [warning.filename for warning in caught] == [__file__]
    model.partial_fit(Z, NAMES[others])


@pytest.mark.case(116, of="SGDSVC")
def test_blocks_that_state_another_order_are_refused(blocks):
    (X, codes), (Z, others) = blocks
    backwards = CLASSES.reorder_categories(NAMES[::-1])
    model = clone(MODEL).partial_fit(X, NAMES[codes], classes=CLASSES)
    before = model.predict(Z)
    sentence = "'best' < 'good' < 'fair' < 'poor'.*previous order is 'poor' < 'fair'"
    with pytest.raises(ValueError, match=f"y has .*{sentence}"):
        model.partial_fit(Z, ordered(NAMES, others).cat.reorder_categories([*NAMES[::-1], "none"]))
    with pytest.raises(ValueError, match=f"classes has .*{sentence}"):
        model.partial_fit(Z, NAMES[others], classes=backwards)
    with pytest.raises(ValueError, match="is not the same as on last call"):
        model.partial_fit(Z, NAMES[others], classes=NAMES[:3])
    np.testing.assert_array_equal(model.predict(Z), before)
    short = pd.Categorical(NAMES[codes], categories=NAMES[:3], ordered=True)
    with pytest.raises(ValueError, match="ordered categories without the class 'best'"):
        clone(MODEL).partial_fit(X, short, classes=NAMES)
