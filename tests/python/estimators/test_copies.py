"""Copies of every kind: pickle, joblib, copy, skops."""

import copy
import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp

from equality import assert_same_estimator
from softmargin import GDSVC, MNSVM, NLSGD, NNISDA, OLLAWV, SGDSVC, SVC, LinearSVC, NewtonSVC

MODELS = [
    OLLAWV(margin=0.01),
    NLSGD(random_state=0),
    MNSVM(),
    NNISDA(),
    NewtonSVC(),
    SVC(),
    SVC(warm_start="support_vectors"),
    SVC(multi_class="ordinal"),
    LinearSVC(multi_class="ordinal", record_every=1),
    SGDSVC(random_state=0, epochs=2),
    GDSVC(lambda_=0.1, eta0=0.1),
]
# What skops asks its users to trust.
PARTS = {
    "softmargin.Certificate",
    "scipy.sparse._csr.csr_matrix",  # dual_coef_ of sparse rows, as of scikit-learn's SVC
}


def through_joblib(model, path):
    joblib.dump(model, path, compress=3)
    return joblib.load(path)


def through_skops(model, path):
    io = pytest.importorskip("skops.io", reason="needs the package skops")
    io.dump(model, path)
    trusted = set(io.get_untrusted_types(file=path))
    kind = type(model)
    assert f"{kind.__module__}.{kind.__name__}" in trusted
    assert len(trusted - PARTS) == 1
    return io.load(path, trusted=sorted(trusted))


WAYS = {
    f"pickle {protocol}": lambda model, _, protocol=protocol: pickle.loads(
        pickle.dumps(model, protocol)
    )
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
}
WAYS |= {
    "joblib": through_joblib,
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "skops": through_skops,
}


@pytest.mark.filterwarnings("ignore:.*alphabetical order of the text labels:UserWarning")
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_copy_is_the_same_to_the_bit(three_classes, tmp_path, model, layout, way):
    X, y = layout(three_classes[0]), three_classes[1]
    model = copy.deepcopy(model).fit(X, np.array(["a", "b", "c"])[y])
    getattr(model, "certificate_", None)  # asked for: it is kept
    again = way(model, tmp_path / "copy")
    assert_same_estimator(again, model)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_copy_goes_on(three_classes, tmp_path, way):
    X, y = three_classes
    stream = SGDSVC(random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    warm = SVC(warm_start=True).fit(X, y)
    for model, train in ((stream, stream.partial_fit), (warm, warm.set_params(C=2).fit)):
        again = way(model, tmp_path / "copy")
        train(X, y)
        (again.partial_fit if model is stream else again.fit)(X, y)
        assert_same_estimator(again, model)


def test_a_shallow_copy_has_the_same_model(noisy):
    model = SVC().fit(*noisy)
    again = copy.copy(model)
    assert again._model is model._model
    assert again.certificate_ == model.certificate_
    again.fit(noisy[0], 1 - noisy[1])
    assert again._model is not model._model


def test_a_pickle_of_earlier_versions_is_read(noisy):
    """They held the model as an object of its own, as attributes still do."""
    model = SVC().fit(*noisy)
    again = SVC.__new__(SVC)
    again.__setstate__(dict(vars(model)))
    np.testing.assert_array_equal(again.predict(noisy[0]), model.predict(noisy[0]))


@pytest.mark.case(92)
def test_a_pickle_that_was_tampered_with_is_refused(noisy):
    model = SVC().fit(*noisy)
    state = model.__getstate__()
    wrong = state["_model"] | {"dual_coef": state["_model"]["dual_coef"][1:]}
    with pytest.raises(ValueError, match="not a model"):
        SVC.__new__(SVC).__setstate__(state | {"_model": wrong})


@pytest.mark.parametrize("kind", [SVC, MNSVM, NNISDA, NewtonSVC])
def test_a_copy_has_the_certificate_of_the_original(three_classes, kind):
    model = kind().fit(*three_classes)
    copied = copy.deepcopy(model)
    assert copied is not model
    assert copied.certificate_ == model.certificate_


def test_a_kernel_that_was_changed_after_the_fit_is_copied(three_classes):
    X, y = three_classes
    model = SVC(kernel=np.inner).fit(X, y)
    expected = model.decision_function(X)
    model.set_params(kernel="rbf")
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        with pytest.raises(ValueError, match=r"kernel = 'rbf' .*fitted with a function"):
            copied.predict(X)
        again = copied.set_params(kernel=np.inner)
        np.testing.assert_array_equal(again.decision_function(X), expected)
