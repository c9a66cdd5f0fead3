"""Searches that count the terms of texts once have the scores of searches that do not."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV as PlainSearch
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline

from softmargin import SVC, GridSearchCV, LinearSVC, cross_val_score, nested_cv
from user_searches import posts

N_SPLITS = 4
TEXTS, TOPICS = posts()


class Counting:
    """A tokenizer that counts its calls; copies share the number."""

    calls = 0

    def __call__(self, text):
        type(self).calls += 1
        return text.lower().split()

    def __deepcopy__(self, memo):
        return self


def test_each_document_is_tokenized_once_for_each_kind_of_terms():
    model = make_pipeline(TfidfVectorizer(tokenizer=Counting(), token_pattern=None), LinearSVC())
    grid = {
        "tfidfvectorizer__ngram_range": [(1, 1), (1, 2)],
        "tfidfvectorizer__min_df": [1, 2],
        "tfidfvectorizer__sublinear_tf": [False, True],
        "linearsvc__C": [0.1, 1.0],
    }
    Counting.calls = 0
    search = GridSearchCV(model, grid, cv=N_SPLITS, return_train_score=True).fit(TEXTS, TOPICS)
    assert search.used_engine_
    assert Counting.calls == len(TEXTS) * (2 + 1)  # two ranges, and the final fit
    Counting.calls = 0
    nested_cv(TEXTS, TOPICS, model, grid, outer=3, inner=3, random_state=0)
    assert Counting.calls == len(TEXTS) * 2


def assert_same_table(model, grid, cv=N_SPLITS, X=TEXTS, y=TOPICS, error_score=np.nan, **params):
    """Compare the scores of a search with scikit-learn's."""
    options = {"cv": cv, "return_train_score": True, "refit": False, "error_score": error_score}
    ours, theirs = (
        kind(model, grid, **options).fit(X, y, **params) for kind in (GridSearchCV, PlainSearch)
    )
    assert ours.used_engine_
    for name in theirs.cv_results_:
        if "score" in name and "time" not in name:
            np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], rtol=1e-9)


TIGHT = {"tol": 1e-8, "max_iter": 100_000, "random_state": 0}
GRID = {"vectors__min_df": [1, 3], "vectors__ngram_range": [(1, 1), (1, 2)], "model__C": [0.1, 1.0]}


def pipeline(vectors, *steps):
    names = [f"step{number}" for number in range(len(steps) - 1)]
    own = make_pipeline(vectors, *steps)
    own.steps = list(zip(["vectors", *names, "model"], (vectors, *steps), strict=True))
    return own


@pytest.mark.parametrize(
    "model",
    [
        pipeline(TfidfVectorizer(), LinearSVC(**TIGHT)),
        pipeline(TfidfVectorizer(sublinear_tf=True), SVC(kernel="linear")),
        pipeline(CountVectorizer(), TfidfTransformer(), LinearSVC(**TIGHT)),
        pipeline(TfidfVectorizer(), TruncatedSVD(5, random_state=0), SVC()),
    ],
)
@pytest.mark.parametrize("shape", [list, pd.Series])
def test_searches_have_the_scores_of_scikit_learn(model, shape):
    assert_same_table(model, GRID, X=shape(TEXTS))


def test_groups_repeated_splits_and_weights_have_the_scores_of_scikit_learn():
    model = pipeline(TfidfVectorizer(), LinearSVC(**TIGHT))
    groups = np.arange(len(TEXTS)) % 7
    assert_same_table(model, GRID, cv=GroupKFold(3), groups=groups)
    assert_same_table(
        model, GRID, cv=RepeatedStratifiedKFold(n_repeats=2, n_splits=3, random_state=0)
    )
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(TEXTS))
    assert_same_table(model, GRID, model__sample_weight=weights)


class Own(TfidfVectorizer):
    """A vectorizer of a user."""

    def build_analyzer(self):
        return lambda text: text.split()[:5]


def test_vectorizers_of_a_grid_do_not_share_terms():
    model = pipeline(TfidfVectorizer(), LinearSVC(**TIGHT))
    vectors = [CountVectorizer(), TfidfVectorizer(analyzer="char"), TfidfVectorizer(), Own()]
    assert_same_table(model, {"vectors": vectors})


