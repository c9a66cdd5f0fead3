"""Searches pass scikit-learn's own tests of its searches, except those listed here."""

import pytest

import softmargin
from sklearn_suites import suite

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = (
    "GridSearchCV",
    "RandomizedSearchCV",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "SVC",
    "LinearSVC",
)
CLASSES = {name: getattr(softmargin, name) for name in NAMES}

FAILURES = {
    "compares all attributes with those of a search that has no engine_reason_": [
        "TestSearch::test_custom_run_search",
    ],
    "requires an error for a kernel matrix given as a list, which is accepted here": [
        "TestSearch::test_grid_search_precomputed_kernel",
    ],
}
# Needs packages of arrays that are not installed; other estimators are searched by scikit-learn.
LEFT_OUT = ["test_array_api_search_cv_classifier"]

PATH = "sklearn.model_selection.tests"
TestSearch = suite(f"{PATH}.test_search", CLASSES, FAILURES, left_out=LEFT_OUT)
TestSuccessiveHalving = suite(f"{PATH}.test_successive_halving", CLASSES, FAILURES)
