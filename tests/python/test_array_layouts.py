"""Rows of any number type and memory layout give the model of a plain copy (cases 12-18)."""

import contextlib
import threading

import numpy as np
import pytest

from hinge import OLLAWV, MinMaxScaler, kernel_matrix


def assert_same_model(X, expected_X, y):
    """Fitted on X as on the plain copy, which X equals and stays equal to."""
    before = np.array(X, dtype=np.float64)
    model, expected = OLLAWV().fit(X, y), OLLAWV().fit(expected_X, y)
    for name in ("support_", "dual_coef_", "intercept_", "support_vectors_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(expected, name))
    decisions = model.decision_function(X)
    np.testing.assert_array_equal(decisions, expected.decision_function(expected_X))
    np.testing.assert_array_equal(kernel_matrix(X), kernel_matrix(expected_X))
    np.testing.assert_array_equal(
        MinMaxScaler().fit_transform(X), MinMaxScaler().fit_transform(expected_X)
    )
    np.testing.assert_array_equal(np.asarray(X, dtype=np.float64), before)


@pytest.mark.parametrize("dtype", ["f2", "i1", "u1", "i4", "u8", "f16", "?", object])
def test_other_numbers_are_converted_to_float64(rng, dtype):  # case 12
    X = rng.integers(0, 2 if dtype == "?" else 9, size=(40, 3)).astype(dtype)
    assert_same_model(X, X.astype(np.float64), np.arange(40) % 2)


def misaligned(X):
    buffer = np.zeros(X.nbytes + 1, dtype=np.uint8)
    view = buffer[1:].view(X.dtype).reshape(X.shape)
    view[:] = X
    assert not view.flags.aligned
    return view


SAME = {
    "big-endian": lambda X: X.astype(X.dtype.newbyteorder(">")),  # case 13
    "Fortran order": np.asfortranarray,  # case 14
    "negative strides": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],  # case 15
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "transposed": lambda X: X.T.copy().T,
    "misaligned": misaligned,  # case 16
    "matrix subclass": lambda X: X.view(type("Named", (np.ndarray,), {})),
    "nothing masked": np.ma.asarray,
}


@pytest.mark.parametrize("make", SAME.values(), ids=SAME)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_layout_does_not_matter(noisy, make, dtype):
    X, y = noisy
    X = np.ascontiguousarray(X, dtype=dtype)
    assert_same_model(make(X), X, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_read_only_memory_map_is_read_in_place(noisy, tmp_path, dtype):  # case 17
    X, y = noisy
    np.save(tmp_path / "X.npy", X.astype(dtype))
    assert_same_model(np.load(tmp_path / "X.npy", mmap_mode="r"), X.astype(dtype), y)


def test_an_array_that_changes_during_a_fit_does_not_crash(rng):  # case 18
    X = rng.normal(size=(8000, 20))
    y, stop = (X[:, 0] > 0).astype(int), threading.Event()

    def scribble():
        while not stop.is_set():
            for value in (np.nan, 1e300, np.inf, *range(20)):  # mostly usable
                X[::7] = value

    thread = threading.Thread(target=scribble)
    thread.start()
    for _ in range(30):
        with contextlib.suppress(ValueError):  # a refusal is as good as a model
            OLLAWV(max_sv_fraction=0.02, n_jobs=2).fit(X, y).predict(X)
    stop.set()
    thread.join()
    X[:] = rng.normal(size=X.shape)
    assert OLLAWV(max_sv_fraction=0.02).fit(X, y).n_iter_[0] > 0
