"""Parameters of linear estimators outside their domain are named with their value."""

import numpy as np
import pytest
from sklearn.base import clone

from hinge import GDSVC, SGDSVC, LinearSVC

NAN, INF = float("nan"), float("inf")
SHARED = {
    "C": (0, -1.0, 1e-310, NAN, "1", True, 1j),
    "multi_class": ("crammer_singer", None, 1),
    "fit_intercept": ("maybe", None, 1, "True"),
    "class_weight": ("heavy", 1.0),
    "record_every": (0, -1, 1.5, "often"),
    "time_limit": (0.0, -1.0, NAN, "soon", True),
    "n_jobs": (0, 1.5, "all", 2**70),
}
OF_LAMBDA = {"lambda_": (0, -1.0, 1e-310, NAN, "small", None, True)}
OF_LIMIT = {"max_iter": (0, -2, 1.5, None, True, 2**70)}
REFUSED = {
    SGDSVC: OF_LAMBDA
    | {
        "optimizer": ("adam", None, 1, "Pegasos"),
        "epochs": (0, -1, 1.5, None, "many", True, 2**70),
        "batch_size": (0, -1, 1.5, None, "all"),
        "project": (1, None, "yes"),
        "average": (-0.1, 1.1, 2, NAN, "half", None, True),
        "eta0": (0, -1.0, NAN, INF, "long", True),
        "momentum": (-0.1, 1, 1.0, NAN, "much", None),
        "shuffle": ("drawn", None, 1, "yes"),
        "early_stopping": (1, None, "yes"),
        "n_iter_no_change": (0, -1, 1.5, None),
        "tol": (-1, NAN, "small", True),
        "random_state": ("now", -1, 2**40, 1.5),
    },
    GDSVC: OF_LAMBDA
    | OF_LIMIT
    | {"eta0": (0, -1.0, NAN, INF, "long", None, True), "tol": (-1.0, NAN, INF, "small", None)},
    LinearSVC: OF_LIMIT
    | {
        "penalty": ("l1", None, 2),
        "loss": ("logistic", None, "Hinge", 1),
        "dual": ("maybe", None, 1, "True"),
        "tol": (0, -1.0, NAN, INF, "small", None, True),
        "C": (*SHARED["C"], None),
        "intercept_scaling": (0, -1.0, NAN, INF, "large", None, True),
        "random_state": ("now", -1, 2**40, 1.5),
    },
}
CASES = [
    (kind, name, value)
    for kind, own in REFUSED.items()
    for name, values in (SHARED | own).items()
    for value in values
]


def problem(n=30):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)), np.arange(n) % 2


@pytest.mark.parametrize(("kind", "name", "value"), CASES, ids=lambda value: str(value)[:24])
def test_a_value_outside_its_domain_is_named(kind, name, value):  # case 54
    X, y = problem()
    model = kind(eta0=0.1, tol=0.9) if kind is GDSVC else kind()
    model.fit(X, y)
    model.set_params(**{name: value})
    if name == "lambda_":
        model.set_params(C=None)
    before = dict(vars(model))
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b") as refusal:
        model.fit(X, y)
    if isinstance(value, int | str) and len(str(value)) < 30:
        assert str(value) in str(refusal.value)
    assert len(str(refusal.value)) < 250
    assert all(vars(model)[key] is kept for key, kept in before.items())
    assert vars(model).keys() == before.keys()


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
        LinearSVC(intercept_scaling=1e-100),
        LinearSVC(time_limit=1e6),
        GDSVC(lambda_=1e-100, tol=0.9, eta0=0.1),
    ],
    ids=str,
)
def test_an_extreme_value_inside_its_domain_works(model):  # case 55
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
