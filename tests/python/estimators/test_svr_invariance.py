"""How SVR, NuSVR, NuSVC and OneClassSVM are trained affects their solution only within tol."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from single_machines import OURS, SETTINGS, fit, outcomes, outputs, samples
from softmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM

TOL = 1e-6
each = pytest.mark.parametrize("name", OURS)


def made(name, **params):
    return OURS[name](**SETTINGS[name] | {"gamma": 0.4, "tol": TOL} | params)


def certificate(model):
    return model.certificate_[0] if isinstance(model, NuSVC) else model.certificate_


def assert_same(one, other, X, atol=1e-4):
    found, expected = certificate(one), certificate(other)
    assert found.dual == pytest.approx(expected.dual, rel=1e-5)
    np.testing.assert_allclose(outputs(one, X), outputs(other, X), atol=atol)


@each
@pytest.mark.parametrize(
    "change",
    [
        {"shrinking": False},
        {"cache_size": 0.001},
        {"working_set_size": 2},
        {"working_set_size": 3},
        {"working_set_size": 10},
        {"n_jobs": 2},
    ],
    ids=str,
)
def test_settings_of_the_solver_do_not_change_the_optimum(name, change):
    X, y = samples(700, d=4)
    plain = fit(made(name), X, y)
    other = fit(made(name, **change), X, y)
    assert other.fit_status_ == 0
    assert_same(other, plain, X)


@pytest.fixture(scope="module")
def many():
    """More samples than any working set has, with overlapping targets."""
    return samples(6000, d=6, seed=3)


@pytest.fixture(scope="module")
def trained(many):
    return {name: fit(made(name, tol=1e-3), *many) for name in OURS}


@pytest.mark.case(64)
@each
def test_threads_do_not_change_a_bit(name, many, trained):
    for n_jobs in (2, 3):
        other = fit(made(name, tol=1e-3, n_jobs=n_jobs), *many)
        np.testing.assert_array_equal(other.support_, trained[name].support_)
        np.testing.assert_array_equal(other.dual_coef_, trained[name].dual_coef_)
        np.testing.assert_array_equal(other.intercept_, trained[name].intercept_)
        np.testing.assert_array_equal(other.n_iter_, trained[name].n_iter_)


@each
def test_large_problems_have_a_certificate(name, many, trained):
    found, model = certificate(trained[name]), trained[name]
    c = model.C_[0] if name == "NuSVC" else 1.0
    assert found.violation <= 2e-3 * max(c, 1)
    assert 0 <= found.gap <= 2e-2 * max(abs(found.primal), abs(found.dual))
    small = fit(made(name, tol=1e-3, cache_size=2), *many)
    assert certificate(small).dual == pytest.approx(found.dual, rel=1e-2)
    assert found.dual <= certificate(small).primal + 1e-9
    rounded = fit(made(name, tol=1e-3), many[0].astype(np.float32), many[1])
    np.testing.assert_allclose(outputs(rounded, many[0]), outputs(model, many[0]), atol=0.05 * c)


@each
def test_a_precise_tolerance_holds_for_float32(name):
    X, y = samples(2500, d=4)
    for dtype in (np.float32, np.float64):
        model = fit(made(name), X.astype(dtype), y)
        scale = model.C_[0] if name == "NuSVC" else 1.0
        assert model.fit_status_ == 0
        assert certificate(model).violation <= 2 * TOL * max(scale, 1)


@each
def test_starting_points_do_not_change_the_optimum(name):
    X, y = samples(300)
    plain = fit(made(name), X, y)
    other = {"C": 0.5} if "C" in SETTINGS[name] else {"nu": 0.5}
    starts = [fit(made(name, **other), X, y), fit(made(name, kernel="linear"), X, y), plain]
    for start in [*starts, np.array([], int), [5, 3, 299], np.arange(300)]:
        model = fit(made(name), X, y, init=start)
        assert_same(model, plain, X)
    assert fit(made(name), X, y, init=plain).n_iter_ <= plain.n_iter_
    kind = SVC if name != "NuSVC" else OneClassSVM
    other_kind = kind().fit(X, outcomes("NuSVC", y))
    with pytest.raises(ValueError, match="another kind"):
        fit(made(name), X, y, init=other_kind)


@pytest.mark.case(68)
@each
def test_a_warm_start_does_not_change_the_optimum(name):
    X, y = samples(300)
    path = [{"nu": 0.6}, {"nu": 0.1}] if "nu" in SETTINGS[name] else [{"C": 0.1}, {"epsilon": 0.3}]
    model = made(name, warm_start=True)
    for change in [*path, {"gamma": 2.0}, {"kernel": "linear"}]:
        fit(model.set_params(**change), X, y)
        assert_same(model, fit(clone(model), X, y), X)
        model = pickle.loads(pickle.dumps(model))


@pytest.mark.case(51)
@each
def test_weight_0_removes_and_weight_2_duplicates(name):
    X, y = samples(100)
    y = outcomes(name, y)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    weighted = made(name).fit(X, y, sample_weight=weights)
    plain = made(name).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(outputs(weighted, X), outputs(plain, X), atol=1e-4)
    assert not np.isin(np.flatnonzero(weights == 0), weighted.support_).any()
    assert certificate(weighted).dual == pytest.approx(certificate(plain).dual, rel=1e-5)


@pytest.mark.case(71)
@each
def test_the_order_of_the_samples_does_not_matter(name):
    X, y = samples(200)
    order = np.random.default_rng(0).permutation(len(y))
    assert_same(fit(made(name), X[order], y[order]), fit(made(name), X, y), X)


@pytest.mark.parametrize("kind", [SVR, NuSVR])
def test_the_signs_of_the_targets_are_those_of_the_predictions(kind):
    X, y = samples(150)
    model, mirrored = (kind(gamma=0.4, tol=TOL).fit(X, values) for values in (y, -y))
    np.testing.assert_allclose(mirrored.predict(X), -model.predict(X), atol=1e-4)
    shifted = kind(gamma=0.4, tol=TOL).fit(X, y + 1000)
    np.testing.assert_allclose(shifted.predict(X), model.predict(X) + 1000, atol=1e-4)


@pytest.mark.case(60, 61)
@each
@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"time_limit": 1e-9}], ids=str)
def test_a_limit_leaves_a_usable_model_and_warns(name, limit):
    X, y = samples(400)
    model = made(name, **limit)
    with pytest.warns(ConvergenceWarning, match=f"increase {next(iter(limit))}"):
        model.fit(X, outcomes(name, y))
    assert model.fit_status_ == 1
    assert np.isfinite(outputs(model, X)).all()
    assert np.ravel(model.n_iter_)[0] <= 1
    assert certificate(model).gap > 0
