"""No two texts of a plot overlap and none is cut off, measured by their bounding boxes."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from pictures import closed_figures, plt, readable  # noqa: F401
from softmargin import SVC, plots
from softmargin.experiments import _melki_2018 as paper
from softmargin.statistics import compare

METHODS = ["SVC", "OLLAWV", "NNISDA", "MNSVM", "Pegasos", "LinearSVC", "k-NN", "Naive Bayes"]
LONG = [f"a rather long name of data set {k}" for k in range(20)]
SIZES = {name: of[0] for name, of in paper.DATASETS.items()}


def axes(width, height=2.6):
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def scores(n_sets, n_methods):
    table = 0.75 + 0.24 * np.random.default_rng(0).random((n_sets, n_methods))
    return dict(zip(METHODS, table.T, strict=False))


@pytest.mark.parametrize("n_methods", [1, 2, 8])
@pytest.mark.parametrize(
    "sets",
    [["iris", "wine"], LONG[:2], [f"set {k}" for k in range(6)], LONG],
    ids=["two", "two long", "six", "twenty long"],
)
def test_bars(sets, n_methods):
    words = readable(plots.accuracy_bars(scores(len(sets), n_methods), sets=sets))
    assert {*sets, *METHODS[:n_methods]} <= set(words)


@pytest.mark.parametrize("width", [2.8, 4.0, 5.6])
@pytest.mark.parametrize("horizontal", [None, False])
def test_bars_in_narrow_figures(width, horizontal):
    sets = ["breast cancer", "ionosphere"]
    ax = plots.accuracy_bars(scores(2, 3), sets=sets, ax=axes(width, 3), horizontal=horizontal)
    assert set(sets) <= set(readable(ax))


@pytest.mark.parametrize("width", [2.8, 4.0, 6.4])
@pytest.mark.parametrize(
    ("sizes", "seconds"),
    [
        ([100, 200, 400, 800], [0.2, 0.3, 0.5, 0.9]),
        ([100, 150, 300], [0.2, 0.3, 0.5]),
        ([1000, 1100, 1200], [0.2, 0.21, 0.22]),
        ([60_000, 90_000], [2e4, 2.1e4]),
        ([5], [3]),
        (np.geomspace(10, 1e9, 9), np.geomspace(1e-7, 1e6, 9)),
        (np.geomspace(10, 1e5, 9), np.geomspace(1e-3, 1e4, 9)),
    ],
)
def test_log_axes_have_room_for_their_labels(sizes, seconds, width):
    ax = plots.growth({"SVC": (sizes, seconds), "OLLAWV": (sizes, seconds)}, ax=axes(width))
    readable(ax)
    for axis in (ax.xaxis, ax.yaxis):
        low, high = axis.get_view_interval()
        assert sum(low <= tick <= high for tick in axis.get_majorticklocs()) >= 2


@pytest.mark.parametrize("width", [3.0, 6.2])
def test_names_of_sets_above_and_the_legend(width):
    series = {name: (list(SIZES.values()), np.geomspace(0.1, 1e5, 23)) for name in METHODS[:3]}
    assert readable(plots.growth(series, sets=SIZES, ax=axes(width, 4.0)))


@pytest.mark.parametrize("width", [3.0, 6.2])
@pytest.mark.parametrize("x", ["step", "seconds"])
def test_convergence(width, x):
    def curve(end, scale):
        steps = np.arange(1, 50) * scale
        return {"step": steps, "seconds": steps / 1e3, "objective": np.geomspace(1, end, 49)}

    curves = {name: curve(0.2 / 4**k, 9**k) for k, name in enumerate(METHODS[:3])}
    assert set(curves) <= set(readable(plots.convergence(curves, x=x, ax=axes(width))))


@pytest.mark.parametrize("width", [3.0, 6.0])
def test_decision_boundary(width):
    X, y = make_moons(80, noise=0.2, random_state=0)
    model = SVC().fit(X, y)
    ax = plots.decision_boundary(model, X, y, ax=axes(width), resolution=20)
    readable(ax)
    assert ax.get_window_extent().width > 0.4 * ax.figure.bbox.width  # the legend leaves room


@pytest.mark.parametrize("test", ["bonferroni-dunn", "nemenyi"])
@pytest.mark.parametrize("names", [METHODS[:2], METHODS[:6], METHODS, LONG[:6]])
def test_critical_difference(names, test):
    table = np.random.default_rng(0).normal(size=(15, len(names)))
    assert readable(plots.critical_difference(compare(table, names), test=test))
    ties = compare(np.ones((5, len(names))), names)
    assert readable(plots.critical_difference(ties, test=test))
    if names == METHODS[:6]:
        assert readable(plots.critical_difference(compare(table, names), axes(4.0), test=test))
