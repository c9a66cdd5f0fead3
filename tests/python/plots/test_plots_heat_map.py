"""Heat maps of inner scores: colors near the best score, and labels as powers."""

from types import SimpleNamespace

import numpy as np
import pytest

from pictures import closed_figures, plt, readable  # noqa: F401
from softmargin import plots
from softmargin.plots._inner_table import _tick_labels


def result(Cs, gammas, scores=None):
    """What nested_cv returns, with one fold and given scores."""
    cells = [{"C": C, "gamma": gamma} for C in Cs for gamma in gammas]
    if scores is None:
        scores = np.linspace(0.8, 0.9, len(cells))
    inner = np.asarray(scores, dtype=np.float64).reshape(1, 1, -1)
    best = [cells[int(np.nanargmax(inner))]]
    return SimpleNamespace(
        cells=cells, inner_scores=inner, best_params=best, scoring="accuracy", method="svc"
    )


GRID = [4.0**k for k in range(-2, 6)], [4.0**k for k in range(-5, 3)]


def test_colors_resolve_differences_near_the_best_score():
    """Half of the cells guess; the best ones differ by a tenth of a percent each."""
    scores = np.r_[np.full(32, 0.5), 0.97 - 0.001 * np.arange(32)]
    image = plots.inner_table(result(*GRID, scores)).images[0]
    low, high = image.get_clim()
    assert high == 0.97
    assert 0.93 < low < 0.96
    colors = image.cmap(image.norm(scores))
    assert len({tuple(color) for color in colors[32:40]}) == 8
    assert len({tuple(color) for color in colors[:32]}) == 1


@pytest.mark.parametrize("scores", [np.full(64, 0.9), np.r_[np.full(60, 0.9), np.full(4, 0.8)]])
def test_ties_keep_their_range(scores):
    low, high = plots.inner_table(result(*GRID, scores)).images[0].get_clim()
    assert low <= scores.min()
    assert scores.max() <= high
    assert low < high


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([2.0**k for k in (-5, -4, -3)], ["2^{-5}", "2^{-4}", "2^{-3}"]),
        ([2.0**k for k in (-5, -3, -1)], ["2^{-5}", "2^{-3}", "2^{-1}"]),  # as LIBSVM's grid
        ([1, 4, 16], ["4^{0}", "4^{1}", "4^{2}"]),
        ([100, 10, 1], None),
        ([1e-4, 1e-3, 1e-2], ["10^{-4}", "10^{-3}", "10^{-2}"]),
        ([1.0, 4.0], None),
        ([1, 2, 3], None),
        ([0.5, 1.5, 4.5], None),
        (["scale", 1.0, 2.0], None),
        ([0, 1, 2], None),
    ],
)
def test_geometric_values_are_labeled_as_powers(values, labels):
    plain = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in values]
    assert _tick_labels(values) == ([f"${label}$" for label in labels] if labels else plain)


def test_the_title_explains_blank_cells():
    scores = np.linspace(0.8, 0.9, 64)
    assert "blank" not in plots.inner_table(result(*GRID, scores)).get_title("left")
    scores[::2] = np.nan
    ax = plots.inner_table(result(*GRID, scores))
    assert "blank: not evaluated" in ax.get_title("left")
    assert readable(ax)


@pytest.mark.parametrize("width", [3.0, 4.5, None])
@pytest.mark.parametrize("n", [2, 3, 8, 15])
def test_texts_do_not_overlap(n, width):
    found = result([4.0**k for k in range(n)], [2.0**k for k in range(-5, n - 5)])
    ax = None
    if width is not None:
        _, ax = plt.subplots(figsize=(width, 2.8), layout="constrained")
    words = readable(plots.inner_table(found, ax))
    if n <= 3 or width is None:
        assert "0.900" in words
