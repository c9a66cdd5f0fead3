"""Decision values are the sums over the support vectors that the attributes show."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

import reference
from softmargin import OLLAWV, kernel_matrix

KERNELS = {
    "rbf": {"gamma": 0.05},
    "linear": {},
    "poly": {"gamma": 0.05, "degree": 3, "coef0": 0.5},
    "sigmoid": {"gamma": 0.02, "coef0": -0.1},
}
LAYOUTS = {"dense": np.asarray, "csr": sp.csr_matrix}


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def by_hand(model, X):
    """The output of each machine for each row."""
    k, name = len(model.classes_), model.kernel
    K = reference.kernel(dense(X), dense(model.support_vectors_), name, **KERNELS[name])
    columns = [
        K @ reference.coefficients(model, m, k, model.multi_class) + bias
        for m, bias in enumerate(model.intercept_)
    ]
    return np.column_stack(columns)


def by_machine(model, X):
    """The output of each machine, by the package."""
    model.decision_function_shape = "ovo"
    return model.decision_function(X).reshape(X.shape[0], -1)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "ordinal"])
@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("name", KERNELS)
def test_decision_values_are_the_sum_over_the_support_vectors(digits, name, k, multi_class, layout):
    X, y = (part[:300] for part in digits)
    keep = y < k
    model = OLLAWV(kernel=name, multi_class=multi_class, margin=1.0, **KERNELS[name])
    model.fit(layout(X[keep]), y[keep])
    Z = digits[0][300:380]
    np.testing.assert_allclose(by_machine(model, Z), by_hand(model, Z), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("n", [1, 2, 47, 48, 49, 96, 97, 1000])
def test_any_number_of_rows_is_decided_row_by_row(digits, n, layout):
    """Rows go through in blocks of 48; a row knows nothing of its block."""
    X, y = digits
    model = OLLAWV(gamma=0.05).fit(layout(X[:300]), y[:300])
    block, rows = model.decision_function(layout(X[:n])), [0, n // 2, n - 1]
    for i in rows:
        alone = model.decision_function(layout(X[i : i + 1]))
        np.testing.assert_array_equal(block[i : i + 1], alone)
    np.testing.assert_allclose(by_machine(model, X[:n]), by_hand(model, X[:n]), atol=1e-9)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("k", [2, 9])
def test_more_support_vectors_of_a_class_than_a_block_holds(rng, k, multi_class):
    """Blocks are 256 vectors; from 9 classes on, the coefficients are laid out in panels."""
    X, y = rng.normal(size=(300 * k, 4)), np.arange(300 * k) % k
    model = OLLAWV(margin=1e9, gamma=0.05, multi_class=multi_class).fit(X, y)
    assert model.n_support_.tolist() == [300] * k
    Z = X[:60]
    np.testing.assert_allclose(by_machine(model, Z), by_hand(model, Z), rtol=1e-9, atol=1e-9)


@pytest.mark.case(38)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_models_and_rows_of_either_layout_mix(digits, multi_class):
    X, y = (part[:300] for part in digits)
    X = np.where(X < 0.3, 0, X)
    models = [OLLAWV(multi_class=multi_class).fit(layout(X), y) for layout in LAYOUTS.values()]
    expected = models[0].decision_function(X)
    for model in models:
        for layout in (*LAYOUTS.values(), sp.csc_matrix, sp.coo_array):
            np.testing.assert_allclose(model.decision_function(layout(X)), expected, atol=1e-9)
            np.testing.assert_array_equal(model.predict(layout(X)), models[0].predict(X))


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_float32_model_takes_float64_rows_as_float32(digits, layout):
    X, y = (part[:300] for part in digits)
    model = OLLAWV(gamma=0.05).fit(layout(X.astype(np.float32)), y)
    Z = X + 1e-9
    np.testing.assert_array_equal(
        model.decision_function(layout(Z)), model.decision_function(layout(Z.astype(np.float32)))
    )
    np.testing.assert_allclose(by_machine(model, Z), by_hand(model, Z), atol=1e-4)


def test_a_float64_model_takes_float32_rows_as_float64(digits):
    X, y = (part[:300] for part in digits)
    model = OLLAWV(gamma=0.05).fit(X, y)
    Z = (X / 3).astype(np.float32)
    np.testing.assert_array_equal(
        model.decision_function(Z), model.decision_function(Z.astype(np.float64))
    )


@pytest.mark.parametrize("k", [2, 3])
def test_a_precomputed_model_takes_kernel_values_with_all_training_rows(digits, k):
    X, y = (part[:300] for part in digits)
    X, y = X[y < k], y[y < k]
    K = kernel_matrix(X, gamma=0.05, n_jobs=1)
    model = OLLAWV(kernel="precomputed").fit(K, y)
    rows = OLLAWV(gamma=0.05).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(K[:5]), rows.decision_function(X[:5]), atol=1e-12
    )
    assert model.support_vectors_.shape == (0, 0)
