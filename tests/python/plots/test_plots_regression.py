"""Pictures of regressors: predictions, errors, and the tube of an SVR."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from matplotlib.collections import PathCollection
from sklearn import svm
from sklearn.linear_model import HuberRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pictures import closed_figures, legend_of, plt, readable  # noqa: F401
from softmargin import SVR, NuSVR, plots


@pytest.fixture
def wave():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, size=(60, 1))
    return X, np.sin(X.ravel()) + 0.1 * rng.normal(size=60)


def dots(ax):
    found = [marks for marks in ax.collections if isinstance(marks, PathCollection)]
    return [np.asarray(marks.get_offsets()) for marks in found]


def lines(ax):
    return [np.column_stack(line.get_data()) for line in ax.get_lines()]


def test_predictions_are_drawn_against_targets(wave):
    X, y = wave
    predictions = SVR().fit(X, y).predict(X)
    ax = plots.predicted(y, predictions, epsilon=0.1)
    (found,) = dots(ax)
    np.testing.assert_array_equal(found, np.column_stack([y, predictions]))
    diagonal, below, above = lines(ax)
    np.testing.assert_array_equal(diagonal[:, 0], diagonal[:, 1])
    np.testing.assert_allclose(below[:, 0] - below[:, 1], 0.1)
    np.testing.assert_allclose(above[:, 1] - above[:, 0], 0.1)
    assert ax.get_xlim() == ax.get_ylim()
    assert ax.get_aspect() == 1
    assert legend_of(ax) == ["prediction", "exact", "tube (±0.1)"]
    assert legend_of(plots.predicted(y, predictions)) == ["prediction", "exact"]


def test_errors_are_drawn_against_predictions(wave):
    X, y = wave
    predictions = SVR().fit(X, y).predict(X)
    ax = plots.residuals(y, predictions, epsilon=0.25)
    (found,) = dots(ax)
    np.testing.assert_array_equal(found, np.column_stack([predictions, y - predictions]))
    heights = [line[:, 1].tolist() for line in lines(ax)]
    assert heights == [[0, 0], [-0.25, -0.25], [0.25, 0.25]]
    low, high = ax.get_ylim()
    assert low < -0.25
    assert high > 0.25
    assert legend_of(ax) == ["prediction", "exact", "tube (±0.25)"]


@pytest.mark.parametrize("draw", [plots.predicted, plots.residuals])
def test_several_models_differ_in_marker_and_color(draw, wave):
    _, y = wave
    ax = draw(y, {"one": y + 0.1, "two": y - 0.1, r"$\foo": 0 * y})
    assert legend_of(ax)[:3] == ["one", "two", r"\$\foo"]
    handles = ax.get_legend().legend_handles[:3]
    assert len({handle.get_marker() for handle in handles}) == 3
    assert len({handle.get_color() for handle in handles}) == 3
    assert len(dots(ax)) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1.0, 2.0], [1.0]), "the predictions 'prediction': has 1 targets"),
        (([1.0, 2.0], {"mine": [1.0, np.nan]}), "the predictions 'mine': contains NaN at row 1"),
        (([1.0, np.inf], [1.0, 2.0]), "y contains inf at row 1"),
        (([], []), "y is empty"),
        (([1.0], {}), "predictions is empty"),
        ((3.0, 3.0), "shape"),
    ],
)
@pytest.mark.parametrize("draw", [plots.predicted, plots.residuals])
def test_what_are_no_predictions_is_refused(draw, arguments, said):
    with pytest.raises(ValueError, match=said):
        draw(*arguments)


@pytest.mark.parametrize("epsilon", [-0.1, np.nan, np.inf])
def test_a_tube_without_a_width_is_refused(wave, epsilon):
    X, y = wave
    for draw, arguments in (
        (plots.predicted, (y, y)),
        (plots.residuals, (y, y)),
        (plots.tube, (SVR().fit(X, y), X, y)),
    ):
        with pytest.raises(ValueError, match=r"epsilon = \S+ is not valid"):
            draw(*arguments, epsilon=epsilon)


def test_the_tube_is_around_the_function(wave):
    X, y = wave
    model = SVR(C=10, epsilon=0.2).fit(X, y)
    ax = plots.tube(model, X, y)
    middle, low, high = lines(ax)
    np.testing.assert_allclose(middle[:, 1], model.predict(middle[:, :1]), rtol=1e-12)
    np.testing.assert_allclose(low[:, 1], middle[:, 1] - 0.2)
    np.testing.assert_allclose(high[:, 1], middle[:, 1] + 0.2)
    assert middle[0, 0] < X.min()
    assert middle[-1, 0] > X.max()
    samples, ringed = dots(ax)[-2:]
    np.testing.assert_array_equal(samples, np.column_stack([X, y]))
    np.testing.assert_array_equal(ringed, samples[model.support_])
    # Only samples in the tube are not circled.
    errors = np.abs(y - model.predict(X))
    assert (np.delete(errors, model.support_) <= 0.2 + model.tol).all()
    assert legend_of(ax)[1:] == [
        "prediction",
        "tube (±0.2)",
        f"support vectors ({len(model.support_)})",
    ]


def test_the_half_width_is_that_of_the_model(wave):
    X, y = wave
    nu = NuSVR(nu=0.3).fit(X, y)
    for model, width in (
        (nu, nu.epsilon_),
        (make_pipeline(StandardScaler(), SVR(epsilon=0.3)), 0.3),
        (GridSearchCV(svm.SVR(epsilon=0.3), {"C": [1, 4]}), 0.3),
        (svm.LinearSVR(epsilon=0.4, max_iter=100_000), 0.4),
    ):
        ax = plots.tube(model.fit(X, y), X, y)
        assert f"tube (±{width:g})" in legend_of(ax)
    for model in (HuberRegressor(), svm.NuSVR()):  # has another epsilon, or none that is known
        ax = plots.tube(model.fit(X, y), X, y)
        assert not any("tube" in word for word in legend_of(ax))
        assert "tube (±0.5)" in legend_of(plots.tube(model, X, y, epsilon=0.5))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_column_names_the_axis(frame, wave):
    X, y = wave
    data = frame({"time (s)": X.ravel()})
    ax = plots.tube(SVR().fit(data, y), data, y)
    assert ax.get_xlabel() == "time (s)"


def test_sparse_samples_and_given_axes_are_drawn(wave):
    X, y = wave
    _, ax = plt.subplots()
    assert plots.tube(SVR().fit(X, y), sp.csr_matrix(X), y, ax, support=False) is ax
    assert not any("support" in word for word in legend_of(ax))


def test_what_cannot_be_drawn_is_refused(wave):
    X, y = wave
    model = SVR().fit(X, y)
    for arguments, said in [
        ((np.hstack([X, X]), y), "tube needs one feature, but X has 2"),
        ((X, y[:-1]), "y has 59 targets, but X has 60 samples"),
        ((X[:3], y[:3]), "pass the training samples, or support=False"),
        ((X * np.nan, y), "NaN"),
    ]:
        with pytest.raises(ValueError, match=said):
            plots.tube(model, *arguments)
    with pytest.raises(ValueError, match="resolution = 1 is not valid"):
        plots.tube(model, X, y, resolution=1)


@pytest.mark.parametrize("size", [(6, 3.6), (3.2, 3)])
def test_words_do_not_overlap_in_small_figures(wave, size):
    X, y = wave
    predictions = SVR().fit(X, y).predict(X)
    for draw in (
        lambda ax: plots.predicted(1000 * y, 1000 * predictions, ax, epsilon=100),
        lambda ax: plots.residuals(1e-4 * y, 1e-4 * predictions, ax),
        lambda ax: plots.tube(SVR().fit(X, y), X, y, ax),
    ):
        _, ax = plt.subplots(figsize=size, layout="constrained")
        assert readable(draw(ax))
