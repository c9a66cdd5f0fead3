"""Shared data sets, and the settings of hypothesis."""

import os

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from hinge import OLLAWV, load

# The same examples on every machine and in every run, and nothing left on disk. HINGE_FUZZ is the
# number of examples of a property where they are to be new ones in every run: see fuzz.py.
settings.register_profile("hinge", derandomize=True, deadline=None, database=None)
if "HINGE_FUZZ" in os.environ:
    count = int(os.environ["HINGE_FUZZ"])
    settings.register_profile("hinge-fuzz", max_examples=count, deadline=None, database=None)
settings.load_profile("hinge-fuzz" if "HINGE_FUZZ" in os.environ else "hinge")


@pytest.fixture
def rng():
    return np.random.default_rng(20_260_801)


@pytest.fixture
def noisy(rng):
    """120 rows, 4 features, two classes that overlap."""
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=120) > 0.7).astype(int)
    return X, y


@pytest.fixture(scope="session")
def three_classes():
    X, y = load_wine(return_X_y=True)
    return _frozen(minmax_scale(X), y)


@pytest.fixture(scope="session")
def iris():
    return _frozen(*load_iris(return_X_y=True))


@pytest.fixture(scope="session")
def ten_classes():
    X, y = load_digits(return_X_y=True)
    return _frozen(X[:400] / 16, y[:400])


@pytest.fixture
def again(tmp_path):
    """A function that saves a model and loads it."""

    def saved_and_loaded(model):
        path = tmp_path / "a model.hinge"
        model.save(path)
        return load(path)

    return saved_and_loaded


def _frozen(*arrays):
    """Arrays that a test cannot spoil for the next one."""
    for array in arrays:
        array.flags.writeable = False
    return arrays


@pytest.fixture
def refuses(noisy):
    """A check that a refit raises, and that the model is then what it was before."""
    X, y = noisy
    model = OLLAWV().fit(X, y)
    before = dict(vars(model)), model.decision_function(X)

    def check(bad_X, bad_y, match, exception=ValueError, **parameters):
        defaults = {name: getattr(model, name) for name in parameters}
        model.set_params(**parameters)
        with pytest.raises(exception, match=match) as refusal:
            model.fit(bad_X, bad_y)
        model.set_params(**defaults)
        assert vars(model) == before[0]
        np.testing.assert_array_equal(model.decision_function(X), before[1])
        assert len(str(refusal.value)) < 1000
        return str(refusal.value)

    return check
