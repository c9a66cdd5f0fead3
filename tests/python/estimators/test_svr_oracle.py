"""SVR, NuSVR, NuSVC and OneClassSVM have the solutions of LIBSVM and of a slow reference solver."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import dual_reference
from problems import examples
from single_machines import (
    OURS,
    REGRESSORS,
    SETTINGS,
    THEIRS,
    coefficients,
    dual_objective,
    fit,
    gram,
    outcomes,
    outputs,
    samples,
    unscaled,
)
from softmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM

TOL = 1e-7
KERNELS = {
    "linear": {"kernel": "linear"},
    "rbf": {"kernel": "rbf", "gamma": 0.4},
    "poly": {"kernel": "poly", "gamma": 0.3, "degree": 2, "coef0": 1.0},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.0},
}


def same_solution(name, params, X, y, weights=None, kernel=None, layout=np.asarray):
    """Compare with scikit-learn's class: objective and outputs; and check the certificate."""
    own = params | ({} if kernel is None else {"kernel": kernel})
    K = gram(params, np.asarray(X, dtype=np.float64))
    data = K if kernel == "precomputed" else layout(X)
    ours = fit(OURS[name](**own, tol=TOL), data, y, weights)
    theirs = fit(THEIRS[name](**own, tol=1e-6, max_iter=300_000), data, y, weights)
    assert ours.fit_status_ == theirs.fit_status_ == 0
    beta, other = (coefficients(model, len(y)) for model in (ours, theirs))
    if name == "NuSVC":  # scaled; the values with the sums of nu are compared
        total = 0.5 * params["nu"] * (len(y) if weights is None else weights.sum())
        beta, other = (found / found[found > 0].sum() * total for found in (beta, other))
    epsilon = params.get("epsilon", 0.0)
    found, expected = (dual_objective(name, b, K, y, epsilon) for b in (beta, other))
    assert found == pytest.approx(expected, rel=1e-6)
    assert found >= expected - 1e-7 * abs(expected)
    scale = max(1.0, np.abs(outputs(theirs, data)).max())
    np.testing.assert_allclose(outputs(ours, data), outputs(theirs, data), atol=2e-4 * scale)
    found = ours.certificate_[0] if name == "NuSVC" else ours.certificate_
    c = ours.C_[0] if name == "NuSVC" else 1.0  # the tolerance is that of the problem of nu
    assert found.violation <= 2 * TOL * max(c, 1)  # each side has its own level
    assert -1e-9 * scale <= found.gap <= 1e-6 * max(abs(found.primal), abs(found.dual), 1)
    return ours, theirs


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_sixty_four_problems_have_the_solution_of_libsvm(name, kernel, weighted, seed):
    X, y = samples(seed=seed)
    weights = np.random.default_rng(seed).uniform(0.2, 3, len(y)) if weighted else None
    same_solution(name, SETTINGS[name] | KERNELS[kernel], X, y, weights)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("kernel", ["precomputed", "callable"])
def test_kernel_matrices_and_functions_have_the_solution_of_libsvm(name, kernel):
    X, y = samples()
    params = SETTINGS[name] | KERNELS["rbf"]

    def function(A, B):
        return np.exp(-0.4 * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    same_solution(name, params, X, y, kernel=function if kernel == "callable" else kernel)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_types_and_layouts_have_the_solution_of_libsvm(name, dtype, layout):
    X, y = samples()
    X = np.where(np.abs(X) < 0.5, 0, X).astype(dtype)
    ours, theirs = same_solution(name, SETTINGS[name] | KERNELS["rbf"], X, y, layout=layout)
    assert sp.issparse(ours.support_vectors_) == sp.issparse(theirs.support_vectors_)


def test_class_weights_of_nusvc_are_weights_of_its_samples():
    """LIBSVM ignores class weights here, so it gets them as weights of the samples."""
    X, y = samples()
    by_class = np.array([0.6, 1.7])
    params = {"nu": 0.3} | KERNELS["rbf"]
    ours = fit(NuSVC(class_weight=dict(enumerate(by_class)), tol=TOL, **params), X, y)
    weights = by_class[outcomes("NuSVC", y)]
    same = fit(NuSVC(tol=TOL, **params), X, y, weights)
    np.testing.assert_allclose(ours.decision_function(X), same.decision_function(X), atol=1e-5)
    theirs = fit(THEIRS["NuSVC"](tol=TOL, **params), X, y, weights)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-4)


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_nusvr_is_svr_at_its_epsilon(nu, seed):
    X, y = samples(90, seed=seed)
    params = {"C": 10.0**seed / 10, "gamma": 0.4, "tol": TOL}
    model = NuSVR(nu=nu, **params).fit(X, y)
    other = SVR(epsilon=model.epsilon_, **params).fit(X, y)
    assert model.certificate_.dual == pytest.approx(other.certificate_.dual, rel=1e-5, abs=1e-5)
    np.testing.assert_allclose(model.predict(X), other.predict(X), atol=1e-3)
    errors = np.abs(y - model.predict(X))
    assert (errors > model.epsilon_ + 1e-5).mean() <= nu
    assert len(model.support_) >= nu * len(y) - 1e-9 or model.epsilon_ < 1e-6


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_nusvc_is_svc_at_its_c(nu, multi_class, iris):
    X, y = iris
    k = 3 if multi_class == "ovo" else 2  # the smallest class of one-vs-rest limits nu
    X, y = X[y < k], y[y < k]
    options = {"gamma": 0.3, "tol": 1e-8, "decision_function_shape": "ovo"}
    model = NuSVC(nu=nu, multi_class=multi_class, **options).fit(X, y)
    assert len(model.C_) == len(model.intercept_)
    pairs = [(a, b) for a in range(k) for b in range(a + 1, k)]
    values = model.decision_function(X).reshape(len(X), -1)
    for (a, b), C, own, certificate in zip(
        pairs, model.C_, values.T, model.certificate_, strict=True
    ):
        rows = (y == a) | (y == b)
        other = SVC(C=C, **options).fit(X[rows], y[rows] == (a if k > 2 else b))
        # Without a free support vector, the bias may be anywhere in an interval.
        assert certificate.primal == pytest.approx(other.certificate_[0].dual, rel=1e-5)
        difference = own[rows] - other.decision_function(X[rows])
        assert np.ptp(difference) < 1e-4


