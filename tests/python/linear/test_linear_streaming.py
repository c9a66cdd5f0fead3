"""Rows that come in blocks are learned as if they had come at once."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import learning_curve
from sklearn.multiclass import OneVsRestClassifier

from linear_reference import iterates, machines, with_constant
from softmargin import SGDSVC

# The step length is given: else it goes by the first rows that come.
RULES = {
    "pegasos, last": {"average": 0, "lambda_": 0.05},
    "pegasos, mean": {"average": 1, "lambda_": 0.05},
    "pegasos, ball": {"average": 1, "lambda_": 0.5, "project": True},
    "sgd, last": {"optimizer": "sgd", "average": 0, "lambda_": 0.05, "eta0": 0.3},
    "sgd, mean": {"optimizer": "sgd", "average": 1, "lambda_": 0.05, "eta0": 0.3},
    "momentum": {"optimizer": "momentum", "lambda_": 0.05, "eta0": 0.02},
    "nag": {"optimizer": "nag", "lambda_": 0.05, "eta0": 0.02},
    "rmsprop": {"optimizer": "rmsprop", "lambda_": 0.05},
}
LAYOUTS = {"dense": np.asarray, "csr": sp.csr_matrix}


def problem(n=120, d=5, k=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(n, d)) + np.eye(k, d)[y]
    return X * (rng.uniform(size=(n, d)) < 0.7), y


def blocks(X, y, sizes=(50, 1, 30, 39)):
    ends = np.cumsum(sizes)
    assert ends[-1] == len(y)
    return [
        (X[end - size : end], y[end - size : end]) for size, end in zip(sizes, ends, strict=True)
    ]


def same(one, two, exactly=False):
    close = {"rtol": 0, "atol": 0} if exactly else {"rtol": 1e-10, "atol": 1e-12}
    np.testing.assert_allclose(one.coef_, two.coef_, **close)
    np.testing.assert_allclose(one.intercept_, two.intercept_, **close)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("rule", RULES)
def test_blocks_are_one_pass_in_order(rule, k, layout):
    X, y = problem(k=k)
    X = LAYOUTS[layout](X)
    whole = SGDSVC(shuffle=False, epochs=1, **RULES[rule]).fit(X, y)
    parts = SGDSVC(shuffle=False, **RULES[rule])
    for place, (rows, labels) in enumerate(blocks(X, y)):
        parts.partial_fit(rows, labels, classes=range(k) if place == 0 else None)
    same(parts, whole)
    assert parts.t_ == len(y)
    assert parts.n_iter_ == 1
    assert parts.classes_.tolist() == list(range(k))


@pytest.mark.parametrize("scheme", ["ovo", "ordinal"])
@pytest.mark.parametrize("rule", RULES)
def test_machines_of_pairs_learn_from_their_own_rows(rule, scheme):
    """Blocks of one class leave some machines without a row."""
    X, y = problem(k=3)
    order = np.argsort(np.where(y == 0, -1, np.arange(len(y))), kind="stable")
    X, y = X[order], y[order]
    whole = SGDSVC(shuffle=False, epochs=1, multi_class=scheme, **RULES[rule]).fit(X, y)
    parts = SGDSVC(shuffle=False, multi_class=scheme, **RULES[rule])
    for rows, labels in blocks(X, y, (20, 100)):
        parts.partial_fit(rows, labels, classes=[0, 1, 2])
    same(parts, whole)


def test_a_step_length_goes_by_the_first_rows_of_a_machine():
    """The machine of the classes 1 and 2 gets no row of the first block."""
    X, y = problem(k=3)
    X = 100 * X
    order = np.argsort(np.where(y == 0, -1, np.arange(len(y))), kind="stable")
    X, y = X[order], y[order]
    model = SGDSVC("sgd", average=0, shuffle=False, multi_class="ovo")
    for rows, labels in blocks(X, y, (20, 100)):
        model.partial_fit(rows, labels, classes=[0, 1, 2])
    rows, signs = machines(y, "ovo")[2]
    found = iterates(
        with_constant(X[rows]), signs, [range(len(rows))], lambda_=1e-4, optimizer="sgd"
    )
    np.testing.assert_allclose(np.r_[model.coef_[2], model.intercept_[2]], found[-1], rtol=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "nag"])
def test_blocks_choose_the_step_length_of_one_pass_from_1000_rows(optimizer, layout):
    X, y = problem(n=1400)
    X = LAYOUTS[layout](X * np.linspace(1, 3, 1400)[:, None])
    whole = SGDSVC(optimizer, average=0, shuffle=False, epochs=1).fit(X, y)
    enough, too_few = (SGDSVC(optimizer, average=0, shuffle=False) for _ in range(2))
    for rows, labels in blocks(X, y, (1000, 1, 399)):
        enough.partial_fit(rows, labels, classes=[0, 1])
    same(enough, whole)
    for rows, labels in blocks(X, y, (20, 981, 399)):
        too_few.partial_fit(rows, labels, classes=[0, 1])
    assert too_few._states[0][-1] > 2 * whole._states[0][-1]  # short rows, long steps
    given = SGDSVC(optimizer, average=0, shuffle=False, eta0=too_few._states[0][-1])
    same(too_few, given.set_params(epochs=1).fit(X, y))


def test_weights_come_with_their_blocks(rng):
    X, y = problem()
    weights = rng.uniform(0, 2, len(y)) * (rng.uniform(size=len(y)) < 0.7)
    params = {"shuffle": False, "average": 1, "lambda_": 0.05, "class_weight": {1: 2.0}}
    whole = SGDSVC(epochs=1, **params).fit(X, y, sample_weight=weights)
    parts = SGDSVC(**params)
    for rows, labels, given in ((X[s], y[s], weights[s]) for s in (slice(70), slice(70, None))):
        parts.partial_fit(rows, labels, classes=[0, 1], sample_weight=given)
    same(parts, whole)
    before = parts.coef_.copy()
    parts.partial_fit(X[:5], y[:5], sample_weight=np.zeros(5))  # nothing to learn
    np.testing.assert_allclose(parts.coef_, before, rtol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_fit_can_be_gone_on_from(rule):
    X, y = problem()
    params = RULES[rule] | {"shuffle": False}
    twice = SGDSVC(epochs=2, **params).fit(X, y)
    model = SGDSVC(epochs=1, **params).fit(X, y).partial_fit(X, y)
    same(model, twice)
    assert model.t_ == 2 * len(y)


@pytest.mark.parametrize("rule", RULES)
def test_a_pickled_stream_flows_on(rule):
    X, y = problem()
    model = SGDSVC(random_state=0, **RULES[rule])
    for place, (rows, labels) in enumerate(blocks(X, y)):
        model.partial_fit(rows, labels, classes=[0, 1])
        if place == 1:
            copy = pickle.loads(pickle.dumps(model))
            np.testing.assert_array_equal(copy.predict(X), model.predict(X))
        elif place > 1:
            copy.partial_fit(rows, labels)
    same(copy, model, exactly=True)
    fresh = clone(model)
    assert not hasattr(fresh, "coef_")
    with pytest.raises(ValueError, match="classes"):
        fresh.partial_fit(X, y)


def test_another_optimizer_goes_on_from_the_weights_only():
    """What one rule remembers is the mean of weights, another one's is a velocity."""
    X, y = problem()
    Z, signs, order = with_constant(X), 2 * y - 1, [range(len(y))]
    model = SGDSVC(shuffle=False, lambda_=0.05, eta0=0.02).partial_fit(X, y, classes=[0, 1])
    last = iterates(Z, signs, order, lambda_=0.05)[-1]
    for optimizer in ("momentum", "rmsprop", "sgd"):
        model.set_params(optimizer=optimizer, average=0).partial_fit(X, y)
        start = last, model.t_ - len(y)
        last = iterates(Z, signs, order, lambda_=0.05, optimizer=optimizer, eta=0.02, start=start)[
            -1
        ]
        np.testing.assert_allclose(np.r_[model.coef_[0], model.intercept_], last, rtol=1e-9)


