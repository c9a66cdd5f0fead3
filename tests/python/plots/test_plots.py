"""Curves of trainings as pictures, without a display."""

import numpy as np
import pytest

from pictures import closed_figures, legend_of, plt  # noqa: F401
from softmargin import SGDSVC, plots


def curve(end=0.5, n=5, **more):
    """What a fit with ``record_every`` leaves: falls from 1 to ``end``."""
    step = np.arange(n) * 100
    objective = np.geomspace(1.0, end, n)
    return {"step": step, "seconds": step * 1e-6, "objective": objective, "loss": objective} | more


def fitted(found, **params):
    model = SGDSVC(**params)
    model.curve_ = found
    return model


def drawn(ax):
    """Render, so that whatever fails only when drawn fails here."""
    ax.figure.canvas.draw()
    return ax


@pytest.mark.parametrize("x", ["step", "seconds"])
@pytest.mark.parametrize("y", ["objective", "loss", "accuracy"])
def test_lines_are_the_numbers_of_the_curves(x, y):
    found = curve(accuracy=np.linspace(0.5, 0.9, 5))
    ax = drawn(plots.convergence([found, fitted(found)], x=x, y=y))
    for line in ax.get_lines():
        np.testing.assert_array_equal(line.get_xdata(), found[x])
        np.testing.assert_array_equal(line.get_ydata(), found[y])


def test_one_model_one_curve_and_one_mapping_are_taken():
    for models in (curve(), fitted(curve()), [curve()], {"a": curve()}, {"a": fitted(curve())}):
        ax = drawn(plots.convergence(models))
        assert len(ax.get_lines()) == 1
        assert ax.get_legend() is None


def test_the_legend_is_in_the_order_in_which_curves_end():
    ax = drawn(plots.convergence({"low": curve(0.1), "high": curve(0.9), "middle": curve(0.5)}))
    assert legend_of(ax) == ["high", "middle", "low"]


def test_labels_replace_names():
    ax = plots.convergence({"a": curve(0.9), "b": curve(0.1)}, labels=["first", "second"])
    assert legend_of(ax) == ["first", "second"]


def test_names_are_what_models_differ_in():
    words = [fitted(curve(), optimizer=name) for name in ("pegasos", "nag")]
    assert legend_of(plots.convergence(words)) == ["pegasos", "nag"]
    numbers = [fitted(curve(), lambda_=value) for value in (0.1, 0.01)]
    assert legend_of(plots.convergence(numbers)) == ["lambda_=0.1", "lambda_=0.01"]
    alike = [fitted(curve()), fitted(curve()), curve()]
    assert legend_of(plots.convergence(alike)) == ["SGDSVC 1", "SGDSVC 2", "curve"]


def test_an_axis_has_powers_of_ten_only_where_values_differ_much():
    assert plots.convergence(curve(1e-3)).get_yscale() == "log"
    assert plots.convergence(curve(0.5)).get_yscale() == "linear"
    steep = curve(accuracy=np.array([1e-4, 1.0, 1.0, 1.0, 1.0]))
    assert plots.convergence(steep, y="accuracy").get_yscale() == "linear"
    short, long = curve(), curve() | {"step": np.arange(5) * 10_000}
    assert drawn(plots.convergence([short, long])).get_xscale() == "log"
    assert plots.convergence([short, short]).get_xscale() == "linear"


def test_an_axis_of_accuracies_resolves_the_later_ones():
    """A classifier starts by guessing; the end of training is what is compared."""
    rise = np.r_[0.1, 0.5, np.linspace(0.95, 0.97, 48)]
    found = curve(n=50, accuracy=rise)
    low, high = drawn(plots.convergence(found, y="accuracy")).get_ylim()
    assert 0.9 < low < 0.95
    assert 0.97 < high <= 1
    slow = curve(n=50, accuracy=np.linspace(0.5, 0.97, 50))
    assert plots.convergence(slow, y="accuracy").get_ylim()[0] < 0.5


def test_steps_have_separators():
    ax = drawn(plots.convergence(curve() | {"step": np.arange(5) * 10_000}))
    assert "20,000" in [label.get_text() for label in ax.get_xticklabels()]


def test_what_is_not_finite_is_left_blank():
    found = curve(objective=np.array([1.0, np.inf, np.nan, 0.5, 0.4]))
    (line,) = drawn(plots.convergence(found)).get_lines()
    np.testing.assert_array_equal(np.isnan(line.get_ydata()), [False, True, True, False, False])
    diverged = curve(objective=np.full(5, np.inf))
    assert legend_of(drawn(plots.convergence({"b": found, "a": diverged}))) == ["a", "b"]


def test_more_curves_than_colours_are_told_apart():
    ax = drawn(plots.convergence({str(k): curve(0.1 + k / 100) for k in range(11)}))
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.get_lines()}
    assert len(looks) == 11


def test_it_draws_into_given_axes():
    _, axes = plt.subplots(1, 2)
    assert plots.convergence(curve(), ax=axes[1]) is axes[1]
    assert not axes[0].get_lines()
    # Lines that are there already are not named.
    plots.convergence({"a": curve(), "b": curve()}, ax=axes[1])
    assert legend_of(axes[1]) == ["a", "b"]


@pytest.mark.parametrize(
    ("models", "arguments", "message"),
    [
        (SGDSVC(), {}, "SGDSVC has no curve_; set record_every"),
        ({"mine": SGDSVC()}, {}, "mine has no curve_"),
        (curve(), {"y": "accuracy"}, "no 'accuracy'; pass eval_set to fit"),
        ({"step": [1], "seconds": [1]}, {}, "the curve of curve has no 'objective'"),
        (curve(), {"x": "epoch"}, "x = 'epoch' is not valid"),
        (curve(), {"y": "gap"}, "y = 'gap' is not valid"),
        ([curve()], {"labels": ["a", "b"]}, "1 entries, but labels has 2"),
        ([], {}, "models is empty"),
    ],
)
def test_what_cannot_be_drawn_is_refused(models, arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.convergence(models, **arguments)
