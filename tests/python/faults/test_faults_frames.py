"""Data frames: what is no number is refused by its column, its first value and its row."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline

import softmargin
from estimators import PREDICTORS, READERS, each

N, ROW = 120, 3
DAY = datetime.date(2020, 1, 1)


def column(value, others=None):
    """A column whose first and only unusual value is in row 3."""
    return [others] * ROW + [value] + [others] * (N - ROW - 1)


def pandas(values, dtype=None):
    return pd.DataFrame({"age": np.arange(N) / N, "income": pd.Series(values, dtype=dtype)})


def polars(values, dtype=None):
    return pl.DataFrame({"age": np.arange(N) / N, "income": pl.Series(values, dtype=dtype)})


TEXT = {
    "object": pandas(column("n/a", 1.5)),
    "missing": pandas(column("n/a"), object),
    "string": pandas(column("n/a"), "string"),
    "category": pandas(column("n/a"), "category"),
    "bytes": pandas(column(b"n/a", 1.5)),
    "polars": polars(column("n/a")),
    "polars category": polars(column("n/a"), pl.Categorical),
    "polars enum": polars(column("n/a"), pl.Enum(["a", "n/a"])),
}
WHAT_TO_DO = r"\. Encode text columns \(for example with OneHotEncoder\), convert .*or drop them"
OTHERS = {
    "dates": (pandas(pd.to_datetime(pd.Series(column(DAY)))), "dates or durations", "2020-01-01"),
    "date objects": (pandas(column(DAY, 1.5)), "dates or durations", "2020-01-01"),
    "durations": (pandas(pd.to_timedelta(pd.Series(column("2 days")))), "dates or durations", "1"),
    "polars dates": (polars(column(DAY)), "dates or durations", "2020-01-01"),
    "polars times": (polars(column(datetime.time(2))), "dates or durations", "02:00"),
    "intervals": (pandas(column(pd.Interval(0, 1))), "values of type Interval", r"Interval\(0"),
    "dictionaries": (pandas(column({}, 1.5)), "values of type dict", "{}"),
    "polars lists": (polars(column([1, 2])), "values of type (list|ndarray)", r".*\[1, 2\]"),
}


@pytest.mark.case(109)
@pytest.mark.parametrize("frame", TEXT.values(), ids=TEXT)
@each(READERS)
def test_text_is_named_by_its_column_value_and_row(noisy, refuses, frame):
    refuses(frame, noisy[1], rf"X has text in column 'income': first b?'n/a' at row 3{WHAT_TO_DO}")


@pytest.mark.case(11, 109)
@pytest.mark.parametrize("kind", OTHERS)
@each(READERS)
def test_dates_and_other_objects_are_named_alike(noisy, refuses, kind):
    frame, found, value = OTHERS[kind]
    refuses(frame, noisy[1], f"X has {found} in column 'income': first {value}.* at row 3. Convert")


@pytest.mark.case(9)
@each(READERS)
def test_complex_numbers_are_named_by_their_column(noisy, refuses):
    refuses(pandas(column(1j, 1.0)), noisy[1], "(?s)Complex data not supported.*'income'")


@pytest.mark.case(109)
@each(PREDICTORS)
def test_text_is_not_predicted(noisy, estimator):
    numbers = polars(noisy[0][:, 0])
    model = estimator.fit(numbers, noisy[1])
    scaler = softmargin.MinMaxScaler().fit(numbers)
    for call in (model.predict, model.decision_function, scaler.transform):
        with pytest.raises(ValueError, match="X has text in column 'income': first 'n/a' at row 3"):
            call(TEXT["polars"])


@pytest.mark.case(1)
@pytest.mark.parametrize("frame", [pandas, polars])
@pytest.mark.parametrize("value", [np.nan, None])
@each(READERS)
def test_a_missing_value_is_named_by_its_column(noisy, refuses, frame, value):
    sentence = r"X contains NaN at row 3, column 'income'\. Impute or drop missing values"
    refuses(frame(column(value, 1.5)), noisy[1], f"{sentence} before fitting")


@pytest.mark.case(2)
@each(READERS)
def test_an_infinite_value_is_named_by_its_column(noisy, refuses):
    refuses(pandas(column(-np.inf, 1.5)), noisy[1], "X contains -inf at row 3, column 'income'")


def test_a_missing_value_is_not_predicted(noisy):
    model = softmargin.SVC().fit(pandas(column(0.5, 1.5)), noisy[1])
    sentence = r"X contains NaN at row 3, column 'income'\. Impute or drop missing values\.$"
    with pytest.raises(ValueError, match=sentence):
        model.predict(pandas(column(np.nan, 1.5)))


def test_columns_are_named_where_names_are_no_text_or_come_twice(noisy):
    rows = pd.DataFrame([[0.5, 1.5]] * N, columns=["a", "a"]).astype(object)
    rows.iloc[ROW, 1] = "n/a"
    for names, found in ((["a", "a"], "'a'"), ([("x", 1), ("x", 2)], r"\('x', 2\)"), ([7, 8], "8")):
        rows.columns = pd.Index(names, tupleize_cols=False)
        with pytest.raises((ValueError, TypeError), match=f"text in column {found}: first 'n/a'"):
            softmargin.kernel_matrix(rows)
    long = pandas(column("y" * 1000)).rename(columns={"income": "x" * 1000})
    with pytest.raises(ValueError, match="text in column 'xxx") as refusal:
        softmargin.SVC().fit(long, noisy[1])
    assert len(str(refusal.value)) < 300


def test_numbers_of_any_type_of_column_are_numbers(noisy):
    expected = softmargin.SVC().fit(np.c_[np.arange(N) / N, np.arange(N) % 3], noisy[1])
    for dtype in ("category", "Int64", "object", "float32", "int8"):
        model = softmargin.SVC().fit(pandas(np.arange(N) % 3, dtype), noisy[1])
        np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)


def test_a_pipeline_in_a_search_names_the_column(noisy):
    search = softmargin.GridSearchCV(
        make_pipeline(softmargin.MinMaxScaler(), softmargin.SVC()), {"svc__C": [1.0]}
    )
    with pytest.raises(ValueError, match="X has text in column 'income': first 'n/a' at row 3"):
        search.fit(TEXT["object"], noisy[1])


@pytest.mark.case(10)
@each(READERS)
def test_text_in_an_array_is_named_by_row_and_column(noisy, refuses):
    bad = noisy[0].astype(object)
    bad[ROW, 2] = "n/a"
    refuses(bad, noisy[1], r"X contains 'n/a' at row 3, column 2\. Every value must be a number")
