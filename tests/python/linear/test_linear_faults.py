"""Odd rows that make sense get a model from every rule of a linear machine."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from softmargin import GDSVC, SGDSVC, LinearSVC

MODELS = {
    "pegasos": SGDSVC(random_state=0),
    "sgd": SGDSVC("sgd", random_state=0),
    "nag": SGDSVC("nag", random_state=0),
    "rmsprop": SGDSVC("rmsprop", random_state=0),
    "gd": GDSVC(eta0=0.1, max_iter=100, tol=0.1),
    "newton": LinearSVC(),
    "hinge": LinearSVC(loss="hinge", random_state=0),
    "l1": LinearSVC("l1"),
}


def problem(n=40, d=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + 1.5 * np.eye(2, d)[y], y


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param].fit(*problem())


X0, Y0 = problem()
ODD_ROWS = {
    "identical": (np.ones((10, 3)), np.arange(10) % 2),
    "opposite labels": (np.repeat(X0[:5], 2, axis=0), np.arange(10) % 2),
    "constant feature": (np.column_stack([X0, np.full(40, 7.0)]), Y0),
    "two rows": ([[1.0, 0.0], [0.0, 1.0]], [0, 1]),
    "one row a class": (np.eye(5), [4, 2, 0, 1, 3]),
    "nothing stored": (sp.csr_matrix((10, 3)), np.arange(10) % 2),
    "empty rows": (sp.csr_matrix(np.where(np.arange(40)[:, None] % 3, X0, 0.0)), Y0),
    "zeros": (np.zeros((10, 3)), np.arange(10) % 2),
    "subnormal": (X0 * 1e-310, Y0),
    "tiny": (X0 * 1e-200, Y0),
    "one column": (X0[:, :1], Y0),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("fit_intercept", [True, False, "violators"])
@pytest.mark.parametrize("rows", ODD_ROWS)
def test_odd_rows_have_a_finite_model(model, rows, fit_intercept):
    X, y = ODD_ROWS[rows]
    for scheme in ("ovr", "ovo", "ordinal"):
        model.set_params(multi_class=scheme, fit_intercept=fit_intercept).fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.decision_function(X)).all()
        assert set(model.predict(X)) <= set(y)
        assert "not finite" not in model.status_
    model.set_params(multi_class="ovr", fit_intercept=True)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_rows_of_zeros_cost_what_they_cost(loss):
    """Without a feature every row has the loss 1: the certificate says so."""
    model = LinearSVC(loss=loss, fit_intercept=False, C=3.0).fit(np.zeros((10, 2)), [0, 1] * 5)
    assert model.certificate_[0].primal == pytest.approx(30)
    assert model.certificate_[0].gap == pytest.approx(0, abs=1e-9)


def test_a_diverging_rule_is_told_and_can_be_gone_on_from():
    for optimizer in ("momentum", "nag"):
        model = SGDSVC(optimizer, lambda_=1e3, eta0=100.0, random_state=0)
        with pytest.warns(ConvergenceWarning, match="not finite"):
            model.fit(X0, Y0)
        np.testing.assert_array_equal(model.coef_, 0)
        assert np.isfinite(model.decision_function(X0)).all()
        model.set_params(eta0=1e-5).partial_fit(X0, Y0)
        assert np.isfinite(model.coef_).all()
        assert model.status_ == ["converged"]


def test_changed_coefficients_are_used(model):
    """As in scikit-learn, coef_ and intercept_ are the model."""
    model.fit(X0, Y0)
    model.coef_ = -model.coef_
    model.intercept_ = np.array([0.25])
    expected = X0 @ model.coef_[0] + 0.25
    np.testing.assert_allclose(model.decision_function(X0), expected)
