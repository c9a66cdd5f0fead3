"""Invalid targets and values of nu, and the samples and targets that are odd, but valid."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from single_machines import OURS, REGRESSORS, outcomes, outputs, samples
from softmargin import SVR, NuSVC, NuSVR, OneClassSVM

NAN, INF = float("nan"), float("inf")
regressors = pytest.mark.parametrize("kind", [OURS[name] for name in REGRESSORS])
each = pytest.mark.parametrize("name", OURS)


@pytest.fixture
def refuses():
    """A check that a refit raises, and leaves the model as it was."""

    def check(model, X, y, match, exception=ValueError, **changes):
        good_X, good_y = samples(30)
        model = model.fit(good_X, outcomes(type(model).__name__, good_y))
        before, expected = dict(vars(model)), model.predict(good_X)
        model.set_params(**changes)
        with pytest.raises(exception, match=match) as refusal:
            model.fit(X, y)
        assert len(str(refusal.value)) < 300
        model.set_params(**{name: before[name] for name in changes})
        assert all(vars(model)[name] is value for name, value in before.items())
        np.testing.assert_array_equal(model.predict(good_X), expected)

    return check


BAD_TARGETS = {
    "NaN": ([0.0, NAN, 1.0, 2.0], "y contains NaN at row 1"),
    "None": ([0.0, None, 1.0, 2.0], "y contains NaN at row 1"),
    "infinity": ([0.0, 1.0, INF, 2.0], "y contains inf at row 2"),
    "minus infinity": ([0.0, 1.0, -INF, 2.0], "y contains -inf at row 2"),
    "strings": (["a", "b", "c", "d"], "y has dtype <U1. Convert strings"),
    "objects": ([1.0, "a", 2.0, 3.0], "y contains 'a' at row 1|strings"),
    "a huge integer": ([1, 10**400, 2, 3], "y contains an integer at row 1"),
    "complex numbers": ([1j, 2, 3, 4], "y contains complex|[Cc]omplex"),
    "dates": (np.array(["2020-01-01"] * 4, "datetime64[D]"), "y has dtype datetime64.*Convert"),
    "two columns": (np.ones((4, 2)), r"y has shape \(4, 2\).*MultiOutputRegressor"),
    "another length": ([1.0, 2.0, 3.0], "y has 3 targets, but X has 4 samples|inconsistent"),
    "a number": (1.0, r"y has shape \(\)"),
    "nothing": (None, "requires y"),
    "masked": (np.ma.array([1.0, 2, 3, 4], mask=[0, 1, 0, 0]), "masked"),
}


@regressors
@pytest.mark.parametrize("fault", BAD_TARGETS)
def test_an_invalid_target_is_refused_with_its_position(refuses, kind, fault):
    targets, match = BAD_TARGETS[fault]
    refuses(kind(), np.eye(4), targets, match, (ValueError, TypeError))


@regressors
def test_a_column_of_targets_is_raveled_with_a_warning(kind):
    X, y = samples(30)
    with pytest.warns(DataConversionWarning):
        model = kind().fit(X, y[:, None])
    np.testing.assert_array_equal(model.predict(X), kind().fit(X, y).predict(X))


BAD_NUMBERS = {
    "C": (0, -1.0, NAN, "1", True, None),
    "tol": (0.0, -1.0, NAN, INF, None),
    "gamma": (-1.0, NAN, INF, "wide", None),
    "degree": (-1, 2.5, None),
    "coef0": (NAN, INF, None),
    "cache_size": (0, -1, NAN),
    "kernel": ("cosine", None),
    "working_set_size": (0, 1, 2.5),
    "max_iter": (0, -2, 1.5),
    "time_limit": (0.0, -1.0, NAN),
    "n_jobs": (0, 1.5, "all"),
    "shrinking": ("maybe", None),
    "warm_start": ("maybe", None),
    "nu": (0.0, -0.5, 1.1, NAN, INF, "half", None, True),
    "epsilon": (-0.1, NAN, INF, "wide", None, True),
}
NUMBERS = [
    pytest.param(kind, name, value, id=f"{kind.__name__}-{name}-{value}")
    for kind in OURS.values()
    for name in kind().get_params()
    for value in BAD_NUMBERS.get(name, ())
]


@pytest.mark.case(54)
@pytest.mark.parametrize(("kind", "name", "value"), NUMBERS)
def test_a_value_outside_its_domain_is_named(refuses, kind, name, value):
    X, y = samples(30)
    changes = {name: value}
    match = rf"\b{name}\b"
    refuses(kind(), X, outcomes(kind.__name__, y), match, (ValueError, TypeError), **changes)


@pytest.mark.case(107, of="NuSVC")
def test_an_infeasible_nu_names_the_largest_value_and_the_classes(refuses):
    X, _ = samples(40)
    labels = np.where(np.arange(40) < 5, "few", "many")
    sentence = r"nu = 0\.5 is infeasible for class 'few' and {}: it can be at most 0\.25,"
    refuses(NuSVC(), X, labels, sentence.format("class 'many'"))
    labels = np.array(["a"] * 20 + ["b"] * 15 + ["few"] * 5)
    refuses(NuSVC(), X, labels, r"for class 'few' and class 'a': it can be at most 0\.4,")
    refuses(NuSVC(), X, labels, sentence.format("the others"), multi_class="ovr")
    assert NuSVC(nu=0.25).fit(X, labels).score(X, labels) > 0.5
    assert NuSVC(nu=0.25).fit(X, np.arange(40) < 5).fit_status_ == 0  # the largest value itself


def test_a_nu_that_leaves_no_margin_is_reported():
    X = np.repeat(np.eye(2), 20, axis=0)
    labels = np.arange(40) % 2  # each sample has both labels
    with pytest.warns(ConvergenceWarning, match="increase nu, because the margin is 0"):
        model = NuSVC(nu=0.5).fit(X, labels)
    assert np.isnan(model.C_).all()
    assert np.isfinite(model.decision_function(X)).all()
    assert np.isfinite(model.certificate_[0].primal)


@regressors
@pytest.mark.parametrize("value", [0.0, 3.0, -1e9, 1e300])
def test_constant_targets_are_predicted(kind, value):
    X, _ = samples(50)
    model = kind().fit(X, np.full(50, value))
    assert model.status_ == "converged"
    np.testing.assert_allclose(model.predict(X), value, rtol=1e-12, atol=0.1)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_tube_around_all_targets_has_no_support_vectors_and_predicts_the_middle(kernel):
    X, y = samples(50)
    model = SVR(kernel=kernel, epsilon=100.0).fit(X, y)
    assert (len(model.support_), model.n_support_.tolist(), model.status_) == (0, [0], "converged")
    middle = (y.min() + y.max()) / 2
    np.testing.assert_allclose(model.predict(X), middle)
    assert model.certificate_.gap == pytest.approx(0)
    if kernel == "linear":
        np.testing.assert_array_equal(model.coef_, np.zeros((1, 3)))


@regressors
@pytest.mark.parametrize("scale", [1e300, 1e155, 1e20, 1e-300])
def test_targets_of_any_size_end_with_a_finite_model_or_a_warning(kind, scale):
    X, y = samples(40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = kind(time_limit=20).fit(X, scale * y / np.abs(y).max())
    assert np.isfinite(model.predict(X)).all()
    assert model.status_ in ("converged", "stalled", "not finite")
    if model.status_ == "converged":
        assert model.certificate_.violation <= max(2e-3, 1e-12 * scale)


@regressors
def test_a_single_sample_is_predicted(kind):
    model = kind().fit([[1.0, 2.0]], [3.0])
    assert model.predict([[1.0, 2.0]])[0] == pytest.approx(3.0, abs=0.11)
    assert OneClassSVM().fit([[1.0, 2.0]]).predict([[1.0, 2.0]]).tolist() == [1]


@pytest.mark.case(21, 23)
@each
def test_equal_samples_and_constant_features_are_fitted(name):
    y = np.arange(20) / 10
    y = outcomes(name, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = OURS[name]().fit(np.ones((20, 3)), y)
    assert np.isfinite(outputs(model, np.ones((2, 3)))).all()
    X = np.c_[np.ones(20), np.arange(20)]
    assert OURS[name]().fit(X, y).fit_status_ == 0


@pytest.mark.case(20, 47, 48, 49, 50)
@each
def test_weights_that_are_invalid_are_refused(name):
    X, y = samples(20)
    y, model = outcomes(name, y), OURS[name]()
    bad = [-1.0, NAN, INF]
    for value in bad:
        weights = np.r_[1.0, value, np.ones(18)]
        with pytest.raises(ValueError, match=r"sample_weight\[1\]"):
            model.fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match=r"every sample_weight is zero|no remaining samples"):
        model.fit(X, y, sample_weight=np.zeros(20))
    with pytest.raises(ValueError, match=r"sample_weight has shape \(3,\)"):
        model.fit(X, y, sample_weight=[1, 2, 3])


@pytest.mark.case(1, 2, 3, 5, 7, 58)
@each
def test_samples_that_are_invalid_are_refused(refuses, name):
    X, y = samples(20)
    y, model = outcomes(name, y), OURS[name]()
    for value, match in ((NAN, "NaN at row 3, column 1"), (INF, "row 3, column 1")):
        bad = X.copy()
        bad[3, 1] = value
        refuses(clone(model), bad, y, match)
    refuses(clone(model), np.full((20, 3), 1e200), y, "overflow")
    refuses(clone(model), np.empty((0, 3)), y[:0], "0 sample|empty|no samples")
    refuses(clone(model), X[0], y, "1-dimensional|1D|shape")
    refuses(clone(model), X, y, "120 x|square|20 x 3", kernel="precomputed")


@each
@pytest.mark.parametrize("C", [1e300, 1e10])
def test_an_extreme_c_ends(name, C):
    model = OURS[name](time_limit=20)
    if "C" not in model.get_params():
        pytest.skip("it has no C")
    X, y = samples(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_params(C=C).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.case(56)
@each
@pytest.mark.parametrize("gamma", [1e-300, 1e-12, 1e12])
def test_a_kernel_matrix_of_ones_or_the_identity_converges(name, gamma):
    X, y = samples(60)
    model = OURS[name](gamma=gamma)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, outcomes(name, y))
    assert np.isfinite(outputs(model, X)).all()
    if isinstance(model, NuSVC) and gamma < 1:
        assert model.status_ == ["stalled"]  # no margin
    else:
        assert model.fit_status_ == 0


@pytest.mark.case(57)
@each
def test_indefinite_kernels_end(name):
    X, y = samples(60)
    model = OURS[name](kernel="sigmoid", gamma=2.0, coef0=-1.0, time_limit=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, outcomes(name, y))
    assert np.isfinite(outputs(model, X)).all()


@pytest.mark.parametrize("nu", [0.9, 0.99, 1.0])
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_a_large_nu_of_few_samples_is_feasible_for_regression(n, nu):
    X, y = samples(n)
    model = NuSVR(nu=nu, C=0.5).fit(X, y)
    assert model.status_ == "converged"
    assert model.epsilon_ >= 0
