"""Labels keep their identity; labels and class weights that cannot be used are named."""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from estimators import CLASSIFIERS, PREDICTORS, SEARCHES, TRAINERS, each
from softmargin import OLLAWV, fold_labels
from softmargin._checks import labels as label_checks

REFUSED = (ValueError, TypeError)


@pytest.mark.case(40)
@pytest.mark.parametrize(
    ("y", "label"), [(np.zeros(120, int), "0"), (["ham"] * 120, "ham"), ([True] * 120, "True")]
)
@each(TRAINERS)
def test_a_single_class_is_refused_by_its_name(noisy, refuses, y, label):
    refuses(noisy[0], y, f"y has only one class, .*{label}")
    with pytest.raises(ValueError, match=label):
        fold_labels(y, 2)


@pytest.mark.case(41)
@each(CLASSIFIERS)
def test_a_class_lost_to_a_zero_weight_is_named(noisy, refuses):
    refuses(*noisy, "class 1 has no remaining samples", class_weight={1: 0.0})


@pytest.mark.case(42)
@each(TRAINERS)
def test_continuous_labels_are_refused(estimator, noisy, refuses):
    X, _ = noisy
    refuses(X, X[:, 0], "continuous")
    for scheme in ("ovo", "ovr") if "multi_class" in estimator.get_params() else ():
        refuses(X, X[:, 0], "continuous", multi_class=scheme)


@pytest.mark.case(43)
@pytest.mark.parametrize("shape", [(120, 2), (60, 2, 1), (1, 120)])
@each(TRAINERS)
def test_labels_that_are_no_vector_are_refused(noisy, refuses, shape):
    refuses(noisy[0], np.zeros(shape, dtype=int), r"shape|inconsistent|dim 3")


@pytest.mark.case(43)
@each(CLASSIFIERS)
def test_a_column_of_labels_warns_as_in_scikit_learn(estimator, noisy):
    X, y = noisy
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        predicted = estimator.fit(X, y[:, None]).decision_function(X)
    np.testing.assert_array_equal(predicted, estimator.fit(X, y).decision_function(X))


@pytest.mark.case(44)
@pytest.mark.parametrize(
    "y",
    [
        np.array([0.0, 1.0] * 59 + [np.nan, 1.0]),
        np.array([0.0, 1.0] * 59 + [np.inf, 1.0]),
        np.array(["a", "b"] * 59 + [None, "b"], dtype=object),
        np.array(["a", "b"] * 59 + [np.nan, "b"], dtype=object),
        np.array(["a", "b"] * 59 + [pd.NA, "b"], dtype=object),
        pd.Series(["a", "b"] * 59 + [pd.NA, "b"], dtype="string"),
        pd.Series([0, 1] * 59 + [pd.NA, 1], dtype="Int64"),
        pd.Series(pd.Categorical(["a", "b"] * 59 + [None, "b"])),
        pl.Series(["a", "b"] * 59 + [None, "b"]),
        pl.Series([0, 1] * 59 + [None, 1]),
        pytest.param(
            np.ma.array([0, 1] * 60, mask=[False] * 118 + [True, False]),
            marks=pytest.mark.case(28),
        ),
        np.array(["2020", "2021"] * 59 + ["NaT", "2021"], dtype="datetime64[Y]"),
        np.array([0, 1] * 59 + ["NaT", 1], dtype="timedelta64[s]"),
    ],
    ids=lambda y: f"{type(y).__name__} {y.dtype}",
)
@each(TRAINERS)
def test_the_first_missing_label_is_named(noisy, refuses, y):
    refuses(noisy[0], y, r"\by\b.*(118|masked|missing)")
    with pytest.raises(ValueError, match=r"\by\b.*(118|masked|missing)"):
        fold_labels(y, 2)


@pytest.mark.case(44)
@each(TRAINERS)
def test_no_labels_at_all_are_refused(noisy, refuses):
    refuses(noisy[0], None, r"requires y|y contains None")


