"""Proof of how near a machine is to the optimum, recomputed in f64 from the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks.fields import Fields
from softmargin._checks.rows import native_rows

if TYPE_CHECKING:
    from softmargin._core import Model, _KernelSolver


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
    """What certificates require in addition to the model: samples, codes, C of each sample.

    The samples may be the caller's own array, which may change: the model holds the digest of
    those it was trained on. The solver knows which problem it solves.
    """

    X: Any
    codes: NDArray[np.uint32]
    cs: NDArray[np.float64]
    solver: _KernelSolver

    def certificates(self, model: Model, threads: int) -> list[Certificate]:
        """Return the certificate of each binary classifier, computed in float64."""
        rows = self._rows(model.rows_digest)
        found = model.certificates(self.solver, rows, self.codes, self.cs, threads)
        return [Certificate(*values) for values in found]

    def _rows(self, digest: int | None) -> Any:
        """Return a float64 copy of the samples; raise AttributeError if they have changed."""
        rows = native_rows(self.X.astype(np.float64))  # a copy, also of float64
        try:
            is_same = _core.rows_digest(rows) == digest
        except ValueError:  # no longer valid
            is_same = False
        if not is_same:
            raise AttributeError(
                "certificate_ is not available: the training data was changed after fit; read "
                "certificate_ before changing X, or fit on a copy of X"
            )
        return rows
