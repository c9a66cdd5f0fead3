"""The engine merges features that occur in one training sample, which changes no result."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import model_selection

import softmargin
from softmargin import LinearSVC


def texts(seed, n=150, n_shared=20, n_private=2000):
    """Return sparse samples, most of whose features are private to one or two samples."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    shared = sp.random(n, n_shared, 0.3, random_state=seed, format="csr")
    shared = shared + sp.csr_matrix(np.eye(3, n_shared)[y])
    private = sp.random(n, n_private, 1.5 / n, random_state=seed, format="csr")
    mixed = sp.hstack([shared, private], format="csr")
    order = rng.permutation(mixed.shape[1])
    return mixed[:, order], y


def decisions(function, X, y, **params):
    return function(
        LinearSVC(tol=1e-10, max_iter=100_000, random_state=0, **params),
        X,
        y,
        method="decision_function",
        cv=4,
    )


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"loss": "hinge"},
        {"C": 100.0},
        {"dual": False},
        {"fit_intercept": False},
        {"multi_class": "ovo"},
        {"class_weight": "balanced"},
        {"penalty": "l1", "dual": False},  # not merged: the norm depends on the features
    ],
    ids=str,
)
def test_decision_values_are_those_of_single_fits(params):
    X, y = texts(0)
    own = decisions(softmargin.cross_val_predict, X, y, **params)
    plain = decisions(model_selection.cross_val_predict, X, y, **params)
    np.testing.assert_allclose(own, plain, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_training_scores_and_searches_are_equal(dtype):
    X, y = texts(1)
    X = X.astype(dtype)
    found = [
        kind(LinearSVC(tol=1e-8), {"C": [0.1, 1.0, 10.0]}, return_train_score=True).fit(X, y)
        for kind in (softmargin.GridSearchCV, model_selection.GridSearchCV)
    ]
    assert found[0].used_engine_
    for name in ("mean_test_score", "mean_train_score"):
        expected = found[1].cv_results_[name]
        np.testing.assert_allclose(found[0].cv_results_[name], expected, atol=1e-12)


def test_stored_zeros_and_empty_rows_do_not_matter():
    X, y = texts(2)
    X = X.tolil()
    X[:5] = 0
    X = X.tocsr()
    X.data[::7] = 0.0  # stored
    own = decisions(softmargin.cross_val_predict, X, y)
    plain = decisions(model_selection.cross_val_predict, X, y)
    np.testing.assert_allclose(own, plain, rtol=1e-5, atol=1e-6)


def test_samples_of_private_features_only_are_classified():
    """Every feature belongs to one sample, so that test samples have nothing in common."""
    X = sp.identity(30, format="csr") * 2.0
    y = np.arange(30) % 2
    own = decisions(softmargin.cross_val_predict, X, y)
    plain = decisions(model_selection.cross_val_predict, X, y)
    np.testing.assert_allclose(own, plain, atol=1e-8)