@pytest.mark.parametrize("y", [3, "ab", {}, object()], ids=lambda y: type(y).__name__)
@each(TRAINERS)
def test_what_is_no_sequence_of_labels_is_refused(noisy, refuses, y):
    refuses(noisy[0], y, r"\S", REFUSED)


@each(TRAINERS)
def test_labels_that_have_no_order_are_refused(noisy, refuses):
    refuses(noisy[0], np.array(["a", 1] * 60, dtype=object), r"\by\b|label", REFUSED)


@pytest.mark.case(42)
@pytest.mark.parametrize("dtype", ["S1", np.dtypes.StringDType()], ids=str)
@each(TRAINERS)
def test_labels_of_a_type_that_is_not_supported_are_told_from_those_without_order(
    noisy, refuses, dtype
):
    refuses(
        noisy[0],
        np.array(["a", "b"] * 60).astype(dtype),
        r"y has labels of dtype.*astype",
        TypeError,
    )


@pytest.mark.case(45)
@pytest.mark.parametrize(
    "labels",
    [
        np.array(["ham", "spam"]),
        np.array(["ham", "spam"], dtype=object),
        np.array(["", "ä", "日本", "z" * 500]),
        np.array([False, True]),
        np.array([-3, -1, 7], dtype=np.int8),
        np.array([-(2**63), 0, 2**63 - 1]),
        np.array([0, 2**63, 2**64 - 1], dtype=np.uint64),
        np.array([-2.0, 0.0, 5.0]),
        np.array([2**53, 2**53 + 1]),
    ],
    ids=lambda labels: f"{labels.dtype}-{len(labels)}",
)
@each(PREDICTORS)
def test_labels_keep_identity_type_and_order(estimator, rng, labels):
    k = len(labels)
    codes = rng.permutation(np.arange(30 * k) % k)
    X = np.eye(k)[codes] + 0.1 * rng.normal(size=(30 * k, k))
    model = estimator.fit(X, labels[codes])
    assert model.classes_.tolist() == sorted(labels.tolist())
    assert model.classes_.dtype == labels.dtype
    predicted = model.predict(X)
    assert predicted.dtype == labels.dtype
    assert predicted.tolist() == labels[codes].tolist()


def test_class_weights_find_their_class_by_its_label(rng):
    X, names = rng.normal(size=(60, 2)), np.array(["a", "b", "c"])
    y = np.arange(60) % 3
    by_name = OLLAWV(class_weight={"b": 3.0}).fit(X, names[y])
    by_number = OLLAWV(class_weight={np.int64(1): 3.0}).fit(X, y)
    by_bool = OLLAWV(class_weight={True: 3.0}).fit(X[y < 2], y[y < 2].astype(bool))
    pair = OLLAWV(class_weight={1: 3}).fit(X[y < 2], y[y < 2])
    np.testing.assert_array_equal(by_name.dual_coef_, by_number.dual_coef_)
    np.testing.assert_array_equal(by_bool.dual_coef_, pair.dual_coef_)
    years = np.array(["2020", "2021", "2022"], dtype="datetime64[Y]")
    for unit, label in [("Y", years[1]), ("ns", years[1]), ("D", datetime.date(2021, 1, 1))]:
        by_year = OLLAWV(class_weight={label: 3.0}).fit(X, years.astype(f"M8[{unit}]")[y])
        np.testing.assert_array_equal(by_year.dual_coef_, by_number.dual_coef_)


@pytest.mark.case(46, 76)
@each(CLASSIFIERS)
def test_too_many_classes_are_refused_with_the_number_of_pairs(refuses):
    y = np.repeat(np.arange(47_000), 2)
    refuses(np.zeros((len(y), 1)), y, r"47000 classes.* 1104476500 binary", multi_class="ovo")


