"""Two normal classes: their moments, their best boundary and its error."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from softmargin import OLLAWV, datasets

CLASSES = {
    -1: multivariate_normal([0, 0], [[1.0, 0.4], [0.4, 0.6]]),
    1: multivariate_normal([2, 1], [[2.0, -0.9], [-0.9, 0.8]]),
}


@pytest.mark.parametrize("label", [-1, 1])
def test_each_class_has_its_mean_and_covariance(label):
    found = datasets.two_gaussians(100_000, random_state=0)
    rows = found.X[found.labels == label]
    expected = CLASSES[label]
    np.testing.assert_allclose(rows.mean(axis=0), expected.mean, atol=0.03)
    np.testing.assert_allclose(np.cov(rows.T), expected.cov, atol=0.03)


def test_the_decision_is_the_log_of_the_ratio_of_the_densities(rng):
    X = rng.normal(scale=4, size=(200, 2))
    expected = CLASSES[1].logpdf(X) - CLASSES[-1].logpdf(X)
    np.testing.assert_allclose(datasets.bayes_decision(X), expected, rtol=1e-9, atol=1e-9)


def test_the_error_of_the_best_boundary_is_what_a_million_rows_show():
    found = datasets.two_gaussians(1_000_000, random_state=1)
    is_wrong = (datasets.bayes_decision(found.X) > 0) != found.y
    deviation = np.sqrt(0.1 * 0.9 / found.n_rows)
    assert abs(is_wrong.mean() - datasets.bayes_error()) < 4 * deviation


def test_no_machine_beats_the_best_boundary_and_a_good_one_comes_near():
    train, test = (datasets.two_gaussians(n, random_state=n) for n in (2000, 20_000))
    score = OLLAWV(gamma=0.25).fit(train.X, train.y).score(test.X, test.y)
    assert 0.97 * (1 - datasets.bayes_error()) < score < 1.005 * (1 - datasets.bayes_error())


def test_the_same_seed_gives_the_same_rows():
    first, again, other = (datasets.two_gaussians(50, random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)


@pytest.mark.parametrize(("n_rows", "counts"), [(2, [1, 1]), (7, [4, 3]), (200, [100, 100])])
def test_half_of_the_rows_are_of_each_class(n_rows, counts):
    found = datasets.two_gaussians(n_rows, random_state=0)
    assert np.bincount(found.y).tolist() == counts
    assert found.classes.tolist() == [-1, 1]


@pytest.mark.parametrize("n_rows", [0, 1, -5])
def test_too_few_rows_are_refused(n_rows):
    with pytest.raises(ValueError, match=f"n_rows = {n_rows}"):
        datasets.two_gaussians(n_rows)


def test_points_must_lie_in_the_plane():
    with pytest.raises(ValueError, match="X has 3 features"):
        datasets.bayes_decision(np.ones((4, 3)))
    with pytest.raises(ValueError, match="NaN"):
        datasets.bayes_decision([[0, np.nan]])
