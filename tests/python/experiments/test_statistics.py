"""Comparisons of methods by ranks, beside scipy, Demsar's example and counting by hand."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from softmargin.statistics import compare, critical_distance, friedman, mean_ranks

# J. Demsar, Statistical Comparisons of Classifiers over Multiple Data Sets, 2006, table 6: ranks
# of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 sets.
DEMSAR = """4 3 2 1, 1 2 3 4, 4 1 2 3, 4 1 3 2, 4 2 3 1, 1 2.5 4 2.5, 3 2 4 1, 2.5 2.5 4 1, 4 3 2 1,
2.5 2.5 2.5 2.5, 4 2.5 1 2.5, 3 2 4 1, 4 1 2 3, 3 1 4 2"""
DEMSAR_NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]

# His table 5, from two to ten methods. (Bonferroni-Dunn for nine has 2.724 there, a misprint.)
CRITICAL_VALUES = {
    ("nemenyi", 0.05): [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    ("nemenyi", 0.10): [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
    ("bonferroni-dunn", 0.05): [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773],
    ("bonferroni-dunn", 0.10): [1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539],
}

# Few levels, so that many scores tie.
tables = st.tuples(st.integers(2, 8), st.integers(3, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 4).map(float))
)


def demsar(**arguments):
    rows = [[float(rank) for rank in row.split()] for row in DEMSAR.split(",")]
    return compare(rows, DEMSAR_NAMES, higher_is_better=False, **arguments)


def test_the_example_of_demsar():
    found = demsar(control="C4.5")
    np.testing.assert_allclose(found.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert found.chi2 == pytest.approx(9.28, abs=5e-3)
    assert found.f == pytest.approx(3.69, abs=5e-3)
    assert found.differs
    assert found.nemenyi == pytest.approx(1.25, abs=5e-3)
    assert len(found.groups) == 1
    at_ten = demsar(control="C4.5", alpha=0.1)
    assert at_ten.nemenyi == pytest.approx(1.12, abs=5e-3)
    assert at_ten.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    assert at_ten.bonferroni_dunn == pytest.approx(1.04, abs=5e-3)
    assert at_ten.better_than_control == ("C4.5+m+cf", "C4.5+m")


@pytest.mark.parametrize(("test", "alpha"), CRITICAL_VALUES)
def test_critical_values_are_those_of_the_table(test, alpha):
    for k, q in enumerate(CRITICAL_VALUES[test, alpha], start=2):
        distance = critical_distance(k, 20, alpha, test)
        assert distance / np.sqrt(k * (k + 1) / 120) == pytest.approx(q, abs=1e-3)


@given(tables)
def test_with_ties_corrected_chi2_is_that_of_scipy(table):
    found = friedman(table, correct_ties=True)
    if (table == table[:, :1]).all():
        assert found == (0, 1, 0, 1)  # nothing differs; scipy divides 0 by 0
        return
    chi2, p = stats.friedmanchisquare(*table.T)
    assert found.chi2 == pytest.approx(chi2, abs=1e-9)
    assert found.p_chi2 == pytest.approx(p, abs=1e-9)


def test_f_is_that_of_an_analysis_of_variance_of_ranks(rng):
    # Iman and Davenport's F is the F of methods in a two-way table of ranks without interaction.
    table = rng.normal(size=(9, 4))
    ranks = stats.rankdata(table, axis=1)
    n, k = ranks.shape
    methods = n * np.sum((ranks.mean(axis=0) - (k + 1) / 2) ** 2) / (k - 1)
    rest = ranks - ranks.mean(axis=0)  # the mean of each set is (k + 1) / 2 for all
    error = np.sum(rest**2) / ((n - 1) * (k - 1))
    found = friedman(table)
    assert found.f == pytest.approx(methods / error)
    assert found.p_f == pytest.approx(stats.f.sf(methods / error, k - 1, (k - 1) * (n - 1)))


def test_methods_in_the_same_order_everywhere_have_infinite_f():
    for n, k in [(2, 2), (5, 3), (23, 7), (101, 12)]:
        table = np.tile(np.arange(k) / 7, (n, 1))
        found = compare(table)
        assert (found.f, found.p_f) == (np.inf, 0)
        assert found.chi2 == n * (k - 1)
        np.testing.assert_array_equal(found.ranks, np.arange(k, 0, -1))
        assert "F inf (p 0)" in str(found)


@given(tables)
def test_ranks_turn_round_with_the_sense_of_scores(table):
    k = table.shape[1]
    forth, back = compare(table), compare(table, higher_is_better=False)
    np.testing.assert_allclose(back.ranks, k + 1 - forth.ranks)
    assert back.p_f == pytest.approx(forth.p_f)
    np.testing.assert_allclose(mean_ranks(-table), back.ranks)
    assert forth.ranks.sum() == pytest.approx(k * (k + 1) / 2)


@given(tables, st.sampled_from([0.05, 0.5]))
def test_groups_are_the_largest_sets_without_a_difference(table, alpha):
    found = compare(table, alpha=alpha)
    rank = dict(zip(found.names, found.ranks, strict=True))
    alike = [
        set(some)
        for size in range(1, len(rank) + 1)
        for some in combinations(rank, size)
        if max(map(rank.get, some)) - min(map(rank.get, some)) < found.nemenyi
    ]
    largest = [some for some in alike if not any(some < other for other in alike)]
    assert sorted(map(sorted, found.groups)) == sorted(map(sorted, largest))


def test_the_control_is_compared_in_both_directions():
    # Ranks 1, 2, 3, 4 on all of 20 sets; the distance is 0.977.
    table = np.tile([0.9, 0.8, 0.7, 0.6], (20, 1))
    first = compare(table, "abcd")
    assert (first.control, first.worse_than_control) == ("a", ("b", "c", "d"))
    third = compare(table, "abcd", control="c")
    assert (third.worse_than_control, third.better_than_control) == (("d",), ("a", "b"))
    assert "worse than c: d; better: a, b" in str(third)
