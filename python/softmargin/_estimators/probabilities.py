"""Class probabilities from decision values: Platt scaling and pairwise coupling.

A sigmoid ``P(y = 1 | f) = 1 / (1 + exp(A f + B))`` maps the decision values of one binary
classifier to probabilities (Platt 1999); the core computes its parameters. The probabilities of
several binary classifiers are combined by the second method of Wu, Lin and Weng (2004) for
one-vs-one, and by normalization for one-vs-rest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from softmargin import _core

# Pairwise probabilities are clipped to this distance from 0 and 1.
_MIN_PROBABILITY = 1e-7

# Samples per block in pairwise coupling, and a limit on the memory of their matrices.
_BLOCK_SAMPLES = 1024
_BLOCK_BYTES = 32 << 20


def fit_sigmoid(
    decisions: NDArray[np.float64],
    is_positive: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
) -> tuple[float, float]:
    """Fit the sigmoid that maps decision values to probabilities of the positive class.

    Minimizes the cross-entropy between ``1 / (1 + exp(A f + B))`` and the smoothed targets
    ``(N+ + 1) / (N+ + 2)`` of the positive and ``1 / (N- + 2)`` of the negative samples. The
    targets lie strictly between 0 and 1, so the minimum is finite even for separable data.

    Parameters
    ----------
    decisions : ndarray of shape (n_samples,)
        Finite decision values, preferably of samples that were held out from training.
    is_positive : ndarray of bool of shape (n_samples,)
        Whether each sample belongs to the positive class.
    weights : ndarray of shape (n_samples,) or None, default=None
        Nonnegative sample weights. A weight of 2 is equivalent to repeating the sample, also in
        the class counts N+ and N-. None gives all samples weight 1.

    Returns
    -------
    A, B : float
        Slope and offset. A is negative if large decision values indicate the positive class. It
        is 0 if the decisions are constant or a class is absent; the probability is then the mean
        target, and 1/2 without samples.
    """
    f = np.asarray(decisions, dtype=np.float64)
    positive = np.asarray(is_positive, dtype=np.bool_)
    w = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if not np.isfinite(f).all():
        first = int(np.flatnonzero(~np.isfinite(f))[0])
        raise ValueError(f"decisions must be finite, but decision {first} is {f[first]}")
    signs = np.where(positive, 1, -1).astype(np.int8)
    slopes, offsets = _core.fit_sigmoids(f[:, np.newaxis], signs[:, np.newaxis], w, 1)
    return float(slopes[0]), float(offsets[0])


def sigmoid(
    decisions: NDArray[np.float64],
    A: float | NDArray[np.float64],
    B: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return ``1 / (1 + exp(A * decisions + B))`` without overflow.

    A and B are broadcast against the decisions, such as one pair for each column.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        z = np.where(np.equal(A, 0), 0.0, np.multiply(A, decisions, dtype=np.float64)) + B
        small = np.exp(-np.abs(z))
        return np.where(z >= 0, small, 1.0) / (1.0 + small)


def couple(pairwise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Combine pairwise probabilities into class probabilities.

    Minimizes ``sum over i < j of (r_ji p_i - r_ij p_j)^2`` subject to ``sum(p) = 1`` for each
    sample, where ``r_ij`` is the probability of class i given that the class is i or j (Wu, Lin
    and Weng 2004, second method).

    With ``Q_ii = sum of r_ji^2`` and ``Q_ij = -r_ji r_ij``, the optimality conditions are
    ``Q p = b 1`` and ``sum(p) = 1``, so p is proportional to the solution of
    ``(Q + 1 1^T) x = 1``. This linear system replaces the published iteration, because its
    solution is exact and it is well conditioned for all inputs: as ``r_ij + r_ji = 1``, any
    direction d that sums to 0 has ``d^T Q d >= |d|^2 / (k (k - 1))`` for k classes. The solution
    is positive, so the constraint ``p >= 0`` is inactive.

    Parameters
    ----------
    pairwise : ndarray of shape (n_samples, n_pairs)
        Probability of the first class of each pair, in the order (0, 1), (0, 2), ..., (1, 2), ...
        Values are clipped to [1e-7, 1 - 1e-7].

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Class probabilities, which sum to 1 for each sample.
    """
    n_samples, n_pairs = pairwise.shape
    n_classes = (1 + math.isqrt(1 + 8 * n_pairs)) // 2
    if n_classes * (n_classes - 1) // 2 != n_pairs:
        raise ValueError(
            f"pairwise has {n_pairs} columns, but must have n_classes * (n_classes - 1) / 2"
        )
    P = np.empty((n_samples, n_classes))
    # The matrices of a block need 8 bytes per entry, and up to three exist at a time.
    block = max(1, min(_BLOCK_SAMPLES, _BLOCK_BYTES // (3 * 8 * n_classes**2)))
    for start in range(0, n_samples, block):
        rows = slice(start, start + block)
        r = np.clip(pairwise[rows].T, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
        P[rows] = np.vstack([r, 1 - r]).T if n_classes == 2 else _couple_block(r, n_classes).T
    return P


def _couple_block(r: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the class probabilities, of shape (n_classes, n_samples), of a block of samples.

    Gaussian elimination needs no pivoting, because the matrices are symmetric positive definite.
    It runs over all samples at once and, unlike LAPACK, yields the same bits for any number of
    threads.
    """
    first, second = np.triu_indices(n_classes, k=1)
    R = np.zeros((n_classes, n_classes, r.shape[1]))
    R[first, second] = r
    R[second, first] = 1 - r
    S = 1 - R * R.transpose(1, 0, 2)
    diagonal = np.arange(n_classes)
    S[diagonal, diagonal] += np.square(R, out=R).sum(axis=0)
    del R
    x = np.ones((n_classes, r.shape[1]))
    for i in range(n_classes - 1):
        factors = S[i, i + 1 :] / S[i, i]
        S[i + 1 :, i + 1 :] -= factors[:, np.newaxis] * S[i, i + 1 :]
        x[i + 1 :] -= factors * x[i]
    for i in reversed(range(n_classes)):
        x[i] /= S[i, i]
        x[:i] -= S[:i, i] * x[i]
    np.maximum(x, 0, out=x)
    x /= sum(x)  # in the order of the classes, which np.sum does not guarantee
    return x


def normalize_one_vs_rest(P: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale the one-vs-rest probabilities of each sample to sum to 1.

    P has the shape (n_samples, n_classes). Samples whose probabilities are all 0 get the same
    probability for each class.
    """
    total = P.sum(axis=1, keepdims=True)
    is_zero = total == 0
    return np.where(is_zero, 1 / P.shape[1], P / np.where(is_zero, 1.0, total))
