"""Scores from counts per class have the bits of scikit-learn's, or are left to it."""

import warnings

import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import get_scorer, make_scorer

from softmargin._selection.confusion import Counts, confusion_score
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
