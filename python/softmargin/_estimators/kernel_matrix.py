"""Kernel matrices."""

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
    """Compute the kernel matrix of X.

    The values are those that the solvers use.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        Samples. float32 is kept, any other type is converted to float64.
    kernel : {"rbf", "linear", "poly", "sigmoid"}, default="rbf"
        Kernel function.
    gamma : float, "scale" or "auto", default="scale"
        Kernel coefficient of "rbf", "poly" and "sigmoid". "scale" uses
        ``1 / (n_features * X.var())``, "auto" uses 1 / n_features.
    degree : int, default=3
        Degree of the polynomial kernel. Ignored by other kernels.
    coef0 : float, default=0.0
        Independent term of "poly" and "sigmoid".
    n_jobs : int or None, default=-1
        Number of threads; None means 1, -1 means all cores.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Kernel matrix, of type float32 if X is, otherwise float64.

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
