"""Terms that are counted once for all splits give the matrices of scikit-learn's vectorizers."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from softmargin import SVC
from softmargin._selection import texts as shared
from softmargin._selection.steps import Setting, Steps
from user_searches import posts

BUDGET = 2**28
TEXTS, TOPICS = posts()


def words(text):
    return text.lower().split()


def letters(text):
    yield from text


VARIANTS = [
    {},
    {"binary": True},
    {"dtype": np.float32},
    {"dtype": np.float64, "binary": True},
    {"min_df": 3},
    {"min_df": 0.05, "max_df": 0.5},
    {"max_df": 20},
    {"max_features": 7},
    {"max_features": 40, "ngram_range": (1, 2)},  # with ties
    {"max_features": 40, "min_df": 2, "max_df": 0.4, "ngram_range": (1, 3)},
    {"max_features": 25, "dtype": np.float32, "binary": True},
    {"max_features": 10**6},
    {"ngram_range": (2, 2)},
    {"analyzer": "char", "ngram_range": (1, 3), "min_df": 2},
    {"analyzer": "char_wb", "ngram_range": (2, 4)},
    {"analyzer": letters},
    {"analyzer": lambda text: dict.fromkeys(text.split(), 5)},
    {"tokenizer": words, "token_pattern": None},
    {"preprocessor": str.swapcase, "lowercase": False},
    {"strip_accents": "unicode", "lowercase": False},
    {"stop_words": "english"},
    {"stop_words": ["the", "with"]},
    {"token_pattern": r"(?u)\b(\w)\w+\b"},
    {"vocabulary": ["the", "with", "zebra", "and"]},
    {"vocabulary": {"with": 1, "the": 0}, "binary": True},
    {"vocabulary": {"with", "and", "match"}, "min_df": 100},
]
INTEGERS = [{"dtype": dtype} for dtype in (np.int32, np.int64, np.uint8, bool)]
WEIGHTINGS = [
    {"sublinear_tf": True},
    {"norm": None},
    {"norm": "l1", "ngram_range": (1, 2)},
    {"use_idf": False},
    {"smooth_idf": False},
    {"sublinear_tf": True, "use_idf": False, "norm": None, "binary": True},
    {"dtype": np.float32, "sublinear_tf": True, "max_features": 30},
]
CASES = [
    *((CountVectorizer, own) for own in VARIANTS + INTEGERS),
    *((TfidfVectorizer, own) for own in VARIANTS + WEIGHTINGS),
]


def splits_of(n, seed=0):
    """Return splits whose samples are in random order, and some drawn several times."""
    rng = np.random.default_rng(seed)
    found = [(rng.permutation(train), test) for train, test in KFold(3).split(np.zeros(n))]
    drawn = rng.integers(0, n, n)
    return [*found, (drawn, np.setdiff1d(np.arange(n), drawn))]


def started(X, splits, budget=BUDGET):
    texts = shared.SharedTexts()
    texts.start(X, splits, 1, budget)
    return texts


def transformed(texts, step, X, split, params=None):
    """Return the training, test and again training samples by shared counts."""
    train, test = split
    params = step.get_params() if params is None else params
    found = texts.transformed(clone(step), params, X, train, [test, train])
    return None if found is None else (found[0], *found[1])


def expected(step, X, split):
    """Return the training, test and again training samples by scikit-learn."""
    train, test = ([X[number] for number in part] for part in split)
    step = clone(step)
    return step.fit_transform(train), step.transform(test), step.transform(train)


def assert_same_bits(found, wanted):
    """Check containers, and their arrays with the order of terms within documents."""
    for own, theirs in zip(found, wanted, strict=True):
        assert type(own) is type(theirs)
        assert own.shape == theirs.shape
        assert own.dtype == theirs.dtype
        for name in ("indptr", "indices", "data"):
            ours, others = getattr(own, name), getattr(theirs, name)
            assert ours.dtype == others.dtype
            np.testing.assert_array_equal(ours, others)
        assert own.has_sorted_indices == theirs.has_sorted_indices


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_splits_have_the_bits_of_the_vectorizer(kind, options):
    step = kind(**options)
    splits = splits_of(len(TEXTS))
    texts = started(TEXTS, splits)
    for split in splits:
        found = transformed(texts, step, TEXTS, split)
        assert found is not None
        assert_same_bits(found, expected(step, TEXTS, split))


@pytest.mark.parametrize(
    "container",
    [
        list,
        np.array,
        lambda X: np.array(X, dtype=object),
        pd.Series,
        lambda X: [x.encode() for x in X],
    ],
)
def test_containers_of_texts_are_shared(container):
    X = container(TEXTS)
    step = TfidfVectorizer(ngram_range=(1, 2))
    split = splits_of(len(TEXTS))[0]
    found = transformed(started(X, [split]), step, X, split)
    assert_same_bits(found, expected(step, TEXTS, split))


def test_documents_are_added_when_later_splits_need_them():
    step = TfidfVectorizer(max_features=30)
    half, whole = splits_of(len(TEXTS) // 2), splits_of(len(TEXTS))
    texts = started(TEXTS, half)
    assert_same_bits(transformed(texts, step, TEXTS, half[0]), expected(step, TEXTS, half[0]))
    texts.start(TEXTS, whole, 1, BUDGET)
    for split in whole:
        assert_same_bits(transformed(texts, step, TEXTS, split), expected(step, TEXTS, split))


@pytest.fixture(scope="module", autouse=True)
def no_idle_processes():
    yield
    get_reusable_executor().shutdown(wait=True)


@pytest.mark.parametrize(
    "options", [{}, {"vocabulary": ["the", "with"]}, {"tokenizer": lambda text: text.split()}]
)
def test_processes_count_the_same_bits(monkeypatch, options):
    monkeypatch.setattr(shared, "_FIRST_SECONDS", 0.0)
    monkeypatch.setattr(shared, "_LEAST_SECONDS", -np.inf)
    monkeypatch.setattr(shared, "_BLOCK", 5)
    step = TfidfVectorizer(token_pattern=None if "tokenizer" in options else r"\w+", **options)
    splits = splits_of(len(TEXTS))
    texts = started(TEXTS, splits)
    counted = []
    in_processes = shared._in_processes
    monkeypatch.setattr(
        shared, "_in_processes", lambda *own: counted.append(in_processes(*own)) or counted[-1]
    )
    texts.start(TEXTS, splits, 2, BUDGET)
    for split in splits:
        assert_same_bits(transformed(texts, step, TEXTS, split), expected(step, TEXTS, split))
    assert len(counted) == 1
    assert len(counted[0]) == 4


class Own(TfidfVectorizer):
    """A vectorizer of a user."""

    def build_analyzer(self):
        return lambda text: text.split()[:5]


@pytest.mark.parametrize(
    "step",
    [
        Own(),
        TfidfVectorizer(vocabulary=iter(["the"])),
        TfidfVectorizer(analyzer=lambda text: [len(word) for word in text.split()]),  # numbers
    ],
)
def test_unusual_vectorizers_are_not_shared(step):
    split = splits_of(len(TEXTS))[0]
    texts = started(TEXTS, [split])
    # An iterator cannot be cloned.
    assert texts.transformed(step, step.get_params(), TEXTS, split[0], [split[1]]) is None


def test_an_exhausted_budget_shares_nothing():
    split = splits_of(len(TEXTS))[0]
    texts = started(TEXTS, [split], budget=1000)
    assert transformed(texts, TfidfVectorizer(), TEXTS, split) is None


def test_counts_of_earlier_runs_make_room():
    split = splits_of(len(TEXTS))[0]
    step, other = TfidfVectorizer(), TfidfVectorizer(analyzer="char")
    texts = started(TEXTS, [split])
    assert transformed(texts, step, TEXTS, split) is not None
    assert transformed(texts, other, TEXTS, split) is not None
    budget = max(entry.counts.n_bytes() for entry in texts._entries.values())
    texts = started(TEXTS, [split], budget)
    assert transformed(texts, step, TEXTS, split) is not None
    texts.start(TEXTS, [split], 1, budget)
    assert transformed(texts, other, TEXTS, split) is not None
    assert transformed(texts, step, TEXTS, split) is None  # the other one is in use


def test_copies_for_processes_are_empty():
    split = splits_of(len(TEXTS))[0]
    steps = Steps(make_pipeline(TfidfVectorizer(), SVC()))
    steps.texts.start(TEXTS, [split], 1, BUDGET)
    steps.prepare(Setting({}), TEXTS, TOPICS, split, {}, [])
    assert steps.shares_texts(Setting({}), TEXTS)
    copied = pickle.loads(pickle.dumps(steps))
    assert not copied.shares_texts(Setting({}), TEXTS)
    assert len(pickle.dumps(steps.texts)) < 200


@pytest.mark.parametrize(
    "options",
    [
        {"stop_words": ["the cat"]},
        {"dtype": np.int32},
        {"tokenizer": words},
        {"vocabulary": ["The", "with"]},
    ],
)
def test_each_fit_warns_as_in_scikit_learn(options):
    step = TfidfVectorizer(**options)
    splits = splits_of(len(TEXTS))
    texts = started(TEXTS, splits)
    messages = []
    for fit in (
        lambda split: transformed(texts, step, TEXTS, split),
        lambda split: expected(step, TEXTS, split),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = [fit(split) for split in splits]
        assert None not in found
        messages.append([str(one.message) for one in caught])
    assert messages[0] == messages[1] != []


def test_warnings_that_are_errors_fail_each_fit():
    split = splits_of(len(TEXTS))[0]
    step = TfidfVectorizer(vocabulary=["The", "with"])
    assert transformed(started(TEXTS, [split]), step, TEXTS, split) is None
    with pytest.raises(UserWarning, match="Upper case"):
        expected(step, TEXTS, split)
