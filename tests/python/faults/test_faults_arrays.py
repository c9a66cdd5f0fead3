"""Dense rows that cannot be used are refused by their place, by every estimator."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import reference
from estimators import KERNEL, PREDICTORS, READERS, TRAINERS, each, problem
from softmargin import GDSVC, OLLAWV, SGDSVC, SVC, LinearSVC, MinMaxScaler, kernel_matrix

REFUSED = (ValueError, TypeError)
NAMES = {np.nan: "NaN", np.inf: "inf", -np.inf: "-inf"}
NOT_FINITE = [
    pytest.param(np.nan, marks=pytest.mark.case(1)),
    pytest.param(np.inf, marks=pytest.mark.case(2)),
    pytest.param(-np.inf, marks=pytest.mark.case(2)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", NOT_FINITE)
@each(READERS)
def test_the_first_value_that_is_not_finite_is_named(noisy, refuses, value, dtype):
    X, y = noisy
    bad = X.astype(dtype)
    bad[17, 2] = bad[17, 3] = bad[40, 0] = value
    refuses(bad, y, rf"X contains {NAMES[value]} .*row 17, column 2")


@pytest.mark.parametrize("value", NOT_FINITE)
@each(PREDICTORS)
def test_a_value_that_is_not_finite_is_not_predicted(noisy, estimator, value):
    X, y = noisy
    model, bad = estimator.fit(X, y), X.copy()
    bad[17, 2] = value
    for call in (model.predict, model.decision_function, MinMaxScaler().fit(X).transform):
        with pytest.raises(ValueError, match=rf"X contains {NAMES[value]} .*row 17, column 2"):
            call(bad)


OVERFLOWS = r"X has values up to .*(overflows the \w+ kernel|products overflow)"


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.case(3)
@pytest.mark.parametrize(("dtype", "huge"), [(np.float64, 1e200), (np.float32, 1e30)])
@each(PREDICTORS)
def test_values_that_overflow_are_refused_before_solving(noisy, refuses, estimator, dtype, huge):
    X, y = noisy
    bad = X.astype(dtype)
    bad[3, 1] = -huge
    if isinstance(estimator, GDSVC | LinearSVC | SGDSVC):
        refuses(X * 1e200, y, OVERFLOWS)  # they compute in float64
        return  # and do not square what they predict
    refuses(bad, y, OVERFLOWS)
    model = estimator.fit(X.astype(dtype), y)
    with pytest.raises(ValueError, match="overflow"):
        model.predict(bad)


@pytest.mark.case(3)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", [GDSVC(), LinearSVC(), SGDSVC()], ids=str)
def test_rows_whose_outputs_overflow_are_refused(noisy, estimator):
    X, y = noisy
    estimator.fit(X, y)
    estimator.coef_ = 10 * np.sign(estimator.coef_)
    bad = np.copysign(1e308, np.ones((2, X.shape[1])) * estimator.coef_)
    for answer in (estimator.decision_function, estimator.predict):
        with pytest.raises(ValueError, match="X has values up to 1e308, which overflows"):
            answer(bad)


@pytest.mark.case(3)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize(("dtype", "huge"), [(np.float64, 1e200), (np.float32, 1e30)])
@each(KERNEL)
def test_values_that_overflow_any_kernel_are_refused(noisy, refuses, dtype, huge, kernel):
    X, y = noisy
    bad = X.astype(dtype)
    bad[3, 1] = -huge
    refuses(bad, y, OVERFLOWS, kernel=kernel)
    with pytest.raises(ValueError, match="overflows"):
        kernel_matrix(bad, kernel)


@pytest.mark.case(3)
@each(["nested_cv"])
def test_rows_that_are_scaled_in_each_fold_may_be_huge(noisy, estimator):
    X, y = noisy
    estimator.fit(X * 1e200, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.case(4)
@pytest.mark.parametrize(("dtype", "tiny"), [(np.float64, 5e-324), (np.float32, 1.4e-45)])
@each(PREDICTORS)
def test_subnormal_values_fit(rng, estimator, dtype, tiny):
    X = (rng.integers(0, 9, size=(30, 3)) * np.array(tiny, dtype=dtype)).astype(dtype)
    assert X.max() > 0
    model = estimator.fit(X, np.arange(30) % 2)
    assert np.isfinite(model.decision_function(X)).all()
    assert MinMaxScaler().fit_transform(X).max() == 1


@pytest.mark.parametrize(
    ("X", "match"),
    [
        pytest.param(np.empty((0, 4)), r"0 sample.*\(0, 4\)", marks=pytest.mark.case(5)),
        pytest.param(np.empty((120, 0)), r"0 feature.*\(120, 0\)", marks=pytest.mark.case(6)),
        pytest.param(np.zeros(120), "2D array", marks=pytest.mark.case(7)),
        pytest.param(np.zeros((120, 2, 2)), "dim 3", marks=pytest.mark.case(8)),
        (np.float64(3), "2D"),
    ],
)
@each(READERS)
def test_shapes_other_than_rows_of_features_are_refused(noisy, refuses, X, match):
    refuses(X, noisy[1], match)


DAYS = pd.date_range("2020-01-01", periods=120)
NO_NUMBERS = {
    9: [np.full((120, 2), 1 + 2j)],
    10: [
        np.full((120, 2), "word"),
        np.full((120, 2), "1.5"),
        np.full((120, 2), b"1.5"),
        np.full((120, 2), "1.5", dtype=object),
        np.full((120, 2), "1.5", dtype=np.dtypes.StringDType()),
        np.zeros((120, 2), dtype=[("a", float)]),
        [["1", "2"]] * 120,
        pd.DataFrame({"a": ["1.5"] * 120, "b": ["2"] * 120}),
        pl.DataFrame({"a": ["1.5"] * 120}),
        [[None, 1.0]] * 120,
        [[{}]] * 120,
        None,
    ],
    11: [
        DAYS.to_numpy()[:, None],
        (DAYS.to_numpy() - DAYS.to_numpy()[0])[:, None],
        [[datetime.date(2020, 1, 1)]] * 120,
        pd.DataFrame({"day": DAYS}),
        pd.DataFrame({"day": DAYS, "x": 1.0}),
        pl.DataFrame({"day": DAYS.to_numpy()}),
    ],
}


@pytest.mark.parametrize(
    "X",
    [
        pytest.param(
            X,
            marks=pytest.mark.case(case),
            id=f"{type(X).__name__} {getattr(X, 'dtype', '')}".strip(),
        )
        for case, kinds in NO_NUMBERS.items()
        for X in kinds
    ],
)
@each(READERS)
def test_what_is_not_a_number_is_refused(noisy, refuses, X):
    assert refuses(X, noisy[1], r"\S", REFUSED)


@pytest.mark.case(19)
@pytest.mark.parametrize("n", [119, 121, 0])
@each(TRAINERS)
def test_rows_and_labels_of_different_length_are_refused(noisy, refuses, n):
    X, _ = noisy
    refuses(X, np.arange(n) % 2, rf"\b120\b.*\b{n}\b|no labels")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.case(21)
@pytest.mark.parametrize("value", [0.0, 3.5])
@each(PREDICTORS)
def test_equal_rows_fit(estimator, value):
    X, y = np.full((20, 3), value), np.arange(20) % 2
    model = estimator.fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert len(set(model.predict(X))) == 1


@pytest.mark.case(21, of="SVC")
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("value", [0.1, 0.07, -3.3, 1e5 + 0.1])
def test_equal_values_whose_mean_is_rounded_have_no_variance(value, layout):
    """The variance of rounding errors once made gamma about 1e32."""
    X, y = np.full((61, 3), value), np.arange(61) % 2
    scaled, one = (SVC(gamma=gamma, kernel="poly").fit(layout(X), y) for gamma in ("scale", 1.0))
    np.testing.assert_array_equal(scaled.decision_function(X), one.decision_function(X))


@pytest.mark.case(22)
@each(PREDICTORS)
def test_equal_rows_with_opposite_labels_converge(noisy, estimator):
    X, y = noisy
    if isinstance(estimator, GDSVC):
        estimator.set_params(tol=0.9)  # descent of constant length circles the kinks
    model = estimator.fit(np.r_[X, X], np.r_[y, 1 - y])
    assert np.isfinite(model.decision_function(X)).all()
    assert not hasattr(model, "status_") or set(model.status_) == {"converged"}


@pytest.mark.case(22, of="SVC")
def test_equal_rows_with_opposite_labels_have_alphas_at_the_bound():
    X = np.zeros((10, 2))
    y = np.arange(10) % 2
    model = SVC(C=3.0).fit(X, y)
    assert np.abs(model.dual_coef_).max() == 3.0
    assert model.status_ == ["converged"]


@pytest.mark.case(23)
@each(PREDICTORS)
def test_a_constant_feature_changes_hardly_anything(noisy, estimator):
    X, y = noisy
    constant = np.c_[X, np.full(len(X), 0.25)]
    model = estimator.fit(constant, y)
    assert np.isfinite(model.decision_function(constant)).all()
    assert model.score(constant, y) > 0.6
    assert np.isfinite(MinMaxScaler().fit_transform(constant)).all()


@pytest.mark.case(24)
@each(TRAINERS)
def test_one_row_is_refused_for_its_one_class(refuses):
    refuses([[1.0]], [3], "one class, .*3")


@pytest.mark.case(25)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("labels", [(0, 1), (1, 0)])
@each({name: model for name, model in PREDICTORS.items() if not name.endswith("CV")})
def test_two_rows_are_told_apart(estimator, labels):
    X = np.array([[-1.0], [1.0]])
    model = estimator.fit(X, labels)
    assert model.predict(X).tolist() == list(labels)


@pytest.mark.case(25)
@each(["GridSearchCV", "PatternSearchCV", "nested_cv"])
def test_two_rows_are_too_few_for_folds(refuses):
    refuses([[-1.0], [1.0]], [0, 1], r"n_splits=2|outer = 2")


@pytest.mark.case(25, of="OLLAWV")
@pytest.mark.parametrize("labels", [(0, 1), (1, 0)])
def test_two_rows_are_solved_by_hand(labels):
    X = np.array([[0.0], [1.0]])
    model = OLLAWV(gamma=1.0, margin=0.1).fit(X, labels)
    sign = 1 if labels[0] == 1 else -1
    alphas = {0: sign * 2, 1: -sign * 2 / np.sqrt(2)}
    assert dict(zip(model.support_, model.dual_coef_[0], strict=True)) == alphas
    np.testing.assert_allclose(model.intercept_, [sum(alphas.values()) / 2], rtol=1e-15)
    expected = reference.kernel(X, X) @ [alphas[0], alphas[1]] + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-14)


@pytest.mark.case(26)
@each(PREDICTORS)
def test_another_number_of_features_is_refused(noisy, estimator):
    X, y = noisy
    model, scaler = estimator.fit(X, y), MinMaxScaler().fit(X)
    for call in (model.predict, model.decision_function, scaler.transform):
        for other in (X[:, :3], np.c_[X, X]):
            with pytest.raises(ValueError, match=rf"{other.shape[1]} features.*4 features"):
                call(other)


@pytest.mark.case(26)
@each(PREDICTORS)
def test_other_names_of_features_are_refused(noisy, estimator):
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcd"))
    model, scaler = estimator.fit(frame, y), MinMaxScaler().fit(frame)
    for call in (model.predict, model.decision_function, scaler.transform):
        for other in (frame.rename(columns={"d": "e"}), frame[list("dcba")]):
            with pytest.raises(ValueError, match="feature names"):
                call(other)


@pytest.mark.case(27)
@each(PREDICTORS)
def test_no_rows_to_predict_are_refused_as_scikit_learn_does(estimator):
    X, y = problem()
    model = estimator.fit(X, y)
    for call in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match="0 sample"):
            call(np.empty((0, 4)))


@pytest.mark.case(28)
@each(READERS)
def test_masked_cells_are_refused(noisy, refuses, estimator):
    X, y = noisy
    bad = np.ma.array(X, mask=np.zeros_like(X, dtype=bool))
    bad[3, 1] = np.ma.masked
    refuses(bad, y, "X has masked values")
    for call in (getattr(estimator, name, None) for name in ("predict", "transform")):
        if call is not None:
            with pytest.raises(ValueError, match="X has masked values"):
                call(bad)
