"""With their default parameters, estimators pass every check that their peers pass."""

from unittest import SkipTest

import pytest
from sklearn import linear_model, svm
from sklearn.base import clone
from sklearn.utils.estimator_checks import (
    check_class_weight_balanced_linear_classifier,
    parametrize_with_checks,
)

import softmargin
from estimators import CLASSIFIERS, LINEAR

PEERS = {
    "LinearSVC": svm.LinearSVC(),
    "SGDSVC": linear_model.SGDClassifier(),
    "GDSVC": linear_model.SGDClassifier(),
}
# The only check that may skip itself: it wants an environment variable of scipy before the import.
MAY_SKIP = {"check_array_api_input"}

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@parametrize_with_checks([getattr(softmargin, name)() for name in CLASSIFIERS])
def test_a_check_fails_only_if_it_fails_for_scikit_learn(estimator, check):
    name = check.func.__name__
    try:
        check(estimator)
    except SkipTest:
        assert name in MAY_SKIP
    except AssertionError:
        peer = PEERS.get(type(estimator).__name__, svm.SVC())
        with pytest.raises(AssertionError):
            check.func(type(peer).__name__, clone(peer), *check.args[1:], **check.keywords)


@pytest.mark.parametrize("name", LINEAR)
def test_balanced_classes_have_the_weights_of_their_counts(name):
    """A check that scikit-learn runs for subclasses of its own mixin only."""
    check_class_weight_balanced_linear_classifier(name, getattr(softmargin, name)())
