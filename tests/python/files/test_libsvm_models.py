"""Models go to LIBSVM and come from there; LIBSVM itself is the oracle."""

import ctypes
import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import softmargin
from softmargin import MNSVM, NLSGD, NNISDA, OLLAWV, SVC, NewtonSVC

svmutil = pytest.importorskip("libsvm.svmutil", reason="needs the package libsvm-official")
svm = pytest.importorskip("libsvm.svm", reason="needs the package libsvm-official")

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.5},
    {"kernel": "sigmoid", "gamma": 0.01, "coef0": -0.25},
]


def of_libsvm(path, X):
    """Return labels of LIBSVM, and its values by pairs of labels."""
    model = svmutil.svm_load_model(str(path))
    pairs = list(itertools.combinations(model.get_labels(), 2))
    labels, values = [], []
    for row in X.toarray() if sp.issparse(X) else X:
        nodes, _ = svm.gen_svm_nodearray(row.astype(np.float64))
        # Not svmutil.svm_predict, whose room is too small for nu-SVC.
        room = (ctypes.c_double * len(pairs))()
        labels.append(svm.libsvm.svm_predict_values(model, nodes, room))
        values.append(list(room))
    return np.array(labels), dict(zip(pairs, np.array(values).T, strict=True))


def assert_same_values(model, X, theirs):
    """Compare the values of all pairs, whichever label of a pair comes first."""
    outputs = model.set_params(decision_function_shape="ovo").decision_function(X)
    if len(model.classes_) == 2:
        outputs = -outputs[:, None]
    for pair, ours in zip(itertools.combinations(model.classes_, 2), outputs.T, strict=True):
        expected = theirs[pair] if pair in theirs else -theirs[pair[::-1]]
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)
    model.set_params(decision_function_shape="ovr")


@pytest.mark.parametrize("labels", [[-1, 1], [7, 3, 5], [2.0, -4.0, 1.0]], ids=str)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_libsvm_computes_what_we_do(three_classes, tmp_path, labels, kernel, layout):
    X, codes = three_classes
    rows = codes < len(labels)
    X, y = layout(X[rows]), np.array(labels)[codes[rows]]
    model = SVC(C=2, **kernel).fit(X, y)
    softmargin.dump_libsvm_model(model, tmp_path / "model")
    predicted, values = of_libsvm(tmp_path / "model", X[::4])
    assert_same_values(model, X[::4], values)
    np.testing.assert_array_equal(predicted, model.predict(X[::4]))
    again = softmargin.load_libsvm_model(tmp_path / "model", n_features=X.shape[1])
    np.testing.assert_array_equal(again.classes_, sorted(labels))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), rtol=1e-9)


