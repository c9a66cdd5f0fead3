"""Where the exact solver starts, and what it leaves aside, changes its way and not its goal."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import datasets, svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels

import softmargin
from softmargin import OLLAWV, SVC, NewtonSVC, NuSVC

TOL = 1e-6


def clouds(seed, n, d=4, k=2):
    """Overlapping clouds, one for each class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + 1.2 * np.eye(k, d)[y], y


def objectives(model):
    return np.array([certificate.dual for certificate in model.certificate_])


def same_optimum(a, b, rel=1e-6):
    np.testing.assert_allclose(objectives(a), objectives(b), rtol=rel)


KERNELS = [
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "linear"},
    {"kernel": "poly", "gamma": 0.4, "coef0": 1.0, "degree": 2},
    {"kernel": "poly", "gamma": 0.2, "coef0": 0.5, "degree": 3},
    {"kernel": "sigmoid", "gamma": 0.02, "coef0": 0.0},
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("weights", [None, "classes", "rows"])
def test_thirty_problems_have_the_optimum_of_scikit_learn(kernel, k, weights):
    X, y = clouds(3, 160, k=k)
    # The sigmoid kernel is not definite: with a small C its optimum is still the only one.
    params = {"C": 0.3 if kernel["kernel"] == "sigmoid" else 5.0, "tol": TOL, **kernel}
    params["decision_function_shape"] = "ovo"
    if weights == "classes":
        params["class_weight"] = {0: 3.0, 1: 0.4}
    rows = np.random.default_rng(4).uniform(0.2, 3, len(y)) if weights == "rows" else None
    ours = SVC(**params).fit(X, y, sample_weight=rows)
    theirs = svm.SVC(**params).fit(X, y, sample_weight=rows)
    K = pairwise_kernels(
        X, X, metric=kernel["kernel"], **{a: b for a, b in kernel.items() if a != "kernel"}
    )
    for machine, (dual, beta) in enumerate(zip(objectives(ours), betas(theirs, y), strict=True)):
        expected = np.abs(beta).sum() - 0.5 * beta @ K @ beta
        assert dual == pytest.approx(expected, rel=1e-6), machine
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=2e-4
    )


def betas(model, y):
    """Signed coefficients over all rows, of each machine of scikit-learn's model."""
    coef = np.zeros((len(model.dual_coef_), len(y)))
    coef[:, model.support_] = model.dual_coef_
    k = len(model.classes_)
    if k == 2:
        yield coef[0]
        return
    for a in range(k):
        for b in range(a + 1, k):
            yield np.where(y == a, coef[b - 1], np.where(y == b, coef[a], 0.0))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("k", [2, 3])
def test_any_start_reaches_the_same_optimum(k, multi_class):
    X, y = clouds(5, 400, k=k)
    params = {"C": 20.0, "gamma": 0.4, "tol": TOL, "multi_class": multi_class}
    alone = SVC(**params).fit(X, y)
    others = {
        "another C": SVC(**params | {"C": 0.5}).fit(X, y),
        "larger bounds": SVC(**params | {"C": 900.0}).fit(X, y),
        "another kernel": SVC(**params | {"kernel": "poly"}).fit(X, y),
        "another method": OLLAWV(gamma=0.4, multi_class=multi_class).fit(X, y),
        "rows": alone.support_,
        "no rows": np.empty(0, dtype=int),
        "random rows": "random",
    }
    for init in others.values():
        same_optimum(SVC(**params).fit(X, y, init=init), alone)
    again = SVC(**params).fit(X, y, init=alone)
    assert again.n_iter_.max() <= 2, "nothing was left to do"
    same_optimum(again, alone)


@pytest.mark.parametrize("warm_start", [True, "support_vectors"])
def test_warm_starts_follow_a_change_of_parameters(warm_start):
    X, y = datasets.load_digits(return_X_y=True)
    X, y = X[:500] / 16, y[:500]
    model = SVC(warm_start=warm_start, tol=TOL)
    for params in (
        {"C": 1.0, "gamma": 0.02},
        {"C": 8.0},
        {"C": 2.0},
        {"gamma": 0.1},
        {"kernel": "poly", "coef0": 1.0},
        {"degree": 2},
        {"kernel": "linear"},
    ):
        model.set_params(**params).fit(X, y)
        alone = softmargin.SVC(**model.get_params() | {"warm_start": False}).fit(X, y)
        same_optimum(model, alone)
        assert alone.status_ == model.status_


def test_a_warm_start_takes_fewer_steps_along_c():
    X, y = clouds(6, 600)
    model = SVC(warm_start=True, gamma=0.3)
    steps = []
    for C in (1, 1.1, 1.2):
        steps.append(int(model.set_params(C=C).fit(X, y).n_iter_[0]))
    assert max(steps[1:]) < steps[0] / 2


