"""Proof of how near a machine is to the optimum, recomputed in f64 from the rows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks.fields import Fields
from softmargin._checks.rows import native_rows

if TYPE_CHECKING:
    from softmargin._core import Model


class Certificate(NamedTuple):
    """What was reached on one binary machine.

    The optimum lies between ``dual`` and ``primal``; ``violation`` is the largest
    violation of the optimality (KKT) conditions, which training brings below ``tol``.
    A bound that numbers are too large to tell is infinite.

    Attributes
    ----------
    primal : float
        The objective of the machine; the optimum is no larger.
    dual : float
        The objective of the dual problem; the optimum is no smaller.
    gap : float
        ``primal`` less ``dual``.
    violation : float
        The largest violation of the optimality conditions.
    """

    primal: float
    dual: float
    gap: float
    violation: float


Certificate.__module__ = "softmargin"  # a NamedTuple has no place for it in its body


def to_table(certificates: list[Certificate]) -> NDArray[np.float64]:
    """Return certificates as an array, one row for each machine."""
    return np.array(certificates, dtype=np.float64).reshape(-1, len(Certificate._fields))


def from_table(saved: Fields, n_machines: int) -> list[Certificate]:
    """Return the certificates of a file; a bound that is not known is infinite there."""
    shape = (n_machines, len(Certificate._fields))
    table = saved.array("certificate_", "f8", shape, is_finite=False)
    return [Certificate(*row) for row in table.tolist()]


class Training(NamedTuple):
    """What a certificate needs besides the model: rows, class codes, bounds of alpha.

    And whether the bias was part of the norm, where that can be chosen. The rows may be the
    caller's own array, which may change: the model has the digest of those it was trained on.
    """

    X: Any
    codes: NDArray[np.uint32]
    bounds: NDArray[np.float64]
    penalizes_bias: bool = False

    def rows(self, digest: int | None) -> Any:
        """Return a copy of the rows in f64, for the core; refuse others than had this digest."""
        rows = native_rows(self.X.astype(np.float64))  # a copy, also of float64
        try:
            is_same = _core.rows_digest(rows) == digest
        except ValueError:  # they are not even valid any more
            is_same = False
        if not is_same:
            raise AttributeError(
                "certificate_ is not available: the training data was changed after fit; read "
                "certificate_ before changing X, or fit on a copy of X"
            )
        return rows


# Labels, signed alphas, bounds or prices of rows, outputs and bias to a certificate.
Certify = Callable[
    [
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        float,
    ],
    Certificate,
]


def certificates(
    model: Model, rows: Any, training: Training, scheme: str, threads: int, certify: Certify
) -> list[Certificate]:
    """Return the certificate of each machine; the rows are those of the training in f64.

    One pass of kernel values, all rows by all support vectors, serves all machines.
    """
    exact = in_double_precision(model)
    outputs = exact.decision_values(rows, threads)
    k = len(exact.n_support)
    coefficients = np.zeros((len(exact.dual_coef), len(training.codes)))
    coefficients[:, exact.support] = exact.dual_coef
    found = []
    each = machines(coefficients, training.codes, scheme, k)
    for machine, (rows, labels, beta) in enumerate(each):
        bias = exact.intercept[machine]
        bounds = training.bounds[rows]
        with np.errstate(over="ignore", invalid="ignore"):
            own = certify(labels, beta, bounds, outputs[rows, machine], bias)
        found.append(_known_or_infinite(own))
    return found


def _known_or_infinite(found: Certificate) -> Certificate:
    """Return infinite bounds where numbers were too large to tell."""
    primal = np.inf if np.isnan(found.primal) else found.primal
    dual = -np.inf if np.isnan(found.dual) else found.dual
    violation = np.inf if np.isnan(found.violation) else found.violation
    return Certificate(primal, dual, primal - dual, violation)


def certificate(
    y: NDArray[np.float64],
    beta: NDArray[np.float64],
    bounds: NDArray[np.float64],
    f: NDArray[np.float64],
    bias: float,
) -> Certificate:
    """Return the certificate of one machine from labels, signed alphas, bounds and outputs."""
    v = y - (f - bias)
    square = float(beta @ (f - bias))
    losses = np.maximum(0, 1 - y * f)
    # A bound may be infinite: no loss costs nothing even so.
    primal = 0.5 * square + float(bounds[losses > 0] @ losses[losses > 0])
    dual = float(np.abs(beta).sum()) - 0.5 * square
    rises = beta < np.where(y > 0, bounds, 0)
    falls = beta > np.where(y > 0, 0, -bounds)
    highest = v[rises].max(initial=-np.inf)
    lowest = v[falls].min(initial=np.inf)
    violation = max(0.0, float(highest - lowest))
    return Certificate(primal, dual, primal - dual, violation)


def squared_certificate(
    y: NDArray[np.float64],
    beta: NDArray[np.float64],
    prices: NDArray[np.float64],
    f: NDArray[np.float64],
    bias: float,
) -> Certificate:
    """Return the certificate of a machine with squared hinge loss and a bias that is free."""
    alpha = y * beta
    losses = 1 - y * f
    square = float(beta @ (f - bias))
    # A price may be infinite: no loss costs nothing even so.
    lost = losses > 0
    primal = 0.5 * square + 0.5 * float(prices[lost] @ losses[lost] ** 2)
    dual = float(alpha.sum()) - 0.5 * square - 0.5 * float(alpha @ (alpha / prices))
    if alpha.min(initial=0.0) < -1e-9 * alpha.max(initial=0.0):
        dual = -np.inf  # no bound: alpha must not be negative
    error = losses - alpha / prices
    violation = float(np.where(alpha > 0, np.abs(error), error).max(initial=0.0))
    violation = max(violation, float((-alpha / prices).max(initial=0.0)))
    return Certificate(primal, float(dual), primal - float(dual), violation)


def penalized_certificate(
    y: NDArray[np.float64],
    beta: NDArray[np.float64],
    prices: NDArray[np.float64],
    f: NDArray[np.float64],
    bias: float,
) -> Certificate:
    """As :func:`squared_certificate`, where the bias is part of the norm."""
    found = squared_certificate(y, beta, prices, f, bias)
    # Products, of which one that is too large is infinite; a power raises.
    bias, total = float(bias), float(beta.sum())
    primal, dual = found.primal + 0.5 * bias * bias, found.dual - 0.5 * total * total
    return Certificate(primal, dual, primal - dual, found.violation)


def machines(
    beta: NDArray[np.float64], codes: NDArray[np.uint32], scheme: str, k: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]]:
    """Yield rows, labels and signed alphas of each machine, in the order of the intercepts.

    ``beta`` are the coefficients of the model, one column for each training row.
    """
    if k == 2:
        yield np.arange(len(codes)), np.where(codes == 1, 1.0, -1.0), beta[0]
    elif scheme == "ovr":
        for c in range(k):
            yield np.arange(len(codes)), np.where(codes == c, 1.0, -1.0), beta[c]
    elif scheme == "ordinal":
        for a in range(k - 1):
            rows = np.flatnonzero((codes == a) | (codes == a + 1))
            yield rows, np.where(codes[rows] == a, 1.0, -1.0), beta[a, rows]
    else:
        for a, b in itertools.combinations(range(k), 2):
            rows = np.flatnonzero((codes == a) | (codes == b))
            is_a = codes[rows] == a
            yield rows, np.where(is_a, 1.0, -1.0), np.where(is_a, beta[b - 1, rows], beta[a, rows])


def n_machines(scheme: str, k: int) -> int:
    """Return the number of machines of k classes."""
    if k == 2:
        return 1
    return {"ovr": k, "ordinal": k - 1}.get(scheme, k * (k - 1) // 2)


def in_double_precision(model: Model) -> Model:
    """Return the same model with its support vectors in f64."""
    state = model.state()
    rows = state["rows"]
    if isinstance(rows, tuple):
        indptr, indices, data, n_cols = rows
        state["rows"] = (indptr, indices, data.astype(np.float64), n_cols)
    elif rows is not None:
        state["rows"] = rows.astype(np.float64)
    state["dtype"] = "float64"
    return _core.Model.from_state(state)
