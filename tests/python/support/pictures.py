"""What tests of pictures share: no display, no figures left, and texts that overlap."""

from itertools import combinations
from unittest import mock

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402, F401
from matplotlib.text import Text  # noqa: E402


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def texts(ax):
    """Draw the figure, and return its texts, each on one line, with the boxes that they take."""
    found = []
    draw = Text.draw

    def record(self, renderer):
        if self.get_visible() and self.get_text().strip():
            words = " ".join(self.get_text().split())
            found.append((words, Text.get_window_extent(self, renderer)))
        draw(self, renderer)

    with mock.patch.object(Text, "draw", record):
        ax.figure.canvas.draw()
    return found


def readable(ax):
    """Check that all words are inside the figure, and no two overlap; return them."""
    found = texts(ax)
    width, height = ax.figure.canvas.get_width_height()
    cut = [
        word
        for word, box in found
        if min(box.x0, box.y0) < -1 or box.x1 > width + 1 or box.y1 > height + 1
    ]
    pairs = [
        (word, other)
        for (word, box), (other, of_other) in combinations(found, 2)
        if min(box.x1, of_other.x1) - max(box.x0, of_other.x0) > 1
        and min(box.y1, of_other.y1) - max(box.y0, of_other.y0) > 1
    ]
    assert not cut, cut
    assert not pairs, pairs
    return [word for word, _ in found]


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def pixels(ax):
    """Red, green, blue and opacity of each pixel, from 0 to 255."""
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())
