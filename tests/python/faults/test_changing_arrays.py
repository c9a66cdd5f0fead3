"""An array that changes while it is read: what is fitted is finite, and that of one moment."""

import contextlib
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import softmargin
from estimators import KERNEL, LINEAR, PREDICTORS, each

pytestmark = pytest.mark.filterwarnings("ignore")


@contextlib.contextmanager
def changing(values):
    """Change some of the values all the time: to NaN, infinity, huge and usable numbers."""
    stop = threading.Event()

    def scribble():
        while not stop.is_set():
            for value in (np.nan, 1e300, np.inf, *range(20)):  # mostly usable
                values[::7] = value

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def problem(rng, n=300, d=20):
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] > 0).astype(int)


LAYOUTS = {
    "dense": lambda X: (X, X),
    "float32": lambda X: (single := X.astype(np.float32), single),
    "csr": lambda X: (rows := sp.csr_matrix(X), rows.data),
}


@pytest.mark.case(102)
@pytest.mark.parametrize("layout", LAYOUTS)
@each(PREDICTORS)
def test_a_model_of_changing_data_is_finite_and_can_be_pickled(estimator, layout, rng):
    X, y = problem(rng)
    still = X.copy()
    X, values = LAYOUTS[layout](X)
    for name, value in {"n_jobs": 2, "max_iter": 200}.items():
        if name in estimator.get_params():
            estimator.set_params(**{name: value})
    with changing(values):
        for _ in range(10):
            with contextlib.suppress(ValueError):  # a refusal is as good as a model
                model = pickle.loads(pickle.dumps(clone(estimator).fit(X, y)))
                assert np.isfinite(model.decision_function(still)).all()


@pytest.mark.case(102)
@each(PREDICTORS)
def test_predictions_for_changing_data_are_finite(estimator, rng):
    X, y = problem(rng)
    model = estimator.fit(X, y)
    with changing(X):
        for _ in range(30):
            with contextlib.suppress(ValueError):
                assert np.isfinite(model.decision_function(X)).all()
            with contextlib.suppress(ValueError):
                assert np.isfinite(softmargin.kernel_matrix(X)).all()


def spoiled_in_training(model, X, y, **settings):
    """Fit, and write NaN all over X as soon as the training says how far it is.

    None if the training was over before.
    """
    told = []

    def spoil(steps):
        told.append(steps)
        X[:] = np.nan

    model.set_params(**settings)
    model._progress = lambda: spoil
    model.fit(X, y)
    del model._progress
    return model if told else None


# Each trains for longer than the 50 ms after which it first says how far it is, or is given more
# rows until it does.
LONG = {
    "OLLAWV": {"C": 100.0, "margin": 1.0},
    "NLSGD": {"epochs": 100},
    "SVC": {"C": 1e9, "tol": 1e-12, "time_limit": 0.5},
    "NNISDA": {"C": 1e9, "tol": 1e-12, "time_limit": 0.5},
    "MNSVM": {"C": 1e9, "eps": 1e-12, "time_limit": 0.5},
    "NewtonSVC": {"C": 1e3},
}


@pytest.mark.case(102)
@pytest.mark.parametrize("scheme", ["ovo", "ordinal"])
@each(KERNEL)
def test_support_vectors_are_those_that_were_trained(estimator, scheme, rng):
    settings = LONG[type(estimator).__name__] | {"multi_class": scheme}
    model, n = None, 1250
    while model is None:
        n *= 2
        X, y = rng.normal(size=(n, 40)), rng.integers(0, 3, n)
        before = X.copy()
        model = spoiled_in_training(estimator, X, y, **settings)
    np.testing.assert_array_equal(model.support_vectors_, before[model.support_])
    copy = pickle.loads(pickle.dumps(model))
    assert np.isfinite(copy.decision_function(before)).all()
    if hasattr(type(model), "certificate_"):
        with pytest.raises(AttributeError, match="changed"):
            _ = model.certificate_


@each(LINEAR)
def test_a_linear_fit_of_data_that_becomes_nan_is_refused_or_finite(estimator, rng):
    X, y = rng.normal(size=(3000, 300)), rng.integers(0, 2, 3000)
    before = X.copy()
    settings = {
        "LinearSVC": {"loss": "hinge", "C": 1e6, "tol": 1e-12, "time_limit": 0.5},
        "SGDSVC": {"epochs": 100_000, "time_limit": 0.5},
        "GDSVC": {"tol": 1e-12, "max_iter": 100_000, "time_limit": 0.5},
    }[type(estimator).__name__]
    with contextlib.suppress(ValueError):
        model = spoiled_in_training(estimator, X, y, **settings)
        assert model is not None, "a time limit of 0.5 s was not reached"
        copy = pickle.loads(pickle.dumps(model))
        assert np.isfinite(copy.decision_function(before)).all()
    assert np.isnan(X).all()
