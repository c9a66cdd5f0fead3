"""When SGDSVC stops before its epochs are done, and how it goes on from the last fit."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils import check_random_state

from linear_reference import iterates, result, visits, with_constant
from reference import SplitMix
from softmargin import SGDSVC

OPTIMIZERS = ["pegasos", "sgd", "momentum", "nag", "rmsprop"]


def problem(n=90, d=4, k=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + np.eye(k, d)[y], y


def patient(scores, tol, patience, epochs):
    """The epoch after which there was none better by ``tol`` for a while."""
    best, worse = -np.inf, 0
    for epoch, score in enumerate(scores, start=1):
        worse = 0 if score > best + tol else worse + 1
        best = max(best, score)
        if worse >= patience:
            return epoch
    return epochs


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize(("tol", "patience"), [(0.0, 1), (0.0, 4), (0.01, 2), (10.0, 3)])
def test_it_stops_when_the_loss_of_an_epoch_does_not_fall(optimizer, tol, patience, rng):
    X, y = problem()
    weights = rng.uniform(0.5, 2, len(y))
    params = {"optimizer": optimizer, "lambda_": 0.01, "shuffle": False, "average": 0}
    stop = {"tol": tol, "n_iter_no_change": patience}
    model = SGDSVC(epochs=30, **params, **stop).fit(X, y, sample_weight=weights)
    Z, signs = with_constant(X), 2 * y - 1
    found = iterates(
        Z, signs, visits(len(y), 30), optimizer=optimizer, lambda_=0.01, weights=weights
    )
    ahead = found[:-1]
    if optimizer == "nag":  # the loss is that of the place where the gradient is taken
        ahead = ahead + 0.9 * np.diff(found, axis=0, prepend=found[:1])[:-1]
    rows = np.tile(np.arange(len(y)), 30)
    losses = weights[rows] * np.maximum(0, 1 - signs[rows] * (Z[rows] * ahead).sum(axis=1))
    expected = patient(-losses.reshape(30, -1).mean(axis=1), tol, patience, 30)
    assert model.n_iter_ == expected
    fixed = SGDSVC(epochs=expected, **params).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model.coef_, fixed.coef_)
    assert model.status_ == ["converged"]


def held_out(signs, share, random):
    """Rows that judge, of each label some, and those to learn from."""
    judges = []
    for sign in (1, -1):
        rows = np.flatnonzero(signs == sign)
        rows = rows[random.shuffled(len(rows))]
        judges.extend(rows[: int(share * len(rows) + 0.5)])
    return np.array(judges), np.setdiff1d(np.arange(len(signs)), judges)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("average", [0, 0.9])
@pytest.mark.parametrize(("share", "patience"), [(0.1, 1), (0.35, 3)])
def test_rows_that_are_held_out_judge_and_do_not_teach(share, patience, average, layout):
    X, y = problem(n=200)
    params = {"lambda_": 0.01, "shuffle": False, "average": average, "epochs": 20}
    stop = {
        "early_stopping": True,
        "validation_fraction": share,
        "n_iter_no_change": patience,
        "random_state": 3,
    }
    model = SGDSVC(**params, **stop).fit(layout(X), y)
    Z, signs = with_constant(X), 2 * y - 1
    random = SplitMix(int(check_random_state(3).randint(2**63 - 1, dtype=np.int64)))
    judges, train = held_out(signs, share, random)
    found = iterates(Z[train], signs[train], visits(len(train), 20), lambda_=0.01)
    first = int((1 - average) * 20 * len(train)) if average else 10**9
    weights = []
    for epoch in range(1, 21):
        t = epoch * len(train)
        weights.append(found[t] if t <= first else found[1 + first : t + 1].mean(axis=0))
    scores = [np.mean((Z[judges] @ w > 0) == (signs[judges] > 0)) for w in weights]
    expected = patient(scores, 0.0, patience, 20)
    assert model.n_iter_ == expected
    assert 1 < expected < 20
    w = weights[expected - 1]
    np.testing.assert_allclose(np.r_[model.coef_[0], model.intercept_], w, rtol=1e-9, atol=1e-12)


def test_without_tol_all_epochs_are_done():
    X, y = problem()
    assert SGDSVC(epochs=40, random_state=0).fit(X, y).n_iter_ == 40


@pytest.mark.parametrize("share", [0.01, 0.99])
def test_a_share_that_leaves_nothing_to_judge_or_to_learn_from_is_refused(share):
    X, y = problem(n=10)
    with pytest.raises(ValueError, match="validation_fraction"):
        SGDSVC(early_stopping=True, validation_fraction=share).fit(X, y)


# Warm starts


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_a_warm_start_goes_on(optimizer, k, layout):
    X, y = problem(k=k)
    params = {"optimizer": optimizer, "lambda_": 0.01, "shuffle": False, "average": 0}
    whole = SGDSVC(epochs=4, **params).fit(layout(X), y)
    model = SGDSVC(epochs=1, warm_start=True, **params)
    for _ in range(4):
        model.fit(layout(X), y)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-9, atol=1e-12)
    assert model.t_ == whole.t_ == 4 * len(y)
    assert model.n_iter_ == 1


def test_a_warm_start_averages_its_own_steps():
    X, y = problem()
    model = SGDSVC(epochs=2, lambda_=0.01, shuffle=False, average=0.5, warm_start=True)
    model.fit(X, y).fit(X, y)
    found = iterates(with_constant(X), 2 * y - 1, visits(len(y), 4), lambda_=0.01)
    w = result(found, 0.25)
    np.testing.assert_allclose(np.r_[model.coef_[0], model.intercept_], w, rtol=1e-9, atol=1e-12)


def test_rows_come_in_another_order_each_time():
    X, y = problem()
    params = {"lambda_": 0.01, "epochs": 1, "random_state": 0, "average": 0}
    model = SGDSVC(warm_start=True, **params).fit(X, y)
    first = model.coef_.copy()
    np.testing.assert_array_equal(SGDSVC(**params).fit(X, y).coef_, first)
    order = visits(len(y), 1, True, 0) * 2  # the same order again
    same = iterates(with_constant(X), 2 * y - 1, order, lambda_=0.01)[-1]
    assert np.abs(model.fit(X, y).coef_[0] - same[:-1]).max() > 1e-3


@pytest.mark.parametrize("other", ["features", "classes", "scheme", "sizes"])
def test_a_warm_start_of_another_problem_is_none(other):
    X, y = problem(k=3)
    model = SGDSVC(epochs=1, shuffle=False, warm_start=True).fit(X, y)
    if other == "features":
        X = X[:, :3]
    elif other == "classes":
        y = y + 1
    elif other == "scheme":
        model.set_params(multi_class="ovo")
    else:
        X, y = X[y < 2], y[y < 2]
    fresh = SGDSVC(**model.get_params() | {"warm_start": False}).fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y).coef_, fresh.coef_)


def test_another_optimizer_goes_on_from_the_weights():
    X, y = problem()
    Z, signs = with_constant(X), 2 * y - 1
    model = SGDSVC("momentum", lambda_=0.01, epochs=2, shuffle=False, warm_start=True).fit(X, y)
    first = iterates(Z, signs, visits(len(y), 2), optimizer="momentum", lambda_=0.01)[-1]
    model.set_params(optimizer="rmsprop").fit(X, y)
    found = iterates(
        Z,
        signs,
        visits(len(y), 2),
        optimizer="rmsprop",
        lambda_=0.01,
        start=(first, 2 * len(y)),
    )
    np.testing.assert_allclose(np.r_[model.coef_[0], model.intercept_], found[-1], rtol=1e-8)


@pytest.mark.parametrize(
    ("rows", "labels", "sentence"),
    [
        (np.ones(90), np.arange(90) % 2, "1D|shape"),
        ([1.0, 2.0], [0, 1], "1D|shape"),
        (np.ones((2, 4)), [None, 1], "y contains None"),
        (np.full((2, 4), np.nan), [0, 1], "NaN"),
        (np.ones((2, 4)), None, "y"),
    ],
)
def test_bad_rows_are_refused_as_without_a_warm_start(rows, labels, sentence):
    model = SGDSVC(warm_start=True).fit(*problem())
    with pytest.raises(ValueError, match=sentence):
        model.fit(rows, labels)


@pytest.mark.parametrize(("n", "epochs"), [(10, 300), (40, 75), (149, 21), (150, 20), (1000, 20)])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_few_rows_are_visited_more_often(optimizer, n, epochs):
    X, y = problem(n)
    model = SGDSVC(optimizer, random_state=0).fit(X, y)
    plain = SGDSVC(optimizer, epochs=epochs, random_state=0).fit(X, y)
    assert (model.n_iter_, model.t_) == (epochs, epochs * n)
    np.testing.assert_array_equal(model.coef_, plain.coef_)


def test_blocks_are_gone_through_twenty_times():
    X, y = problem(40)
    model = SGDSVC(random_state=0).fit_blocks([(X[:20], y[:20]), (X[20:], y[20:])])
    plain = SGDSVC(epochs=20, random_state=0).fit_blocks([(X[:20], y[:20]), (X[20:], y[20:])])
    assert model.n_iter_ == 20
    np.testing.assert_array_equal(model.coef_, plain.coef_)
