"""Callbacks that raise and panics of the core are exceptions, and later calls work."""

import numpy as np
import pytest

from softmargin import OLLAWV, _core


def slow_fit(progress):
    """About half a second of work: a scalar tanh for each of 25 million pairs."""
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(5000, 3)), rng.integers(0, 2, 5000).astype(np.uint32)
    data = _core.TrainingData(rows, codes, np.ones(2), multi_class="ovo")
    solver = _core.OllawvSolver(c=1.0, bias=True, max_sv_fraction=1.0, epochs=1, step="2/sqrt(t)")
    kernel = _core.Kernel("sigmoid", 0.1, 3, 0.0)
    limits = _core.Limits(threads=1, memory_bytes=1, progress=progress)
    return _core.fit(solver, [1e9], data, kernel, limits, "computed")


class OwnError(Exception):
    pass


@pytest.mark.case(86)
def test_a_raising_callback_gives_its_own_exception():
    error, calls = OwnError("from the callback"), []

    def progress(steps):
        calls.append(steps)
        raise error

    with pytest.raises(OwnError) as raised:
        slow_fit(progress)
    assert raised.value is error
    assert len(calls) == 1
    assert OLLAWV().fit([[0.0], [1.0]], [0, 1]).predict([[0.0]]).tolist() == [0]


def test_a_callback_sees_the_steps_grow():
    calls = []
    (model,) = slow_fit(calls.append)
    assert calls == sorted(calls)
    assert 0 <= calls[0] < 5000
    assert model.n_iter.tolist() == [5000]
    (silent,) = slow_fit(None)
    np.testing.assert_array_equal(model.dual_coef, silent.dual_coef)


def test_a_callback_may_train_another_model():
    scores = []

    def progress(steps):
        scores.append(OLLAWV().fit([[0.0], [1.0]], [0, 1]).score([[0.0], [1.0]], [0, 1]))

    slow_fit(progress)
    assert set(scores) == {1.0}


@pytest.mark.case(85)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_panic_is_a_runtime_error_and_later_calls_work(noisy, threads):
    X, y = noisy
    expected = OLLAWV(n_jobs=threads).fit(X, y).dual_coef_
    for _ in range(3):
        with pytest.raises(RuntimeError, match=r"internal error.*injected by a test"):
            _core.inject_panic(threads)
        np.testing.assert_array_equal(OLLAWV(n_jobs=threads).fit(X, y).dual_coef_, expected)
