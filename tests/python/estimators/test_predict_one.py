"""A single row is predicted without a detour, with the same numbers and the same refusals."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from estimators import CLASSIFIERS, each
from processes import facts_of
from systems import linux

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

BAD = {
    "NaN": lambda X: np.where(X.flat[-1] == X, np.nan, X),
    "infinity": lambda X: np.where(X.flat[-1] == X, -np.inf, X),
    "a column less": lambda X: X[:, :-1].copy(),
    "a column more": lambda X: np.c_[X, X[:, :1]],
    "no rows": lambda X: X[:0],
    "one dimension": lambda X: X[0].copy(),
    "three dimensions": lambda X: X[None].copy(),
    "complex": lambda X: X.astype(complex),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scheme", ["ovo", "ovr", "ordinal"])
@each(CLASSIFIERS)
def test_one_row_is_decided_as_among_many(estimator, scheme, dtype, three_classes):
    X, y = three_classes
    X = X.astype(dtype)
    model = estimator.set_params(multi_class=scheme).fit(X, y)
    many = np.tile(X, (20, 1))  # more than one block
    decisions, labels = model.decision_function(many), model.predict(many)
    for row in (0, 70, 177):
        for rows in (X[row : row + 1], X[row : row + 1].tolist(), pd.DataFrame(X)[row : row + 1]):
            np.testing.assert_array_equal(model.decision_function(rows)[0], decisions[row])
            assert model.predict(rows).tolist() == [labels[row]]


@pytest.mark.parametrize("bad", BAD)
@each(CLASSIFIERS)
def test_an_array_is_refused_with_the_words_for_a_list(estimator, bad, noisy):
    X, y = noisy
    model = estimator.fit(X, y)
    rows = BAD[bad](X[:3])
    for method in (model.predict, model.decision_function):
        messages = []
        for given in (rows, rows.tolist() if rows.size else np.asfortranarray(rows)):
            with pytest.raises(ValueError, match=r"\S+ \S+") as refusal:
                method(given)
            messages.append(str(refusal.value).replace("list", "array"))
        assert messages[0].splitlines()[0] == messages[1].splitlines()[0]


@each(CLASSIFIERS)
def test_what_is_asked_of_other_rows_is_asked_of_one(estimator, noisy):
    X, y = noisy
    with pytest.raises(NotFittedError, match="not fitted yet"):
        estimator.predict(X[:1])
    named = clone(estimator).fit(pd.DataFrame(X, columns=list("abcd")), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X[:1])
    for n_jobs in (0, 1.5):
        with pytest.raises((ValueError, TypeError), match="n_jobs"):
            clone(estimator).fit(X, y).set_params(n_jobs=n_jobs).predict(X[:1])


@linux
@each(CLASSIFIERS)
def test_one_row_needs_no_thread(estimator, noisy, tmp_path):
    """To start threads and to hand them a row takes longer than to predict it."""
    model = estimator.fit(*noisy)
    path = tmp_path / "model"
    path.write_bytes(pickle.dumps(model))
    facts = facts_of(
        f"""
import glob, pickle
model = pickle.loads(open({str(path)!r}, "rb").read())
label = model.predict(np.array({noisy[0][:1].tolist()})).tolist()
value = model.decision_function(np.array({noisy[0][:1].tolist()})).tolist()
names = [open(name).read() for name in glob.glob("/proc/self/task/*/comm")]
report(label=label, value=value, threads=[name for name in names if name.startswith("softmargin-")])
"""
    )
    assert facts["threads"] == []
    assert facts["label"] == model.predict(noisy[0][:1]).tolist()
    assert facts["value"] == model.decision_function(noisy[0][:1]).tolist()
