"""The constant of an exact machine: well-defined where the optimum leaves it open."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import softmargin
from softmargin import SVC

TOL = 1e-3


def problem(seed, n=64):
    """Two classes whose weights balance each other exactly: many alphas end at their bounds."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < rng.uniform(0.2, 0.5)).astype(int)
    y[:2] = 0, 1
    X = rng.normal(size=(n, 2)) + y[:, None] * rng.uniform(0, 1)
    return X, y, 10 ** rng.uniform(-3, 1), 10 ** rng.uniform(-2, 1)


def optimal_interval(X, y, C, gamma):
    """The constants that are optimal, from a solution that is nearly exact."""
    model = SVC(C=C, gamma=gamma, class_weight="balanced", tol=1e-9).fit(X, y)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    sign = np.where(y == 1, 1.0, -1.0)
    v = sign - softmargin.kernel_matrix(X, gamma=gamma) @ beta
    bound = C * model.class_weight_[y]
    rises = beta < np.where(sign > 0, bound, 0) - 1e-7 * bound
    falls = beta > np.where(sign > 0, 0, -bound) + 1e-7 * bound
    return v[rises].max(initial=-np.inf), v[falls].min(initial=np.inf)


@pytest.mark.case(69, 115, of="SVC")
def test_the_middle_is_taken_where_an_interval_is_optimal():
    n_open = 0
    for seed in range(60):
        X, y, C, gamma = problem(seed)
        low, high = optimal_interval(X, y, C, gamma)
        (found,) = SVC(C=C, gamma=gamma, class_weight="balanced", tol=TOL).fit(X, y).intercept_
        if high - low > 2 * TOL:
            n_open += 1
            assert found == pytest.approx((low + high) / 2, abs=2 * TOL)
        else:
            assert low - 2 * TOL <= found <= high + 2 * TOL
    assert n_open >= 20


@pytest.mark.case(115, of="SVC")
def test_an_exact_middle_does_not_depend_on_the_way_there():
    """Other working sets, orders of rows, starts and types leave other rounding errors."""
    for seed in range(20):
        X, y, C, gamma = problem(seed)
        low, high = optimal_interval(X, y, C, gamma)
        if high - low < 10 * TOL:
            continue
        model = SVC(C=C, gamma=gamma, class_weight="balanced")
        order = np.random.default_rng(seed).permutation(len(y))
        found = [
            model.fit(X, y).intercept_[0],
            model.fit(X[order], y[order]).intercept_[0],
            model.fit(X.astype(np.float32), y).intercept_[0],
            model.set_params(working_set_size=4).fit(X, y).intercept_[0],
        ]
        np.testing.assert_allclose(found, found[0], atol=2 * TOL)


@pytest.mark.case(115, of="SVC")
def test_cells_of_a_search_have_the_constant_of_single_fits():
    """The path over C comes to a solution from another one, and single fits from nothing."""
    for seed in range(12):
        X, y, C, gamma = problem(seed, n=96)
        grid = {"C": [C / 16, C / 4, C], "gamma": [gamma]}
        model = SVC(class_weight="balanced")
        search = softmargin.GridSearchCV(model, grid, cv=3, refit=False).fit(X, y)
        assert search.used_engine_
        for params, score in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
        ):
            scores = []
            for train, test in StratifiedKFold(3).split(X, y):
                fitted = SVC(class_weight="balanced", **params).fit(X[train], y[train])
                decided = fitted.decision_function(X[test])
                scores.append((fitted.predict(X[test]) == y[test]).mean())
                if np.abs(decided).min() < 2 * TOL:
                    scores[-1] = np.nan  # within the tolerance both labels are right
            if not np.isnan(scores).any():
                assert score == pytest.approx(np.mean(scores))
