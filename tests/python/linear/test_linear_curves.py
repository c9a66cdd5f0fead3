"""The curve of a training has the objective, loss and accuracy of the weights on the way."""

import numpy as np
import pytest
import scipy.sparse as sp

from linear_reference import (
    iterates,
    loss,
    machines,
    result,
    violators_bias,
    visits,
    with_constant,
)
from softmargin import GDSVC, SGDSVC, LinearSVC

SCHEMES = ["ovr", "ovo", "ordinal"]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(n=90, d=4, k=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + 1.2 * np.eye(k, d)[y], y


def value(Z, signs, w, lambda_, weights=None, squared=False, penalty="l2"):
    """Objective and loss."""
    mean = loss(Z @ w, signs, weights, squared)
    return lambda_ * (np.abs(w).sum() if penalty == "l1" else 0.5 * w @ w) + mean, mean


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix, np.float32])
@pytest.mark.parametrize("optimizer", ["pegasos", "sgd", "momentum", "nag", "rmsprop"])
@pytest.mark.parametrize(("every", "average"), [(1, 0), (7, 0), (60, 0.5), (1000, 0)])
def test_points_are_the_weights_of_the_steps(optimizer, every, average, layout):
    X, y = problem()
    X = layout(X)
    params = {"optimizer": optimizer, "lambda_": 0.05}
    model = SGDSVC(epochs=2, shuffle=False, average=average, record_every=every, **params)
    model.fit(X, y)
    Z, signs = with_constant(X), 2 * y - 1
    found = iterates(Z, signs, visits(len(y), 2), **params)
    steps = sorted({*range(0, 181, every), 180})
    assert model.curve_["step"].tolist() == steps
    first = 90 if average and optimizer in ("pegasos", "sgd") else 181
    weights = [found[t] if t <= first else found[first + 1 : t + 1].mean(axis=0) for t in steps]
    expected = np.array([value(Z, signs, w, 0.05) for w in weights])
    np.testing.assert_allclose(model.curve_["objective"], expected[:, 0], rtol=1e-9)
    np.testing.assert_allclose(model.curve_["loss"], expected[:, 1], rtol=1e-9)
    assert (np.diff(model.curve_["seconds"]) >= 0).all()
    assert "accuracy" not in model.curve_


def test_a_point_is_a_model_of_fewer_epochs():
    X, y = problem(k=3)
    test_X, test_y = problem(k=3, seed=1)
    params = {"shuffle": False, "average": 0, "lambda_": 0.05}
    model = SGDSVC(epochs=4, record_every=90, **params).fit(X, y, eval_set=(test_X, test_y))
    for epochs in range(1, 5):
        shorter = SGDSVC(epochs=epochs, **params).fit(X, y)
        assert model.curve_["accuracy"][epochs] == shorter.score(test_X, test_y)
    assert model.curve_["accuracy"][0] == np.mean(test_y == 0)  # no weights yet: the first class


@pytest.mark.parametrize("fit_intercept", [True, False, "violators"])
def test_weights_and_the_bias_count(fit_intercept, rng):
    X, y = problem()
    weights = rng.uniform(0.5, 2, len(y)) * (np.arange(len(y)) % 4 > 0)
    model = SGDSVC(
        C=0.3, epochs=2, shuffle=False, average=0, record_every=25, class_weight={1: 2.0}
    )
    model.set_params(fit_intercept=fit_intercept).fit(X, y, sample_weight=weights)
    used = weights > 0
    signs, both = (2 * y - 1)[used], (weights * np.where(y == 1, 2.0, 1.0))[used]
    Z = with_constant(X, 1.0 if fit_intercept is True else 0.0)[used]
    lambda_ = 1 / (0.3 * used.sum())
    found = iterates(Z, signs, visits(len(signs), 2), lambda_=lambda_, weights=both)
    expected = []
    for step in model.curve_["step"]:
        w = found[step]
        bias = violators_bias(Z, signs, w, both) if fit_intercept == "violators" else 0.0
        mean = loss(Z @ w + bias, signs, both)
        expected.append((0.5 * lambda_ * w @ w + mean, mean))
    np.testing.assert_allclose(model.curve_["objective"], np.array(expected)[:, 0], rtol=1e-9)
    np.testing.assert_allclose(model.curve_["loss"], np.array(expected)[:, 1], rtol=1e-9)


