"""Bad rows, labels and weights get a sentence; odd ones that make sense get a model."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from hinge import GDSVC, SGDSVC, LinearSVC

MODELS = {
    "pegasos": SGDSVC(random_state=0),
    "sgd": SGDSVC("sgd", random_state=0),
    "nag": SGDSVC("nag", random_state=0),
    "rmsprop": SGDSVC("rmsprop", random_state=0),
    "gd": GDSVC(eta0=0.1, max_iter=100, tol=0.1),
    "newton": LinearSVC(),
    "hinge": LinearSVC(loss="hinge", random_state=0),
}
NAN, INF = float("nan"), float("inf")


def problem(n=40, d=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + 1.5 * np.eye(2, d)[y], y


def changed(array, place, value):
    array = np.array(array, dtype=float)
    array[place] = value
    return array


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param].fit(*problem())


X0, Y0 = problem()
BAD_DATA = {
    "nan": ({"X": changed(X0, (7, 2), NAN)}, "NaN.*row 7, column 2"),
    "inf": ({"X": changed(X0, (0, 3), -INF)}, "-inf.*row 0, column 3"),
    "nan, sparse": ({"X": sp.csr_matrix(changed(X0, (7, 2), NAN))}, "NaN.*row 7, column 2"),
    "huge": ({"X": X0 * 1e200}, "overflow"),
    "huge, sparse": ({"X": sp.csr_matrix(X0 * 1e200)}, "overflow"),
    "no rows": ({"X": np.empty((0, 4)), "y": []}, "0 sample"),
    "no columns": ({"X": np.empty((40, 0))}, "0 feature"),
    "1-d": ({"X": np.ones(40)}, "1D|shape"),
    "3-d": ({"X": np.ones((40, 2, 2))}, "dim|shape"),
    "complex": ({"X": X0 * 1j}, "[Cc]omplex"),
    "strings": ({"X": X0.astype(str)}, "strings are not numbers"),
    "fewer labels": ({"y": Y0[:-1]}, r"\[40, 39\]"),
    "one class": ({"y": np.zeros(40)}, "one class"),
    "continuous labels": ({"y": X0[:, 0]}, "continuous"),
    "nan label": ({"y": changed(Y0, 3, NAN)}, "nan.*row 3"),
    "no label": ({"y": None}, "requires y"),
    "fewer weights": ({"sample_weight": np.ones(39)}, "sample_weight.*39"),
    "negative weight": ({"sample_weight": changed(np.ones(40), 5, -1)}, r"sample_weight\[5\] = -1"),
    "nan weight": ({"sample_weight": changed(np.ones(40), 5, NAN)}, r"sample_weight\[5\] = nan"),
    "inf weight": ({"sample_weight": changed(np.ones(40), 5, INF)}, r"sample_weight\[5\] = inf"),
    "no weight": ({"sample_weight": np.zeros(40)}, "every sample_weight is zero"),
    "lost class": ({"sample_weight": 1 - Y0}, "class 1 is lost"),
}


@pytest.mark.parametrize("fault", BAD_DATA)
def test_bad_data_is_refused_and_the_old_model_stays(model, fault):
    given, sentence = BAD_DATA[fault]
    before = dict(vars(model))
    with pytest.raises(ValueError, match=sentence):
        model.fit(**{"X": X0, "y": Y0} | given)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize(
    ("class_weight", "sentence"),
    [
        ({2: 1.0}, "the class 2"),
        ({1: -1.0}, r"class_weight\[1\] = -1"),
        ({1: NAN}, r"class_weight\[1\] = nan"),
        ({1: 0}, "class 1 is lost"),
        ("heavy", "class_weight = 'heavy'"),
        (3, "class_weight = 3"),
    ],
    ids=str,
)
def test_a_bad_class_weight_is_named(model, class_weight, sentence):  # case 52
    model.set_params(class_weight=class_weight)
    try:
        with pytest.raises(ValueError, match=sentence):
            model.fit(X0, Y0)
    finally:
        model.set_params(class_weight=None)


def test_rows_to_predict_must_fit(model):  # cases 26, 27
    for rows, sentence in (
        (np.ones((2, 3)), "3 features.*4 features"),
        (sp.csr_matrix(np.ones((2, 5))), "5 features.*4 features"),
        (np.full((2, 4), NAN), "row 0, column 0"),
        (np.empty((0, 4)), "0 sample"),
        (np.ones(4), "1D|shape"),
    ):
        for call in (model.predict, model.decision_function):
            with pytest.raises(ValueError, match=sentence):
                call(rows)
    with pytest.raises(ValueError, match="not fitted"):
        type(model)().predict(X0)


@pytest.mark.parametrize(
    "layout",
    [
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: np.ascontiguousarray(X[::-1])[::-1],
        lambda X: X.astype(">f8"),
        lambda X: X.tolist(),
        lambda X: sp.csc_array(X),
        lambda X: sp.coo_matrix(X),
    ],
)
def test_layouts_of_rows_do_not_matter(model, layout):  # cases 13 to 17
    expected = model.fit(X0, Y0).coef_.copy()
    given = layout(X0)
    np.testing.assert_allclose(model.fit(given, Y0).coef_, expected, rtol=1e-6, atol=1e-9)


def test_unsorted_and_repeated_indices_are_made_canonical(model):  # cases 29, 35, 36
    rows = np.repeat(np.arange(40), 4)
    columns = np.tile([2, 0, 2, 1], 40)
    values = np.where(np.arange(160) % 7, X0.ravel(), 0.0)
    indptr = np.arange(0, 161, 4)
    given = sp.csr_matrix((values, columns.astype(np.int64), indptr), shape=(40, 4))
    dense = np.zeros((40, 4))
    np.add.at(dense, (rows, columns), values)
    expected = model.fit(dense, Y0).coef_.copy()
    np.testing.assert_allclose(model.fit(given, Y0).coef_, expected, rtol=1e-6, atol=1e-9)
    assert given.nnz == 160


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint64, bool])
def test_other_numbers_become_float64(model, dtype):  # case 12
    X = (np.abs(X0) * 3).astype(dtype)
    expected = model.fit(X.astype(np.float64), Y0).coef_.copy()
    np.testing.assert_array_equal(model.fit(X, Y0).coef_, expected)


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
def test_odd_rows_have_a_finite_model(model, rows, fit_intercept):  # cases 4, 21 to 25, 37
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


@pytest.mark.parametrize(
    "labels", [["no", "yes"], [False, True], [-(10**12), 10**12], [2.0, 3.0], ["é", "ü"]], ids=str
)
def test_labels_keep_their_identity(model, labels):  # case 45
    labels = np.array(labels)
    plain = model.fit(X0, Y0).predict(X0)
    coef = model.coef_.copy()
    model.fit(X0, labels[Y0])
    np.testing.assert_array_equal(model.coef_, coef)
    np.testing.assert_array_equal(model.predict(X0), labels[plain])
    assert model.classes_.tolist() == labels.tolist()
    assert model.predict(X0).dtype == labels.dtype


def test_too_many_pairs_are_counted(model):  # case 46
    y = np.repeat(np.arange(47_000), 2)
    model.set_params(multi_class="ovo")
    with pytest.raises(ValueError, match=r"47000 classes.* 1104476500 pairs"):
        model.fit(np.zeros((len(y), 1)), y)
    model.set_params(multi_class="ovr")


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
