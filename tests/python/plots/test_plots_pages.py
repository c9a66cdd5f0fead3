"""All pictures: readable, and for light and dark pages alike."""

import sys

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from pictures import closed_figures, pixels, plt, readable, to_rgb  # noqa: F401
from softmargin import SVC, SVR, OneClassSVM, nested_cv, plots
from softmargin.plots._look import COLORS
from softmargin.statistics import compare

METHODS = ("OLLAWV", "NNISDA", "MNSVM")


def scores(n_sets=4):
    table = 0.7 + 0.2 * np.random.default_rng(3).random((n_sets, 3))
    return dict(zip(METHODS, table.T, strict=True))


def boundary():
    X, y = make_blobs(90, centers=3, cluster_std=2, random_state=1)
    return plots.decision_boundary(SVC().fit(X, y), X, y, resolution=60)


def machine():
    X, y = make_blobs(90, centers=2, cluster_std=3, random_state=1)
    model = SVC().fit(X, y)
    return plots.decision_boundary(model, X, y, bayes=lambda rows: rows[:, 0] + 5, resolution=60)


def ranks():
    return plots.critical_difference(compare(scores(9)))


def groups():
    return plots.critical_difference(compare(scores(9)), test="nemenyi")


def growth():
    series = {name: ([100, 1000, 5000], 10 * of[:3]) for name, of in scores().items()}
    return plots.growth(series, sets={"iris": 100, "teach": 101, "letter": 5000})


def bars():
    return plots.accuracy_bars(scores(), {name: of / 30 for name, of in scores().items()})


def means():
    return plots.accuracy_bars({name: of.mean() for name, of in scores().items()})


def curves():
    steps = np.arange(1, 30)
    found = {"step": steps, "seconds": steps / 100, "objective": 1 / steps}
    return plots.convergence({"a": found, "b": found | {"objective": 2 / steps}})


def table():
    X, y = make_blobs(60, centers=2, cluster_std=4, random_state=1)
    grid = {"C": [0.1, 1, 10], "gamma": [0.1, 1, 10]}
    return nested_cv(X, y, grid=grid, outer=3, inner=3, random_state=0).heatmap()


def region():
    X, _ = make_blobs(90, centers=2, cluster_std=2, random_state=1)
    return plots.decision_boundary(OneClassSVM(nu=0.2).fit(X), X, resolution=60)


def wave():
    X = np.linspace(0, 6, 60)[:, None]
    return X, np.sin(X.ravel()) + 0.1 * np.random.default_rng(0).normal(size=60)


def tube():
    X, y = wave()
    return plots.tube(SVR().fit(X, y), X, y)


def predicted():
    X, y = wave()
    return plots.predicted(y, {"a": SVR().fit(X, y).predict(X), "b": 0 * y}, epsilon=0.1)


def residuals():
    X, y = wave()
    return plots.residuals(y, {"a": SVR().fit(X, y).predict(X), "b": 0 * y}, epsilon=0.1)


PICTURES = [boundary, machine, ranks, groups, growth, bars, means, curves, table]
PICTURES += [region, tube, predicted, residuals]
EACH_PICTURE = pytest.mark.parametrize("draw", PICTURES, ids=lambda draw: draw.__name__)


@EACH_PICTURE
def test_words_do_not_overlap_and_are_not_cut(draw):
    assert readable(draw())


@EACH_PICTURE
def test_only_settings_say_how_a_page_looks(draw):
    """On a page without a color nothing is black or white, and blank places stay blank."""
    ink = "#B05A2C"
    parts = ["text", "axes.edge", "axes.label", "xtick.", "ytick.", "grid.", "patch.edge"]
    names = [f"{part}.color" if part == "text" else f"{part}color" for part in parts]
    settings = dict.fromkeys(names, ink) | {"axes.facecolor": "none", "figure.facecolor": "none"}
    with plt.rc_context(settings):
        shown = pixels(draw())
    solid = shown[shown[..., 3] == 255][:, :3].astype(int)
    assert len(solid)
    assert solid.max(axis=1).min() > 20, "something is black"
    assert solid.min(axis=1).max() < 250, "something is white"
    assert (solid == [0xB0, 0x5A, 0x2C]).all(axis=1).any()
    assert (shown[..., 3] == 0).mean() > 0.2


def test_colors_are_seen_on_light_and_dark_pages():
    def luminance(color):
        share = np.array(to_rgb(color))
        linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    for color in COLORS:
        assert (luminance("white") + 0.05) / (luminance(color) + 0.05) > 2
        assert (luminance(color) + 0.05) / (luminance("#111111") + 0.05) > 2


@EACH_PICTURE
def test_pictures_are_drawn_without_colors_being_the_only_difference(draw):
    ax = draw()
    lines = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    looks = {(line.get_linestyle(), line.get_marker()) for line in lines}
    assert len(looks) == len(lines)
    hatches = [bars[0].get_hatch() for bars in ax.containers if hasattr(bars, "patches")]
    assert len(set(hatches)) == len(hatches)


@EACH_PICTURE
def test_without_matplotlib_it_says_how_to_get_it(draw, monkeypatch):
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        draw()
