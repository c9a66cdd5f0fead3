"""LinearSVC(penalty="l1") finds the sparse optimum of scikit-learn's problem, and proves it."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn import model_selection, svm
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softmargin
from linear_reference import machines, violators_bias, with_constant
from softmargin import GridSearchCV, LinearSVC

TIGHT = {"penalty": "l1", "dual": False, "tol": 1e-10, "max_iter": 200_000, "random_state": 0}
BIASES = [{}, {"fit_intercept": False}, {"intercept_scaling": 3.0}]


def problem(n=120, d=8, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.7)
    y = (X[:, 0] - X[:, 1] + 0.4 + noise * rng.normal(size=n) > 0).astype(int)
    return X, y


def wide_problem():
    """150 samples with 800 features, most of which are irrelevant."""
    X = sp.random(150, 800, density=0.03, random_state=1, format="csr")
    X.data = np.random.default_rng(2).normal(size=X.nnz)
    noise = np.random.default_rng(3).normal(size=150)
    return X, np.asarray(X[:, :40].sum(axis=1)).ravel() + noise > 0


def scaling_of(bias):
    return bias.get("intercept_scaling", 1.0) if bias.get("fit_intercept", True) else 0.0


def weights_of(model, scaling=1.0):
    """Weights of the first binary classifier; the last one is that of the constant feature."""
    bias = np.ravel(model.intercept_)[0]
    return np.r_[model.coef_[0], bias / scaling if scaling else 0.0]


def objective(w, X, signs, costs, scaling=1.0):
    slacks = np.maximum(0, 1 - signs * (with_constant(X, scaling) @ w))
    return np.abs(w).sum() + costs @ slacks**2


def violation(w, X, signs, costs, scaling=1.0):
    """Largest violation of the subgradient conditions."""
    Z = with_constant(X, scaling)
    gradient = -2 * (costs * signs * np.maximum(0, 1 - signs * (Z @ w))) @ Z
    at_zero = np.maximum(0, np.abs(gradient) - 1)
    return np.where(w == 0, at_zero, np.abs(gradient + np.sign(w))).max()


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("C", [0.02, 0.3, 10.0])
@pytest.mark.parametrize("bias", BIASES, ids=str)
def test_the_optimum_is_that_of_scikit_learn(layout, C, bias):
    X, y = problem()
    params = TIGHT | bias | {"C": C}
    ours = LinearSVC(**params).fit(layout(X), y)
    theirs = svm.LinearSVC(**params).fit(X, y)
    scaling = scaling_of(bias)
    arguments = X, 2 * y - 1, np.full(len(y), C), scaling
    own, other = weights_of(ours, scaling), weights_of(theirs, scaling)
    assert objective(own, *arguments) == pytest.approx(objective(other, *arguments), rel=1e-8)
    np.testing.assert_allclose(own, other, atol=1e-4)
    np.testing.assert_array_equal(own == 0, other == 0)
    (certificate,) = ours.certificate_
    assert certificate.primal == pytest.approx(objective(own, *arguments), rel=1e-12)
    assert certificate.violation == pytest.approx(violation(own, *arguments), abs=1e-9)
    assert certificate.violation <= 1e-7
    assert -1e-12 <= certificate.gap / certificate.primal <= 1e-7
    assert ours.status_ == ["converged"]


@pytest.mark.parametrize("layout", [sp.csr_matrix.toarray, sp.csr_matrix])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_the_same_features_are_selected_from_wide_data(layout, C):
    X, y = wide_problem()
    ours = LinearSVC(C=C, **TIGHT).fit(layout(X), y)
    theirs = svm.LinearSVC(C=C, **TIGHT).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_array_equal(ours.coef_ != 0, theirs.coef_ != 0)
    assert 0 < np.count_nonzero(ours.coef_) < 150
    assert ours.certificate_[0].gap <= 1e-7 * ours.certificate_[0].primal


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_and_csr_samples_give_the_same_model(dtype):
    X, y = problem(d=30)
    X = X.astype(dtype)
    X[:, 7] = 0.0  # a feature without stored values
    dense, csr = (LinearSVC("l1").fit(rows, y) for rows in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(csr.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(csr.coef_ == 0, dense.coef_ == 0)
    assert csr.n_iter_ == dense.n_iter_


def test_a_model_does_not_depend_on_the_seed_or_the_number_of_threads():
    X, y = wide_problem()
    expected = LinearSVC(C=0.5, **TIGHT).fit(X, y)
    for other in ({"random_state": 1}, {"random_state": None, "dual": "auto"}):
        found = LinearSVC(C=0.5, **TIGHT | other).fit(X, y)
        np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-7)
    for n_jobs in (1, 2):
        again = LinearSVC(C=0.5, **TIGHT | {"n_jobs": n_jobs}).fit(X, y)
        np.testing.assert_array_equal(again.coef_, expected.coef_)
    one, two = (LinearSVC("l1").fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.coef_, two.coef_)


@pytest.mark.parametrize("tol", [1e-1, 1e-4, 1e-7])
@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
def test_a_certificate_bounds_the_optimum_at_any_tolerance(tol, C):
    X, y = problem(seed=3)
    optimum = LinearSVC(C=C, **TIGHT).fit(X, y).certificate_[0].primal
    (found,) = LinearSVC(C=C, **TIGHT | {"tol": tol}).fit(X, y).certificate_
    assert found.dual <= optimum * (1 + 1e-9)
    assert found.primal >= optimum * (1 - 1e-9)
    assert found.gap == pytest.approx(found.primal - found.dual)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 3, 7, 12])
def test_an_unfinished_model_has_an_honest_certificate(max_iter):
    X, y = wide_problem()
    optimum = LinearSVC(C=2.0, **TIGHT).fit(X, y).certificate_[0].primal
    model = LinearSVC(C=2.0, **TIGHT | {"max_iter": max_iter}).fit(X, y)
    (found,) = model.certificate_
    assert (model.n_iter_, model.status_) == (max_iter, ["iteration limit"])
    assert 0 <= found.dual <= optimum * (1 + 1e-9)
    assert found.primal >= optimum * (1 - 1e-9)
    arguments = X, np.where(y, 1, -1), np.full(len(y), 2.0)
    assert found.primal == pytest.approx(objective(weights_of(model), *arguments), rel=1e-12)
    assert found.violation == pytest.approx(violation(weights_of(model), *arguments), rel=1e-9)


def test_reaching_the_limit_is_a_warning():
    X, y = problem()
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        LinearSVC("l1", max_iter=1).fit(X, y)


def test_correlated_features_converge_within_the_default_limit():
    """Coordinate descent alone needs more than 1000 passes."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    exact = LinearSVC(C=10.0, **TIGHT).fit(X, y).certificate_[0]
    assert exact.gap <= 1e-7 * exact.primal
    model = LinearSVC("l1", C=10.0).fit(X, y)
    assert model.status_ == ["converged"]
    assert model.certificate_[0].primal <= 1.001 * exact.primal


