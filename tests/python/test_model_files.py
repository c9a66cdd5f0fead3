"""A saved estimator comes back as it was, without pickle."""

import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

import hinge
from equality import assert_same_estimator
from hinge import GDSVC, MNSVM, NLSGD, NNISDA, OLLAWV, SGDSVC, SVC, LinearSVC, NewtonSVC

KINDS = [SVC, OLLAWV, NLSGD, MNSVM, NNISDA, NewtonSVC, LinearSVC, SGDSVC, GDSVC]
QUICK = {
    NLSGD: {"random_state": 0},
    LinearSVC: {"random_state": 0},
    SGDSVC: {"random_state": 0, "epochs": 2},
    GDSVC: {"lambda_": 0.1, "eta0": 0.1},
}


def quick(kind, **params):
    return kind(**QUICK.get(kind, {}) | params)


@pytest.fixture
def again(tmp_path):
    """A function that saves a model and loads it."""

    def saved_and_loaded(model):
        path = tmp_path / "a model.hinge"
        model.save(path)
        return hinge.load(path)

    return saved_and_loaded


@pytest.mark.parametrize("scheme", ["ovo", "ovr", "ordinal"])
@pytest.mark.parametrize("layout", [np.asarray, np.float32, sp.csr_matrix], ids=["64", "32", "csr"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_model_is_the_same_to_the_bit(three_classes, again, kind, layout, scheme):
    X, y = layout(three_classes[0]), three_classes[1]
    model = quick(kind, multi_class=scheme).fit(X[::2], y[::2])
    copy = again(model)
    assert_same_estimator(copy, model)
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("kind", KINDS)
def test_two_classes_are_the_same_to_the_bit(noisy, again, kind):
    X, y = noisy
    model = quick(kind).fit(X, y)
    assert_same_estimator(again(model), model)
    np.testing.assert_array_equal(again(model).decision_function(X), model.decision_function(X))


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
    model = quick(kind).fit(X, labels[codes])
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
    with pytest.raises(TypeError, match="classes_ of type"):
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


def test_rows_that_were_left_out_stay_known(noisy, again):
    X, y = noisy
    weights = np.arange(len(y)) % 3.0
    K = rbf_kernel(X)
    for model, rows in ((SVC(), X), (SVC(kernel="precomputed"), K)):
        model.fit(rows, y, sample_weight=weights)
        copy = again(model)
        assert_same_estimator(copy, model)
        np.testing.assert_array_equal(copy.decision_function(rows), model.decision_function(rows))


def test_a_certificate_comes_back_if_it_was_asked_for(noisy, again):
    X, y = noisy
    for kind in (SVC, NNISDA, MNSVM, NewtonSVC):
        model = kind().fit(X, y)
        with pytest.raises(AttributeError, match="training rows are gone"):
            _ = again(model).certificate_
        found = model.certificate_
        assert again(model).certificate_ == found
    model = LinearSVC().fit(X, y)
    assert again(model).certificate_ == model.certificate_


def test_a_curve_comes_back(noisy, again):
    X, y = noisy
    for kind in (LinearSVC, SGDSVC, GDSVC):
        model = quick(kind, record_every=1).fit(X, y, eval_set=(X, y))
        assert_same_estimator(again(model), model)
        assert "accuracy" in again(model).curve_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_models_that_did_not_get_far_are_files_too(noisy, again):
    X, y = noisy
    stopped = SVC(time_limit=1e-12).fit(X, y)
    assert len(stopped.support_) == 0
    diverged = GDSVC(eta0=1e6, record_every=1).fit(1e3 * X, y)
    for model in (stopped, diverged):
        assert model.status_ != ["converged"]
        assert_same_estimator(again(model), model)
        np.testing.assert_array_equal(again(model).predict(X), model.predict(X))


@pytest.mark.parametrize("optimizer", ["pegasos", "sgd", "momentum", "nag", "rmsprop"])
def test_a_saved_stream_flows_on(three_classes, again, optimizer):
    X, y = three_classes
    streams = [SGDSVC(optimizer, random_state=0).partial_fit(X, y, classes=[0, 1, 2])]
    streams += [again(streams[0]), pickle.loads(pickle.dumps(streams[0]))]
    for model in streams:
        for rows in (slice(0, 90), slice(90, None)):
            model.partial_fit(X[rows], y[rows])
    for model in streams[1:]:
        assert_same_estimator(model, streams[0])


@pytest.mark.parametrize(
    "model",
    [SVC(warm_start=True), SVC(warm_start="support_vectors"), SGDSVC(warm_start=True), NNISDA()],
    ids=str,
)
def test_a_warm_start_goes_on_from_a_file(three_classes, again, model):
    X, y = three_classes
    model.set_params(random_state=0, warm_start=model.warm_start or True).fit(X, y)
    copy = again(again(model))
    for each in (model, copy):
        each.set_params(C=2.0).fit(X, y)
    assert_same_estimator(copy, model)


def test_a_file_is_open_to_other_programs(three_classes, tmp_path):
    X, y = three_classes
    model = SVC(C=2).fit(X, y)
    model.save(tmp_path / "one")
    model.save(str(tmp_path / "two"))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with np.load(tmp_path / "one", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["model/rows"], model.support_vectors_)
        np.testing.assert_array_equal(arrays["classes_"], model.classes_)
    with zipfile.ZipFile(tmp_path / "one") as archive:
        header = json.loads(archive.read("header.json"))
    assert (header["format"], header["version"]) == ("hinge model", 1)
    assert (header["class"], header["hinge"]) == ("SVC", hinge.__version__)
    assert header["params"] == model.get_params()


def test_only_fitted_estimators_of_hinge_are_saved(noisy, tmp_path):
    class Own(SVC):
        pass

    with pytest.raises(NotFittedError):
        SVC().save(tmp_path / "model")
    with pytest.raises(TypeError, match="Own cannot be saved"):
        Own().fit(*noisy).save(tmp_path / "model")
    with pytest.warns(ConvergenceWarning):
        SVC(max_iter=1).fit(*noisy).save(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
