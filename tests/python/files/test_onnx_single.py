"""ONNX graphs of regressors, novelty detectors and NuSVC; onnxruntime is the judge."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

import softmargin
from softmargin import SVR, LinearSVR, NuSVC, NuSVR, OneClassSVM

onnx = pytest.importorskip("onnx", reason="needs the package onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs the package onnxruntime")

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.5},
    {"kernel": "sigmoid", "gamma": 0.02, "coef0": -0.25},
]


@pytest.fixture
def samples(rng):
    X = rng.normal(size=(120, 4))
    return X, X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=120)


def run(model, X, dtype=np.float64):
    """Return the outputs of onnxruntime by name."""
    graph = softmargin.to_onnx(model, dtype=dtype)
    onnx.checker.check_model(graph, full_check=True)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    names = [output.name for output in session.get_outputs()]
    rows = X.toarray() if sp.issparse(X) else X
    return dict(zip(names, session.run(None, {"X": rows.astype(dtype)}), strict=True))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
@pytest.mark.parametrize("kind", [SVR, NuSVR])
def test_a_regressor_has_one_output(samples, kind, kernel, layout, dtype):
    X = layout(samples[0])
    model = kind(C=2, **kernel).fit(X, samples[1])
    outputs = run(model, X, dtype)
    assert list(outputs) == ["variable"]
    assert (outputs["variable"].dtype, outputs["variable"].shape) == (dtype, (120, 1))
    tol = 1e-4 if dtype == np.float32 else 1e-9
    expected = model.predict(X.astype(dtype))
    np.testing.assert_allclose(outputs["variable"][:, 0], expected, rtol=tol, atol=tol)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
def test_a_novelty_detector_has_labels_and_scores(samples, rng, kernel, dtype):
    model = OneClassSVM(nu=0.3, **kernel).fit(samples[0])
    X = rng.normal(scale=2, size=(300, 4)).astype(dtype)
    outputs = run(model, X, dtype)
    assert list(outputs) == ["label", "scores"]
    expected = model.decision_function(X)
    scale = np.abs(expected).max()
    tol = 1e-4 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(outputs["scores"], expected, rtol=tol, atol=tol * scale)
    assert outputs["label"].dtype == np.int64
    assert set(outputs["label"].tolist()) == {-1, 1}
    np.testing.assert_array_equal(outputs["label"], model.predict(X))


@pytest.mark.parametrize("scheme", ["ovo", "ovr", "ordinal"])
def test_nu_svc_has_the_labels_and_scores_of_the_model(three_classes, scheme):
    X, y = three_classes
    model = NuSVC(nu=0.1, multi_class=scheme).fit(X, y)
    outputs = run(model, X)
    np.testing.assert_allclose(outputs["scores"], model.decision_function(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(outputs["label"], model.predict(X))


def test_a_scaler_before_the_model_is_part_of_the_graph(samples):
    X, y = 100 * samples[0] - 30, samples[1]
    model = make_pipeline(softmargin.MinMaxScaler(), SVR(gamma=2.0)).fit(X, y)
    np.testing.assert_allclose(run(model, X)["variable"][:, 0], model.predict(X), rtol=1e-9)
    model = make_pipeline(softmargin.MinMaxScaler(), OneClassSVM(gamma=2.0)).fit(X)
    np.testing.assert_allclose(run(model, X)["scores"], model.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_a_linear_regressor_has_one_output(samples, layout):
    X = layout(samples[0])
    for model in (LinearSVR(), make_pipeline(softmargin.MinMaxScaler(), LinearSVR())):
        model.fit(X, samples[1])
        np.testing.assert_allclose(run(model, X)["variable"][:, 0], model.predict(X), rtol=1e-9)


def test_a_regressor_without_support_vectors_is_constant(samples):
    X, y = samples
    model = SVR(epsilon=100).fit(X, y)
    assert len(model.support_) == 0
    np.testing.assert_array_equal(run(model, X)["variable"][:, 0], model.predict(X))


def test_what_cannot_be_a_graph_is_refused(samples):
    class Shifted(SVR):
        def predict(self, X):
            return super().predict(X) + 1

    X, y = samples
    with pytest.raises(ValueError, match="precomputed or callable kernel"):
        softmargin.to_onnx(SVR(kernel="precomputed").fit(X @ X.T, y))
    with pytest.raises(TypeError, match="Shifted, whose own predict cannot be exported"):
        softmargin.to_onnx(Shifted().fit(X, y))
