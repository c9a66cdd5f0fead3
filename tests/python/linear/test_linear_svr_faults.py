"""LinearSVR refuses what it cannot train on, and survives extreme problems."""

import numpy as np
import pytest
import scipy.sparse as sp

from softmargin import LinearSVR

LOSSES = ["epsilon_insensitive", "squared_epsilon_insensitive"]


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(40, 3))
    return X, X[:, 0] + 0.1 * rng.normal(size=40)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"epsilon": -0.1}, "epsilon = -0.1 is not valid: it must be a finite number, at least 0"),
        ({"epsilon": np.nan}, "epsilon = NaN|epsilon = nan"),
        ({"epsilon": np.inf}, "epsilon = inf"),
        ({"epsilon": "0"}, "epsilon = '0'"),
        ({"C": 0}, "C = 0"),
        ({"C": np.nan}, "C = (NaN|nan)"),
        ({"tol": 0}, "tol = 0"),
        ({"loss": "hinge"}, "loss = 'hinge' is not valid"),
        ({"dual": False}, "dual = False is not valid with loss = 'epsilon_insensitive'"),
        ({"dual": "yes"}, "dual = 'yes'"),
        ({"fit_intercept": "violators"}, "fit_intercept = 'violators'"),
        ({"intercept_scaling": 0}, "intercept_scaling = 0"),
        ({"max_iter": 0}, "max_iter = 0"),
        ({"time_limit": -1}, "time_limit = -1"),
    ],
    ids=str,
)
def test_an_invalid_parameter_is_refused_by_name(problem, params, message):
    model = LinearSVR().fit(*problem)
    before = dict(vars(model))
    model.set_params(**params)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(*problem)
    assert model.coef_ is before["coef_"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: np.where(np.arange(40) == 7, np.nan, y), "y contains NaN at row 7"),
        (lambda y: np.where(np.arange(40) == 7, np.inf, y), "y contains inf at row 7"),
        (lambda y: y[:-1], "y has 39 targets, but X has 40 samples"),
        (lambda y: np.c_[y, y], "2 targets per sample"),
        (lambda y: y.astype(str), "y "),
        (lambda y: None, "requires y"),
    ],
)
def test_invalid_targets_are_refused_with_their_place(problem, change, message):
    X, y = problem
    with pytest.raises(ValueError, match=message):
        LinearSVR().fit(X, change(y))


def test_invalid_weights_are_refused(problem):
    X, y = problem
    with pytest.raises(ValueError, match="every sample_weight is zero"):
        LinearSVR().fit(X, y, sample_weight=np.zeros(40))
    with pytest.raises(ValueError, match=r"sample_weight\[3\] = -1"):
        LinearSVR().fit(X, y, sample_weight=np.where(np.arange(40) == 3, -1, 1))


def test_values_whose_products_overflow_are_refused(problem):
    X, y = problem
    with pytest.raises(ValueError, match="whose products overflow"):
        LinearSVR().fit(1e200 * X, y)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("value", [0.0, 5.0, -3e-8, 1e12])
def test_constant_targets_converge(problem, loss, value):
    X, _ = problem
    unit = max(1.0, abs(value)) if loss == "epsilon_insensitive" else 1.0
    model = LinearSVR(loss=loss, C=1e3 * unit).fit(X, np.full(40, value))
    assert model.status_ == "converged"
    np.testing.assert_allclose(model.predict(X), value, rtol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_huge_targets_give_finite_models(problem, loss):
    X, y = problem
    targets = 1e300 * y
    model = LinearSVR(loss=loss).fit(X, targets)
    assert model.status_ == "converged"
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.predict(X)).all()
    certificate = model.certificate_
    assert certificate.primal >= certificate.dual
    assert certificate.gap >= 0
    if loss == "epsilon_insensitive":
        # Every sample is beyond the tube, so that its coefficient is C.
        np.testing.assert_allclose(model.coef_, np.sign(y) @ X, rtol=1e-12)
    else:
        plain = LinearSVR(loss=loss).fit(X, y)
        np.testing.assert_allclose(model.coef_, 1e300 * plain.coef_, rtol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [1e-320, 1e-300])
def test_tiny_targets_give_finite_models(problem, loss, scale):
    X, y = problem
    model = LinearSVR(loss=loss).fit(X, scale * y)
    assert np.isfinite(model.coef_).all()
    assert np.abs(model.predict(X)).max() <= 10 * scale * np.abs(y).max()


@pytest.mark.parametrize("loss", LOSSES)
def test_one_sample_is_fitted_up_to_its_regularization(loss):
    model = LinearSVR(loss=loss, C=1e6).fit([[2.0]], [3.0])
    np.testing.assert_allclose(model.predict([[2.0]]), 3, rtol=1e-4)
    # The shortest vector (w, b) with 2 w + b = 3.
    np.testing.assert_allclose([*model.coef_, *model.intercept_], [1.2, 0.6], rtol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_more_features_than_samples_converge(rng, loss, layout):
    X, y = rng.normal(size=(30, 400)), rng.normal(size=30)
    model = LinearSVR(loss=loss, C=10, tol=1e-6).fit(layout(X), y)
    assert model.status_ == "converged"
    assert model.certificate_.gap <= 1e-3 * model.certificate_.primal
    np.testing.assert_allclose(model.predict(layout(X)), y, atol=0.05)


@pytest.mark.parametrize("loss", LOSSES)
def test_samples_of_zeros_are_predicted_by_the_intercept(loss):
    X, y = np.zeros((20, 2)), np.arange(20.0)
    model = LinearSVR(loss=loss, C=1e3).fit(X, y)
    assert (model.coef_ == 0).all()
    assert 8.9 < model.intercept_[0] < 10.1
    bare = LinearSVR(loss=loss, fit_intercept=False).fit(X, y)
    assert (bare.coef_ == 0).all()
    assert bare.intercept_ == 0
    assert bare.certificate_.gap == pytest.approx(0, abs=1e-9)


def test_a_failed_fit_leaves_the_estimator_as_it_was(problem):
    X, y = problem
    model = LinearSVR().fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full_like(X, np.nan), y)
    assert vars(model) == before
