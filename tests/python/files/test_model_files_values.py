"""Labels, parameters and names in a model file."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from softmargin import SGDSVC, SVC

LABELS = {
    "int": [-3, 5, 7],
    "int8": np.array([-128, 0, 127], dtype=np.int8),
    "uint64": np.array([0, 2**63, 2**64 - 1], dtype=np.uint64),
    "big-endian": np.array([1, 2, 300], dtype=">i4"),
    "float": [-1.0, 0.0, 4.0],
    "float32": np.array([1, 2, 3], dtype=np.float32),
    "text": ["a", "ä\U0001f600", "\ud800"],
    "wide text": np.array(["a", "b", "c"], dtype="<U40"),
    "text objects": np.array(["a", "bb", "c\n"], dtype=object),
}


@pytest.mark.parametrize("kind", [SVC, SGDSVC])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_of_every_kind_come_back(three_classes, again, kind, labels):
    X, codes = three_classes
    labels = np.asarray(labels)
    model = kind(random_state=0).fit(X, labels[codes])
    copy = again(model)
    assert copy.classes_.dtype == model.classes_.dtype.newbyteorder("=")
    assert copy.classes_.tolist() == model.classes_.tolist()
    assert copy.predict(X).tolist() == model.predict(X).tolist()


def test_bools_come_back_as_bools(noisy, again):
    X, y = noisy
    copy = again(SVC().fit(X, y == 1))
    assert copy.classes_.dtype == bool
    assert copy.classes_.tolist() == [False, True]


def test_labels_that_a_file_cannot_hold_are_refused(noisy, tmp_path):
    X, y = noisy
    model = SVC().fit(X, y)
    model.classes_ = np.array([(1, 2), (3, 4)], dtype="i4,i4")
    with pytest.raises(TypeError, match="classes_ of dtype"):
        model.save(tmp_path / "model")
    model.classes_ = np.array([2, 1])
    with pytest.raises(ValueError, match="this SVC cannot be saved: 'classes_'"):
        model.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "params",
    [
        {"class_weight": {0: 1.0, 1: 2, 2: np.float64(0.1)}, "C": np.float32(0.1)},
        {"class_weight": "balanced", "C": float("inf"), "random_state": np.int64(3)},
        {"n_jobs": -1, "break_ties": np.True_, "gamma": "auto", "time_limit": 1e9},
        {"working_set_size": 64, "verbose": False, "cache_size": 10, "kernel": "poly"},
    ],
    ids=["weights", "infinite", "numpy", "integers"],
)
def test_parameters_come_back(three_classes, again, params):
    X, y = three_classes
    model = SVC(**params).fit(X, y)
    assert again(model).get_params() == model.get_params()
    np.testing.assert_array_equal(again(model).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"kernel": rbf_kernel}, "kernel"),
        ({"random_state": np.random.RandomState(0)}, "random_state"),
        ({"random_state": [1, 2]}, "random_state"),
    ],
)
def test_what_is_no_value_of_json_is_named(noisy, tmp_path, params, name):
    model = SVC(**params).fit(*noisy)
    with pytest.raises(TypeError, match=f"^{name} = .* cannot be saved"):
        model.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_that_was_a_function_is_not_forgotten(noisy, tmp_path):
    model = SVC(kernel=rbf_kernel).fit(*noisy).set_params(kernel="rbf")
    with pytest.raises(TypeError, match="kernel was a function"):
        model.save(tmp_path / "model")


def test_names_of_features_come_back(noisy, again):
    X, y = noisy
    rows = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    copy = again(SVC().fit(rows, y))
    assert copy.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert copy.feature_names_in_.dtype == object
    with pytest.raises(ValueError, match="feature names"):
        copy.predict(rows[["b", "a", "c", "d"]])


def test_only_fitted_estimators_of_softmargin_are_saved(noisy, tmp_path):
    class Own(SVC):
        pass

    with pytest.raises(NotFittedError):
        SVC().save(tmp_path / "model")
    with pytest.raises(TypeError, match="Own cannot be saved"):
        Own().fit(*noisy).save(tmp_path / "model")
    with pytest.warns(ConvergenceWarning):
        SVC(max_iter=1).fit(*noisy).save(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