@st.composite
def tiny(draw):
    """Draw a problem with ties, equal samples and weights of different sizes."""
    n, seed = draw(st.integers(2, 7)), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)), rng.normal(size=n)
    if draw(st.booleans()):
        X, y = np.rint(X), np.rint(y)
    weights = np.ones(n)
    if draw(st.booleans()):
        weights = rng.choice([0.25, 1.0, 3.0], n)
    params = draw(st.sampled_from([KERNELS["linear"], KERNELS["rbf"], KERNELS["poly"]]))
    nu = draw(st.sampled_from([0.05, 0.3, 0.5, 0.8, 0.99, 1.0]))
    return X, y, weights, params, nu


@given(problem=tiny(), C=st.sampled_from([0.1, 1.0, 20.0]), epsilon=st.sampled_from([0, 0.1, 2]))
@examples(60)
def test_tiny_problems_have_the_optimum_of_the_reference(problem, C, epsilon):
    X, y, weights, params, nu = problem
    n, K = len(y), gram(params, X)
    _, expected = dual_reference.svr(K, y, C, epsilon, weights)
    model = fit(SVR(C=C, epsilon=epsilon, tol=1e-9, **params), X, y, weights)
    found = dual_objective("SVR", coefficients(model, n), K, y, epsilon)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)
    _, expected = dual_reference.nu_svr(K, y, C, nu, weights)
    model = fit(NuSVR(C=C, nu=nu, tol=1e-9, **params), X, y, weights)
    found = dual_objective("NuSVR", coefficients(model, n), K, y)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)
    _, expected = dual_reference.one_class(K, nu, weights)
    model = fit(OneClassSVM(nu=nu, tol=1e-9, **params), X, y, weights)
    found = dual_objective("OneClassSVM", coefficients(model, n), K, y)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)


@given(problem=tiny())
@examples(40)
def test_tiny_classes_have_the_optimum_of_the_reference(problem):
    X, y, weights, params, nu = problem
    labels = outcomes("NuSVC", y)
    signs = 2.0 * labels - 1
    shares = [weights[signs == side].sum() / weights.sum() for side in (1, -1)]
    if min(shares) == 0:
        return
    nu = min(nu, 1.9 * min(shares))
    model = fit(NuSVC(nu=nu, tol=1e-9, **params), X, y, weights)
    K = gram(params, X)
    _, expected = dual_reference.nu_svc(K, signs, nu, weights)
    if np.isnan(model.C_[0]):  # the margin is 0
        assert expected == pytest.approx(0, abs=1e-7)
        assert model.status_ == ["stalled"]
        return
    found = dual_objective("NuSVC", unscaled(model, len(y)), K, y)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_targets_epsilon_c_and_tol_scale_together(name, scale):
    X, y = samples(80)
    params = SETTINGS[name] | KERNELS["rbf"]
    plain = OURS[name](**params, tol=TOL).fit(X, y)
    for key in ("C", "epsilon"):
        if key in params:
            params[key] *= scale
    model = OURS[name](**params, tol=TOL * scale).fit(X, scale * y)
    assert model.status_ == "converged"
    np.testing.assert_allclose(model.predict(X) / scale, plain.predict(X), atol=1e-5)