EXACT = {
    "newton": LinearSVC(C=2.0, record_every=1),
    "dual": LinearSVC(C=2.0, loss="hinge", record_every=5, random_state=0, max_iter=60),
    "dual, squared": LinearSVC(C=2.0, dual=True, record_every=5, random_state=0, max_iter=60),
    "scaled": LinearSVC(C=2.0, record_every=1, intercept_scaling=4.0),
    "l1": LinearSVC("l1", C=2.0, record_every=1, intercept_scaling=4.0),
    "gd": GDSVC(C=2.0, eta0=0.2, max_iter=50, record_every=10),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("k", [2, 3])
def test_the_curve_ends_at_the_model(name, scheme, k, rng):
    X, y = problem(k=k)
    test_X, test_y = problem(k=k, seed=1)
    weights = rng.uniform(0.2, 2, len(y))
    model = EXACT[name].set_params(multi_class=scheme)
    model.fit(X, y, sample_weight=weights, eval_set=(test_X, test_y))
    scaling = getattr(model, "intercept_scaling", 1.0)
    squared = getattr(model, "loss", "squared_hinge") == "squared_hinge"
    Z, expected = with_constant(X, scaling), []
    for machine, (rows, signs) in enumerate(machines(y, scheme)):
        w = np.r_[model.coef_[machine], model.intercept_[machine] / scaling]
        lambda_ = 1 / (2.0 * len(rows))
        penalty = getattr(model, "penalty", "l2")
        expected.append(value(Z[rows], signs, w, lambda_, weights[rows], squared, penalty))
    objective, mean = np.mean(expected, axis=0)
    assert model.curve_["objective"][-1] == pytest.approx(objective, rel=1e-9)
    assert model.curve_["loss"][-1] == pytest.approx(mean, rel=1e-9)
    assert model.curve_["accuracy"][-1] == model.score(test_X, test_y)
    assert model.curve_["step"][-1] == model.n_iter_
    if isinstance(model, LinearSVC):
        counts = [len(rows) for rows, _ in machines(y, scheme)]
        proofs = zip(model.certificate_, counts, strict=True)
        primal = np.mean([proof.primal / (2.0 * n) for proof, n in proofs])
        assert model.curve_["objective"][-1] == pytest.approx(primal, rel=1e-9)
    if "dual" not in name:
        assert (np.diff(model.curve_["objective"]) <= 1e-12).all()


@pytest.mark.parametrize("scheme", ["ovo", "ordinal"])
def test_a_machine_that_is_done_stays_where_it_is(scheme):
    X, y = problem(k=3)
    keep = (y != 2) | (np.arange(len(y)) % 5 == 0)
    X, y = X[keep], y[keep]
    params = {"shuffle": False, "average": 0, "lambda_": 0.05, "multi_class": scheme}
    model = SGDSVC(epochs=2, record_every=20, **params).fit(X, y, eval_set=(X, y))
    expected = []
    for rows, signs in machines(y, scheme):
        Z = with_constant(X[rows])
        found = iterates(Z, signs, visits(len(rows), 2), lambda_=0.05)
        steps = np.minimum(model.curve_["step"], len(found) - 1)
        expected.append([value(Z, signs, found[step], 0.05)[0] for step in steps])
    np.testing.assert_allclose(model.curve_["objective"], np.mean(expected, axis=0), rtol=1e-9)
    assert model.curve_["step"][-1] == model.t_


def test_weights_of_rows_count_for_the_patterns_of_signs():
    """The same signs are of another label where the rows weigh otherwise."""
    X, y = problem(n=300, k=4, seed=2)
    X = X * [1, 0.2, 0.2, 0.2]
    for label in range(4):
        weights = np.where(y == label, 5.0, 0.3)
        model = SGDSVC(multi_class="ordinal", epochs=2, record_every=50, random_state=0)
        model.fit(X, y, sample_weight=weights, eval_set=(X, y))
        assert model.curve_["accuracy"][-1] == model.score(X, y)


def test_labels_that_training_does_not_know_are_wrong():
    X, y = problem(k=3)
    known = y < 2
    model = SGDSVC(record_every=90, random_state=0)
    model.fit(X[known], y[known], eval_set=(X, y))
    np.testing.assert_array_equal(
        model.curve_["accuracy"][-1], np.mean((model.predict(X) == y) & known)
    )
    for labels in (np.full(90, -1), np.full(90, 99), np.full(90, "a"), np.full(90, 0.5)):
        model.fit(X[known], y[known], eval_set=(X, labels))
        np.testing.assert_array_equal(model.curve_["accuracy"], 0)
    names = np.array(["a", "b", "c"])
    model.fit(X[known], names[y[known]], eval_set=(X, names[y]))
    assert model.curve_["accuracy"][-1] == np.mean((model.predict(X) == names[y]) & known)


def test_rows_to_test_may_be_packed_otherwise():
    X, y = problem()
    for rows in (sp.csr_matrix(X), X.astype(np.float32), X.tolist()):
        model = SGDSVC(record_every=30, random_state=0).fit(X, y, eval_set=(rows, y))
        assert model.curve_["accuracy"][-1] == model.score(X, y)


@pytest.mark.parametrize(
    ("eval_set", "sentence"),
    [
        (7, "eval_set must be a pair"),
        ((np.ones((3, 4)),), "eval_set must be a pair"),
        ((np.ones((3, 4)), [0, 1]), "eval_set has 3 samples"),
        ((np.ones((3, 5)), [0, 1, 0]), "5 features"),
        ((np.full((3, 4), np.nan), [0, 1, 0]), "NaN"),
        ((np.ones((0, 4)), []), "0 sample"),
        ((np.ones((3, 4)), [0, 1, np.nan]), r"eval_set contains nan \(first at row 2\)"),
        ((np.ones((3, 4)), np.ma.array([0, 1, 1], mask=[0, 0, 1])), "eval_set has masked"),
    ],
)
def test_a_bad_eval_set_is_refused_and_changes_nothing(eval_set, sentence):
    X, y = problem()
    model = SGDSVC(record_every=10).fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, y, eval_set=eval_set)
    assert all(vars(model)[name] is kept for name, kept in before.items())


def test_no_curve_stays_of_another_training():
    X, y = problem()
    model = SGDSVC(record_every=10).fit(X, y)
    assert not hasattr(model.set_params(record_every=None).fit(X, y), "curve_")
    model.set_params(record_every=10).fit(X, y)
    assert not hasattr(model.partial_fit(X, y), "curve_")
    model.fit(X, y)
    assert not hasattr(model.fit_blocks([(X, y)]), "curve_")


def test_a_training_that_stops_early_has_a_shorter_curve():
    X, y = problem()
    params = {"epochs": 50, "record_every": 90, "shuffle": False, "average": 0}
    model = SGDSVC(tol=1.0, n_iter_no_change=3, **params).fit(X, y)
    assert model.curve_["step"][-1] == 90 * model.n_iter_ < 50 * 90
    found = iterates(with_constant(X), 2 * y - 1, visits(90, model.n_iter_), lambda_=1e-4)
    objective, _ = value(with_constant(X), 2 * y - 1, result(found), 1e-4)
    assert model.curve_["objective"][-1] == pytest.approx(objective, rel=1e-9)
