"""Searches as users write them have the tables of scikit-learn, computed by the engine."""

import re
from functools import cache

import numpy as np
import pytest

from user_searches import NAMESPACES, SEARCHES

each = pytest.mark.parametrize("name", SEARCHES)


@cache
def run(name, package):
    """Run a search once for all tests."""
    return SEARCHES[name].run(NAMESPACES[package])


def shown(params):
    """Return the parameters of a candidate, with estimators as text without their package."""
    return {
        name: repr(value) if hasattr(value, "get_params") else value
        for name, value in params.items()
    }


def assert_same_table(found, expected, atol):
    """Compare all columns but the times; scores may differ by ``atol``, and ranks accordingly."""
    table, theirs = found.cv_results_, expected.cv_results_
    assert list(table) == list(theirs)
    assert [shown(one) for one in table["params"]] == [shown(one) for one in theirs["params"]]
    for column, values in theirs.items():
        if column.startswith("rank_test_"):
            metric = column.removeprefix("rank_test_")
            assert_same_ranks(table[column], values, theirs[f"mean_test_{metric}"], atol)
        elif re.match(r"(split\d+|mean|std)_(test|train)_", column):
            np.testing.assert_allclose(table[column], values, rtol=0, atol=atol, err_msg=column)
        elif column in ("iter", "n_resources"):
            np.testing.assert_array_equal(table[column], values, err_msg=column)


def assert_same_ranks(found, expected, means, atol):
    """Compare ranks; only candidates whose scores may be confused may change places."""
    if atol < 1e-9:
        np.testing.assert_array_equal(found, expected)
        return
    is_better = means[:, None] > means + 2 * atol
    assert np.all(found[:, None] < found, where=is_better)


def assert_same_choice(found, expected):
    """Compare the best candidate and what else follows from the table."""
    for attribute in ("best_index_", "best_params_", "best_score_", "best_estimator_"):
        assert hasattr(found, attribute) == hasattr(expected, attribute), attribute
    assert found.n_splits_ == expected.n_splits_
    assert found.multimetric_ == expected.multimetric_
    if hasattr(expected, "best_index_"):
        assert found.best_index_ == expected.best_index_
        assert shown(found.best_params_) == shown(expected.best_params_)


def test_there_are_forty_searches():
    assert len(SEARCHES) == 40


@each
@pytest.mark.parametrize("package", ["mixed", "softmargin"])
def test_the_table_is_that_of_scikit_learn(name, package):
    case, found, expected = SEARCHES[name], run(name, package), run(name, "scikit-learn")
    assert_same_table(found.search, expected.search, case.atol)
    assert_same_choice(found.search, expected.search)
    assert expected.warned == case.warns
    assert found.warned == case.warns


@each
def test_the_engine_runs_all_fits_unless_there_is_a_reason(name):
    search, reason = run(name, "softmargin").search, SEARCHES[name].reason
    if reason is None:
        assert search.used_engine_ is True, search.engine_reason_
        assert search.engine_reason_ is None
    else:
        assert search.used_engine_ is False
        assert re.search(reason, search.engine_reason_)
