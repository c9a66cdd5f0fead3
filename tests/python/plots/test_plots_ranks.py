"""Diagrams of mean ranks."""

import numpy as np
import pytest

from pictures import closed_figures, plt, readable, texts  # noqa: F401
from softmargin import plots
from softmargin.experiments import _melki_2018 as paper
from softmargin.statistics import compare


@pytest.fixture
def six():
    rows = paper.TABLE_1_5.values()
    return compare({name: [row[name][0] for row in rows] for name in paper.METHODS_1_5})


def many(n_methods, name="method {}", n_sets=15):
    table = np.random.default_rng(5).normal(size=(n_sets, n_methods))
    table += np.linspace(1, 0, n_methods)
    return compare(table, [name.format(k + 1) for k in range(n_methods)])


def bars(ax):
    """Where bars start and end."""
    ends = [path.vertices[:, 0] for found in ax.collections for path in found.get_paths()]
    return [(of.min(), of.max()) for of in ends]


def dots(ax):
    return next(line for line in ax.get_lines() if line.get_marker() == "o")


def test_dots_and_lines_start_at_the_ranks(six):
    ax = plots.critical_difference(six)
    np.testing.assert_array_equal(dots(ax).get_xdata(), six.ranks)
    leads = [line for line in ax.get_lines() if len(line.get_xdata()) == 3]
    np.testing.assert_allclose(sorted(line.get_xdata()[0] for line in leads), sorted(six.ranks))
    assert ax.get_xlim() == (1, 6)


def test_lines_to_names_do_not_cross(six):
    for comparison in (six, many(12)):
        ax = plots.critical_difference(comparison)
        leads = [line.get_xydata() for line in ax.get_lines() if len(line.get_xdata()) == 3]
        for first in leads:
            (x, _), (_, height), (edge, _) = first
            for other in leads:
                (at, _), (_, depth), _ = other
                if other is not first and min(x, edge) < at < max(x, edge):
                    assert depth >= height  # the other has turned off above


def test_the_bar_reaches_from_the_control_to_the_critical_distance(six):
    (bar,) = bars(plots.critical_difference(six))
    assert bar == pytest.approx((1, six.ranks.min() + six.bonferroni_dunn))
    middle = compare(-np.tile(np.arange(5.0), (30, 1)), "abcde", control="c")
    (bar,) = bars(plots.critical_difference(middle))
    assert bar == pytest.approx((3 - middle.bonferroni_dunn, 3 + middle.bonferroni_dunn))


def test_bars_join_the_groups(six):
    rank = dict(zip(six.names, six.ranks, strict=True))
    joined = [(rank[group[0]], rank[group[-1]]) for group in six.groups if len(group) > 1]
    assert len(joined) == 3
    np.testing.assert_allclose(
        bars(plots.critical_difference(six, test="nemenyi")), joined, atol=0.1
    )
    apart = compare(-np.tile(np.arange(3.0), (50, 1)))
    assert not bars(plots.critical_difference(apart, test="nemenyi"))


@pytest.mark.parametrize("test", ["bonferroni-dunn", "nemenyi"])
def test_the_rule_is_as_long_as_the_critical_distance(six, test):
    ax = plots.critical_difference(six, test=test)
    (rule,) = [line for line in ax.get_lines() if line.get_marker() == "|"]
    distance = six.nemenyi if test == "nemenyi" else six.bonferroni_dunn
    assert np.ptp(rule.get_xdata()) == pytest.approx(distance)
    assert any(f"Critical difference {distance:.3g}" in word for word, _ in texts(ax))


@pytest.mark.parametrize("test", ["bonferroni-dunn", "nemenyi"])
@pytest.mark.parametrize("n_methods", [2, 3, 12])
def test_names_are_readable(n_methods, test):
    comparison = many(n_methods, "a method with a rather long name, the {}th")
    ax = plots.critical_difference(comparison, test=test)
    words = readable(ax)
    for own, rank in zip(comparison.names, comparison.ranks, strict=True):
        assert f"{own} ({rank:.2f})" in words


def test_it_draws_into_given_axes_and_refuses_other_tests(six):
    _, axes = plt.subplots(1, 2, layout="constrained", figsize=(12, 3))
    assert plots.critical_difference(six, axes[1]) is axes[1]
    assert readable(axes[1])
    with pytest.raises(ValueError, match="test = 'tukey' is not valid"):
        plots.critical_difference(six, test="tukey")
