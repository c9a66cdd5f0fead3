"""Regressors, novelty detectors and NuSVC come back from files and pickles as they were."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline

import softmargin
from archives import parts, rebuild
from equality import assert_same_estimator
from softmargin import SVR, NuSVC, NuSVR, OneClassSVM

MODELS = {
    "SVR": SVR(C=3, epsilon=0.2),
    "NuSVR": NuSVR(C=3, nu=0.3),
    "NuSVC": NuSVC(nu=0.2),
    "OneClassSVM": OneClassSVM(nu=0.2),
}
LAYOUTS = {"64": np.asarray, "32": np.float32, "csr": sp.csr_matrix}


@pytest.fixture
def samples(rng):
    """80 samples with 3 features, targets, and three classes."""
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=80)
    return X, y, np.digitize(y, np.quantile(y, [0.3, 0.7]))


@pytest.fixture(params=MODELS)
def model(request):
    return copy.deepcopy(MODELS[request.param])


def outcomes(model, samples):
    return samples[2] if isinstance(model, NuSVC) else samples[1]


def decisions(model, X):
    return model.predict(X) if isinstance(model, SVR | NuSVR) else model.decision_function(X)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_loaded_model_is_the_same_to_the_bit(model, samples, again, layout):
    X = layout(samples[0])
    model.fit(X[:60], outcomes(model, samples)[:60])
    for loaded in (again(model), pickle.loads(pickle.dumps(model))):
        assert_same_estimator(loaded, model)
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        np.testing.assert_array_equal(decisions(loaded, X), decisions(model, X))


def test_samples_of_weight_0_stay_known(model, samples, again):
    X, y = samples[0], outcomes(model, samples)
    weights = np.arange(80) % 3.0
    for kernel, rows in (("rbf", X), ("precomputed", rbf_kernel(X))):
        model.set_params(kernel=kernel).fit(rows, y, sample_weight=weights)
        loaded = again(model)
        assert_same_estimator(loaded, model)
        np.testing.assert_array_equal(decisions(loaded, rows), decisions(model, rows))


def test_a_certificate_comes_back_if_it_was_read(model, samples, again):
    model.fit(samples[0], outcomes(model, samples))
    for load in (again, lambda fitted: pickle.loads(pickle.dumps(fitted))):
        with pytest.raises(AttributeError, match="certificate_ is not available"):
            _ = load(model).certificate_
    found = model.certificate_
    assert again(model).certificate_ == found
    assert pickle.loads(pickle.dumps(model)).certificate_ == found


def test_a_warm_start_continues_from_a_file(model, samples, again):
    X, y = samples[0], outcomes(model, samples)
    cold = copy.deepcopy(model).set_params(gamma=0.4).fit(X, y)
    model.set_params(warm_start=True).fit(X, y)
    loaded = again(again(model))
    for each in (model, loaded):
        each.set_params(gamma=0.4).fit(X, y)
    assert_same_estimator(loaded, model)
    scale = np.abs(decisions(cold, X)).max()
    np.testing.assert_allclose(decisions(loaded, X), decisions(cold, X), atol=0.01 * scale)


def test_a_pipeline_with_a_scaler_comes_back(model, samples, tmp_path):
    X = 100 * samples[0]
    whole = make_pipeline(softmargin.MinMaxScaler(), model).fit(X, outcomes(model, samples))
    softmargin.save(whole, tmp_path / "model")
    again = softmargin.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), whole.predict(X))
    assert_same_estimator(again[-1], whole[-1])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_models_without_support_vectors_come_back(samples, again):
    X, y, _ = samples
    constant = SVR(epsilon=100).fit(X, y)
    stopped = OneClassSVM(time_limit=1e-12).fit(X)
    for fitted in (constant, stopped):
        assert_same_estimator(again(fitted), fitted)
        np.testing.assert_array_equal(again(fitted).predict(X), fitted.predict(X))
    assert len(constant.support_) == 0


# Class, the change of the header, and the message.
TAMPERED = [
    ("SVR", {"class": "SVC"}, "no parameter 'epsilon'"),
    ("SVR", {"class": "SVC", "params": {}}, "'single', which is that of another class"),
    ("SVR", {"class": "NuSVR", "params": {"n_jobs": 0}}, "n_jobs"),
    ("NuSVR", {"class": "SVR", "params": {}}, "'epsilon_' is an unknown field"),
    ("NuSVC", {"class": "SVR", "params": {}}, "n_support"),
    ("NuSVC", {"class": "SVC", "params": {}}, "'C_' is an unknown field"),
    ("NuSVC", {"class": "OneClassSVM", "params": {}}, "n_support"),
    ("SVR", {"fitted.model/multi_class": "ovo"}, "does not match multi_class"),
    ("NuSVC", {"fitted.model/multi_class": "single"}, "'model/multi_class' is 'single'"),
    ("SVR", {"fitted.model/status": []}, "model/status"),
    ("SVR", {"fitted.model/n_cols": 2}, "model/rows"),
    ("SVR", {"fitted.more": 1}, "'more' is an unknown field"),
    ("NuSVR", {"fitted.epsilon_": "wide"}, "'epsilon_' must be a finite float"),
    ("OneClassSVM", {"fitted.n_features_in_": 4}, "n_features_in_"),
    ("OneClassSVM", {"fitted.epsilon_": 1.0}, "'epsilon_' is an unknown field"),
]
TAMPERED_ARRAYS = [
    ("SVR", "model/intercept", lambda b: np.r_[b, b], "model/status"),
    ("SVR", "model/intercept", lambda b: b * np.nan, "model/intercept"),
    ("SVR", "model/dual_coef", lambda d: d[:-1], "coefficients do not match"),
    ("SVR", "model/dual_coef", lambda d: np.r_[d, d], "coefficients do not match"),
    ("SVR", "model/n_support", lambda n: n + np.uint64(1), "n_support"),
    ("SVR", "model/support", lambda s: s + np.uint32(80), "shape_fit_"),
    ("NuSVC", "C_", lambda c: c[:-1], "'C_' has shape"),
    ("NuSVC", "C_", lambda c: c.astype("f4"), "'C_' must be an array of dtype float64"),
    ("OneClassSVM", "shape_fit_", lambda s: s * 0, "shape_fit_"),
]


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    found = {}
    for name, model in MODELS.items():
        fitted = copy.deepcopy(model).fit(X, np.arange(80) % 3 if name == "NuSVC" else y)
        fitted.save(folder / name)
        found[name] = parts(folder / name)
    return found


def changed(header, changes):
    """Return a header in which some values are replaced."""
    header = copy.deepcopy(header)
    for place, value in changes.items():
        *path, last = place.split(".")
        part = header
        for name in path:
            part = part[name]
        part[last] = value
    return header


@pytest.mark.case(89)
@pytest.mark.parametrize(("kind", "changes", "sentence"), TAMPERED)
def test_a_tampered_header_is_refused_by_name(contents, tmp_path, kind, changes, sentence):
    header, arrays = contents[kind]
    path = tmp_path / "model"
    rebuild(path, header, arrays)
    softmargin.load(path)
    rebuild(path, changed(header, changes), arrays)
    with pytest.raises(ValueError, match=rf"model' is not a valid model file: .*{sentence}"):
        softmargin.load(path)


@pytest.mark.case(89)
@pytest.mark.parametrize(("kind", "name", "change", "sentence"), TAMPERED_ARRAYS)
def test_a_tampered_array_is_refused_by_name(contents, tmp_path, kind, name, change, sentence):
    header, arrays = contents[kind]
    rebuild(tmp_path / "model", header, arrays | {name: change(arrays[name])})
    with pytest.raises(ValueError, match=sentence):
        softmargin.load(tmp_path / "model")


@pytest.mark.case(89)
def test_every_part_is_checked(contents, tmp_path, rng):
    X, path, n_refused, n_tried = rng.normal(size=(9, 3)), tmp_path / "model", 0, 0
    for header, arrays in contents.values():
        rebuild(path, header, arrays)
        expected = decisions(softmargin.load(path), X)
        tried = [(header, {k: v for k, v in arrays.items() if k != name}) for name in arrays]
        for name, array in arrays.items():
            bad = [array[:-1], array.ravel()[:0], array.astype("U"), array[None]]
            bad += [array * np.nan] if array.dtype.kind == "f" else [array + array.dtype.type(99)]
            tried += [(header, arrays | {name: new}) for new in bad]
        for name in header["fitted"]:
            values = (2_000_000_000, -5, "word", None, [])
            tried += [(changed(header, {f"fitted.{name}": value}), arrays) for value in values]
        for content in tried:
            rebuild(path, *content)
            n_tried += 1
            try:
                found = decisions(softmargin.load(path), X)
            except ValueError:
                n_refused += 1
                continue
            np.testing.assert_array_equal(found, expected)
    assert n_refused > 0.7 * n_tried


@pytest.mark.case(92)
@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("NuSVR", "epsilon_", "wide"),
        ("NuSVR", "epsilon_", None),
        ("NuSVC", "C_", np.ones(2)),
        ("NuSVC", "C_", [1.0, 1.0, 1.0]),
        ("SVR", "_model", None),
        ("OneClassSVM", "n_features_in_", -1),
    ],
)
def test_a_tampered_pickle_is_refused(samples, kind, name, value):
    model = copy.deepcopy(MODELS[kind])
    state = model.fit(samples[0], outcomes(model, samples)).__getstate__()
    with pytest.raises(ValueError, match=f"not the state of a fitted {kind}"):
        type(model)().__setstate__(state | {name: value})


@pytest.mark.case(92)
def test_the_model_of_another_kind_of_estimator_is_refused(samples):
    X, y, classes = samples
    regressor, classifier = SVR().fit(X, y), NuSVC(nu=0.2).fit(X, classes)
    for one, other in ((regressor, classifier), (classifier, regressor)):
        state = one.__getstate__() | {"_model": other.__getstate__()["_model"]}
        with pytest.raises(ValueError, match="another kind of estimator"):
            type(one)().__setstate__(state)