@pytest.mark.filterwarnings("ignore:.*stalled.*")
@pytest.mark.parametrize("scale", [1, 10])
@pytest.mark.parametrize("C", [0.1, 100.0])
def test_a_tolerance_below_rounding_ends_at_the_optimum(scale, C):
    rng = np.random.default_rng(0)
    X = scale * rng.normal(size=(30, 3))
    y = (X[:, 0] + scale * rng.normal(size=30) > 0).astype(int)
    model = LinearSVC("l1", C=C, tol=1e-15, max_iter=-1).fit(X, y)
    (certificate,) = model.certificate_
    assert abs(certificate.gap) <= 1e-9 * certificate.primal


def test_a_large_c_finds_the_largest_margin_in_the_maximum_norm():
    """A hard margin is a linear program: min |w|_1 such that y w.x >= 1."""
    X, y = problem(n=40, d=5, noise=0.0)
    signed = np.where(y, 1, -1)[:, None] * with_constant(X)
    split = np.hstack([signed, -signed])
    expected = linprog(np.ones(12), A_ub=-split, b_ub=-np.ones(len(y)), bounds=(0, None))
    model = LinearSVC(**TIGHT | {"C": 1e6}).fit(X, y)
    assert np.abs(weights_of(model)).sum() == pytest.approx(expected.fun, rel=1e-4)
    assert model.certificate_[0].primal == pytest.approx(expected.fun, rel=1e-3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("C", [1e8, 1e20, 1e300, np.inf])
def test_a_model_of_a_huge_c_is_finite_and_bounded_by_its_certificate(noise, C):
    X, y = problem(noise=noise)
    model = LinearSVC("l1", C=C).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.status_ != ["not finite"]
    (certificate,) = model.certificate_
    assert 0 <= certificate.dual <= certificate.primal * (1 + 1e-9)
    assert model.score(X, y) >= (1.0 if noise == 0.0 else 0.75)


def test_a_tiny_c_selects_no_feature():
    X, y = problem()
    model = LinearSVC("l1", C=1e-6).fit(X, y)
    assert not model.coef_.any()
    assert not model.intercept_.any()
    (certificate,) = model.certificate_
    assert certificate.primal == pytest.approx(1e-6 * len(y))
    assert (certificate.gap, certificate.violation) == (pytest.approx(0, abs=1e-18), 0.0)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_a_weight_is_a_number_of_samples(layout):
    X, y = problem()
    weights = np.arange(len(y)) % 4
    rows = np.repeat(np.arange(len(y)), weights)
    one = LinearSVC(**TIGHT).fit(layout(X), y, sample_weight=weights)
    two = LinearSVC(**TIGHT).fit(layout(X[rows]), y[rows])
    assert one.certificate_[0].primal == pytest.approx(two.certificate_[0].primal, rel=1e-9)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-6)
    np.testing.assert_array_equal(one.coef_ == 0, two.coef_ == 0)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}])
