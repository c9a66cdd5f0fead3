"""A search with functions as scores or kernels resumes in another process."""

import numpy as np
import pytest
from sklearn import datasets
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from processes import facts_of
from softmargin import SVC, GridSearchCV, nested_cv
from softmargin._selection import engine

X, Y = datasets.load_iris(return_X_y=True)
CS = [0.01, 0.1, 1.0]
N_SPLITS = 3


def hits(estimator, X, y):
    return float(np.mean(estimator.predict(X) == y))


def misses(estimator, X, y):
    return -float(np.mean(estimator.predict(X) != y))


def macro_f1(estimator, X, y):
    return f1_score(y, estimator.predict(X), average="macro")


def linear(X, Y):
    return X @ Y.T


def doubled(X, Y):
    return 2 * X @ Y.T


def scored(scoring, refit=True):
    return GridSearchCV(SVC(), {"C": CS}, scoring=scoring, refit=refit, cv=N_SPLITS)


def with_kernel(kernel):
    return GridSearchCV(SVC(kernel=kernel), {"C": CS}, cv=N_SPLITS)


def with_kernels(*kernels):
    model = make_pipeline(StandardScaler(), SVC())
    return GridSearchCV(model, {"svc__kernel": kernels}, cv=N_SPLITS)


# Searches with three candidates, and others of which the checkpoint would be wrong.
SEARCHES = {
    "a score": (scored(hits), scored(misses)),
    "several scores": (
        scored({"hits": hits, "f1": macro_f1}, refit="f1"),
        scored({"hits": misses, "f1": macro_f1}, refit="f1"),
    ),
    "a kernel": (with_kernel(linear), with_kernel(doubled)),
    "kernels": (with_kernels(linear, doubled, "rbf"), with_kernels(doubled, linear, "rbf")),
}


def begin(name, path):
    """Evaluate the first candidate of a search, then press Ctrl-C."""
    evaluate = engine.evaluate

    def interrupted(candidates, samples, splits, scoring, resources, table, wanted=None):
        wanted = np.zeros(table.done.shape, dtype=bool)
        wanted[:, 0] = True
        evaluate(candidates, samples, splits, scoring, resources, table, wanted)
        return table, KeyboardInterrupt()

    engine.evaluate = interrupted
    search = SEARCHES[name][0].set_params(checkpoint=path)
    try:
        search.fit(X, Y)
    except KeyboardInterrupt:
        return len(search.cv_results_["params"])
    finally:
        engine.evaluate = evaluate


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_with_functions_resumes_in_another_process(name, tmp_path, monkeypatch):
    path = str(tmp_path / "search.npz")
    script = f"from test_checkpoint_functions import begin\nreport(n=begin({name!r}, {path!r}))"
    assert facts_of(script) == {"n": 1}
    search, other = SEARCHES[name]
    expected = search.set_params(checkpoint=None).fit(X, Y).cv_results_
    n_left = []
    evaluate = engine.evaluate

    def counted(candidates, samples, splits, scoring, resources, table, wanted=None):
        n_left.append(int((~table.done).sum()))
        return evaluate(candidates, samples, splits, scoring, resources, table, wanted)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "evaluate", counted)
        found = search.set_params(checkpoint=path).fit(X, Y).cv_results_
    assert n_left == [2 * N_SPLITS]
    for column in expected:
        if column.startswith("split"):
            np.testing.assert_array_equal(found[column], expected[column], err_msg=column)
    with pytest.raises(ValueError, match="belongs to a different run"):
        other.set_params(checkpoint=path).fit(X, Y)


NESTED = """
from test_checkpoint_functions import SVC, CS, X, Y, linear, hits, nested_cv
model = SVC(kernel=linear)
result = nested_cv(X, Y, model, {{"C": CS}}, 3, 2, scale=None, scoring=hits, random_state=0,
                   checkpoint={path!r})
report(scores=result.inner_scores.tolist())
"""


def test_nested_cv_with_functions_resumes_in_another_process(tmp_path):
    path = str(tmp_path / "run.npz")
    first = facts_of(NESTED.format(path=path))["scores"]
    options = {"scale": None, "random_state": 0, "checkpoint": path}
    again = nested_cv(X, Y, SVC(kernel=linear), {"C": CS}, 3, 2, scoring=hits, **options)
    assert again.inner_scores.tolist() == first
    for model, scoring in ((SVC(kernel=doubled), hits), (SVC(kernel=linear), misses)):
        with pytest.raises(ValueError, match="belongs to a different run"):
            nested_cv(X, Y, model, {"C": CS}, 3, 2, scoring=scoring, **options)


class Priced:
    """The share of right predictions times a price."""

    def __init__(self, price):
        self.price = price

    def __call__(self, estimator, X, y):
        return self.price * hits(estimator, X, y)


def times(price):
    return lambda estimator, X, y: price * hits(estimator, X, y)


@pytest.mark.xfail(strict=True, reason="only the names of functions and classes are compared")
@pytest.mark.parametrize("kind", [Priced, times], ids=["object", "lambda"])
def test_another_function_of_the_same_name_is_refused(kind, tmp_path):
    path = tmp_path / "search.npz"
    scored(kind(1)).set_params(checkpoint=path).fit(X, Y)
    with pytest.raises(ValueError, match="belongs to a different run"):
        scored(kind(100)).set_params(checkpoint=path).fit(X, Y)
