"""A time limit bounds the whole call, with any number of classes.

The first binary classifier is always begun; the others start if there is time.
"""

import time
import types

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import softmargin
from fault_cases import CLASSIFIERS, TIMED
from softmargin._checks import resources

PASSED = 1e-9
LINEAR = ["LinearSVC", "SGDSVC", "GDSVC"]


def limited(name, seconds=PASSED, **params):
    """Return an estimator that trains one classifier for each class."""
    return type(CLASSIFIERS[name])().set_params(time_limit=seconds, multi_class="ovr", **params)


@pytest.fixture
def slow_conversion(monkeypatch):
    """Let 100 seconds pass between the start of a call and that of its training."""
    times = iter([0.0])
    clock = types.SimpleNamespace(monotonic=lambda: next(times, 100.0))
    monkeypatch.setattr(resources, "time", clock)


@pytest.mark.case(61)
@pytest.mark.parametrize("name", TIMED)
def test_classes_without_time_cost_next_to_nothing(name):
    """Gathering the samples of each class takes minutes of processor time, leaving it seconds."""
    k = 40_000 if name in LINEAR else 15_000
    X, y = np.linspace(0, 1, 2 * k)[:, None], np.arange(2 * k) % k
    start = time.process_time()
    with pytest.warns(ConvergenceWarning, match="'time limit'"):
        model = limited(name).fit(X, y)
    assert time.process_time() - start < 8
    assert model.status_ == ["time limit"] * k


@pytest.mark.case(61)
@pytest.mark.parametrize("name", TIMED)
def test_the_limit_includes_the_conversion_of_the_data(name, slow_conversion, rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    with pytest.warns(ConvergenceWarning, match="'time limit'"):
        model = limited(name, 50.0).fit(X, y)
    assert model.status_[1:] == ["time limit"] * 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", TIMED)
def test_no_time_limit_is_no_deadline(name, slow_conversion, rng):
    X, y = rng.normal(size=(30, 2)) + np.arange(30)[:, None] % 3, np.arange(30) % 3
    model = limited(name, None).fit(X, y)
    assert "time limit" not in model.status_


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "ordinal"])
@pytest.mark.parametrize(
    "params", [{"loss": "hinge"}, {"dual": True}, {"dual": False}, {"penalty": "l1"}], ids=str
)
def test_a_classifier_without_time_has_the_certificate_of_zero_weights(multi_class, params, rng):
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 4
    weights = rng.integers(0, 3, size=40).astype(float)
    by_class = {0: 1.0, 1: 2.0, 2: 0.5, 3: 3.0}
    model = softmargin.LinearSVC(
        C=0.3, multi_class=multi_class, class_weight=by_class, time_limit=PASSED, **params
    )
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y, sample_weight=weights)
    assert not model.coef_[1:].any()
    assert not model.intercept_[1:].any()
    classes = {
        "ovr": [range(4)] * 4,
        "ovo": [(a, b) for a in range(4) for b in range(a + 1, 4)],
        "ordinal": [(0, 1), (1, 2), (2, 3)],
    }[multi_class]
    price = 0.3 * weights * [by_class[label] for label in y]
    for certificate, used in list(zip(model.certificate_, classes, strict=True))[1:]:
        assert certificate.primal == pytest.approx(price[np.isin(y, used)].sum())
        assert certificate.dual == 0.0
        # The violation of zero weights depends on the samples, which there is no time to read.
        assert certificate.violation == (np.inf if "penalty" in params else 1.0)


@pytest.mark.parametrize("kind", [softmargin.SGDSVC, softmargin.GDSVC])
def test_a_bias_found_afterwards_is_that_of_zero_weights(kind):
    y = np.array([0] * 5 + [1] * 3 + [2] * 2)
    X = np.ones((10, 1))
    model = kind(fit_intercept="violators", time_limit=PASSED)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert model.intercept_[1:] == pytest.approx([-0.4, -0.6])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("optimizer", ["pegasos", "sgd", "momentum", "nag", "rmsprop"])
def test_a_warm_start_without_time_keeps_its_weights(optimizer, intercept, rng):
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 3
    model = softmargin.SGDSVC(optimizer, fit_intercept=intercept, average=0, warm_start=True)
    first = model.fit(X, y).coef_.copy()
    model.set_params(time_limit=PASSED)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    np.testing.assert_array_equal(model.coef_[1:], first[1:])


@pytest.mark.parametrize("name", LINEAR)
def test_a_curve_without_time_starts_at_zero_weights(name, rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    with pytest.warns(ConvergenceWarning):
        model = limited(name, record_every=1).fit(X, y)
    assert model.curve_["step"][0] == 0
    assert model.curve_["loss"][0] == pytest.approx(1.0)


def test_the_limit_of_fit_blocks_is_for_all_blocks(slow_conversion, rng):
    read = []

    def blocks():
        for number in range(5):
            read.append(number)
            yield rng.normal(size=(20, 2)), np.arange(20) % 2

    model = softmargin.SGDSVC(epochs=3, time_limit=50.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match="'time limit'"):
        model.fit_blocks(blocks, classes=[0, 1])
    assert read == [0, 1]
    assert (model.status_, model.n_iter_) == (["time limit"], 1)


@pytest.mark.case(61)
def test_a_limit_on_a_subsample_does_not_wait_for_all_samples(rng):
    """The gradient of all samples once took 50 times as long as the limit allowed."""
    n = 300_000
    X = rng.normal(size=(n, 2)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=n) > 0
    start = time.process_time()
    with pytest.warns(ConvergenceWarning, match="'time limit'"):
        model = softmargin.SVC(time_limit=0.5, n_jobs=1).fit(X, y)
    assert time.process_time() - start < 5
    assert np.abs(model.decision_function(X[:2000])).max() < n
