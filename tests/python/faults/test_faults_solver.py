"""Whatever the solver is given and however it is run, it ends, and says how."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import model_selection
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

import softmargin
from estimators import CLASSIFIERS, EXACT, KERNEL, each, problem
from processes import facts_of
from softmargin import GDSVC, MNSVM, NNISDA, OLLAWV, SVC, LinearSVC

STARTED = [name for name in EXACT if name != "LinearSVC"]
UNCONVERGED = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
# Solved so far that different ways to the optimum agree.
SOLVED = {
    "SVC": {"tol": 1e-8},
    "NNISDA": {"tol": 1e-10},
    "MNSVM": {"eps": 1e-9},
    "NewtonSVC": {},
    "LinearSVC": {"tol": 1e-9},
}


def solved(estimator, **parameters):
    """A clone that is solved to many digits; with the gamma given, if it has a kernel."""
    parameters = SOLVED.get(type(estimator).__name__, {}) | parameters
    if "gamma" in estimator.get_params():
        parameters = {"gamma": 0.5} | parameters
    return clone(estimator).set_params(**parameters)


def assert_same_optimum(one, other, X, atol=1e-4):
    for a, b in zip(one.certificate_, other.certificate_, strict=True):
        assert a.primal == pytest.approx(b.primal, rel=1e-5, abs=1e-9)
        assert a.gap <= 1e-4 * (1 + a.primal)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=atol)


LIMITED = {name: model for name, model in CLASSIFIERS.items() if "max_iter" in model.get_params()}


@pytest.mark.case(60)
@each(LIMITED)
def test_one_step_leaves_a_model_and_a_warning(estimator, noisy):
    X, y = noisy
    estimator.set_params(max_iter=1, C=100.0)
    if isinstance(estimator, LinearSVC):
        estimator.set_params(tol=1e-9)
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        model = estimator.fit(X, y)
    assert np.max(model.n_iter_) == 1
    assert set(model.status_) == {"iteration limit"}
    assert np.isfinite(model.decision_function(X)).all()
    assert model.predict(X).shape == y.shape


@pytest.mark.case(61)
@each([name for name, model in CLASSIFIERS.items() if "time_limit" in model.get_params()])
def test_a_time_limit_leaves_a_model_and_a_warning(estimator, rng):
    X = rng.normal(size=(1000, 3))
    y = rng.integers(0, 2, 1000)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = estimator.set_params(C=1e5, time_limit=1e-9).fit(X, y)
    assert set(model.status_) == {"time limit"}
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.case(62)
@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
@each(["SVC"])
def test_shrinking_changes_nothing(estimator, rng, C):
    X, y = problem(n=400)
    on, off = (solved(estimator, C=C, shrinking=flag).fit(X, y) for flag in (True, False))
    assert_same_optimum(on, off, X)


@pytest.mark.case(63)
@each(KERNEL)
def test_the_size_of_the_cache_changes_nothing(estimator, ten_classes):
    X, y = ten_classes
    row = 8 * len(X) / 1e6
    expected = solved(estimator).fit(X, y).decision_function(X)
    for size in (1e-9, row, 10 * row, 1000.0):
        model = solved(estimator, cache_size=size).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-5)


@pytest.mark.case(64)
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@each(CLASSIFIERS)
def test_threads_do_not_change_a_bit(estimator, ten_classes, layout):
    X, y = ten_classes
    one, *others = (
        clone(estimator).set_params(n_jobs=n).fit(layout(X), y).decision_function(layout(X))
        for n in (1, 2, 8)
    )
    for other in others:
        np.testing.assert_array_equal(other, one)


LEVELS = """
import pickle
X, y = np.load(os.environ["ROWS"])["X"], np.load(os.environ["ROWS"])["y"]
models = pickle.loads(bytes.fromhex(os.environ["MODELS"]))
report(level=softmargin.simd_level())
report(**{name: model.fit(X, y).decision_function(X).tolist() for name, model in models.items()})
"""


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    """The decisions of every classifier at every level of vector instructions."""
    X, y = problem(n=60, k=3)
    rows = tmp_path_factory.mktemp("levels") / "rows.npz"
    np.savez(rows, X=X, y=y)
    models = {name: solved(model) for name, model in CLASSIFIERS.items()}
    given = {"ROWS": str(rows), "MODELS": pickle.dumps(models).hex()}
    known = ("baseline", "avx2", "avx512")
    return [facts_of(LEVELS, SOFTMARGIN_SIMD=level, **given) for level in known]


@pytest.mark.case(65, 98)
@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_vector_instructions_change_no_more_than_rounding(levels, estimator):
    baseline, *others = levels
    assert baseline["level"] == "baseline"
    for other in others:
        np.testing.assert_allclose(other[estimator], baseline[estimator], atol=1e-5)


@UNCONVERGED
@pytest.mark.case(66)
@each(CLASSIFIERS)
def test_float32_is_close_to_float64(estimator, three_classes):
    X, y = three_classes
    wide = clone(estimator).fit(X, y)
    narrow = clone(estimator).fit(X.astype(np.float32), y)
    found = narrow.decision_function(X.astype(np.float32))
    np.testing.assert_allclose(found, wide.decision_function(X), atol=5e-2)
    if type(estimator).__name__ in EXACT:
        for one, other in zip(narrow.certificate_, wide.certificate_, strict=True):
            assert one.primal == pytest.approx(other.primal, rel=1e-3)


@pytest.mark.case(66)
@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("scale", [10.0, 1000.0])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_rows_too_large_for_float32_are_trained_as_float64(C, scale, layout):
    """Kernel values of 1e6 in float32 are wrong by more than any tolerance."""
    X = layout((np.random.default_rng(0).normal(size=(60, 4)) * scale).astype(np.float32))
    y = np.arange(60) % 2
    narrow = SVC(kernel="linear", C=C).fit(X, y)
    wide = SVC(kernel="linear", C=C).fit(X.astype(np.float64), y)
    (found,), (expected,) = narrow.certificate_, wide.certificate_
    assert narrow.status_ == ["converged"]
    assert found.violation <= 2 * narrow.tol
    assert found.primal == pytest.approx(expected.primal, rel=1e-3)
    outputs = narrow.decision_function(X), wide.decision_function(X)
    np.testing.assert_allclose(*outputs, atol=5 * narrow.tol)


@UNCONVERGED
@pytest.mark.case(66)
@pytest.mark.parametrize("kind", [NNISDA, MNSVM])
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("scale", [10.0, 1000.0])
def test_what_converges_on_float32_is_an_optimum(kind, C, scale):
    X = (np.random.default_rng(0).normal(size=(60, 4)) * scale).astype(np.float32)
    model = kind(kernel="linear", C=C, max_iter=100_000).fit(X, np.arange(60) % 2)
    (found,) = model.certificate_
    if model.status_ == ["converged"]:
        assert found.gap <= 0.02 * found.primal


@pytest.mark.case(66)
def test_float32_stays_float32_where_that_is_enough():
    X, y = problem(n=300)
    for C in (1.0, 32.0):
        model = SVC(C=C).fit(X.astype(np.float32), y)
        assert model.support_vectors_.dtype == np.float32
        assert model.certificate_[0].violation <= 2 * model.tol


@pytest.mark.case(66)
@pytest.mark.parametrize("budget", [None, 1000])
def test_a_search_trains_large_rows_as_single_trainings_do(budget):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(80, 4)) * 1000).astype(np.float32)
    y = (X[:, 0] + 500 * rng.normal(size=80) > 0).astype(int)
    grid = {"C": [1e-6, 1.0, 100.0], "kernel": ["linear"]}
    cache = {} if budget is None else {"cache_size": budget / 1e6}
    folds = StratifiedKFold(4)
    ours = softmargin.GridSearchCV(SVC(**cache), grid, cv=folds, refit=False).fit(X, y)
    plain = model_selection.GridSearchCV(SVC(), grid, cv=folds, refit=False).fit(X, y)
    name = "mean_test_score"
    np.testing.assert_array_equal(ours.cv_results_[name], plain.cv_results_[name])


@UNCONVERGED
@pytest.mark.case(38, 67)
@each(CLASSIFIERS)
def test_dense_and_sparse_rows_give_the_same_machine(estimator, three_classes):
    X, y = three_classes
    X = np.where(X < 0.3, 0, X)
    estimator = solved(estimator)
    dense, sparse = clone(estimator).fit(X, y), clone(estimator).fit(sp.csr_matrix(X), y)
    expected = dense.decision_function(X)
    np.testing.assert_allclose(dense.decision_function(sp.csr_matrix(X)), expected, atol=1e-9)
    for rows in (X, sp.csr_matrix(X), sp.coo_array(X)):
        np.testing.assert_allclose(sparse.decision_function(rows), expected, atol=1e-4)


@UNCONVERGED
@pytest.mark.case(35)
@pytest.mark.parametrize("index", [np.int32, np.int64])
@each(CLASSIFIERS)
def test_the_width_of_sparse_indices_does_not_matter(estimator, three_classes, index):
    X, y = three_classes
    expected = clone(estimator).fit(sp.csr_matrix(X), y).decision_function(X)
    rows = sp.csr_matrix(X)
    rows.indptr, rows.indices = rows.indptr.astype(index), rows.indices.astype(index)
    np.testing.assert_array_equal(estimator.fit(rows, y).decision_function(X), expected)


@pytest.mark.case(68)
@each(STARTED)
def test_a_start_changes_the_way_and_not_the_goal(estimator):
    X, y = problem(n=120)
    alone = solved(estimator, C=20.0).fit(X, y)
    for start in (solved(estimator, C=0.5), solved(estimator, C=900.0), OLLAWV(gamma=0.5)):
        begun = solved(estimator, C=20.0).fit(X, y, init=start.fit(X, y))
        assert_same_optimum(begun, alone, X)
    warm = solved(estimator, warm_start=True, C=5.0).fit(X, y)
    assert_same_optimum(warm.set_params(C=20.0).fit(X, y), alone, X)


@pytest.mark.case(69)
@each(["SVC"])
def test_without_a_free_row_the_bias_lies_in_its_interval(estimator):
    """All at the bound: every b with violation at most tol is optimal, and the middle is taken."""
    X, y = np.array([[0.0], [0.1], [0.2], [0.3]]), np.array([0, 1, 0, 1])
    model = estimator.set_params(kernel="linear", C=0.01).fit(X, y)
    assert np.abs(model.dual_coef_).tolist() == [[0.01] * 4]
    f = X[:, 0] * model.coef_[0, 0]
    sign = 2 * y - 1
    # A row at the bound needs sign * (f + b) <= 1.
    low = max(-1 - f[sign < 0])
    high = min(1 - f[sign > 0])
    assert low <= model.intercept_[0] <= high
    (certificate,) = model.certificate_
    assert certificate.gap == pytest.approx(0, abs=1e-9)


@pytest.mark.case(70)
@pytest.mark.parametrize("C", [10.0, 1e8])
@each(["SVC", "LinearSVC"])
def test_two_points_are_solved_exactly(estimator, C):
    """Points -1 and 1 on a line: f(x) = x with the hinge."""
    own = {"kernel": "linear"} if isinstance(estimator, SVC) else {"loss": "hinge", "tol": 1e-12}
    model = estimator.set_params(C=C, **own).fit([[-1.0], [1.0]], [0, 1])
    np.testing.assert_allclose(model.coef_, [[1.0]], rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, [0.0], atol=1e-9)


@pytest.mark.case(70)
@pytest.mark.parametrize("C", [0.5, 10.0])
@each(["NNISDA", "MNSVM", "NewtonSVC"])
def test_two_points_of_a_squared_loss_are_solved_by_hand(estimator, C):
    """Alphas are equal by symmetry; K = 1 on and k off the diagonal."""
    k = np.exp(-0.5 * 4)
    model = solved(estimator, C=C).fit([[-1.0], [1.0]], [0, 1])
    decided = model.decision_function([[-1.0], [1.0]])
    # alpha (1 - k) is the output of a row, and what it lacks to 1 is alpha / C.
    assert decided[1] == pytest.approx((1 - k) / (1 - k + 1 / C), rel=1e-5)
    assert decided[0] == pytest.approx(-decided[1], rel=1e-6)


@pytest.mark.case(71)
@each(EXACT)
def test_the_order_of_rows_does_not_matter(estimator, rng):
    X, y = problem(n=60)
    order = rng.permutation(len(y))
    one, other = solved(estimator).fit(X, y), solved(estimator).fit(X[order], y[order])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-4)


@pytest.mark.case(72)
@each(CLASSIFIERS)
def test_swapped_classes_mirror_the_machine(estimator):
    X, y = problem(n=60)
    estimator = solved(estimator)
    straight = clone(estimator).fit(X, y).decision_function(X)
    mirrored = clone(estimator).fit(X, 1 - y).decision_function(X)
    np.testing.assert_allclose(mirrored, -straight, atol=1e-5)


@pytest.mark.case(73)
@each(STARTED)
def test_a_start_that_is_not_feasible_is_projected(estimator):
    """Coefficients of another cost, other labels, other weights of rows."""
    X, y = problem(n=80)
    flipped = np.where(np.arange(len(y)) < 30, 1 - y, y)
    start = solved(estimator, C=1000.0).fit(X, flipped)
    alone = solved(estimator, C=1.0).fit(X, y)
    assert_same_optimum(solved(estimator, C=1.0).fit(X, y, init=start), alone, X)
    weights = np.where(np.arange(len(y)) % 3, 1.0, 0.0)
    alone = solved(estimator).fit(X, y, sample_weight=weights)
    begun = solved(estimator).fit(X, y, sample_weight=weights, init=start)
    assert_same_optimum(begun, alone, X)


@pytest.mark.case(73)
@pytest.mark.parametrize("C", [1e5, 1e15, 1e20, 1e100])
@each(STARTED)
def test_a_start_from_afar_leaves_no_rounding_behind(estimator, C):
    X, y = problem(n=40)
    start = OLLAWV(C=C).fit(X, y)
    begun, alone = clone(estimator).fit(X, y, init=start), clone(estimator).fit(X, y)
    assert begun.status_ == ["converged"]
    (found,), (expected,) = begun.certificate_, alone.certificate_
    assert found.primal == pytest.approx(expected.primal, rel=1e-2)
    assert abs(found.gap) <= 1e-2 * found.primal


@pytest.mark.case(73)
@each(STARTED)
def test_a_start_of_other_rows_or_classes_is_refused(estimator, refuses, noisy):
    X, y = noisy
    for start, sentence in (
        (clone(estimator), "not fitted"),
        ("rows", "fitted estimator"),
        (clone(estimator).fit(np.r_[X, X], np.r_[y, 1 - y]), "same samples"),
        (clone(estimator).fit(X, np.where(y, "a", "b")), "other classes"),
    ):
        with pytest.raises((ValueError, TypeError, AttributeError), match=sentence):
            estimator.fit(X, y, init=start)


@pytest.mark.case(74)
@pytest.mark.parametrize("settings", [{"tol": 1e-16}, {"tol": 1e-300}, {"eta0": 1e-300}], ids=str)
def test_gradient_descent_without_a_limit_stalls_where_no_step_helps(settings):
    X, y = problem(n=60)
    with pytest.warns(ConvergenceWarning, match="stalled"):
        model = GDSVC(max_iter=-1, **{"lambda_": 0.1, "eta0": 0.1} | settings).fit(X, y)
    assert model.status_ == ["stalled"]
    if "tol" in settings:  # at the optimum, as near as rounding lets it come
        exact = LinearSVC(C=1 / (model.lambda_ * len(y)), tol=1e-10).fit(X, y)
        np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-6)


@UNCONVERGED
@pytest.mark.case(74)
@each([name for name in EXACT if name != "NewtonSVC"])
def test_a_tolerance_below_rounding_stalls_or_ends(estimator):
    X, y = problem(n=30)
    tolerance = "eps" if "eps" in estimator.get_params() else "tol"
    model = estimator.set_params(C=1e6, max_iter=1_000_000, **{tolerance: 1e-300}).fit(X, y)
    assert set(model.status_) <= {"converged", "stalled"}
    assert np.isfinite(model.decision_function(X)).all()
