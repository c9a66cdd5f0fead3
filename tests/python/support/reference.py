"""Slow reference implementations of the kernel methods, in numpy and float64.

Each function follows its definition line by line and shares no code with the package.
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from equality import dense


def kernel(X, Z, name="rbf", gamma=1.0, degree=3, coef0=0.0):
    """Return the kernel matrix of the samples in X and Z."""
    X, Z = np.asarray(X, dtype=np.float64), np.asarray(Z, dtype=np.float64)
    if name == "rbf":
        return np.exp(-gamma * ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))
    products = (X[:, None, :] * Z[None, :, :]).sum(axis=2)
    if name == "linear":
        return products
    if name == "poly":
        return (gamma * products + coef0) ** degree
    assert name == "sigmoid"
    return np.tanh(gamma * products + coef0)


@dataclass
class Machine:
    rows: list[int]
    """Indices of the violators, in the order of the steps."""
    alphas: list[float]
    bias: float

    def decide(self, K):
        """Return outputs from the kernel values of samples with all training samples."""
        return K[:, self.rows] @ np.array(self.alphas) + self.bias


def ollawv(K, y, margin, *, bias=True, max_sv_fraction=1.0, weights=None, C=1.0):
    """Algorithm 1.1 of Melki (2018) for a kernel matrix K, labels +1 and -1, and weights."""
    n = len(y)
    weights = np.ones(n) if weights is None else weights
    most = math.ceil(max_sv_fraction * n)
    beta = 1.0 if bias else 0.0
    o = np.zeros(n)
    unused = np.ones(n, dtype=bool)
    machine = Machine([], [], 0.0)
    wv, t = 0, 0
    while True:
        t += 1
        eta = 2 / math.sqrt(t)
        L = eta * C * weights[wv] * y[wv]
        B = beta * L / n
        unused[wv] = False
        o[unused] += L * K[unused, wv] + B
        machine.rows.append(wv)
        machine.alphas.append(L)
        machine.bias += B
        if t >= most or not unused.any():
            return machine
        violations = np.where(unused, y * o, np.inf)
        wv = int(np.argmin(violations))  # ties go to the lowest index
        if violations[wv] >= margin * C:
            return machine


def ollawv_in_epochs(
    K, y, margin, *, epochs=1, step="2/sqrt(t)", bias=True, max_sv_fraction=1.0, weights=None
):
    """OLLAWV in which a sample can be used in ``epochs`` steps, with alpha of each sample.

    Rows of the machine are the violators of all steps, and its alphas what each step adds.
    """
    n = len(y)
    weights = np.ones(n) if weights is None else weights
    most = math.ceil(max_sv_fraction * n)
    o, uses = np.zeros(n), np.zeros(n, dtype=int)
    machine = Machine([], [], 0.0)
    wv = 0
    for t in range(1, epochs * n + 1):
        eta = {"2/sqrt(t)": 2 / math.sqrt(t), "1/t": 1 / t}[step]
        L = eta * weights[wv] * y[wv]
        B = L / n if bias else 0.0
        o += L * K[:, wv] + B
        uses[wv] += 1
        machine.rows.append(wv)
        machine.alphas.append(L)
        machine.bias += B
        candidates = uses < epochs
        if (y * o)[candidates].min(initial=np.inf) >= margin:
            break
        if np.sum(uses > 0) == most:
            candidates &= uses > 0
        violations = np.where(candidates, y * o, np.inf)
        wv = int(np.argmin(violations))  # ties go to the lowest index
        if violations[wv] >= margin:
            break
    return machine


def pairs(k):
    return list(combinations(range(k), 2))


def one_vs_one(K, codes, margin, **options):
    """Return a classifier for each pair, the first class positive, with indices of all samples."""
    machines = []
    for a, b in pairs(codes.max() + 1):
        rows = np.flatnonzero((codes == a) | (codes == b))
        y = np.where(codes[rows] == a, 1.0, -1.0)
        machine = ollawv(K[np.ix_(rows, rows)], y, margin, **options)
        machines.append(Machine(rows[machine.rows].tolist(), machine.alphas, machine.bias))
    return machines


def one_vs_rest(K, codes, margin, **options):
    """Return a classifier for each class, the class itself positive."""
    return [
        ollawv(K, np.where(codes == c, 1.0, -1.0), margin, **options)
        for c in range(codes.max() + 1)
    ]


def vote(decisions, k):
    """Return the class with most votes; ties go to the larger sum, then to the lower class."""
    winners = []
    for values in decisions:
        votes, sums = [0] * k, [0.0] * k
        for (a, b), value in zip(pairs(k), values, strict=True):
            votes[a if value >= 0 else b] += 1
            sums[a] += value
            sums[b] -= value
        winners.append(max(range(k), key=lambda c: (votes[c], sums[c], -c)))
    return np.array(winners)


def by_patterns(outputs, codes, weights, decisions, k):
    """P(label | signs), estimated on the training samples; class frequencies for new signs."""
    counts = {}
    for values, code, weight in zip(outputs, codes, weights, strict=True):
        counts.setdefault(tuple(values >= 0), np.zeros(k))[code] += weight
    all_rows = np.bincount(codes, weights=weights, minlength=k)
    found = [counts.get(tuple(values >= 0), all_rows) for values in decisions]
    return np.array([row / row.sum() for row in found])


def coefficients(model, machine, k, multi_class="ovo"):
    """Coefficient of each support vector in one classifier, from scikit-learn's layout."""
    ends = np.cumsum(model.n_support_)
    classes = np.searchsorted(ends, np.arange(ends[-1]), side="right")
    found = dense(model.dual_coef_)
    if k == 2:
        return found[0]
    if multi_class != "ovo":
        return found[machine]
    a, b = pairs(k)[machine]
    row = np.where(classes == a, b - 1, a)
    own = (classes == a) | (classes == b)
    return np.where(own, found[row, np.arange(ends[-1])], 0.0)


def order_of_steps(model, coefs, weights=1.0, C=1.0):
    """Training samples in the order of the steps: |alpha| = 2 C weight / sqrt(t)."""
    used = np.flatnonzero(coefs)
    weights = np.broadcast_to(weights, coefs.shape)
    t = np.rint((2 * C * weights[used] / np.abs(coefs[used])) ** 2).astype(int)
    assert sorted(t) == list(range(1, len(used) + 1))
    return model.support_[used[np.argsort(t)]].tolist()


class SplitMix:
    """The random number generator of the core."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) * n) >> 64

    def shuffled(self, n):
        items = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items
