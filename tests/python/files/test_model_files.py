"""A saved estimator comes back as it was, without pickle."""

import json
import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

import softmargin
from equality import assert_same_estimator
from softmargin import GDSVC, MNSVM, NLSGD, NNISDA, OLLAWV, SGDSVC, SVC, LinearSVC, NewtonSVC

KINDS = [SVC, OLLAWV, NLSGD, MNSVM, NNISDA, NewtonSVC, LinearSVC, SGDSVC, GDSVC]
QUICK = {
    NLSGD: {"random_state": 0},
    LinearSVC: {"random_state": 0},
    SGDSVC: {"random_state": 0, "epochs": 2},
    GDSVC: {"lambda_": 0.1, "eta0": 0.1},
}


def quick(kind, **params):
    return kind(**QUICK.get(kind, {}) | params)


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
        with pytest.raises(AttributeError, match="certificate_ is not available"):
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
    assert (header["format"], header["version"]) == ("softmargin model", 1)
    assert (header["class"], header["softmargin"]) == ("SVC", softmargin.__version__)
    assert header["params"] == model.get_params()
