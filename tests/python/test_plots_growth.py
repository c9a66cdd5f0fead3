"""Times and sizes of models against rows."""

import numpy as np
import pytest

from hinge import plots
from hinge.experiments import _paper_003 as paper
from pictures import closed_figures, legend_of, plt, readable, texts  # noqa: F401

SETS = {name: of[0] for name, of in paper.DATASETS.items()}


def printed(place):
    """A column of table 1.3 by rows."""
    return {
        method: (list(SETS.values()), [row[method][place] for row in paper.TABLE_1_3.values()])
        for method in paper.METHODS_1_3
    }


def names_in(ax):
    return [(word, box) for word, box in texts(ax) if word in SETS]


def test_lines_are_the_values_in_order_of_rows():
    ax = plots.against_rows({"a": ([30, 10, 20], [3.0, 1.0, 2.0]), "b": ([20, 10], [9.0, 8.0])})
    first, second = ax.get_lines()
    np.testing.assert_array_equal(first.get_xydata(), [[10, 1], [20, 2], [30, 3]])
    np.testing.assert_array_equal(second.get_xydata(), [[10, 8], [20, 9]])
    assert legend_of(ax) == ["a", "b"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert "(s)" in ax.get_ylabel()


def test_shares_start_at_zero():
    ax = plots.against_rows(printed(2), ylabel="support vectors (%)", yscale="linear")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "support vectors (%)"


def test_values_that_are_not_known_are_left_out():
    (line,) = plots.against_rows({"a": ([1, 2, 3], [1, np.nan, 3])}).get_lines()
    np.testing.assert_array_equal(line.get_xdata(), [1, 3])


def test_names_of_all_sets_stand_along_the_top_in_order():
    ax = plots.against_rows(printed(1), sets=SETS)
    assert set(SETS) < set(readable(ax))
    found = sorted(names_in(ax), key=lambda pair: pair[1].x0)
    assert [word for word, _ in found] == sorted(SETS, key=SETS.get)
    # A name with room stands above its rows.
    of_intrusion = next(box for word, box in found if word == "intrusion")
    (at, _) = ax.transData.transform((SETS["intrusion"], 1))
    assert (of_intrusion.x0 + of_intrusion.x1) / 2 == pytest.approx(at, abs=1.5)


@pytest.mark.parametrize("width", [2.8, 4.0])
def test_in_small_pictures_only_names_that_do_not_overlap_are_written(width):
    _, ax = plt.subplots(figsize=(width, 3.4), layout="constrained")
    plots.against_rows({"one": printed(1)["OLLAWV"]}, sets=SETS, ax=ax)
    boxes = [box for _, box in names_in(ax)]
    assert 3 < len(boxes) < len(SETS)
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_many_methods_are_told_apart():
    ax = plots.against_rows({f"method {k}": ([10, 100], [k + 1, k + 2]) for k in range(20)})
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in ax.get_lines()}
    assert len(looks) == 20


@pytest.mark.parametrize(
    ("series", "arguments", "message"),
    [
        ({}, {}, "series is empty"),
        ({"a": ([1, 2], [1])}, {}, "2 sizes of 'a', but 1 values"),
        ({"a": ([0, 2], [1, 1])}, {}, "a size of 'a' that is not a positive number"),
        ({"a": ([1], [1])}, {"sets": {"b": 0}}, "sets has a size that is not a positive number"),
        ({"a": ([1, 2], [0, 1])}, {}, "the value 0 of 'a'.*yscale='linear'"),
        ({"a": ([1], [np.nan])}, {}, "no values of 'a'"),
        ({"a": ([1], [1])}, {"yscale": "symlog"}, "yscale = 'symlog' is not valid"),
    ],
)
def test_what_cannot_be_drawn_is_refused(series, arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.against_rows(series, **arguments)
