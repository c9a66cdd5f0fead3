"""Ctrl-C and time limits end a long training of linear machines, however few rows it has."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from processes import facts_of
from softmargin import GDSVC, SGDSVC, LinearSVC
from systems import posix

# A timer sends the signal while a call trains for minutes.
SCRIPT = """
def outcome_of(model, call):
    before = dict(vars(model))
    raised, delay = "nothing", None
    interrupt_in(0.2)
    try:
        call(model)
    except BaseException as error:
        raised, delay = type(error).__name__, time.monotonic() - sent[-1]
    kept = vars(model).keys() == before.keys()
    kept = kept and all(vars(model)[name] is value for name, value in before.items())
    return {"raised": raised, "delay": delay, "kept": kept}

rng = np.random.default_rng(0)
X = rng.standard_normal((50_000, 20))
y = (X[:, 0] + rng.standard_normal(len(X)) > 0).astype(int)
few = 10 * X[:50], rng.integers(0, 2, 50)
wide = rng.standard_normal((2000, 2000), dtype=np.float32), y[:2000]
noisy = rng.standard_normal((6000, 1500)), rng.integers(0, 2, 6000)

class Endless:
    classes = [0, 1]
    def __iter__(self):
        while True:
            yield few

def sgd(optimizer="pegasos", **params):
    return softmargin.SGDSVC(optimizer, epochs=10**9, n_jobs=N, **params)

def gd():
    return softmargin.GDSVC(eta0=1e-9, tol=1e-300, max_iter=-1, n_jobs=N)

def linear(**params):
    model = softmargin.LinearSVC(tol=0.5, random_state=0, n_jobs=N).fit(X[:500], y[:500])
    return model.set_params(tol=1e-11, max_iter=3_000_000, **params)

def svr(**params):
    model = softmargin.LinearSVR(tol=0.5, random_state=0, n_jobs=N).fit(X[:500], noise[:500])
    return model.set_params(tol=1e-14, max_iter=3_000_000, **params)

noise = rng.standard_normal(len(X))
long = np.tile(X, (20, 1)), np.tile(X[:, 1] + noise, 20)
N = int(os.environ["N_JOBS"])
"""
CALLS = {
    "pegasos": "sgd(), lambda model: model.fit(X, y)",
    "pegasos, few rows": "sgd().partial_fit(*few, [0, 1]), lambda model: model.fit(*few)",
    "momentum, batch": "sgd('momentum', batch_size=10_000), lambda model: model.fit(X, y)",
    "rmsprop, wide": "sgd('rmsprop'), lambda model: model.fit(*wide)",
    "blocks": "sgd(), lambda model: model.fit_blocks(Endless())",
    "gd": "gd(), lambda model: model.fit(X, y)",
    "gd, few rows": "gd(), lambda model: model.fit(*few)",
    "dual": "linear(loss='hinge', dual=True), lambda model: model.fit(X, y)",
    "dual, few rows": "linear(loss='hinge', dual=True, C=1e6), lambda model: model.fit(*few)",
    "hinge, noise": "linear(loss='hinge'), lambda model: model.fit(*noisy)",
    "regression": "svr(), lambda model: model.fit(*long)",
    "regression, few rows": "svr(dual=True, C=1e6), lambda model: model.fit(few[0], noise[:50])",
    "regression, noise": "svr(), lambda model: model.fit(noisy[0], noise[:6000])",
    "newton, wide": "linear(C=1e6), lambda model: model.fit(*wide)",
    "l1, wide": "linear(penalty='l1', C=1e6), lambda model: model.fit(*wide)",
}


@pytest.fixture(scope="module", params=[1, 2], ids=["one thread", "two threads"])
def interrupted(request):
    """What each call did when it was interrupted, all in one process."""
    tries = [f"report(**{{'{name}': outcome_of({call})}})\n" for name, call in CALLS.items()]
    return facts_of(SCRIPT + "".join(tries), N_JOBS=str(request.param))


@posix
@pytest.mark.case(79)
@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends_a_training_within_a_second(interrupted, call):
    facts = interrupted[call]
    assert facts["raised"] == "KeyboardInterrupt"
    assert facts["delay"] < 1.5
    assert facts["kept"]


LIMITED = {
    "pegasos": SGDSVC(epochs=10**9),
    "nag": SGDSVC("nag", epochs=10**9),
    "gd": GDSVC(eta0=1e-9, tol=1e-300, max_iter=-1),
    "dual": LinearSVC(loss="hinge", dual=True, C=1e6, tol=1e-11, max_iter=500_000),
    "dual, squared": LinearSVC(dual=True, C=1e6, tol=1e-11, max_iter=500_000),
}


@pytest.mark.case(61)
@pytest.mark.parametrize("name", LIMITED)
def test_a_time_limit_holds_for_few_rows(name):
    rng = np.random.default_rng(0)
    X = 10 * rng.normal(size=(50, 20))
    y = rng.integers(0, 2, 50)
    model = LIMITED[name].set_params(time_limit=0.1)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model.fit(X, y)
    assert np.isfinite(model.coef_).all()


@pytest.mark.case(61)
def test_a_time_limit_ends_the_newton_steps_of_the_hinge_loss(rng):
    X, y = rng.normal(size=(6000, 1500)), rng.integers(0, 2, 6000)
    model = LinearSVC(loss="hinge", tol=1e-11, max_iter=10**6, time_limit=0.5)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model.fit(X, y)
    (certificate,) = model.certificate_
    assert 0 <= certificate.gap <= certificate.primal


@pytest.mark.case(74)
@pytest.mark.filterwarnings("ignore:.*stalled.*")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("scale", [1, 10])
def test_a_tolerance_below_rounding_ends_at_the_optimum(loss, scale):
    rng = np.random.default_rng(0)
    X = scale * rng.normal(size=(30, 3))
    y = (X[:, 0] + scale * rng.normal(size=30) > 0).astype(int)
    model = LinearSVC(loss=loss, dual=True, tol=1e-15, max_iter=100_000, random_state=0).fit(X, y)
    assert model.n_iter_ < 100_000
    (certificate,) = model.certificate_
    assert abs(certificate.gap) <= 1e-9 * certificate.primal
