"""SVR, NuSVR, NuSVC and OneClassSVM have the attributes and methods of scikit-learn's classes."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import is_outlier_detector, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from equality import dense
from single_machines import OURS, SETTINGS, THEIRS, outcomes, outputs, samples
from softmargin import SVR, NuSVC, NuSVR, OneClassSVM

ATTRIBUTES = ["support_", "n_support_", "dual_coef_", "intercept_", "support_vectors_", "coef_"]
TOL = 1e-6


PRECISE = {
    "gamma": 0.3,
    "tol": 1e-11,
}  # a check compares solutions, at gamma="scale" of different data
CHECKED = [
    *(kind(**PRECISE) for kind in (SVR, NuSVR, OneClassSVM)),
    NuSVC(nu=0.3, **PRECISE),
    SVR(kernel="linear", tol=1e-11),
]


def expected_failures(estimator):
    """Return the checks that must fail, with the reason."""
    few = "the weights leave a class almost no share, so that nu is infeasible"
    sign = "predict of support vectors is the sign of a decision value of 0 up to rounding"
    if isinstance(estimator, NuSVC):
        return {"check_class_weight_classifiers": few}
    if isinstance(estimator, OneClassSVM):
        kinds = ("dense", "sparse")
        return {f"check_sample_weight_equivalence_on_{kind}_data": sign for kind in kinds}
    return {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


@pytest.fixture(params=OURS)
def both(request):
    """Both models of a linear problem, and its samples."""
    name = request.param
    X, y = samples()
    params = SETTINGS[name] | {"kernel": "linear", "tol": TOL}
    models = [kind(**params).fit(X, outcomes(name, y)) for kind in (OURS[name], THEIRS[name])]
    return *models, X, outcomes(name, y)


def test_attributes_have_the_types_shapes_and_signs_of_scikit_learn(both):
    ours, theirs, _, _ = both
    for name in ATTRIBUTES:
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine.shape == other.shape, name
        assert mine.dtype == other.dtype, name
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.dual_coef_ @ ours.support_vectors_, ours.coef_)
    assert np.ravel(ours.n_iter_).shape == np.ravel(theirs.n_iter_).shape
    assert (ours.fit_status_, ours.shape_fit_) == (theirs.fit_status_, theirs.shape_fit_)
    if hasattr(theirs, "class_weight_"):
        assert np.shape(ours.class_weight_) == np.shape(theirs.class_weight_)


def test_methods_return_what_those_of_scikit_learn_return(both):
    ours, theirs, X, y = both
    is_novelty = isinstance(ours, OneClassSVM)
    for name in ("predict", "decision_function", "score_samples"):
        assert hasattr(ours, name) == hasattr(theirs, name), name
        if hasattr(ours, name):
            # Support vectors are at 0, where the sign of a decision value is a rounding error.
            rows = X[np.abs(theirs.decision_function(X)) > 1e-3] if is_novelty else X
            mine, other = getattr(ours, name)(rows), getattr(theirs, name)(rows)
            assert (mine.shape, mine.dtype) == (other.shape, other.dtype), name
            np.testing.assert_allclose(mine, other, atol=2e-3)
    if hasattr(ours, "score"):
        assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-3)
    tags, other = get_tags(ours), get_tags(theirs)
    for name in ("estimator_type", "target_tags", "regressor_tags", "classifier_tags"):
        assert getattr(tags, name) == getattr(other, name), name
    assert tags.input_tags == other.input_tags


@pytest.mark.parametrize("name", OURS)
def test_sparse_samples_have_the_attributes_of_dense_ones(name):
    X, y = samples()
    X = np.where(np.abs(X) < 0.7, 0, X)
    params = SETTINGS[name] | {"kernel": "linear", "tol": TOL}
    model, plain = (
        OURS[name](**params).fit(data, outcomes(name, y)) for data in (sp.csr_array(X), X)
    )
    assert sp.issparse(model.dual_coef_)
    assert sp.issparse(model.coef_)
    np.testing.assert_allclose(dense(model.coef_), plain.coef_, atol=1e-4)
    np.testing.assert_allclose(outputs(model, X), outputs(plain, sp.csr_matrix(X)), atol=1e-4)


def test_defaults_are_those_of_scikit_learn():
    for name, kind in OURS.items():
        mine, other = kind().get_params(), THEIRS[name]().get_params()
        differ = {key for key in mine.keys() & other.keys() if mine[key] != other[key]}
        assert differ <= {"cache_size", "verbose", "probability"}, name
        assert mine["verbose"] == 0


def test_kinds_are_known_to_scikit_learn():
    assert is_regressor(SVR())
    assert is_regressor(NuSVR())
    assert is_outlier_detector(OneClassSVM())


def test_the_offset_of_one_class_is_minus_the_intercept():
    X, _ = samples()
    model = OneClassSVM(nu=0.21).fit(X)
    np.testing.assert_array_equal(model.offset_, -model.intercept_)
    np.testing.assert_allclose(
        model.score_samples(X) - model.offset_, model.decision_function(X), atol=1e-12
    )
    expected = np.where(model.decision_function(X) >= 0, 1, -1)
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_array_equal(OneClassSVM(nu=0.21).fit_predict(X), expected)
    assert (model.predict(X) == -1).mean() <= 0.21 + 1 / len(X)
    assert model.dual_coef_.sum() == pytest.approx(0.21 * len(X))


def test_probabilities_of_nusvc():
    X, y = samples(300)
    y = outcomes("NuSVC", y)
    model = NuSVC(nu=0.3, probability=True, random_state=0).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert np.corrcoef(shares[:, 1], y)[0, 1] > 0.8
