"""Kernel matrices as arrays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softmargin import _core
from softmargin._checks import parameters, resources
from softmargin._checks.rows import check_rows, native_rows


def kernel_matrix(
    X: Any,
    kernel: Literal["rbf", "linear", "poly", "sigmoid"] = "rbf",
    gamma: float | Literal["scale", "auto"] = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    n_jobs: int | None = -1,
) -> NDArray[np.floating[Any]]:
    """Return the kernel values of all pairs of rows of X.

    The array has the type of X (float32 or float64) and is what the solvers see.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The rows.
    kernel : {"rbf", "linear", "poly", "sigmoid"}, default="rbf"
        Which kernel.
    gamma : float, "scale" or "auto", default="scale"
        Of the RBF, polynomial and sigmoid kernels. "scale" is
        1 / (n_features * X.var()), "auto" is 1 / n_features.
    degree : int, default=3
        Of the polynomial kernel.
    coef0 : float, default=0.0
        Of the polynomial and sigmoid kernels.
    n_jobs : int or None, default=-1
        Threads.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)

    Examples
    --------
    >>> import softmargin, numpy as np
    >>> softmargin.kernel_matrix(np.array([[0.0], [1.0]]), gamma=1.0).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    chosen = parameters.kernel(kernel, gamma, degree, coef0)
    rows = native_rows(check_rows(X))
    return _core.kernel_matrix(rows, chosen, resources.thread_count(n_jobs))
