"""An ONNX graph says what the model says; onnxruntime is the judge."""

import builtins
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softmargin
from softmargin import GDSVC, MNSVM, NLSGD, NNISDA, OLLAWV, SGDSVC, SVC, LinearSVC, NewtonSVC

onnx = pytest.importorskip("onnx", reason="needs the package onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs the package onnxruntime")

KINDS = [SVC, OLLAWV, NLSGD, MNSVM, NNISDA, NewtonSVC, LinearSVC, SGDSVC, GDSVC]
QUICK = {NLSGD: {"C": 100}, SGDSVC: {"epochs": 3}, GDSVC: {"lambda_": 0.1, "eta0": 0.1}}


def run(model, X, dtype=np.float64):
    """Return the labels and scores that onnxruntime computes."""
    graph = softmargin.to_onnx(model, dtype=dtype)
    onnx.checker.check_model(graph, full_check=True)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    rows = X.toarray() if sp.issparse(X) else X
    return session.run(["label", "scores"], {"X": rows.astype(dtype)})


def assert_agrees(model, X, dtype=np.float64, atol=1e-9):
    labels, scores = run(model, X, dtype)
    expected = model.decision_function(X.astype(dtype))
    assert (scores.dtype, scores.shape) == (dtype, expected.shape)
    np.testing.assert_allclose(scores, expected, rtol=atol, atol=atol)
    assert labels.tolist() == model.predict(X.astype(dtype)).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scheme", ["ovo", "ovr", "ordinal"])
@pytest.mark.parametrize("kind", KINDS)
def test_labels_and_scores_are_those_of_the_model(three_classes, kind, scheme, n_classes, dtype):
    X, y = three_classes
    chosen = y < n_classes
    model = kind(**QUICK.get(kind, {}), multi_class=scheme, random_state=0)
    model.fit(X[chosen], y[chosen])
    assert_agrees(model, X, dtype, 1e-4 if dtype == np.float32 else 1e-9)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_every_kernel_is_the_same(ten_classes, kernel, layout, shape):
    X, y = layout(ten_classes[0]), ten_classes[1]
    model = SVC(kernel=kernel, gamma=0.02, coef0=0.5, decision_function_shape=shape)
    assert_agrees(model.fit(X[::2], y[::2]), X)


def test_rows_far_from_0_keep_their_distances(three_classes):
    X, y = three_classes
    for rows in (X + 1e8, X - 1000, np.float32(X) + np.float32(1000)):
        model = SVC(gamma=0.5, C=100).fit(rows, y)
        assert_agrees(model, rows, np.float64, 1e-4)


@pytest.mark.parametrize("break_ties", [False, True])
def test_ties_are_broken_as_the_model_does(rng, break_ties):
    """Classes on a circle: in the middle every class has as many votes as the next."""
    y = np.arange(400) % 5
    angles = 2 * np.pi * y / 5
    X = np.column_stack([np.cos(angles), np.sin(angles)]) + 0.3 * rng.normal(size=(400, 2))
    model = SVC(kernel="linear", break_ties=break_ties).fit(X, y)
    grid = rng.normal(scale=0.3, size=(3000, 2))
    votes = np.rint(model.decision_function(grid))
    assert ((votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1).mean() > 0.01
    assert_agrees(model, grid)
    theirs = svm.SVC(kernel="linear", break_ties=break_ties, tol=1e-6).fit(X, y).predict(grid)
    assert (run(model, grid)[0] == theirs).mean() > 0.99


def test_patterns_that_were_never_met_fall_back(ten_classes):
    X, y = ten_classes
    for kind in (SVC, LinearSVC):
        model = kind(multi_class="ordinal").fit(X[:100], y[:100])
        assert_agrees(model, np.r_[X, -X])


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-5, 3, 9], dtype=np.int8),
        np.array([1.5, 2.0, 4.0]) * 2,
        np.array(["a", "ä", "z z"]),
        np.array(["one", "two", "three"], dtype=object),
    ],
    ids=["ints", "floats", "text", "objects"],
)
def test_labels_of_every_kind_come_out(three_classes, labels):
    X, y = three_classes
    assert_agrees(SVC().fit(X, labels[y]), X)


def test_bools_come_out_as_bools(noisy):
    X, y = noisy
    labels, _ = run(SVC().fit(X, y == 1), X)
    assert labels.dtype == bool


def test_a_class_without_support_vectors_is_no_obstacle(three_classes, tmp_path):
    path = tmp_path / "model"
    path.write_text(
        "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 2\nrho 0.1 0.2 -0.3\n"
        "label 0 1 2\nnr_sv 1 0 1\nSV\n1 0.5 1:1\n-1 -1 2:1\n"
    )
    assert_agrees(softmargin.load_libsvm_model(path, n_features=13), three_classes[0])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_model_without_support_vectors_is_a_graph_too(three_classes):
    model = SVC(time_limit=1e-12).fit(*three_classes)
    assert len(model.support_) == 0
    assert_agrees(model, three_classes[0])


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kind", [SVC, OLLAWV, LinearSVC])
def test_a_scaler_before_the_model_is_part_of_the_graph(iris, kind, layout):
    X = 100 * iris[0] - 150
    X[:, 2] = 7.0  # has no range
    model = make_pipeline(softmargin.MinMaxScaler(), kind()).fit(layout(X), iris[1])
    assert_agrees(model, layout(X))


def test_a_model_that_is_too_large_is_refused_before_it_is_made():
    n, d = 600, 2**20
    columns = np.random.default_rng(0).integers(0, d, n)
    X = sp.csr_matrix((np.ones(n), columns, np.arange(n + 1)), shape=(n, d))
    model = SVC(gamma=1.0).fit(X, np.arange(n) % 2)
    tracemalloc.start()
    with pytest.raises(ValueError, match="would exceed 2 GB"):
        softmargin.to_onnx(model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**27


def test_the_model_of_a_nested_selection_is_a_graph(iris):
    result = softmargin.nested_cv(*iris, "svc", {"C": [1, 4], "gamma": [1]}, outer=3, inner=3)
    assert_agrees(result.refit(), iris[0])


def test_what_cannot_be_a_graph_is_refused(noisy):
    X, y = noisy
    for model in (
        SVC(kernel="precomputed").fit(rbf_kernel(X), y),
        SVC(kernel=rbf_kernel).fit(X, y),
    ):
        with pytest.raises(ValueError, match="precomputed or callable kernel"):
            softmargin.to_onnx(model)
    with pytest.raises(TypeError, match="SVC; expected a softmargin estimator"):
        softmargin.to_onnx(svm.SVC().fit(X, y))
    with pytest.raises(TypeError, match=r"Pipeline; expected .* pipeline of a softmargin.MinMax"):
        softmargin.to_onnx(make_pipeline(StandardScaler(), SVC()).fit(X, y))
    with pytest.raises(NotFittedError):
        softmargin.to_onnx(SVC())
    with pytest.raises(ValueError, match="dtype"):
        softmargin.to_onnx(SVC().fit(X, y), dtype=np.float16)
    with pytest.raises(ValueError, match="uint64"):
        softmargin.to_onnx(SVC().fit(X, y.astype(np.uint64) + np.uint64(2**64 - 2)))


def test_a_missing_package_is_named(noisy, monkeypatch):
    model, given = SVC().fit(*noisy), builtins.__import__

    def without_onnx(name, *rest):
        if name == "onnx":
            raise ImportError
        return given(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_onnx)
    with pytest.raises(ImportError, match="pip install onnx"):
        softmargin.to_onnx(model)