def test_a_mean_that_is_not_wanted_any_more_is_dropped():
    X, y = problem()
    params = {"shuffle": False, "lambda_": 0.05}
    model = SGDSVC(average=1, **params).partial_fit(X, y, classes=[0, 1])
    model.set_params(average=0).partial_fit(X, y)
    same(model, SGDSVC(average=0, epochs=2, **params).fit(X, y))


BAD_CALLS = {
    "no classes": {"first": True},
    "other classes": {"classes": [0, 1, 2]},
    "unknown label": {"y": np.full(120, 7)},
    "label of another type": {"y": np.full(120, "a")},
    "fewer features": {"X": np.ones((120, 4))},
    "no number": {"X": np.full((120, 5), np.nan)},
    "fewer labels": {"y": np.zeros(7, dtype=int)},
    "missing label": {"y": np.r_[[np.nan], np.zeros(119)]},
}


@pytest.mark.parametrize("call", BAD_CALLS)
def test_a_bad_call_is_refused_and_changes_nothing(call):
    X, y = problem()
    given = {"X": X, "y": y} | BAD_CALLS[call]
    model = SGDSVC(random_state=0)
    if not given.pop("first", False):
        model.partial_fit(X, y, classes=[0, 1])
    before = dict(vars(model))
    with pytest.raises(ValueError, match=r"\S+ \S+"):
        model.partial_fit(**given)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize("classes", [None, [0, 1, 2]])
