"""Forms in which scores come, and scores that cannot be compared."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from softmargin.statistics import compare, critical_distance, friedman, mean_ranks

SCORES = {"a": [0.9, 0.8, 0.7], "b": [0.8, 0.9, 0.6], "c": [0.1, 0.2, 0.3]}


def table():
    return np.column_stack(list(SCORES.values()))


@pytest.mark.parametrize(
    ("scores", "names"),
    [
        (SCORES, None),
        ({name: np.array(of) for name, of in SCORES.items()}, None),
        (pd.DataFrame(SCORES, index=["x", "y", "z"]), None),
        (pl.DataFrame(SCORES), None),
        (table(), ["a", "b", "c"]),
        (table().tolist(), iter("abc")),
    ],
)
def test_all_forms_of_scores_give_the_same(scores, names):
    found = compare(scores, names)
    assert found.names == ("a", "b", "c")
    np.testing.assert_allclose(found.ranks, [4 / 3, 5 / 3, 3])
    assert found.n_sets == 3


def test_methods_of_an_array_have_numbers_for_names():
    assert compare(table()).names == ("method 1", "method 2", "method 3")


def test_sets_with_nan_are_left_out_when_asked():
    scores = np.vstack([table(), [0.5, np.nan, 0.9]])
    found = compare(scores, nan_policy="omit")
    assert found.n_sets == 3
    assert str(found) == str(compare(table()))


def test_an_infinite_score_is_a_rank_like_others():
    seconds = {"fast": [1, 2, 3], "given up": [np.inf, 9, np.inf]}
    found = compare(seconds, higher_is_better=False)
    np.testing.assert_array_equal(found.ranks, [1, 2])


def test_scores_are_not_changed_and_ranks_cannot_be():
    scores = table()
    found = compare(scores)
    np.testing.assert_array_equal(scores, table())
    with pytest.raises(ValueError, match="read-only"):
        found.ranks[0] = 1
    with pytest.raises(AttributeError):
        found.alpha = 0.1


@pytest.mark.parametrize(
    ("scores", "arguments", "message"),
    [
        (
            [[1, 2], [np.nan, 1]],
            {},
            "scores contains NaN for 'method 1' in row 1. Use compare with nan_policy",
        ),
        ([[1, np.nan]], {"nan_policy": "omit"}, "no data set remains"),
        (SCORES, {"nan_policy": "mean"}, "nan_policy = 'mean' is not valid"),
        (
            SCORES,
            {"control": "d"},
            "control = 'd' is not valid: it must be one of the methods a, b, c",
        ),
        (SCORES, {"alpha": 5}, "alpha = 5 is not valid: it must be between 0 and 1"),
        (SCORES, {"alpha": 0}, "alpha = 0 is not valid"),
        (SCORES, {"names": "abc"}, "names must be None"),
        ({"a": [1, 2], "b": [1]}, {}, "2 values for 'a', but 1 for 'b'"),
        ({}, {}, "no methods"),
        ([], {}, "1 dimensions; expected 2"),
        (np.ones((0, 3)), {}, "0 data sets and 3 methods"),
        ([[1, 2, 3]], {}, "1 data set; at least 2 are required"),
        ([[1], [2]], {}, "1 method; at least 2 are required"),
        (table(), {"names": "ab"}, "3 columns, but names has 2"),
        (table(), {"names": "aba"}, "two methods have the name 'a'"),
        ([["x", "y"]], {}, "could not convert"),
    ],
)
def test_what_cannot_be_compared_is_refused(scores, arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(scores, **arguments)


@pytest.mark.parametrize("ask", [mean_ranks, friedman])
def test_nan_has_no_rank(ask):
    with pytest.raises(ValueError, match="NaN for 'method 2' in row 0"):
        ask([[1, np.nan], [1, 2]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 5), "n_methods = 1"),
        ((3, 0), "n_sets = 0"),
        ((3, 5, 1.0), "alpha = 1.0"),
        ((3, 5, 0.05, "tukey"), "test = 'tukey' is not valid"),
    ],
)
def test_no_distance_without_valid_sizes(arguments, message):
    with pytest.raises(ValueError, match=message):
        critical_distance(*arguments)
