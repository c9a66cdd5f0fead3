"""Steps for texts that run in other processes have the results of steps that run here."""

import threading

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor
from sklearn import datasets
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV as PlainSearch
from sklearn.pipeline import Pipeline, make_pipeline
from threadpoolctl import threadpool_info, threadpool_limits

from softmargin import SVC, GridSearchCV, LinearSVC, nested_cv
from softmargin._selection import ahead
from user_searches import posts

GRID = {"tfidfvectorizer__min_df": [1, 3], "linearsvc__C": [0.1, 1.0]}
N_SPLITS = 4


@pytest.fixture(scope="module", autouse=True)
def no_idle_processes():
    yield
    get_reusable_executor().shutdown(wait=True)


@pytest.fixture
def prepared(monkeypatch):
    """Run all steps but those of the first split in processes; return what they prepared."""
    found = {}
    in_processes = ahead.Ahead.prepared

    def recorded(self, split, setting):
        results = in_processes(self, split, setting)
        found.update(results)
        return results

    monkeypatch.setattr(ahead, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(ahead.Ahead, "prepared", recorded)
    return found


def total_decision(estimator, X, y):
    """A score that no rounding error leaves as it is."""
    return float(np.abs(estimator.decision_function(X)).sum())


def scores(kind, model, X, y, grid, **options):
    """Return the scores of all splits."""
    search = kind(model, grid, scoring=total_decision, cv=N_SPLITS, refit=False, **options)
    found = search.fit(X, y).cv_results_
    return np.array([found[f"split{split}_test_score"] for split in range(N_SPLITS)])


class Words(TfidfVectorizer):
    """A vectorizer of a user, whose terms the splits do not share."""


def vectorized(**options):
    model = LinearSVC(random_state=0)
    return Pipeline([("tfidfvectorizer", Words(**options)), ("linearsvc", model)])


def test_processes_find_the_same_bits(prepared):
    texts, topics = posts()
    model = vectorized(ngram_range=(1, 2))
    here = scores(GridSearchCV, model, texts, topics, GRID, n_jobs=1)
    assert not prepared
    elsewhere = scores(GridSearchCV, model, texts, topics, GRID, n_jobs=2)
    assert len(prepared) == (N_SPLITS - 1) * len(GRID["tfidfvectorizer__min_df"])
    np.testing.assert_array_equal(elsewhere, here)
    theirs = scores(PlainSearch, model, texts, topics, GRID)
    np.testing.assert_allclose(elsewhere, theirs, rtol=1e-9)


def test_nested_steps_in_processes_find_the_same_bits(prepared):
    texts, topics = posts()
    X = np.array(texts, dtype=object)
    options = {"outer": 2, "inner": 2, "scoring": total_decision, "random_state": 0}
    here, elsewhere = (
        nested_cv(X, topics, vectorized(), GRID, n_jobs=n, **options) for n in (1, 2)
    )
    assert prepared
    np.testing.assert_array_equal(elsewhere.inner_scores, here.inner_scores)
    np.testing.assert_array_equal(elsewhere.outer_scores, here.outer_scores)


def test_an_exception_in_a_process_costs_one_candidate(prepared):
    texts, topics = posts()
    grid = {"tfidfvectorizer__max_features": [5, -1]}
    tables = []
    for n_jobs in (1, 2):
        options = {"n_jobs": n_jobs, "error_score": -1.0}
        with pytest.warns(FitFailedWarning, match="max_features"):
            tables.append(scores(GridSearchCV, vectorized(), texts, topics, grid, **options))
    assert sum(isinstance(one, Exception) for one in prepared.values()) == N_SPLITS - 1
    assert (tables[0] == -1).tolist() == [[False, True]] * N_SPLITS
    np.testing.assert_array_equal(*tables)


def test_a_step_that_cannot_be_pickled_runs_here(prepared):
    texts, topics = posts()
    own = threading.Lock()

    def words(text):
        with own:
            return text.lower().split()

    model = vectorized(analyzer=words)
    here, elsewhere = (scores(GridSearchCV, model, texts, topics, GRID, n_jobs=n) for n in (1, 2))
    assert not prepared
    np.testing.assert_array_equal(elsewhere, here)


@pytest.mark.parametrize("option", ["analyzer", "tokenizer"])
def test_a_lambda_as_a_step_works(prepared, option):
    texts, topics = posts()
    given = {option: lambda text: text.lower().split()}
    if option == "tokenizer":
        given["token_pattern"] = None
    found = [
        scores(GridSearchCV, vectorized(**given), texts, topics, GRID, n_jobs=n) for n in (1, 2)
    ]
    np.testing.assert_array_equal(*found)


def test_steps_for_numbers_run_here(prepared):
    """Their results may depend on the process, for instance on its threads of BLAS."""
    X, y = datasets.load_digits(return_X_y=True)
    model = make_pipeline(PCA(random_state=0), SVC())
    grid = {"pca__n_components": [5, 10], "svc__C": [1.0, 10.0]}
    with threadpool_limits(1, user_api="blas"):  # faster on a busy machine
        found = [scores(GridSearchCV, model, X[:300], y[:300], grid, n_jobs=n) for n in (1, 2)]
    assert not prepared
    np.testing.assert_array_equal(*found)


class Threads(TransformerMixin, BaseEstimator):
    """Returns the number of threads of BLAS, and a number that depends on the text."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        threads = max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return np.column_stack([np.full(len(X), threads), [len(text) for text in X]])


def test_processes_have_their_share_of_the_cores_for_blas(prepared):
    texts, topics = posts()
    model = make_pipeline(Threads(), SVC())
    GridSearchCV(model, {"svc__C": [0.1, 1.0]}, cv=N_SPLITS, n_jobs=2).fit(texts, topics)
    assert len(prepared) == N_SPLITS - 1
    for part in prepared.values():
        assert (part.rows[:, 0] == max(joblib.cpu_count() // 2, 1)).all()


SEEN = []


class Seen(TransformerMixin, BaseEstimator):
    """Notes the number of threads of BLAS."""

    def fit(self, X, y=None):
        SEEN.append(max(one["num_threads"] for one in threadpool_info() if "blas" in one.values()))
        return self

    def transform(self, X):
        return X


@pytest.mark.parametrize(("n_jobs", "limit"), [(1, 2), (2, 2), (2, 1)])
def test_steps_have_their_share_of_the_cores_for_blas(n_jobs, limit):
    SEEN.clear()
    with threadpool_limits(limit, user_api="blas"):
        before = max(one["num_threads"] for one in threadpool_info() if "blas" in one.values())
        model = make_pipeline(Seen(), SVC())
        search = GridSearchCV(model, {"svc__C": [0.1, 1.0]}, cv=3, n_jobs=n_jobs, refit=False)
        search.fit(*datasets.load_iris(return_X_y=True))
    share = before if n_jobs == 1 else max(joblib.cpu_count() // n_jobs, 1)
    assert set(SEEN) == {min(before, share)}
