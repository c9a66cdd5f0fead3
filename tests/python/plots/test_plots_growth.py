"""Times and sizes of models against the number of samples."""

import numpy as np
import pytest

from pictures import closed_figures, legend_of, plt, readable, texts  # noqa: F401
from softmargin import plots
from softmargin.experiments import _melki_2018 as paper

SETS = {name: of[0] for name, of in paper.DATASETS.items()}


def printed(place):
    """A column of table 1.3 by number of samples."""
    return {
        method: (list(SETS.values()), [row[method][place] for row in paper.TABLE_1_3.values()])
        for method in paper.METHODS_1_3
    }


def names_in(ax):
    return [(word, box) for word, box in texts(ax) if word in SETS]


def test_lines_are_the_values_in_order_of_size():
    ax = plots.growth({"a": ([30, 10, 20], [3.0, 1.0, 2.0]), "b": ([20, 10], [9.0, 8.0])})
    first, second = ax.get_lines()
    np.testing.assert_array_equal(first.get_xydata(), [[10, 1], [20, 2], [30, 3]])
    np.testing.assert_array_equal(second.get_xydata(), [[10, 8], [20, 9]])
    assert legend_of(ax) == ["a", "b"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert "(s)" in ax.get_ylabel()


def test_shares_start_at_zero():
    ax = plots.growth(printed(2), ylabel="support vectors (%)", yscale="linear")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "support vectors (%)"


def test_values_that_are_not_known_are_left_out():
    (line,) = plots.growth({"a": ([1, 2, 3], [1, np.nan, 3])}).get_lines()
    np.testing.assert_array_equal(line.get_xdata(), [1, 3])


def test_names_of_all_sets_stand_along_the_top_in_order():
    ax = plots.growth(printed(1), sets=SETS)
    assert set(SETS) < set(readable(ax))
    found = sorted(names_in(ax), key=lambda pair: pair[1].x0)
    assert [word for word, _ in found] == sorted(SETS, key=SETS.get)
    # A name with room is written above its size.
    of_intrusion = next(box for word, box in found if word == "intrusion")
    (at, _) = ax.transData.transform((SETS["intrusion"], 1))
    assert (of_intrusion.x0 + of_intrusion.x1) / 2 == pytest.approx(at, abs=1.5)


@pytest.mark.parametrize("width", [2.8, 4.0])
def test_in_small_pictures_only_names_that_do_not_overlap_are_written(width):
    _, ax = plt.subplots(figsize=(width, 3.4), layout="constrained")
    plots.growth({"one": printed(1)["OLLAWV"]}, sets=SETS, ax=ax)
    boxes = [box for _, box in names_in(ax)]
    assert 3 < len(boxes) < len(SETS)
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_many_methods_are_told_apart():
    ax = plots.growth({f"method {k}": ([10, 100], [k + 1, k + 2]) for k in range(20)})
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in ax.get_lines()}
    assert len(looks) == 20


@pytest.mark.parametrize(
    ("series", "arguments", "message"),
    [
        ({}, {}, "series is empty"),
        ({"a": ([1, 2], [1])}, {}, r"series\['a'\] has 2 sizes but 1 values"),
        (
            {"a": ([0, 2], [1, 1])},
            {},
            r"series\['a'\] has a number of samples that is not positive",
        ),
        (
            {"a": ([1], [1])},
            {"sets": {"b": 0}},
            "sets has a number of samples that is not positive",
        ),
        ({"a": ([1, 2], [0, 1])}, {}, r"series\['a'\] has the value 0.*yscale='linear'"),
        ({"a": ([1], [np.nan])}, {}, r"series\['a'\] has no finite value"),
        ({"a": ([1], [1])}, {"yscale": "symlog"}, "yscale = 'symlog' is not valid"),
    ],
)
def test_what_cannot_be_drawn_is_refused(series, arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.growth(series, **arguments)