@pytest.mark.parametrize("warm_start", [True, "support_vectors"])
def test_a_warm_start_on_other_rows_or_classes_begins_anew(warm_start):
    X, y = clouds(7, 200, k=3)
    model = SVC(warm_start=warm_start, gamma=0.3)
    for rows in (slice(None), slice(150), y < 2, slice(None)):
        model.fit(X[rows], y[rows])
        alone = SVC(gamma=0.3).fit(X[rows], y[rows])
        np.testing.assert_array_equal(model.dual_coef_, alone.dual_coef_)


def first_set(model, X, y, init=None):
    """Return the samples that moved in the first working set, where C is soon reached."""
    model.set_params(C=1e-4, max_iter=40)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y, init=init)
    assert model.n_loops_.tolist() == [1]
    return set(model.support_.tolist())


def test_seeds_fill_the_first_working_set_in_their_order():
    X, y = clouds(12, 3000)
    seeds = np.random.default_rng(1).permutation(3000)[:800]
    moved = first_set(SVC(working_set_size=100), X, y, seeds)
    # The violating pair is part of any working set. Three quarters of a set are the share of
    # samples that are kept from one set to the next.
    assert len(moved - set(seeds[:100].tolist())) <= 2
    assert len(moved) > 75


def test_a_queue_that_is_longer_than_the_set_begins_with_the_latest_support_vectors():
    X, y = clouds(12, 3000)
    model = SVC(warm_start="support_vectors", working_set_size=1500)
    for C in (0.01, 50.0):
        latest = set(model.set_params(C=C).fit(X, y).support_.tolist())
    # With a small C, nearly all samples are support vectors: the queue is full.
    assert len(latest) < 1400
    assert len(model._seeds.rows[0]) == 1500
    size = len(latest) // 2
    moved = first_set(model.set_params(working_set_size=size), X, y)
    assert len(moved - latest) <= 2
    assert len(moved) > 30


def test_a_random_first_working_set_depends_on_the_random_state_only():
    X, y = clouds(12, 3000)
    sets = [
        first_set(SVC(working_set_size=100, random_state=seed), X, y, "random")
        for seed in (None, None, 0, 1, np.random.RandomState(5), np.random.RandomState(5))
    ]
    assert sets[0] == sets[1] == sets[2]
    assert sets[4] == sets[5]
    assert len(sets[2] & sets[3]) < 20
    generator = np.random.RandomState(7)
    SVC(random_state=generator).fit(X, y, init="random")
    expected = np.random.RandomState(7)
    SVC(random_state=expected).fit(X, y)
    assert generator.randint(1000) == expected.randint(1000)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "ordinal"])
@pytest.mark.parametrize("size", [None, 2, 3, 40])
def test_a_random_first_working_set_leads_to_the_same_optimum(multi_class, size):
    X, y = clouds(13, 400, k=3)
    weights = np.arange(400) % 3
    params = {"gamma": 0.4, "tol": TOL, "multi_class": multi_class}
    alone = SVC(**params).fit(X, y, sample_weight=weights)
    model = SVC(**params, working_set_size=size)
    same_optimum(model.fit(X, y, sample_weight=weights, init="random"), alone)


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("init", [None, "random"])
def test_a_nu_svc_with_a_tiny_working_set_reaches_the_optimum(size, init):
    X, y = clouds(14, 120)
    expected = NuSVC(tol=TOL).fit(X, y).decision_function(X)
    found = NuSVC(tol=TOL, working_set_size=size).fit(X, y, init=init)
    np.testing.assert_allclose(found.decision_function(X), expected, atol=1e-4)


def test_a_random_start_without_a_working_set_is_named(noisy):
    with pytest.raises(TypeError, match="SVC and NuSVC also accept 'random'"):
        NewtonSVC().fit(*noisy, init="random")


def test_a_start_survives_rows_of_weight_zero():
    X, y = clouds(8, 300)
    weights = np.arange(300) % 4
    alone = SVC(gamma=0.3, tol=TOL).fit(X, y, sample_weight=weights)
    start = SVC(gamma=0.3).fit(X, y)
    for init in (start, start.support_, "random"):
        same_optimum(SVC(gamma=0.3, tol=TOL).fit(X, y, sample_weight=weights, init=init), alone)


@pytest.mark.parametrize(
    ("init", "sentence"),
    [
        (svm.SVC(), "must be a fitted estimator of softmargin"),
        (SVC(), "not fitted"),
        ("rows", "must be a fitted estimator"),
        (np.array([0.5]), "array of sample indices"),
        (np.array([-1]), "index -1, but X has 120 samples"),
        (np.array([120]), "index 120, but X has 120 samples"),
        (SVC().fit([[0.0], [1.0]], ["a", "b"]), "other classes"),
        (SVC(gamma=1).fit(np.arange(200.0)[:, None], np.arange(200) % 2), "the same samples"),
    ],
)
def test_a_start_that_does_not_fit_is_named(noisy, init, sentence):
    with pytest.raises((ValueError, TypeError, AttributeError), match=sentence):
        SVC().fit(*noisy, init=init)


