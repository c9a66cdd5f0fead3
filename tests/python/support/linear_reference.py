"""Slow reference implementations of the linear methods, in numpy and float64.

Samples are dense, labels are +1 and -1; each function follows its formulas line by line.
"""

from itertools import combinations, pairwise

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from reference import SplitMix

DECAY, EPSILON = 0.9, 1e-8


def with_constant(X, constant=1.0):
    """Return samples in float64 with an additional constant feature."""
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    return np.column_stack([X, np.full(len(X), constant)])


def first_step(Z, lambda_, optimizer, momentum=0.9):
    """Return the default step size for the samples."""
    one = 1 / (np.mean((Z[:1000] ** 2).sum(axis=1)) + lambda_)
    if optimizer == "rmsprop":
        return 0.01
    return 0.3 * one if optimizer in ("pegasos", "sgd") else 0.1 * (1 - momentum) * one


def visits(n, epochs, shuffle=False, random_state=None):
    """Return the indices of the samples of each epoch, in the order of the steps."""
    if shuffle is False:
        return [list(range(n))] * epochs
    random = SplitMix(int(check_random_state(random_state).randint(2**63 - 1, dtype=np.int64)))
    if shuffle == "draw":
        return [[random.below(n) for _ in range(n)] for _ in range(epochs)]
    found, rows = [], list(range(n))
    for _ in range(epochs):
        for i in range(n - 1, 0, -1):
            j = random.below(i + 1)
            rows[i], rows[j] = rows[j], rows[i]
        found.append(list(rows))
    return found


def iterates(
    Z,
    y,
    order,
    *,
    lambda_,
    optimizer="pegasos",
    weights=None,
    batch_size=1,
    project=False,
    eta=None,
    momentum=0.9,
    start=None,
    decay=DECAY,
    epsilon=EPSILON,
    as_printed=False,
):
    """Return the weights before the first step and after each step.

    ``order`` has the indices of the samples of each epoch, ``start`` the weights and the number of
    steps of a previous run.
    """
    weights = np.ones(len(y)) if weights is None else weights
    eta = first_step(Z, lambda_, optimizer, momentum) if eta is None else eta
    w, v, squares = (np.zeros(Z.shape[1]) for _ in range(3))
    w, t = (w, 0) if start is None else start
    found = [w]
    for rows in order:
        for start in range(0, len(rows), batch_size):
            batch = rows[start : start + batch_size]
            t += 1
            ahead = w - momentum * v if optimizer == "nag" else w
            gradient = lambda_ * ahead
            tested_at = w if as_printed else ahead
            violators = [i for i in batch if y[i] * (tested_at @ Z[i]) < 1]
            is_mean_of_violators = as_printed and optimizer == "pegasos"
            for i in violators:
                n_divided = len(violators) if is_mean_of_violators else len(batch)
                gradient = gradient - weights[i] * y[i] * Z[i] / n_divided
            if optimizer == "pegasos":
                w = w - gradient / (lambda_ * t)
                if project:
                    radius = np.sqrt(weights.mean() / lambda_)
                    w = min(1, radius / max(np.linalg.norm(w), 1e-300)) * w
            elif optimizer == "sgd":
                w = w - eta / (1 + lambda_ * eta * t) * gradient
            elif optimizer == "rmsprop":
                squares = decay * squares + (1 - decay) * gradient**2
                mean = squares + epsilon
                w = w - eta * gradient / (mean if as_printed else np.sqrt(mean))
            else:
                v = momentum * v + eta * gradient
                w = w - v
            found.append(w)
    return np.array(found)


def result(found, average=0.0):
    """Return the mean of the last fraction of the weights; 0 returns the last weights."""
    if average == 0:
        return found[-1]
    n_steps = len(found) - 1
    return found[1 + int((1 - average) * n_steps) :].mean(axis=0)


def violators_bias(Z, y, w, weights=None):
    """Return the mean of y - w.x over the samples that violate the margin of 1."""
    weights = np.ones(len(y)) if weights is None else weights
    outputs = Z @ w
    wrong = y * outputs < 1
    return np.average((y - outputs)[wrong], weights=weights[wrong]) if wrong.any() else 0.0


def loss(f, y, weights=None, squared=False):
    """Return the mean loss."""
    weights = np.ones(len(y)) if weights is None else weights
    lack = np.maximum(0, 1 - y * f)
    return weights @ (lack**2 if squared else lack) / len(y)


def machines(y, scheme="ovr"):
    """Return indices and labels of the samples of each binary classifier, as in ``coef_``."""
    classes, codes = np.unique(y, return_inverse=True)
    k = len(classes)
    if k == 2:
        return [(np.arange(len(y)), np.where(codes == 1, 1.0, -1.0))]
    if scheme == "ovr":
        return [(np.arange(len(y)), np.where(codes == c, 1.0, -1.0)) for c in range(k)]
    pairs = combinations(range(k), 2) if scheme == "ovo" else pairwise(range(k))
    found = []
    for a, b in pairs:
        rows = np.flatnonzero((codes == a) | (codes == b))
        found.append((rows, np.where(codes[rows] == a, 1.0, -1.0)))
    return found
