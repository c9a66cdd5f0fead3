"""What is called converged is an optimum, though kernel values of float32 are rounded."""

import numpy as np
import pytest

import softmargin
from estimators import EXACT

TOL = 1e-3
UNCONVERGED = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(seed):
    """Rows of float32 with large C, for which the rounding of kernel values is felt."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 300))
    y = rng.integers(0, 2, n)
    C, gamma = 10 ** rng.uniform(2, 5), 10 ** rng.uniform(-4, 0)
    X = rng.normal(size=(n, 3)) + y[:, None] * 0.5
    return X.astype(np.float32), y, C, gamma


def discrete(X):
    """Rows of few values: their rounding errors are alike, and add up."""
    return np.round(X).astype(np.float32)


@pytest.mark.case(114, of="SVC")
@pytest.mark.parametrize("seed", [1403, *range(40)])
@pytest.mark.parametrize("change", [np.asarray, discrete], ids=["normal", "discrete"])
def test_the_violation_of_a_converged_model_is_within_twice_tol(seed, change):
    X, y, C, gamma = problem(seed)
    model = softmargin.SVC(C=C, gamma=gamma, tol=TOL).fit(change(X), y)
    assert model.status_ == ["converged"]
    assert model.certificate_[0].violation <= 2 * TOL


@UNCONVERGED
@pytest.mark.case(114)
@pytest.mark.parametrize("estimator", EXACT)
def test_no_exact_method_calls_a_rounded_optimum_converged(estimator):
    for seed in range(12):
        X, y, C, gamma = problem(seed)
        model = type(EXACT[estimator])(C=C / 100).set_params(max_iter=20_000)
        if "gamma" in model.get_params():
            model.set_params(gamma=gamma)
        model.fit(X, y)
        wide = type(model)(**model.get_params()).fit(X.astype(np.float64), y)
        (found,), (expected,) = model.certificate_, wide.certificate_
        if set(model.status_) == set(wide.status_) == {"converged"}:
            # As far from the optimum as float64 leaves it, and no more than twice a tolerance.
            assert found.violation <= 2 * max(expected.violation, TOL)


@pytest.mark.case(114, of="SVC")
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_errors_that_grow_with_the_length_of_a_row_are_seen(kernel):
    for seed in range(20):
        X, y, C, _ = problem(seed)
        model = softmargin.SVC(C=C / 100, gamma=0.1, kernel=kernel).fit(3 * X, y)
        assert model.status_ == ["converged"]
        assert model.certificate_[0].violation <= 2 * TOL


@pytest.mark.case(114, of="SVC")
def test_outputs_that_float32_would_spoil_come_from_float64():
    X, y, C, gamma = problem(1403)
    narrow = softmargin.SVC(C=C, gamma=gamma).fit(X, y)
    wide = softmargin.SVC(C=C, gamma=gamma).fit(X.astype(np.float64), y)
    assert narrow.support_vectors_.dtype == np.float64
    np.testing.assert_array_equal(narrow.predict(X), wide.predict(X))


@pytest.mark.case(114, of="SVC")
@pytest.mark.parametrize("budget", [None, 100_000])
def test_a_search_on_float32_gives_what_float64_gives(budget):
    """With a kernel matrix, and without one where the budget is too small for it."""
    for seed in range(6):
        X, y, _, gamma = problem(seed)
        grid = {"C": [1.0, 1e3, 1e5], "gamma": [gamma]}
        run = {"grid": grid, "outer": 3, "inner": 3, "random_state": 0, "scale": None}
        narrow, wide = (
            softmargin.nested_cv(rows, y, "svc", memory_budget=budget, n_jobs=1, **run)
            for rows in (X, X.astype(np.float64))
        )
        np.testing.assert_allclose(narrow.inner_scores, wide.inner_scores, atol=0.02)
