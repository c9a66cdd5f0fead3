"""Rows of any number type and memory layout give the model of a plain copy."""

import contextlib
import threading

import numpy as np
import pytest
from sklearn.base import clone

from estimators import PREDICTORS, each
from softmargin import MinMaxScaler, kernel_matrix

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def assert_same_model(estimator, X, expected_X, y):
    """Fitted on X as on the plain copy, which X equals and stays equal to."""
    before = np.array(X, dtype=np.float64)
    model, expected = clone(estimator).fit(X, y), clone(estimator).fit(expected_X, y)
    decisions = model.decision_function(X)
    np.testing.assert_array_equal(decisions, expected.decision_function(expected_X))
    for name in ("support_", "dual_coef_", "coef_", "intercept_", "support_vectors_"):
        if hasattr(expected, name):
            np.testing.assert_array_equal(getattr(model, name), getattr(expected, name))
    np.testing.assert_array_equal(kernel_matrix(X), kernel_matrix(expected_X))
    np.testing.assert_array_equal(
        MinMaxScaler().fit_transform(X), MinMaxScaler().fit_transform(expected_X)
    )
    np.testing.assert_array_equal(np.asarray(X, dtype=np.float64), before)


@pytest.mark.case(12)
@pytest.mark.parametrize("dtype", ["f2", "i1", "u1", "i4", "u8", np.longdouble, "?", object])
@each(PREDICTORS)
def test_other_numbers_are_converted_to_float64(estimator, rng, dtype):
    X = rng.integers(0, 2 if dtype == "?" else 9, size=(40, 3)).astype(dtype)
    assert_same_model(estimator, X, X.astype(np.float64), np.arange(40) % 2)


def misaligned(X):
    buffer = np.zeros(X.nbytes + 1, dtype=np.uint8)
    view = buffer[1:].view(X.dtype).reshape(X.shape)
    view[:] = X
    assert not view.flags.aligned
    return view


def layout(make, *cases):
    return pytest.param(make, marks=pytest.mark.case(*cases) if cases else ())


SAME = {
    "big-endian": layout(lambda X: X.astype(X.dtype.newbyteorder(">")), 13),
    "Fortran order": layout(np.asfortranarray, 14),
    "negative strides": layout(lambda X: X[::-1, ::-1].copy()[::-1, ::-1], 15),
    "every other row": layout(lambda X: np.repeat(X, 2, axis=0)[::2]),
    "transposed": layout(lambda X: X.T.copy().T, 14),
    "misaligned": layout(misaligned, 16),
    "matrix subclass": layout(lambda X: X.view(type("Named", (np.ndarray,), {}))),
    "nothing masked": layout(np.ma.asarray),
}


@pytest.mark.parametrize("make", SAME.values(), ids=SAME)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@each(PREDICTORS)
def test_memory_layout_does_not_matter(estimator, noisy, make, dtype):
    X, y = noisy
    X = np.ascontiguousarray(X, dtype=dtype)
    assert_same_model(estimator, make(X), X, y)


@pytest.mark.case(17)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@each(PREDICTORS)
def test_a_read_only_memory_map_is_read_in_place(estimator, noisy, tmp_path, dtype):
    X, y = noisy
    np.save(tmp_path / "X.npy", X.astype(dtype))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert_same_model(estimator, mapped, X.astype(dtype), y)


@pytest.mark.case(18)
@pytest.mark.filterwarnings("ignore")
@each(PREDICTORS)
def test_an_array_that_changes_during_a_fit_does_not_crash(estimator, rng):
    X = rng.normal(size=(300, 20))
    y, stop = (X[:, 0] > 0).astype(int), threading.Event()
    for name, value in {"n_jobs": 2, "max_iter": 200}.items():
        if name in estimator.get_params():
            estimator.set_params(**{name: value})

    def scribble():
        while not stop.is_set():
            for value in (np.nan, 1e300, np.inf, *range(20)):  # mostly usable
                X[::7] = value

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        for _ in range(10):
            with contextlib.suppress(ValueError):  # a refusal is as good as a model
                estimator.fit(X, y).predict(X)
    finally:
        stop.set()
        thread.join()
    X[:] = rng.normal(size=X.shape)
    assert np.isfinite(estimator.fit(X, y).decision_function(X)).all()