def test_class_weights_are_those_of_scikit_learn(class_weight, rng):
    X, y = problem()
    weights = rng.choice([0.0, 0.5, 2.0], len(y)) * (1 + 3 * (y == y[0]))
    params = TIGHT | {"class_weight": class_weight, "C": 0.2}
    ours, theirs = (kind(**params).fit(X, y, weights) for kind in (LinearSVC, svm.LinearSVC))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "ordinal"])
def test_every_binary_classifier_is_a_problem_of_two_classes(scheme, three_classes):
    X, y = three_classes
    model = LinearSVC(multi_class=scheme, C=2.0, **TIGHT).fit(X, y)
    for number, (rows, signs) in enumerate(machines(y, scheme)):
        alone = LinearSVC(C=2.0, **TIGHT).fit(X[rows], signs)
        np.testing.assert_allclose(model.coef_[number], alone.coef_[0], atol=1e-5)
    if scheme == "ovr":
        theirs = svm.LinearSVC(C=2.0, **TIGHT).fit(X, y)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-4)
        np.testing.assert_array_equal(model.predict(X), theirs.predict(X))


def test_a_bias_of_violators_follows_the_weights():
    X, y = problem()
    model = LinearSVC(fit_intercept="violators", **TIGHT).fit(X, y)
    plain = LinearSVC(fit_intercept=False, **TIGHT).fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    expected = violators_bias(X, 2 * y - 1, model.coef_[0])
    assert model.intercept_[0] == pytest.approx(expected, rel=1e-12)


def test_features_are_selected_in_a_pipeline():
    X, y = wide_problem()
    selected = []
    for module in (softmargin, svm):
        selection = SelectFromModel(module.LinearSVC(penalty="l1", dual=False, C=0.3, tol=1e-8))
        pipeline = make_pipeline(selection, svm.SVC(kernel="linear")).fit(X, y)
        selected.append(selection.get_support())
        assert pipeline.score(X, y) > 0.8
    np.testing.assert_array_equal(*selected)
    assert 0 < selected[0].sum() < 100


def test_a_search_along_c_equals_a_plain_loop():
    X, y = problem(n=200)
    cs = [0.01, 0.05, 0.5, 5.0]
    folds = model_selection.StratifiedKFold(4, shuffle=True, random_state=0)
    search = GridSearchCV(LinearSVC("l1", random_state=0), {"C": cs}, cv=folds).fit(X, y)
    assert search.used_engine_
    for number, (train, test) in enumerate(folds.split(X, y)):
        models = (LinearSVC("l1", C=C, random_state=0).fit(X[train], y[train]) for C in cs)
        expected = [model.score(X[test], y[test]) for model in models]
        np.testing.assert_array_equal(search.cv_results_[f"split{number}_test_score"], expected)
    again = LinearSVC("l1", random_state=0, **search.best_params_).fit(X, y)
    np.testing.assert_array_equal(search.best_estimator_.coef_, again.coef_)


def test_a_model_survives_pickling_and_saving(tmp_path):
    X, y = problem()
    model = LinearSVC("l1", C=0.1, record_every=2).fit(X, y)
    model.save(tmp_path / "model")
    for other in (pickle.loads(pickle.dumps(model)), softmargin.load(tmp_path / "model")):
        assert other.get_params() == model.get_params()
        assert other.certificate_ == model.certificate_
        np.testing.assert_array_equal(other.coef_, model.coef_)
        np.testing.assert_array_equal(other.curve_["objective"], model.curve_["objective"])
    expected = model.decision_function(X)
    np.testing.assert_allclose(model.sparsify().decision_function(X), expected, rtol=1e-12)
    assert model.coef_.nnz < X.shape[1]