def test_two_classes_have_the_values_of_decision_function(noisy, tmp_path):
    X, y = noisy
    for dtype, rtol in ((np.float64, 1e-9), (np.float32, 1e-4)):
        model = SVC().fit(X.astype(dtype), y)
        softmargin.dump_libsvm_model(model, tmp_path / "model")
        _, values = of_libsvm(tmp_path / "model", X.astype(dtype))
        np.testing.assert_allclose(values[1, 0], model.decision_function(X), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("y_order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
@pytest.mark.parametrize(
    "options",
    ["-t 0 -b 1", "-t 1 -d 3 -g 0.5 -r 1", "-t 2 -g 0.5", "-t 3 -g 0.01", "-s 1 -n 0.3 -t 2"],
)
def test_we_compute_what_libsvm_does(three_classes, tmp_path, y_order, options):
    X, codes = three_classes
    # LIBSVM orders classes as it meets them.
    rows = np.concatenate([np.flatnonzero(codes == c)[::3] for c in y_order])
    X, y = X[rows], codes[rows] * 10 - 7
    trained = svmutil.svm_train(y, X, f"{options} -q")
    svmutil.svm_save_model(str(tmp_path / "model"), trained)
    model = softmargin.load_libsvm_model(tmp_path / "model")
    predicted, values = of_libsvm(tmp_path / "model", X)
    assert_same_values(model, X, values)
    np.testing.assert_array_equal(model.predict(X), predicted)
    assert model.classes_.dtype.kind == "i"
    assert len(model.support_vectors_) == trained.get_nr_sv()


@pytest.mark.parametrize("kind", [OLLAWV, NLSGD, MNSVM, NNISDA, NewtonSVC])
def test_other_machines_of_pairs_are_written_too(ten_classes, tmp_path, kind):
    X, y = ten_classes
    model = kind(gamma=0.05, random_state=0).fit(X[::2], y[::2])
    X = X[1::4]
    softmargin.dump_libsvm_model(model, tmp_path / "model")
    predicted, values = of_libsvm(tmp_path / "model", X)
    assert_same_values(model, X, values)
    # Votes are the same: labels differ only where two classes have the most of them.
    scores = np.sort(np.rint(model.decision_function(X)), axis=1)
    is_tie = scores[:, -1] == scores[:, -2]
    np.testing.assert_array_equal(predicted[~is_tie], model.predict(X)[~is_tie])
    assert is_tie.mean() < 0.2


def test_vectors_and_numbers_at_the_edges_are_read(tmp_path):
    X = np.array([[0.0, 0.0], [1e-300, 3.0], [1e-5, 0.0], [-1e10, 123456789.0]])
    model = SVC(kernel="rbf", gamma=1e-20, C=1e6).fit(X, [0, 1, 2, 1])
    softmargin.dump_libsvm_model(model, tmp_path / "model")
    predicted, values = of_libsvm(tmp_path / "model", X)
    assert_same_values(model, X, values)
    np.testing.assert_array_equal(predicted, model.predict(X))
    again = softmargin.load_libsvm_model(tmp_path / "model").support_vectors_
    np.testing.assert_array_equal(again, model.support_vectors_)


def test_many_wide_sparse_vectors_stay_sparse(rng, tmp_path):
    X = sp.random(300, 5000, 0.004, "csr", random_state=1)
    y = rng.integers(0, 2, 300)
    model = SVC(gamma=0.1).fit(X, y)
    softmargin.dump_libsvm_model(model, tmp_path / "model")
    again = softmargin.load_libsvm_model(tmp_path / "model", n_features=5000, dtype=np.float32)
    assert sp.issparse(again.support_vectors_)
    assert again.support_vectors_.dtype == np.float32
    np.testing.assert_allclose(
        again.decision_function(X), model.decision_function(X), rtol=1e-4, atol=1e-5
    )


def test_a_model_of_columns_from_0_is_read_when_told(tmp_path):
    rows = [{0: 1.0, 1: 2.0}, {1: -1.0}, {0: -2.0}, {0: 3.0, 1: 1.0}]
    problem = svm.svm_problem([1, 2, 2, 1], rows)
    svmutil.svm_save_model(
        str(tmp_path / "model"), svmutil.svm_train(problem, svm.svm_parameter("-q -t 2 -g 0.5"))
    )
    with pytest.raises(ValueError, match="zero_based"):
        softmargin.load_libsvm_model(tmp_path / "model")
    model = softmargin.load_libsvm_model(tmp_path / "model", zero_based=True)
    theirs = svmutil.svm_load_model(str(tmp_path / "model"))
    _, _, expected = svmutil.svm_predict([], rows, theirs, "-q")
    dense = np.array([[row.get(0, 0.0), row.get(1, 0.0)] for row in rows])
    ours = model.decision_function(dense)
    sign = -1 if theirs.get_labels()[0] == 1 else 1
    np.testing.assert_allclose(sign * ours, np.ravel(expected), atol=1e-9)


def test_a_model_of_libsvm_is_saved_as_it_is(three_classes, tmp_path):
    softmargin.dump_libsvm_model(SVC().fit(*three_classes), tmp_path / "theirs")
    model = softmargin.load_libsvm_model(tmp_path / "theirs")
    model.save(tmp_path / "ours")
    assert model.fit_status_ == softmargin.load(tmp_path / "ours").fit_status_ == 0
