"""Scores from counts per class have the bits of scikit-learn's, or are left to it."""

import warnings

import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import get_scorer, make_scorer

from softmargin._selection.confusion import Counts, confusion_score
from softmargin._selection.ranking import is_area, roc_areas
from softmargin._selection.scoring import _function

NAMES = [
    "accuracy",
    "balanced_accuracy",
    "matthews_corrcoef",
    *(
        f"{score}{average}"
        for score in ("f1", "precision", "recall", "jaccard")
        for average in ("", "_micro", "_macro", "_weighted")
    ),
]
SCORERS = {name: get_scorer(name) for name in NAMES} | {
    "fbeta": make_scorer(metrics.fbeta_score, beta=2, average="macro"),
    "fbeta binary": make_scorer(metrics.fbeta_score, beta=0.5),
    "negative": make_scorer(metrics.accuracy_score, greater_is_better=False),
}


def expected_score(scorer, true, predicted):
    """Return scikit-learn's score; None where it warns or raises an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return scorer._sign * scorer._score_func(true, predicted, **scorer._kwargs)
        except (ValueError, UserWarning):
            return None


@pytest.mark.parametrize("name", SCORERS)
@pytest.mark.parametrize("k", [2, 3, 12, 200])
def test_scores_have_the_bits_of_scikit_learn(name, k):
    rng = np.random.default_rng(k)
    scorer, classes = SCORERS[name], np.arange(k)
    fast = confusion_score(*_function(scorer), classes)
    if fast is None:
        assert k > 2  # a score of the positive class
        assert scorer._kwargs.get("average", "binary") == "binary"
        return
    n_compared = 0
    for n in (1, 7, 60, 501):
        true = rng.integers(0, k, n)
        rows = [rng.integers(0, k, n), true, np.full(n, true[0]), np.full(n, k - 1)]
        rows += [np.where(rng.random(n) < 0.8, true, rng.integers(0, k, n)) for _ in range(4)]
        predicted = np.array(rows, dtype=np.uint32)
        scores = fast(Counts.of(true.astype(np.uint32), predicted, k))
        for own, found in zip(rows, scores, strict=True):
            expected = expected_score(scorer, true, own)
            if expected is None:
                assert np.isnan(found)
            elif not np.isnan(found):
                n_compared += 1
                assert found == expected
    assert n_compared > 8


def test_what_counts_do_not_determine_is_left_to_scikit_learn():
    classes = np.array(["no", "yes"])
    for scorer in (
        get_scorer("f1"),  # the positive label, 1, does not occur
        make_scorer(metrics.f1_score, pos_label="yes", zero_division=1),
        make_scorer(metrics.f1_score, average=None),
        make_scorer(metrics.cohen_kappa_score),
        make_scorer(metrics.accuracy_score, normalize=False),
    ):
        assert confusion_score(*_function(scorer), classes) is None
    assert _function(get_scorer("roc_auc")) is None
    yes = make_scorer(metrics.f1_score, pos_label="yes")
    assert confusion_score(*_function(yes), classes) is not None


@pytest.mark.parametrize("seed", range(20))
def test_areas_have_the_bits_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 300))
    true = rng.integers(0, 2, n)
    true[:2] = 0, 1
    values = rng.normal(size=(6, n)) + true
    values[1] = np.round(values[1])
    values[2] = 0.5
    values[3] = true
    values[4] = -true
    found = roc_areas(true.astype(np.uint32), values[:, :, np.newaxis], np.arange(2))
    assert found.tolist() == [metrics.roc_auc_score(true, own) for own in values]


def test_areas_that_are_not_defined_are_left_to_scikit_learn():
    values = np.zeros((1, 3, 1))
    assert np.isnan(roc_areas(np.zeros(3, dtype=np.uint32), values, np.arange(2))).all()
    assert is_area(get_scorer("roc_auc"))
    assert not is_area(get_scorer("roc_auc_ovr"))
    assert not is_area(make_scorer(metrics.roc_auc_score, max_fpr=0.5))
    assert not is_area(get_scorer("average_precision"))