class Failing:
    """A tokenizer that fails for one text."""

    def __call__(self, text):
        if text == TEXTS[0].lower():
            raise RuntimeError("no tokens")
        return text.split()


def outcomes(model, grid, **options):
    """Return the scores of both searches, and their warnings."""
    found = []
    for kind in (GridSearchCV, PlainSearch):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search = kind(model, grid, cv=N_SPLITS, refit=False, error_score=-1.0, **options)
            search.fit(TEXTS, TOPICS)
        table = [search.cv_results_[f"split{number}_test_score"] for number in range(N_SPLITS)]
        failures = [str(one.message) for one in caught if one.category is FitFailedWarning]
        found.append((np.array(table), failures))
    return found


def test_a_failing_tokenizer_costs_the_splits_that_train_with_the_text():
    model = pipeline(TfidfVectorizer(tokenizer=Failing(), token_pattern=None), LinearSVC(**TIGHT))
    (ours, own), (theirs, their) = outcomes(model, {"model__C": [0.1, 1.0]})
    np.testing.assert_allclose(ours, theirs)
    assert len(own) == len(their) == 1
    assert "RuntimeError: no tokens" in own[0]


def test_an_exhausted_budget_does_not_change_scores():
    model = pipeline(TfidfVectorizer(), LinearSVC(**TIGHT))
    found = [
        nested_cv(TEXTS, TOPICS, model, GRID, outer=2, inner=2, random_state=0, memory_budget=own)
        for own in (None, 40_000)
    ]
    np.testing.assert_array_equal(found[0].inner_scores, found[1].inner_scores)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vectors__min_df": [1, 10**6]}, "max_df corresponds to < documents than min_df"),
        ({"vectors__max_df": [1.0, 0.0001]}, "max_df corresponds to < documents than min_df"),
        ({"vectors__min_df": [1, 1.0]}, "After pruning, no terms remain"),
        ({"vectors__token_pattern": [r"\w+", "§"]}, "empty vocabulary"),
        ({"vectors__max_features": [5, -1]}, "The 'max_features' parameter"),
        ({"vectors__ngram_range": [(1, 1), (2, 1)]}, "Invalid value for ngram_range"),
    ],
)
def test_limits_without_terms_fail_as_in_scikit_learn(options, message):
    model = pipeline(TfidfVectorizer(), LinearSVC(**TIGHT))
    (ours, own), (theirs, their) = outcomes(model, options)
    assert (theirs[:, 1] == -1).all()
    np.testing.assert_allclose(ours, theirs)
    assert message in own[0]
    assert message in their[0]


def test_nested_searches_have_the_bits_of_separate_vectorizers():
    model = pipeline(TfidfVectorizer(), LinearSVC(**TIGHT))
    alone = pipeline(Alone(), LinearSVC(**TIGHT))
    for search in ("grid", "pattern"):
        found = [
            nested_cv(TEXTS, TOPICS, each, GRID, outer=3, inner=2, random_state=0, search=search)
            for each in (model, alone)
        ]
        np.testing.assert_array_equal(found[0].inner_scores, found[1].inner_scores)
        np.testing.assert_array_equal(found[0].outer_scores, found[1].outer_scores)
    scores = [cross_val_score(each, TEXTS, TOPICS, cv=3) for each in (model, alone)]
    np.testing.assert_array_equal(*scores)


class Alone(TfidfVectorizer):
    """The vectorizer without anything shared."""


def test_the_best_estimator_is_an_ordinary_fit():
    model = pipeline(TfidfVectorizer(), LinearSVC(**TIGHT))
    best = GridSearchCV(model, GRID, cv=N_SPLITS).fit(TEXTS, TOPICS)
    again = clone(model).set_params(**best.best_params_).fit(TEXTS, TOPICS)
    found, wanted = (own.named_steps["vectors"] for own in (best.best_estimator_, again))
    assert found.vocabulary_ == wanted.vocabulary_
    np.testing.assert_array_equal(found.idf_, wanted.idf_)