def test_classes_are_asked_for_in_the_words_of_scikit_learn(classes):
    X, y = problem()
    messages = []
    for model in (SGDSVC(random_state=0), SGDClassifier(random_state=0)):
        if classes is not None:
            model.partial_fit(X, y, classes=[0, 1])
        with pytest.raises(ValueError, match="classes") as refusal:
            model.partial_fit(X, y, classes=classes)
        messages.append(str(refusal.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    ("name", "value"),
    [("C", 1.0), ("early_stopping", True), ("tol", 1e-3), ("class_weight", "balanced")],
)
def test_what_needs_all_rows_is_refused_by_name(name, value):
    X, y = problem()
    with pytest.raises(ValueError, match=rf"\b{name}\b.*partial_fit"):
        SGDSVC(**{name: value}).partial_fit(X, y, classes=[0, 1])


@pytest.mark.parametrize(("before", "after"), [("ovr", "ovo"), ("ovo", "ordinal")])
def test_machines_cannot_be_split_otherwise_in_the_middle(before, after):
    X, y = problem(k=3)
    model = SGDSVC(multi_class=before).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="multi_class"):
        model.set_params(multi_class=after).partial_fit(X, y)


@pytest.mark.case(92)
@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("changed", [np.ones(3), np.full(6, np.nan)])
def test_a_state_that_was_changed_is_refused(place, changed):
    X, y = problem()
    model = SGDSVC("momentum").partial_fit(X, y, classes=[0, 1])
    state = list(model._states[0])
    state[place] = changed
    model._states = [tuple(state)]
    with pytest.raises(ValueError, match="state"):
        model.partial_fit(X, y)


def test_tools_of_scikit_learn_stream():
    X, y = problem(n=400, k=3)
    model = SGDSVC(average=1, shuffle=False)
    wrapped = OneVsRestClassifier(model)
    for rows, labels in blocks(X, y, (200, 200)):
        wrapped.partial_fit(rows, labels, classes=[0, 1, 2])
    alone = clone(model)
    for rows, labels in blocks(X, y, (200, 200)):
        alone.partial_fit(rows, labels, classes=[0, 1, 2])
    np.testing.assert_allclose([each.coef_[0] for each in wrapped.estimators_], alone.coef_)
    _, _, scores = learning_curve(model, X, y, exploit_incremental_learning=True, cv=3)
    assert scores[-1].mean() > 0.5


def test_labels_of_any_type_stream():
    X, y = problem()
    for names in (np.array(["no", "yes"]), np.array([False, True]), np.array([-5, 10**12])):
        model = SGDSVC(random_state=0).partial_fit(X, names[y], classes=names)
        plain = SGDSVC(random_state=0).partial_fit(X, y, classes=[0, 1])
        same(model, plain, exactly=True)
        np.testing.assert_array_equal(model.predict(X), names[plain.predict(X)])