@pytest.mark.case(52)
@pytest.mark.parametrize(
    ("class_weight", "sentence"),
    [
        ({2: 1.0}, "the class 2"),
        ({"1": 1.0}, "the class '1'"),
        ({1: -1.0}, r"class_weight\[1\] = -1.0"),
        ({1: float("nan")}, r"class_weight\[1\] = nan"),
        ({1: float("inf")}, r"class_weight\[1\] = inf"),
        ({1: "heavy"}, r"class_weight\[1\] = 'heavy'"),
        ({1: None}, r"class_weight\[1\] = None"),
        ({1: 1 + 2j}, r"class_weight\[1\] = \(1\+2j\)"),
        ({1: 10**400}, r"class_weight\[1\] = 1000.*finite"),
        ("heavy", "class_weight = 'heavy'"),
        ([1.0, 2.0], r"class_weight = \[1.0, 2.0\]"),
        (3.0, "class_weight = 3.0"),
    ],
)
@each(CLASSIFIERS)
def test_impossible_class_weights_are_named(noisy, refuses, class_weight, sentence):
    refuses(*noisy, sentence, REFUSED, class_weight=class_weight)


@pytest.mark.parametrize("weights", [{0: 1e39, 1: 1e39}, {1: 1e39}])
def test_steps_beyond_the_type_of_the_rows_are_refused(noisy, weights):
    X, y = noisy
    assert OLLAWV(class_weight=weights).fit(X, y).score(X, y) > 0.5
    with pytest.raises(ValueError, match="class_weight"):
        OLLAWV(class_weight=weights).fit(X.astype(np.float32), y)


def test_weights_times_c_beyond_float64_are_refused(noisy, refuses):
    refuses(*noisy, "class_weight", C=1e300, class_weight={1: 1e10})
    refuses(*noisy, "class_weight", class_weight={1: 1e300})


@pytest.mark.parametrize("weight", [1e39, 1e-46])
def test_an_extreme_class_weight_gives_the_model_of_float64_or_is_refused(noisy, weight):
    """float32 holds neither 1e39 nor 1e-46: a step must not become infinity or nothing."""
    X, y = noisy
    wide = OLLAWV(class_weight={0: weight}).fit(X, y)
    try:
        narrow = OLLAWV(class_weight={0: weight}).fit(X.astype(np.float32), y)
    except ValueError as refusal:
        sentence = str(refusal)
    else:
        sentence = "class_weight"
        assert narrow.n_iter_ == wide.n_iter_
        np.testing.assert_array_equal(narrow.predict(X), wide.predict(X))
    assert "class_weight" in sentence


def few(*counts):
    """Rows of classes with so many rows each."""
    y = np.repeat(np.arange(len(counts)), counts)
    return np.random.default_rng(0).normal(size=(len(y), 3)) + y[:, None], y


@pytest.mark.case(53)
@each([*SEARCHES, "nested_cv"])
def test_a_class_with_fewer_rows_than_folds_warns_as_stratified_folds(estimator):
    with pytest.warns(UserWarning, match=r"(least populated|smallest) class.* 1 (members|samples)"):
        estimator.fit(*few(20, 20, 1))


@pytest.mark.case(53)
@each([*SEARCHES, "nested_cv"])
def test_classes_that_all_have_fewer_rows_than_folds_are_refused(refuses):
    refuses(*few(1, 1, 1), r"n_splits=2|outer = 2")


@pytest.mark.parametrize("kind", ["object", "U", "mixed", "distinct"])
def test_many_words_are_coded_as_few_are(monkeypatch, kind):
    words = np.char.add("c-", (np.arange(5000) * 7919 % 30).astype(str))
    if kind == "distinct":
        words = np.char.add("c", np.arange(5000).astype(str))
    labels = words if kind == "U" else words.astype(object)
    if kind == "mixed":
        labels[4000] = 3
    outcomes = []
    for many in (1 << 16, 1000):
        monkeypatch.setattr(label_checks, "_MANY_LABELS", many)
        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                classes, codes = label_checks.check_labels(labels)
            outcomes.append((classes.dtype, classes.tolist(), codes.tolist(), len(warned)))
        except TypeError as error:
            outcomes.append(str(error)[:30])
    assert outcomes[0] == outcomes[1]
