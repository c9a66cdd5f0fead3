"""Dense rows that cannot be used are refused by their place; all others give the same result."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import reference
from hinge import OLLAWV, MinMaxScaler, kernel_matrix

REFUSED = (ValueError, TypeError)


def everywhere(X, match, exception=ValueError):
    """The scaler and the kernel matrix refuse the same rows as the classifier."""
    for call in (MinMaxScaler().fit, kernel_matrix):
        with pytest.raises(exception, match=match):
            call(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("value", "name"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")]
)  # cases 1, 2
def test_the_first_value_that_is_not_finite_is_named(noisy, refuses, value, name, dtype):
    X, y = noisy
    bad = X.astype(dtype)
    bad[17, 2] = bad[17, 3] = bad[40, 0] = value
    place = rf"X contains {name} .*row 17, column 2"
    refuses(bad, y, place)
    everywhere(bad, place)
    model, scaler = OLLAWV().fit(X.astype(dtype), y), MinMaxScaler().fit(X)
    for call in (model.predict, model.decision_function, scaler.transform):
        with pytest.raises(ValueError, match=place):
            call(bad)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize(("dtype", "huge"), [(np.float64, 1e200), (np.float32, 1e30)])
def test_values_that_overflow_the_kernel_are_refused(noisy, refuses, dtype, huge, kernel):  # case 3
    X, y = noisy
    bad = X.astype(dtype)
    bad[3, 1] = -huge
    refuses(bad, y, r"X has values up to .*overflows the \w+ kernel", kernel=kernel)
    with pytest.raises(ValueError, match="overflows"):
        kernel_matrix(bad, kernel)
    with pytest.raises(ValueError, match="overflows"):
        OLLAWV(kernel=kernel).fit(X.astype(dtype), y).predict(bad)


@pytest.mark.parametrize(("dtype", "tiny"), [(np.float64, 5e-324), (np.float32, 1.4e-45)])
def test_subnormal_values_fit(rng, dtype, tiny):  # case 4
    X = (rng.integers(0, 9, size=(30, 3)) * np.array(tiny, dtype=dtype)).astype(dtype)
    assert X.max() > 0
    model = OLLAWV().fit(X, np.arange(30) % 2)
    assert np.isfinite(model.decision_function(X)).all()
    scaled = MinMaxScaler().fit_transform(X)
    assert scaled.max() == 1


@pytest.mark.parametrize(
    ("X", "match"),
    [
        (np.empty((0, 4)), r"0 sample.*\(0, 4\)"),  # case 5
        (np.empty((120, 0)), r"0 feature.*\(120, 0\)"),  # case 6
        (np.zeros(120), "2D array"),  # case 7
        (np.zeros((120, 2, 2)), "dim 3"),  # case 8
        (np.float64(3), "2D"),
    ],
)
def test_shapes_other_than_rows_of_features_are_refused(noisy, refuses, X, match):
    refuses(X, noisy[1], match)
    everywhere(X, match)


DAYS = pd.date_range("2020-01-01", periods=120)


@pytest.mark.parametrize(
    "X",
    [
        np.full((120, 2), 1 + 2j),  # case 9
        np.full((120, 2), "word"),  # case 10
        np.full((120, 2), "1.5"),
        np.full((120, 2), b"1.5"),
        np.full((120, 2), "1.5", dtype=object),
        [["1", "2"]] * 120,
        pd.DataFrame({"a": ["1.5"] * 120, "b": ["2"] * 120}),
        pl.DataFrame({"a": ["1.5"] * 120}),
        DAYS.to_numpy()[:, None],  # case 11
        (DAYS.to_numpy() - DAYS.to_numpy()[0])[:, None],
        [[datetime.date(2020, 1, 1)]] * 120,
        pd.DataFrame({"day": DAYS}),
        pd.DataFrame({"day": DAYS, "x": 1.0}),
        pl.DataFrame({"day": DAYS.to_numpy()}),
        [[None, 1.0]] * 120,
        [[{}]] * 120,
        None,
    ],
    ids=lambda X: f"{type(X).__name__} {getattr(X, 'dtype', '')}",
)
def test_what_is_not_a_number_is_refused(noisy, refuses, X):
    refuses(X, noisy[1], r"\S", REFUSED)
    everywhere(X, r"\S", REFUSED)


@pytest.mark.parametrize("n", [119, 121, 0])
def test_rows_and_labels_of_different_length_are_refused(noisy, refuses, n):  # case 19
    X, _ = noisy
    refuses(X, np.arange(n) % 2, rf"\[120, {n}\]")


@pytest.mark.parametrize("value", [0.0, 3.5])
def test_equal_rows_fit(value):  # case 21
    X, y = np.full((20, 3), value), np.arange(20) % 2
    model = OLLAWV().fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert len(set(model.predict(X))) == 1


def test_equal_rows_with_opposite_labels_fit(noisy):  # case 22
    X, y = noisy
    model = OLLAWV().fit(np.r_[X, X], np.r_[y, 1 - y])
    assert np.isfinite(model.decision_function(X)).all()
    assert model.n_iter_[0] <= 2 * len(X)


def test_one_row_is_refused_for_its_one_class(refuses):  # case 24
    refuses([[1.0]], [3], "one class, .*3")


@pytest.mark.parametrize("labels", [(0, 1), (1, 0)])
def test_two_rows_are_solved_by_hand(labels):  # case 25
    X = np.array([[0.0], [1.0]])
    model = OLLAWV(gamma=1.0, margin=0.1).fit(X, labels)
    sign = 1 if labels[0] == 1 else -1
    alphas = {0: sign * 2, 1: -sign * 2 / np.sqrt(2)}
    assert dict(zip(model.support_, model.dual_coef_[0], strict=True)) == alphas
    np.testing.assert_allclose(model.intercept_, [sum(alphas.values()) / 2], rtol=1e-15)
    expected = reference.kernel(X, X) @ [alphas[0], alphas[1]] + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-14)


def test_another_number_of_features_is_refused(noisy):  # case 26
    X, y = noisy
    model, scaler = OLLAWV().fit(X, y), MinMaxScaler().fit(X)
    for call in (model.predict, model.decision_function, scaler.transform):
        for other in (X[:, :3], np.c_[X, X]):
            with pytest.raises(ValueError, match=rf"{other.shape[1]} features.*4 features"):
                call(other)


def test_other_names_of_features_are_refused(noisy):  # case 26
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcd"))
    model, scaler = OLLAWV().fit(frame, y), MinMaxScaler().fit(frame)
    for call in (model.predict, model.decision_function, scaler.transform):
        for other in (frame.rename(columns={"d": "e"}), frame[list("dcba")]):
            with pytest.raises(ValueError, match="feature names"):
                call(other)


def test_masked_cells_are_refused(noisy, refuses):  # case 28
    X, y = noisy
    bad = np.ma.array(X, mask=np.zeros_like(X, dtype=bool))
    bad[3, 1] = np.ma.masked
    refuses(bad, y, "X has masked cells")
    everywhere(bad, "X has masked cells")
    with pytest.raises(ValueError, match="X has masked cells"):
        OLLAWV().fit(X, y).predict(bad)
