"""Pictures of classifiers in the plane."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from matplotlib.colors import to_rgb
from sklearn import svm
from sklearn.datasets import make_blobs, make_moons
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from pictures import closed_figures, legend_of, readable  # noqa: F401
from softmargin import OLLAWV, SVC, LinearSVC, OneClassSVM, plots


@pytest.fixture
def moons():
    return make_moons(80, noise=0.2, random_state=0)


def blobs(n_classes):
    centers = [(4 * (k % 3), 4 * (k // 3)) for k in range(n_classes)]
    return make_blobs(20 * n_classes, centers=centers, cluster_std=0.4, random_state=2)


def draw(model, X, y, **arguments):
    return plots.decision_boundary(model.fit(X, y), X, y, **{"resolution": 50} | arguments)


def lines(ax):
    """Levels and points of the lines in the plane."""
    sets = [found for found in ax.collections if getattr(found, "levels", None) is not None]
    return [
        (found.levels[0], np.concatenate([path.vertices for path in found.get_paths()]))
        for found in sets
        if not found.filled
    ]


def ringed(ax):
    hollow = [marks for marks in ax.collections if not len(marks.get_facecolor())]
    return [np.asarray(marks.get_offsets()) for marks in hollow if len(marks.get_offsets()) > 1]


def test_lines_are_where_the_decision_has_their_levels(moons):
    X, y = moons
    model = SVC(C=4, gamma=1)
    ax = draw(model, X, y, resolution=150)
    found = lines(ax)
    assert [level for level, _ in found] == [0, -1, 1]
    for level, points in found:
        np.testing.assert_allclose(model.decision_function(points), level, atol=0.01)
    assert legend_of(ax)[2:4] == ["boundary", "margin (±1)"]


@pytest.mark.parametrize("margin", [0.1, None])
def test_the_margin_is_as_asked(moons, margin):
    ax = draw(OLLAWV(margin=0.1), *moons, margin=margin)
    assert [level for level, _ in lines(ax)] == ([0] if margin is None else [0, -margin, margin])


def test_support_vectors_are_ringed(moons):
    X, y = moons
    models = [SVC(), OLLAWV(), make_pipeline(MinMaxScaler(), SVC())]
    models.append(GridSearchCV(SVC(), {"C": [1, 4]}))
    for model in models:
        ax = draw(model, X, y)
        machine = getattr(model, "best_estimator_", model)
        machine = machine[-1] if hasattr(machine, "steps") else machine
        (rings,) = ringed(ax)
        np.testing.assert_array_equal(rings, X[machine.support_])
        assert legend_of(ax)[-1] == f"support vectors ({len(machine.support_)})"
        assert not ringed(draw(model, X, y, support=False))


@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(),
        LogisticRegression(),
        RandomForestClassifier(5),
        RFE(LogisticRegression(), n_features_to_select=2),  # support_ tells features
    ],
)
def test_models_without_support_vectors_have_no_rings(model, moons):
    ax = draw(model, *moons)
    assert not ringed(ax)
    assert legend_of(ax)[:3] == ["class 0", "class 1", "boundary"]
    assert ("margin (±1)" in legend_of(ax)) == hasattr(model, "decision_function")


@pytest.mark.parametrize("n_classes", [2, 3, 9])
def test_regions_are_the_predictions(n_classes):
    X, y = blobs(n_classes)
    model = SVC()
    ax = draw(model, X, y)
    filled = [found for found in ax.collections if getattr(found, "filled", False)]
    assert len(filled) == n_classes
    predicted = model.predict(X)
    for label, region in enumerate(filled):
        (path,) = region.get_paths()
        np.testing.assert_array_equal(path.contains_points(X), predicted == label)
    looks = {(to_rgb(region.get_facecolor()[0]), region.get_alpha()) for region in filled}
    assert len(looks) == n_classes
    assert readable(ax)


def test_the_line_of_bayes_is_where_it_is_zero(moons):
    ax = draw(SVC(), *moons, bayes=lambda rows: rows[:, 0] - 2 * rows[:, 1])
    _, points = lines(ax)[-1]
    np.testing.assert_allclose(points[:, 0], 2 * points[:, 1], atol=1e-9)
    assert "Bayes" in legend_of(ax)
    assert "Bayes" not in legend_of(draw(SVC(), *moons, bayes=lambda rows: np.ones(len(rows))))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_name_the_axes(frame, moons):
    X, y = moons
    ax = draw(SVC(), frame({"length (cm)": X[:, 0], "width (cm)": X[:, 1]}), y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length (cm)", "width (cm)")


def test_sparse_rows_words_for_labels_and_one_place_are_drawn():
    X, y = np.array([[1.0, 0], [1, 2], [1, 2]]), np.array(["no", "yes", "yes"])
    ax = draw(SVC(), sp.csr_matrix(X), y)
    assert legend_of(ax)[:2] == ["no", "yes"]
    low, high = ax.get_xlim()
    assert low < 1 < high


@pytest.mark.parametrize(
    "model",
    [
        OneClassSVM(nu=0.2),
        make_pipeline(MinMaxScaler(), OneClassSVM(nu=0.2)),
        svm.OneClassSVM(nu=0.2),
        IsolationForest(n_estimators=10, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_region_of_inliers_is_that_of_a_novelty_detector(moons, model):
    X = moons[0]
    ax = plots.decision_boundary(model.fit(X), X, resolution=100)
    filled = [found for found in ax.collections if getattr(found, "filled", False)]
    is_inlier = model.predict(X) == 1
    values = model.decision_function(X)
    is_clear = np.abs(values) > 0.01 * np.abs(values).max()
    (path,) = filled[0].get_paths()
    inside = path.contains_points(X)
    if not isinstance(model, IsolationForest):
        np.testing.assert_array_equal(inside[is_clear], is_inlier[is_clear])
    assert legend_of(ax)[:3] == ["inliers", "outliers", "boundary"]
    assert not any("margin" in word for word in legend_of(ax))
    inliers, outliers = (np.asarray(marks.get_offsets()) for marks in ax.collections[:2])
    np.testing.assert_array_equal(inliers, X[is_inlier])
    np.testing.assert_array_equal(outliers, X[~is_inlier])
    has_vectors = hasattr(model[-1] if hasattr(model, "steps") else model, "support_")
    assert bool(ringed(ax)) == has_vectors


def test_the_labels_of_a_novelty_detector_are_signs(moons):
    X, y = moons
    model = OneClassSVM().fit(X)
    signs = np.where(y == 0, 1, -1)
    ax = plots.decision_boundary(model, X, signs, resolution=50)
    np.testing.assert_array_equal(np.asarray(ax.collections[0].get_offsets()), X[signs == 1])
    assert readable(ax)
    with pytest.raises(ValueError, match=r"label 0, but the classes of the model are \[-1, 1\]"):
        plots.decision_boundary(model, X, y)
    with pytest.raises(ValueError, match="y is None, but the labels of the samples are required"):
        plots.decision_boundary(SVC().fit(X, y), X)


def test_what_cannot_be_drawn_is_refused(moons):
    X, y = moons
    model = SVC().fit(X, y)
    for arguments, message in [
        ((np.ones((9, 3)), y), "two features, but X has 3"),
        ((X, y[:-1]), "inconsistent numbers of samples"),
        ((X, y + 1), r"y contains the label .*2.*, but the classes of the model are \[0, 1\]"),
        ((X[:1], y[:1]), "pass the training samples, or support=False"),
        ((X * np.nan, y), "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            plots.decision_boundary(model, *arguments)
    with pytest.raises(ValueError, match="resolution = 1 is not valid"):
        plots.decision_boundary(model, X, y, resolution=1)
    with pytest.raises(ValueError, match="bayes returned 1 values for 2500 samples"):
        plots.decision_boundary(model, X, y, resolution=50, bayes=lambda rows: 0.0)
