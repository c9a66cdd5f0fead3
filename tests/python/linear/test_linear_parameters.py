"""Parameters of linear estimators outside their domain are named with their value."""

import numpy as np
import pytest
from sklearn.base import clone

from softmargin import GDSVC, SGDSVC, LinearSVC

NAN, INF = float("nan"), float("inf")


def problem(n=30):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)), np.arange(n) % 2


@pytest.mark.parametrize("value", [0, 1, 1.0, -0.1, NAN, INF, "tenth", None, True])
def test_a_share_of_judges_is_named(value):
    model = SGDSVC(early_stopping=True, validation_fraction=value)
    with pytest.raises((ValueError, TypeError), match="validation_fraction"):
        model.fit(*problem())


@pytest.mark.parametrize(
    ("name", "value"),
    [("lambda_", 0.0), ("epochs", 0), ("momentum", 1.0), ("optimizer", "adam"), ("batch_size", 0)],
)
def test_streams_name_the_same_parameters(name, value):
    X, y = problem()
    model = SGDSVC(**{name: value})
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        model.fit_blocks([(X, y)])
    assert not hasattr(model, "coef_")


def test_the_hinge_has_no_newton_steps():
    with pytest.raises(ValueError, match=r"dual = False.*loss = 'hinge'"):
        LinearSVC(loss="hinge", dual=False).fit(*problem())


def test_an_l1_penalty_needs_the_primal_problem_of_the_squared_hinge():
    with pytest.raises(ValueError, match=r"loss = 'hinge'.*penalty = 'l1'.*'squared_hinge'"):
        LinearSVC("l1", "hinge").fit(*problem())
    with pytest.raises(ValueError, match=r"dual = True.*penalty = 'l1'.*dual = False or 'auto'"):
        LinearSVC("l1", dual=True).fit(*problem())
    with pytest.raises(ValueError, match=r"penalty = 'l0'.*'l1', 'l2'"):
        LinearSVC("l0").fit(*problem())
    for dual in (False, "auto"):
        assert LinearSVC("l1", dual=dual).fit(*problem()).status_ == ["converged"]


@pytest.mark.parametrize(
    "model",
    [
        SGDSVC(lambda_=1e300),
        SGDSVC(lambda_=INF),
        SGDSVC(C=INF),
        SGDSVC(C=1e-100),
        SGDSVC("nag", C=1e-90),
        SGDSVC(batch_size=10**12),
        SGDSVC(record_every=10**15),
        SGDSVC("momentum", momentum=0.0),
        LinearSVC(C=1e-100),
        LinearSVC(C=1e-100, loss="hinge"),
        LinearSVC("l1", C=1e-100),
        LinearSVC("l1", intercept_scaling=1e-100),
        LinearSVC(intercept_scaling=1e-100),
        LinearSVC(time_limit=1e6),
        GDSVC(lambda_=1e-100, tol=0.9, eta0=0.1),
    ],
    ids=str,
)
@pytest.mark.case(55, of="LinearSVC SGDSVC GDSVC")
def test_an_extreme_value_inside_its_domain_works(model):
    X, y = problem()
    model.fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.decision_function(X)).all()
    assert "not finite" not in model.status_


@pytest.mark.parametrize("kind", [SGDSVC, GDSVC, LinearSVC])
def test_parameters_are_attributes_and_stay(kind):
    X, y = problem()
    model = kind()
    assert {name: getattr(model, name) for name in model.get_params()} == model.get_params()
    changed = kind(C=np.float64(0.5), n_jobs=np.int64(1), tol=np.float32(0.9))
    before = changed.get_params()
    assert changed.fit(X, y) is changed
    assert changed.get_params() == before == clone(changed).get_params()
    assert repr(kind(C=0.5)) == f"{kind.__name__}(C=0.5)"
