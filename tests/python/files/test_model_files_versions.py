"""Files of version 1 of the format are read as long as there are any.

Written out here by hand: whoever changes names or types in the format finds out.
"""

import numpy as np
import pytest

import softmargin
from archives import rebuild

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [0.5, 3.0]])
LABELS = np.array(["a", "b", "c"])


def header(kind, params, fitted):
    about = {"format": "softmargin model", "version": 1, "softmargin": "0.1.0"}
    return about | {"class": kind, "params": params, "fitted": {"n_features_in_": 2} | fitted}


KERNEL = {
    "model/version": 1,
    "model/kernel": "rbf",
    "model/gamma": 0.5,
    "model/degree": 3,
    "model/coef0": 0.0,
    "model/multi_class": "ovo",
    "model/n_cols": 2,
    "model/dtype": "float64",
    "model/status": ["converged", "converged", "iteration limit"],
    "model/n_kernel_evals": 12,
}
KERNEL_ARRAYS = {
    "classes_": LABELS,
    "model/support": np.array([0, 3, 2], dtype="u4"),
    "model/n_support": np.array([1, 1, 1], dtype="u8"),
    "model/dual_coef": np.array([1.5, -1.5, -1.0, 1.0, 1.25, -1.25]),
    "model/intercept": np.array([0.0, 0.125, -0.25]),
    "model/n_iter": np.array([1, 2, 3], dtype="u8"),
    "model/n_loops": np.array([1, 1, 1], dtype="u8"),
}
SVC_ARRAYS = KERNEL_ARRAYS | {
    "shape_fit_": np.array([4, 2]),
    "class_weight_": np.array([1.0, 2.0, 1.0]),
    "certificate_": np.array([[1, 0.5, 0.5, 0.1], [2, 2, 0, 0], [1, -np.inf, np.inf, 1]]),
}
DENSE = {"model/rows": X[:3]}
SPARSE = {
    "model/rows/indptr": np.array([0, 1, 2, 4]),
    "model/rows/indices": np.array([1, 0, 0, 1], dtype="i4"),
    "model/rows/data": np.array([1.0, 1.0, 2.0, 2.0]),
}


@pytest.mark.parametrize("rows", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_kernel_models_of_version_1(tmp_path, rows):
    params = {"gamma": 0.5, "class_weight": {"dict": [["b", 2.0]]}, "C": {"float": "inf"}}
    rebuild(tmp_path / "model", header("SVC", params, KERNEL), SVC_ARRAYS | rows)
    model = softmargin.load(tmp_path / "model")
    expected = softmargin.SVC(gamma=0.5, class_weight={"b": 2.0}, C=np.inf)
    assert model.get_params() == expected.get_params()
    K = np.exp(-0.5 * ((X[:, None] - X[None, :3]) ** 2).sum(axis=2))
    values = K @ [[1.5, 1.0, 0], [-1.5, 0, 1.25], [0, -1.0, -1.25]] + [0, 0.125, -0.25]
    model.set_params(decision_function_shape="ovo")
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-15)
    assert model.support_.tolist() == [0, 3, 2]
    assert model.status_[2] == "iteration limit"
    assert model.certificate_[2].dual == -np.inf
    # All that OLLAWV has more than this is its parameters.
    arrays = KERNEL_ARRAYS | rows
    rebuild(tmp_path / "model", header("OLLAWV", {"margin": 0.2}, KERNEL), arrays)
    np.testing.assert_array_equal(softmargin.load(tmp_path / "model").predict(X), model.predict(X))


def test_linear_models_of_version_1(tmp_path):
    weights = np.array([[-2.0, -0.5, 0.25], [-0.5, -2.0, 0.5], [1.0, 0.5, -0.125]])
    arrays = {
        "classes_": LABELS,
        "coef_": weights[:, :2],
        "intercept_": weights[:, 2],
        "states/steps": np.array([3, 3, 3]),
        "states/weights": weights,
        "states/memory": weights[1],
        "states/has_memory": np.array([0, 1, 0], dtype="u1"),
        "states/averaged": np.array([0, 2, 0]),
        "states/eta": np.zeros(3),
    }
    fitted = {"n_iter_": 1, "status_": ["converged"] * 3, "scheme": "ovr", "optimizer": "pegasos"}
    rebuild(tmp_path / "model", header("SGDSVC", {"lambda_": 0.5}, fitted), arrays)
    model = softmargin.load(tmp_path / "model")
    values = X @ weights[:, :2].T + weights[:, 2]
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-15)
    assert model.predict(X).tolist() == LABELS[values.argmax(axis=1)].tolist()
    assert model.t_ == 3
    assert model.partial_fit(X[:3], LABELS).t_ == 6
