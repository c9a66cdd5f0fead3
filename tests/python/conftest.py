"""Shared data sets, the settings of hypothesis, and the table of faults."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from estimators import READERS
from fault_table import Coverage
from softmargin import datasets, load

# The same examples on every machine and in every run, and nothing left on disk. SOFTMARGIN_FUZZ is
# the number of examples of a property where they are to be new ones in every run: see fuzz.py.
settings.register_profile("softmargin", derandomize=True, deadline=None, database=None)
if "SOFTMARGIN_FUZZ" in os.environ:
    count = int(os.environ["SOFTMARGIN_FUZZ"])
    settings.register_profile("softmargin-fuzz", max_examples=count, deadline=None, database=None)
settings.load_profile("softmargin-fuzz" if "SOFTMARGIN_FUZZ" in os.environ else "softmargin")


def pytest_addoption(parser):
    parser.addoption(
        "--fault-table", help="write the table of faults and their tests, and check it"
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "case(*numbers, of=None): faults that are provoked")


def pytest_collection_finish(session):
    """Write the table of what is collected; a fault without a test is an error."""
    path = session.config.getoption("--fault-table")
    if path is None:
        return
    coverage = Coverage()
    for item in session.items:
        coverage.add(item)
    Path(path).write_text(coverage.page(), encoding="utf-8")
    if missing := coverage.missing():
        raise pytest.UsageError(f"faults that are not tried: {missing}")
    if unknown := coverage.unknown():
        raise pytest.UsageError(f"faults that are not known: {unknown}")


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
        path = tmp_path / "a model.softmargin"
        model.save(path)
        return load(path)

    return saved_and_loaded


@pytest.fixture
def refused(tmp_path):
    """A check that a file with this content is refused by its name, in a sentence."""

    def check(content, match, name="bad.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(ValueError, match=match) as refusal:
            datasets.read(path, **options)
        assert repr(str(path)) in str(refusal.value)
        assert len(str(refusal.value)) < 500

    return check


def _frozen(*arrays):
    """Arrays that a test cannot spoil for the next one."""
    for array in arrays:
        array.flags.writeable = False
    return arrays


@pytest.fixture
def estimator(request):
    """One of all estimators, by its name; for `estimators.each`."""
    return clone(READERS[getattr(request, "param", "OLLAWV")])


@pytest.fixture
def refuses(noisy, estimator):
    """A check that a refit raises, and that the model is then what it was before."""
    X, y = noisy
    model = estimator.fit(X, y)
    before = dict(vars(model))
    decided = model.predict(X) if hasattr(model, "predict") else None

    def check(bad_X, bad_y, match, exception=ValueError, *, weights=None, **parameters):
        defaults = {name: getattr(model, name) for name in parameters}
        model.set_params(**parameters)
        given = {} if weights is None else {"sample_weight": weights}
        with pytest.raises(exception, match=match) as refusal:
            model.fit(bad_X, bad_y, **given)
        model.set_params(**defaults)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())
        if decided is not None:
            np.testing.assert_array_equal(model.predict(X), decided)
        return str(refusal.value)

    return check
