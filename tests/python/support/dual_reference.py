"""A slow reference solver of the duals of SVR, NuSVR, NuSVC and OneClassSVM, in numpy.

Each coefficient alpha and alpha* is a variable of its own, as in the papers. All pairs of variables
that share a constraint are minimized in turn, until a sweep changes nothing.
"""

import itertools
import math

import numpy as np


def minimize(Q, linear, upper, signs, groups, start, sweeps=5000):
    """Minimize ``1/2 z Q z + linear z`` for ``0 <= z <= upper`` with fixed sums of ``signs * z``.

    Variables of the same group share a sum, which is that of the start.
    """
    z = np.array(start, dtype=np.float64)
    pairs = [(i, j) for i, j in itertools.combinations(range(len(z)), 2) if groups[i] == groups[j]]
    for _ in range(sweeps):
        gradient, gain = Q @ z + linear, 0.0
        for i, j in pairs:
            # z_i moves by signs_i t, and z_j by -signs_j t.
            a, b = signs[i], -signs[j]
            slope = a * gradient[i] + b * gradient[j]
            curvature = Q[i, i] + Q[j, j] + 2 * a * b * Q[i, j]
            room = min(_room(z[i], upper[i], -a * slope), _room(z[j], upper[j], -b * slope))
            length = min(abs(slope) / curvature, room) if curvature > 1e-14 else room
            if slope == 0 or length <= 0:
                continue
            t = -math.copysign(length, slope)
            z[i] = min(max(z[i] + a * t, 0.0), upper[i])
            z[j] = min(max(z[j] + b * t, 0.0), upper[j])
            gradient += t * (a * Q[i] + b * Q[j])
            gain += abs(slope) * length
        if gain < 1e-12:
            break
    return z


def _room(value, upper, direction):
    return upper - value if direction > 0 else value


def _fill(upper, total):
    """Return values between 0 and ``upper`` with this sum: the first variables are full."""
    before = np.r_[0.0, np.cumsum(upper)[:-1]]
    return np.clip(total - before, 0, upper)


def _tube(K, y, linear, upper, groups, start):
    n = len(y)
    Q = np.block([[K, -K], [-K, K]])
    signs = np.repeat([1.0, -1.0], n)
    z = minimize(Q, linear, np.tile(upper, 2), signs, groups, start)
    beta = z[:n] - z[n:]
    return beta, -(0.5 * z @ Q @ z + linear @ z)


def svr(K, y, C, epsilon, weights):
    """Return the signed coefficients and the dual objective."""
    linear = np.r_[epsilon - y, epsilon + y]
    return _tube(K, y, linear, C * weights, np.zeros(2 * len(y)), np.zeros(2 * len(y)))


def nu_svr(K, y, C, nu, weights):
    """Return the signed coefficients and the dual objective."""
    upper = C * weights
    start = np.tile(_fill(upper, nu * upper.sum() / 2), 2)
    return _tube(K, y, np.r_[-y, y], upper, np.repeat([0, 1], len(y)), start)


def nu_svc(K, y, nu, weights):
    """Return the signed coefficients and the dual objective, for labels +1 and -1."""
    start = np.empty(len(y))
    for side in (1, -1):
        start[y == side] = _fill(weights[y == side], nu * weights.sum() / 2)
    Q = K * np.outer(y, y)
    alpha = minimize(Q, np.zeros(len(y)), weights, np.ones(len(y)), y, start)
    return y * alpha, -0.5 * alpha @ Q @ alpha


def one_class(K, nu, weights):
    """Return the coefficients and the dual objective."""
    n = len(weights)
    start = _fill(weights, nu * weights.sum())
    alpha = minimize(K, np.zeros(n), weights, np.ones(n), np.zeros(n), start)
    return alpha, -0.5 * alpha @ K @ alpha
