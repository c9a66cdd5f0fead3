"""Names in pictures are written as they are, whatever is in them."""

import io

import numpy as np
import pandas as pd
import pytest

from pictures import closed_figures, plt, texts  # noqa: F401
from softmargin import SVC, plots
from softmargin.statistics import compare

# What matplotlib takes for formulas, the second of which it refuses.
NAMES = [r"$x$ $\foo$", r"\$ 5 $", "$"]
CURVE = {"step": [0, 1], "objective": [1.0, 0.5]}


def drawn(ax):
    """The words in a picture that are no formulas, as matplotlib lays them out."""
    found = [plt.Text(text=word)._preprocess_math(word) for word, _ in texts(ax)]
    return [word for word, is_formula in found if not is_formula]


def test_dollar_signs_in_names_begin_no_formula():
    scores = np.random.default_rng(0).random((8, 3))
    words = " ".join(drawn(plots.critical_difference(compare(scores, NAMES))))
    assert all(name in words for name in NAMES)
    assert set(NAMES) <= set(drawn(plots.accuracy_bars(scores[:1], names=NAMES)))
    sets = [f"{name} set" for name in NAMES]
    found = drawn(plots.accuracy_bars(scores[:3], names=NAMES, sets=sets))
    assert {*NAMES, *sets} <= set(found)
    assert set(NAMES) <= set(drawn(plots.convergence(dict.fromkeys(NAMES, CURVE))))
    series = {name: ([10, 100, 1000], row) for name, row in zip(NAMES, scores, strict=False)}
    found = drawn(plots.growth(series, sets=dict(zip(sets, [10, 100, 1000], strict=True))))
    assert {*NAMES, *sets} <= set(found)


def test_dollar_signs_in_columns_and_classes_begin_no_formula():
    X = pd.DataFrame(np.random.default_rng(0).random((30, 2)), columns=["$a$", r"$\foo$"])
    y = np.array(NAMES)[np.arange(30) % 3]
    found = drawn(plots.decision_boundary(SVC().fit(X, y), X, y, resolution=10))
    assert {"$a$", r"$\foo$", *NAMES} <= set(found)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["a\0b", "\x07bell", "a\ud800", "tab\tbed"])
def test_characters_that_cannot_be_drawn_are_replaced(name):
    """Control characters are not allowed in an SVG, and matplotlib fails on lone surrogates."""
    shown = name.translate(dict.fromkeys(map(ord, "\0\x07\ud800\t"), "\ufffd"))
    X = pd.DataFrame(np.random.default_rng(0).random((30, 2)), columns=[name, "b"])
    y = np.array([name, "b"], dtype=object)[np.arange(30) % 2]
    scores = np.random.default_rng(0).random((8, 2))
    pictures = [
        plots.decision_boundary(SVC().fit(X, y), X, y, resolution=10),
        plots.accuracy_bars(scores[:2], names=[name, "b"], sets=[name, "b"]),
        plots.critical_difference(compare(scores, [name, "b"])),
        plots.growth({name: ([10, 100], [1, 2])}, sets={name: 20}),
        plots.convergence({name: CURVE, "b": CURVE}),
    ]
    for ax in pictures:
        ax.figure.savefig(io.BytesIO(), format="svg")
        assert any(shown in word for word, _ in texts(ax))
