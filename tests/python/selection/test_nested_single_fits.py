"""nested_cv gives every candidate the scores of separate fits."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import softmargin

UNCONVERGED = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
OUTER, INNER = StratifiedKFold(2), StratifiedKFold(3)


def problem(seed):
    """Return overlapping classes, a grid in any order, and options of the estimator."""
    rng = np.random.default_rng(seed)
    n, d, k = (int(rng.integers(*ends)) for ends in ((40, 120), (2, 6), (2, 4)))
    y = np.arange(n) % k
    X = rng.normal(size=(n, d)) + rng.normal(size=(k, d))[y]
    grid = {"C": (10 ** rng.uniform(-2, 2.5, 3)).tolist(), "gamma": [0.03, 1.0]}
    options = {
        "kernel": str(rng.choice(["rbf", "linear"])),
        "multi_class": str(rng.choice(["ovo", "ordinal"])),
        "class_weight": rng.choice([None, "balanced"]),
    }
    return X, y, grid, options


def scores_of_single_fits(estimator, cells, X, y):
    """Return the score of each candidate on each inner split, computed by a plain loop."""
    scores = []
    for train, _ in OUTER.split(X, y):
        rows, labels = X[train], y[train]
        scores += [
            [
                clone(estimator)
                .set_params(**cell)
                .fit(rows[a], labels[a])
                .score(rows[b], labels[b])
                for cell in cells
            ]
            for a, b in INNER.split(rows, labels)
        ]
    return np.reshape(scores, (2, 3, len(cells)))


@UNCONVERGED
@pytest.mark.parametrize(
    "kind", [softmargin.MNSVM, softmargin.NNISDA, softmargin.NewtonSVC, softmargin.NLSGD]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_methods_without_a_path_are_trained_as_single_fits(kind, dtype):
    """Their tolerance is so large that a start from another C would change the scores."""
    for seed in range(8):
        X, y, grid, options = problem(seed)
        estimator = kind(**options, random_state=0)
        if "max_iter" in estimator.get_params():
            estimator.set_params(max_iter=5_000)
        run = {"outer": OUTER, "inner": INNER, "scale": None, "n_jobs": 1}
        found = softmargin.nested_cv(X.astype(dtype), y, estimator, grid, **run)
        expected = scores_of_single_fits(estimator, found.cells, X.astype(dtype), y)
        np.testing.assert_allclose(found.inner_scores, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_path_over_c_ends_where_single_fits_end(dtype):
    """With a small tolerance, only ties within the tolerance may differ."""
    for seed in range(8):
        X, y, grid, options = problem(seed)
        estimator = softmargin.SVC(**options | {"multi_class": "ovo"}, tol=1e-8)
        run = {"outer": OUTER, "inner": INNER, "scale": None, "n_jobs": 1}
        found = softmargin.nested_cv(X.astype(dtype), y, estimator, grid, **run)
        expected = scores_of_single_fits(estimator, found.cells, X.astype(dtype), y)
        np.testing.assert_allclose(found.inner_scores, expected)
