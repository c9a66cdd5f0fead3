"""A search that fails or is interrupted keeps its previous results."""

import pytest

from softmargin import SVC, GridSearchCV, PatternSearchCV, _core
from softmargin._selection import engine


@pytest.mark.case(79)
@pytest.mark.parametrize("kind", [GridSearchCV, PatternSearchCV])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interrupt_of_the_last_fit_keeps_old_results(iris, monkeypatch, kind, error):
    X, y = iris
    search = kind(SVC(), {"C": [1.0, 4.0]}, cv=2).fit(X, y)
    before = dict(vars(search))

    def fail(*arguments):
        raise error

    monkeypatch.setattr(_core, "fit", fail)
    with pytest.raises(error):
        search.fit(X[::2], y[::2])
    assert vars(search).keys() == before.keys()
    assert all(vars(search)[name] is value for name, value in before.items())
    assert search.predict(X).shape == y.shape


@pytest.mark.case(79)
def test_an_interrupt_of_the_first_fit_leaves_nothing(iris, monkeypatch):
    search = GridSearchCV(SVC(), {"C": [1.0, 4.0]}, cv=2)
    before = dict(vars(search))

    def fail(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(_core, "fit", fail)
    with pytest.raises(KeyboardInterrupt):
        search.fit(*iris)
    assert vars(search) == before


def test_an_exception_of_a_signal_handler_is_not_taken_for_a_bad_candidate(noisy, monkeypatch):
    class AlarmError(ValueError):
        pass

    def interrupted(*_, **__):
        raise AlarmError

    monkeypatch.setattr(engine, "evaluate", interrupted)
    with pytest.raises(AlarmError):
        GridSearchCV(SVC(), {"C": [1, 2]}).fit(*noisy)
