"""ONNX graphs compute in double precision, whatever the shape of the model."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import softmargin
from softmargin import SVC, LinearSVC

onnx = pytest.importorskip("onnx", reason="needs the package onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs the package onnxruntime")


def run(model, X):
    """Return the labels and scores that onnxruntime computes."""
    graph = softmargin.to_onnx(model, dtype=np.float64)
    onnx.checker.check_model(graph, full_check=True)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    return session.run(["label", "scores"], {"X": X})


@pytest.mark.parametrize("model", [SVC(kernel="linear"), SVC(kernel="poly"), LinearSVC()])
def test_scaling_of_a_single_feature_keeps_all_digits(rng, model):
    X, y = rng.normal(size=(60, 1)), np.arange(60) % 2
    piped = make_pipeline(softmargin.MinMaxScaler(), model).fit(X, y)
    _, scores = run(piped, X)
    np.testing.assert_allclose(scores, piped.decision_function(X), rtol=0, atol=1e-10)


def test_clusters_far_apart_keep_the_distances_inside_them(rng):
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 2)) + 2 * np.eye(3, 2)[y] + 1e8 * (np.arange(120) % 2)[:, None]
    model = SVC(gamma=1.0, C=10).fit(X, y)
    labels, scores = run(model, X)
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(labels, model.predict(X))


def test_a_kernel_that_knows_equal_rows_only_is_exact(rng):
    X = np.rint(rng.normal(scale=3, size=(80, 3)))
    y = (X.sum(axis=1) > 0).astype(int)
    model = SVC(gamma=1e300, C=10).fit(X, y)
    for rows in (X, X + 1):
        labels, scores = run(model, rows)
        np.testing.assert_allclose(scores, model.decision_function(rows), rtol=1e-12)
        np.testing.assert_array_equal(labels, model.predict(rows))


@pytest.mark.parametrize("n_rows", [0, 1, 300])
@pytest.mark.parametrize("break_ties", [False, True])
def test_many_classes_make_a_small_graph_with_the_votes_of_the_model(rng, break_ties, n_rows):
    """Votes once took the cube of the number of classes: 1,000 classes needed 12 GB."""
    k = 150
    X, y = 10 * rng.normal(size=(k, 3)), np.arange(k)
    model = SVC(kernel="linear", break_ties=break_ties).fit(X, y)
    graph = softmargin.to_onnx(model, dtype=np.float64)
    weights = 8 * (k * (k - 1) // 2) * (3 + 1)
    assert graph.ByteSize() < weights + 40 * k * k
    rows = 10 * rng.normal(size=(n_rows, 3))
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    labels, scores = session.run(["label", "scores"], {"X": rows})
    assert labels.shape == (n_rows,)
    assert scores.shape == (n_rows, k)
    if n_rows:
        np.testing.assert_allclose(scores, model.decision_function(rows), rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(labels, model.predict(rows))
