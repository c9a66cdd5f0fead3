"""Certificates: bounds on the distance of a solution from the optimum, in float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks.fields import Fields
from softmargin._checks.outcomes import Outcomes
from softmargin._checks.rows import native_rows

if TYPE_CHECKING:
    from softmargin._core import Model, _KernelSolver


class Certificate(NamedTuple):
    """Primal and dual objective of a trained machine, which bound the optimum.

    The optimal objective lies between ``dual`` and ``primal``, so ``gap`` bounds the distance
    of the machine from the optimum. A bound that overflows is infinite.

    Attributes
    ----------
    primal : float
        Primal objective, an upper bound on the optimum.
    dual : float
        Dual objective, a lower bound on the optimum.
    gap : float
        Duality gap, ``primal - dual``.
    violation : float
        Largest violation of the optimality (KKT) conditions. Training ends when it is below
        ``tol``.
    """

    primal: float
    dual: float
    gap: float
    violation: float


Certificate.__module__ = "softmargin"  # cannot be set in the body of a NamedTuple


def to_table(certificates: list[Certificate]) -> NDArray[np.float64]:
    """Return certificates as an array with one row per binary classifier."""
    return np.array(certificates, dtype=np.float64).reshape(-1, len(Certificate._fields))


def from_table(saved: Fields, n_classifiers: int) -> list[Certificate]:
    """Return the certificates in a file; bounds may be infinite."""
    shape = (n_classifiers, len(Certificate._fields))
    table = saved.array("certificate_", "f8", shape, is_finite=False)
    return [Certificate(*row) for row in table.tolist()]


class Training(NamedTuple):
    """Training data of a model, from which its certificates are computed.

    ``X`` may be the array of the caller, who may modify it; the model stores a digest of the data
    it was trained on.
    """

    X: Any
    outcomes: Outcomes
    # The weight of each sample, including that of its class.
    weights: NDArray[np.float64]
    solver: _KernelSolver
    # C of each binary classifier, and the half-width of the tube of a regressor.
    cs: list[float]
    epsilon: float = 0.0

    def certificates(self, model: Model, threads: int) -> list[Certificate]:
        """Return the certificate of each binary classifier, computed in float64."""
        found = model.certificates(
            self.solver,
            self._rows(model.rows_digest),
            self.outcomes.codes,
            self.weights,
            self.cs,
            self.outcomes.targets,
            self.epsilon,
            threads,
        )
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
