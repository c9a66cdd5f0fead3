"""Two normal classes in the plane whose best boundary is known: a curve of second degree.

Figure 1.1 of paper 003 shows such rows, but the paper gives no numbers. Here both classes are
equally likely, with mean ``m`` and covariance ``S``:

    class -1: m = (0, 0), S = [[1.0, 0.4], [0.4, 0.6]]
    class  1: m = (2, 1), S = [[2.0, -0.9], [-0.9, 0.8]]
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from softmargin._checks import parameters
from softmargin._checks.rows import check_rows
from softmargin.datasets._dataset import Dataset

_MEANS = np.array([[0.0, 0.0], [2.0, 1.0]])
_COVARIANCES = np.array([[[1.0, 0.4], [0.4, 0.6]], [[2.0, -0.9], [-0.9, 0.8]]])
# Hardly anything lies outside; the middles of so many cells a side give the error to 1e-6.
_SQUARE = (-11.0, 14.0)
_CELLS = 1000


def two_gaussians(n_rows: int, random_state: Any = None) -> Dataset:
    """Draw rows of two normal classes with different covariance matrices.

    Parameters
    ----------
    n_rows : int
        At least 2. Half of the rows are of each class, in random order; of an odd number, class
        -1 has one more.
    random_state : int, RandomState or None
        As in scikit-learn.

    Returns
    -------
    Dataset
        With the classes -1 and 1.

    See Also
    --------
    bayes_decision : the best boundary.

    Examples
    --------
    >>> from softmargin import datasets
    >>> plane = datasets.two_gaussians(20_000, random_state=0)
    >>> plane
    Dataset('two_gaussians': 20,000 rows, 2 features, 2 classes)
    >>> is_wrong = (datasets.bayes_decision(plane.X) > 0) != plane.y
    >>> abs(is_wrong.mean() - datasets.bayes_error()) < 0.005
    np.True_
    >>> round(datasets.bayes_error(), 4)
    0.0945
    """
    n_rows = parameters.positive("n_rows", n_rows)
    if n_rows < 2:
        raise ValueError("n_rows = 1 is not valid: it must be at least 2, a row of each class")
    generator = check_random_state(random_state)
    y = np.arange(n_rows, dtype=np.int64) % 2
    generator.shuffle(y)
    roots = np.linalg.cholesky(_COVARIANCES)
    X = _MEANS[y] + np.einsum("nij,nj->ni", roots[y], generator.standard_normal((n_rows, 2)))
    classes = np.array([-1, 1])
    return Dataset("two_gaussians", X, y, classes, source="generated", licence="free")


def bayes_decision(X: Any) -> NDArray[np.float64]:
    """Return the log of the ratio of the densities of class 1 and class -1.

    Its sign is the best guess, its zero the boundary with the least error of any classifier.

    Parameters
    ----------
    X : array of shape (n_rows, 2)
        Points of the plane of :func:`two_gaussians`.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> from softmargin import datasets
    >>> datasets.bayes_decision([[0, 0], [2, 1]]) > 0
    array([False,  True])
    """
    points = check_rows(X, dtype=np.float64)
    if points.shape[1] != 2:
        raise ValueError(f"X has {points.shape[1]} features, but the plane has 2")
    below, above = _log_densities(points)
    return np.asarray(above - below)


@functools.cache
def bayes_error() -> float:
    """Return the least error rate that any classifier can have on :func:`two_gaussians`.

    Half of the integral of the smaller density, by the midpoint rule.
    """
    low, high = _SQUARE
    step = (high - low) / _CELLS
    middles = low + step * (np.arange(_CELLS) + 0.5)
    total = 0.0
    for x in middles:
        column = np.column_stack([np.full(_CELLS, x), middles])
        total += float(np.exp(_log_densities(column).min(axis=0)).sum())
    return 0.5 * total * step**2


def _log_densities(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log density of each class (rows) at each point."""
    offsets = points - _MEANS[:, None]
    squares = np.einsum("cni,cij,cnj->cn", offsets, np.linalg.inv(_COVARIANCES), offsets)
    scale = 2 * np.pi * np.sqrt(np.linalg.det(_COVARIANCES))
    return np.asarray(-0.5 * squares - np.log(scale)[:, None])