def test_a_start_of_another_scheme_is_named():
    X, y = clouds(9, 90, k=3)
    with pytest.raises(ValueError, match="multi_class"):
        SVC().fit(X, y, init=SVC(multi_class="ovr").fit(X, y))


@pytest.mark.parametrize("n", [3000, 9000])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_shrinking_does_not_change_the_optimum_with_unequal_bounds(n, as_sparse):
    X, y = clouds(10, n, d=3)
    X = sp.csr_matrix(np.where(np.abs(X) < 0.3, 0, X)) if as_sparse else X
    weights = np.random.default_rng(1).uniform(0.1, 2, n)
    params = {"gamma": 1.0, "C": 3.0, "class_weight": {0: 0.5, 1: 2.0}, "tol": 1e-4}
    on = SVC(**params, shrinking=True).fit(X, y, sample_weight=weights)
    off = SVC(**params, shrinking=False).fit(X, y, sample_weight=weights)
    same_optimum(on, off)
    assert on.certificate_[0].violation < 1e-4 + 1e-9
    np.testing.assert_allclose(
        on.decision_function(X[:500]), off.decision_function(X[:500]), atol=2e-3
    )


def test_ties_go_to_the_first_class_or_to_the_largest_sum():
    X, y = datasets.load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    points = rng.uniform(X.min(0) - 3, X.max(0) + 3, (3000, 4))
    for break_ties in (False, True):
        params = {"gamma": 3.0, "tol": TOL, "break_ties": break_ties}
        ours, theirs = SVC(**params).fit(X, y), svm.SVC(**params).fit(X, y)
        assert np.mean(ours.predict(points) == theirs.predict(points)) > 0.999
    with pytest.raises(ValueError, match="break_ties"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)


def test_a_function_may_be_the_kernel():
    X, y = clouds(11, 200, k=3)

    def product(A, B):
        return (A @ B.T + 1) ** 2

    function = SVC(kernel=product, tol=TOL).fit(X, y)
    named = SVC(kernel="poly", degree=2, gamma=1, coef0=1, tol=TOL).fit(X, y)
    theirs = svm.SVC(kernel=product, tol=TOL).fit(X, y)
    for other in (named, theirs):
        np.testing.assert_allclose(
            function.decision_function(X), other.decision_function(X), atol=1e-3
        )
    np.testing.assert_array_equal(function.support_vectors_, X[function.support_])
    same_optimum(function, named)
    with pytest.raises(ValueError, match=r"shape \(200, 3\).*shape \(200, 200\)"):
        SVC(kernel=lambda A, B: A[:, :3]).fit(X, y)
    with pytest.raises(RuntimeError, match="broken"):
        SVC(kernel=broken).fit(X, y)


def broken(A, B):
    raise RuntimeError("broken")


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(6, 120),
    C=st.floats(1e-3, 1e4),
    gamma=st.floats(1e-3, 1e2),
    single=st.booleans(),
)
def test_the_certificate_of_any_problem_holds(seed, n, C, gamma, single):
    X, y = clouds(seed, n, d=2)
    y[:2] = (0, 1)
    X = X.astype(np.float32) if single else X
    model = SVC(C=C, gamma=gamma).fit(X, y)
    (found,) = model.certificate_
    # Kernel values in f32 are off by 1e-7, each with a coefficient of up to C.
    rounding = 1e-6 * np.abs(model.dual_coef_).sum() if single else 0
    assert found.violation < 1.01e-3 + rounding
    assert found.gap >= -1e-9 * (1 + abs(found.primal))
    assert abs(model.dual_coef_.sum()) <= 1e-9 * (1 + np.abs(model.dual_coef_).sum())
    assert np.abs(model.dual_coef_).max(initial=0) <= C


@pytest.mark.case(71, 72)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), C=st.floats(0.01, 100))
def test_permutation_repetition_and_mirroring_keep_the_machine(seed, C):
    X, y = clouds(seed, 60, d=2)
    y[:2] = (0, 1)
    params = {"C": C, "gamma": 0.5, "tol": TOL}
    values = SVC(**params).fit(X, y).decision_function(X)
    order = np.random.default_rng(seed).permutation(60)
    permuted = SVC(**params).fit(X[order], y[order]).decision_function(X)
    mirrored = SVC(**params).fit(X, 1 - y).decision_function(X)
    twice = SVC(**params).fit(np.r_[X, X], np.r_[y, y]).decision_function(X)
    weighted = SVC(**params).fit(X, y, sample_weight=np.full(60, 2.0)).decision_function(X)
    for found, expected in ((permuted, values), (-mirrored, values), (twice, weighted)):
        # Where no row is free the bias is not unique within the interval: compare slopes.
        np.testing.assert_allclose(np.diff(found), np.diff(expected), atol=1e-3)
