"""The exact classifier among scikit-learn's tools."""

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from softmargin import SVC

# Weights equal repeated rows to seven digits only if both are solved to more, and with the
# same gamma: "scale" depends on how often a row is there.
SOLVED = {"gamma": 0.5, "tol": 1e-9}
ESTIMATORS = [
    SVC(**SOLVED),
    SVC(**SOLVED, multi_class="ovr"),
    SVC(**SOLVED, kernel="linear", n_jobs=2),
]


@parametrize_with_checks(ESTIMATORS)
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


def test_probabilities_come_from_calibration(noisy):
    X, y = noisy
    probabilities = CalibratedClassifierCV(SVC(), cv=3).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
