"""Bars of scores by set and method."""

import numpy as np
import pandas as pd
import pytest

from pictures import closed_figures, legend_of, readable, texts  # noqa: F401
from softmargin import plots
from softmargin.experiments import _melki_2018 as paper


def printed(place):
    rows = paper.TABLE_1_5.values()
    return {name: [row[name][place] for row in rows] for name in paper.METHODS_1_5}


def lengths(ax):
    """Lengths of bars, by method."""
    is_lying = ax.get_ylim()[0] > ax.get_ylim()[1]
    return {
        bars.get_label(): [bar.get_width() if is_lying else bar.get_height() for bar in bars]
        for bars in ax.containers
        if hasattr(bars, "patches")
    }


def test_bars_are_the_scores_by_set_and_method():
    scores = {"a": [0.9, 0.8], "b": [0.7, 0.6], "c": [0.5, 0.4]}
    ax = plots.accuracy_bars(scores, sets=["iris", "wine"])
    assert lengths(ax) == {name: pytest.approx(of) for name, of in scores.items()}
    assert legend_of(ax) == ["a", "b", "c"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["iris", "wine"]
    places = [[bar.get_x() for bar in bars] for bars in ax.containers]
    assert np.all(np.diff(places, axis=0) > 0)  # methods in their order on each set


@pytest.mark.parametrize("methods", [3, 6])
def test_many_sets_lie_below_each_other(methods):
    scores = dict(list(printed(0).items())[:methods])
    errors = dict(list(printed(1).items())[:methods])
    ax = plots.accuracy_bars(scores, errors, sets=paper.DATASETS, perfect=100)
    assert sum(map(len, lengths(ax).values())) == 23 * methods
    assert lengths(ax) == {name: pytest.approx(of) for name, of in scores.items()}
    assert set(paper.DATASETS) < set(readable(ax))
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top


def test_error_bars_are_as_long_as_the_errors():
    scores, errors = {"a": [0.8, 0.7], "b": [0.6, 0.5]}, {"b": [0.1, 0.2], "a": [0.05, np.nan]}
    ax = plots.accuracy_bars(scores, errors)
    spans = {
        bars.get_label(): [
            np.ptp(part[:, 1]) for part in bars.errorbar.lines[2][0].get_segments() if len(part)
        ]
        for bars in ax.containers
        if hasattr(bars, "patches")
    }
    assert spans == {"a": pytest.approx([0.1]), "b": pytest.approx([0.2, 0.4])}


def test_one_set_has_a_bar_with_its_value_for_each_method():
    ax = plots.accuracy_bars(paper.AVERAGES_1_5, perfect=100)
    assert ax.get_legend() is None
    words = readable(ax)
    for name, value in paper.AVERAGES_1_5.items():
        assert name in words
        assert f"{value:.2f}%" in words


@pytest.mark.parametrize(
    ("scores", "arguments", "start", "label"),
    [
        ([[0.9, 0.95]], {}, 0.5, "Accuracy (axis starts at 50%)"),
        ([[90, 95]], {"perfect": 100}, 50, "Accuracy (axis starts at 50%)"),
        ([[0.5, 0.95]], {}, 0, "Accuracy"),
        ([[0.9, 0.95]], {"floor": 0}, 0, "Accuracy"),
        ([[0.9, 0.95]], {"floor": 0.8, "label": "F1"}, 0.8, "F1 (axis starts at 80%)"),
    ],
)
def test_an_axis_that_does_not_start_at_zero_says_so(scores, arguments, start, label):
    ax = plots.accuracy_bars(scores, **arguments)
    assert ax.get_ylim()[0] == start
    assert ax.get_ylabel() == label
    lying = plots.accuracy_bars(scores, **arguments, horizontal=True)
    assert (lying.get_xlim()[0], lying.get_xlabel()) == (start, label)
    assert "100%" in [word for word, _ in texts(lying)]


def test_a_score_that_is_not_known_has_no_bar_and_a_table_names_its_sets():
    frame = pd.DataFrame({"a": [0.9, np.nan], "b": [0.8, 0.7]}, index=["iris", "wine"])
    ax = plots.accuracy_bars(frame)
    assert [len(of) for of in lengths(ax).values()] == [1, 2]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["iris", "wine"]


def test_long_names_are_readable():
    names = [f"a method with a rather long name {k}" for k in range(4)]
    assert readable(plots.accuracy_bars([[0.9, 1.0, 0.7, 0.6]], names=names))
    sets = [f"a set with a rather long name {k}" for k in range(4)]
    assert readable(plots.accuracy_bars(np.full((4, 9), 0.8), sets=sets))


def test_long_names_leave_room_for_the_bars():
    names = ["a method with a rather long name", "another method with a long name"]
    sets = [f"a data set with a rather long name, part {k}" for k in range(4)]
    ax = plots.accuracy_bars(np.full((4, 2), 0.8), names=names, sets=sets)
    assert {*names, *sets} <= set(readable(ax))
    assert ax.get_window_extent().width > 0.35 * ax.figure.bbox.width


@pytest.mark.parametrize(
    ("scores", "arguments", "message"),
    [
        ({}, {}, "no methods"),
        ([[np.nan]], {}, "scores contains only NaN"),
        ([[97.3]], {}, "97.3, which is above perfect=1; use perfect=100 for percentages"),
        (
            [[0.4]],
            {"floor": 0.5},
            "floor=0.5 is not valid: it must not exceed the lowest score, 0.4",
        ),
        ([[-np.inf]], {}, "scores contains -inf"),
        ([[1.0]], {"floor": 1.0}, "floor=1 is not valid"),
        ([[0.4]], {"sets": ["a", "b"]}, "1 data sets, but sets has 2 names"),
        (
            {"a": 0.4},
            {"errors": {"b": 0.1}},
            "errors has the methods b on 1 data sets, but scores has a on 1",
        ),
        ({"a": 0.4}, {"errors": [[0.1], [0.1]]}, "a on 2 data sets, but scores has a on 1"),
        ({"a": 0.4}, {"errors": {"a": -0.1}}, "errors contains -0.1; errors must not be negative"),
    ],
)
def test_what_cannot_be_drawn_is_refused(scores, arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.accuracy_bars(scores, **arguments)
