"""Hundreds of classes: memory grows with what scores need, and its lack is an error."""

import warnings

import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import get_scorer
from sklearn.metrics._scorer import _MultimetricScorer

from processes import facts_of
from softmargin import OLLAWV, LinearSVC
from softmargin._selection import engine
from softmargin._selection.candidates import Candidates
from softmargin._selection.samples import Samples
from softmargin._selection.scoring import Scoring
from systems import linux

# Classes of points around their centres; and a call with some more megabytes than there are now.
MANY_CLASSES = """
import resource, warnings
from soak.resident import address_space, forget_peak, resident, status

warnings.simplefilter("ignore")

def problem(n_classes, n_each):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), n_each)
    return rng.normal(size=(n_classes, 5))[y] + 0.2 * rng.normal(size=(len(y), 5)), y

def select(X, y, method, grid, **options):
    options = {"outer": 2, "inner": 2, "random_state": 0, "n_jobs": 2} | options
    return softmargin.nested_cv(X, y, method, grid, **options)

def tiny():
    return softmargin.SVC(n_jobs=2).fit([[0.0], [1.0]], [0, 1]).predict([[0.0], [1.0]]).tolist()

def limited(megabytes, call):
    tiny()  # imports what the package needs
    limit = address_space() + megabytes * 10**6
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        call()
        report(ended="done")
    except MemoryError as error:
        report(ended="MemoryError", message=str(error))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    report(after=tiny())

def peak(call):
    tiny()
    before = resident()
    forget_peak()
    call()
    return (status("VmHWM") - before) / 1e6

"""


def check(facts, least, enough, megabytes):
    """Less than the least is an error at once, and more than enough is a result."""
    if megabytes < least:
        assert facts["ended"] == "MemoryError"
    elif megabytes >= enough:
        assert facts["ended"] == "done"
    assert facts.get("message", "cannot allocate").startswith("cannot allocate")
    assert facts["after"] == [0, 1]


@pytest.mark.case(118, of="SVC")
@linux
@pytest.mark.parametrize("megabytes", [70, 120, 160, 200, 260, 340])
def test_a_model_of_many_pairs_is_trained_or_memory_is_an_error(megabytes):
    facts = facts_of(
        MANY_CLASSES
        + f"""
X, y = problem(700, 3)
limited({megabytes}, lambda: softmargin.SVC(n_jobs=2).fit(X, y).predict(X[:50]))
"""
    )
    check(facts, 80, 340, megabytes)


@pytest.mark.case(118, of="nested_cv")
@linux
@pytest.mark.parametrize(
    ("n_jobs", "megabytes"), [(1, 60), (1, 100), (1, 130), (1, 200), (2, 160), (2, 180), (2, 300)]
)
def test_many_classes_are_selected_or_memory_is_an_error(n_jobs, megabytes):
    facts = facts_of(
        MANY_CLASSES
        + f"""
X, y = problem(150, 6)
grid = {{"C": np.logspace(-1, 2, 8), "gamma": [0.1]}}
limited({megabytes}, lambda: select(X, y, "svc", grid, n_jobs={n_jobs}))
"""
    )
    check(facts, 70, 200, megabytes)


@pytest.mark.case(118, of="nested_cv")
@linux
def test_memory_of_a_selection_does_not_grow_with_the_square_of_the_classes():
    """Tables of predictions against classes were 9 splits x 32 cells x 200^2 x 8 bytes, 92 MB."""
    facts = facts_of(
        MANY_CLASSES
        + """
X, y = problem(200, 4)
grid = {"margin": [0.01, 0.03, 0.1, 0.2], "gamma": [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]}
options = {"outer": 3, "inner": 3, "memory_budget": 10**7}
report(peak=peak(lambda: select(X, y, "ollawv", grid, **options)))
"""
    )
    assert facts["peak"] < 10 + 24  # the budget, and what is allowed beside it


@pytest.mark.parametrize("model", [OLLAWV(), OLLAWV(multi_class="ovr"), LinearSVC()], ids=repr)
def test_scores_of_many_classes_have_the_bits_of_scikit_learn(model):
    """Also where classes are without training or test samples."""
    rng = np.random.default_rng(0)
    k = 150
    y = np.concatenate([np.arange(k), rng.integers(0, k, 900)])
    X = rng.normal(size=(k, 4))[y] + 0.5 * rng.normal(size=(len(y), 4))
    classes, codes = np.unique(y), y.astype(np.uint32)
    rows = Samples(X, classes, codes)
    train = np.flatnonzero((np.arange(len(y)) % 3 > 0) & (y != 7))
    splits = [(train, np.flatnonzero(test)) for test in (y == 7, y % 2 > 0, y % 20 == 3, y >= 0)]
    candidates = Candidates.of(model, [{"C": 1.0}, {"C": 10.0}], classes, codes)
    scorers = {name: get_scorer(name) for name in ("accuracy", "balanced_accuracy", "f1_macro")}
    scoring = Scoring(_MultimetricScorer(scorers=scorers), classes, [model])
    assert set(scoring.core) == set(scorers)
    resources = engine.Resources(2, 10**8)
    table, _ = engine.evaluate(candidates, rows, splits, scoring, resources)
    assert table.done.all()
    for cell, C in enumerate([1.0, 10.0]):
        model.set_params(C=C).fit(X[train], y[train])
        for split, (_, test) in enumerate(splits):
            predicted = model.predict(X[test])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # predicted classes without test samples
                expected = {
                    "accuracy": metrics.accuracy_score(y[test], predicted),
                    "balanced_accuracy": metrics.balanced_accuracy_score(y[test], predicted),
                    "f1_macro": metrics.f1_score(y[test], predicted, average="macro"),
                }
            for name, score in expected.items():
                assert table.scores(name)[split, cell] == score, (name, split, cell)
