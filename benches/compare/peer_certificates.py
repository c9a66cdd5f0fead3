"""Certificates of the models of peers, computed from their coefficients as those of ours are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from softmargin import SVC, SVR, Certificate, NuSVC, OneClassSVM
from softmargin._checks.rows import native_rows
from softmargin._estimators.model_state import from_dict

# The estimator of ours that solves the same problem, by the name of the class.
KINDS: dict[str, Any] = {"SVC": SVC, "NuSVC": NuSVC, "SVR": SVR, "OneClassSVM": OneClassSVM}


def certificates_of(
    model: Any, X: Any, y: Any, gamma: float, cs: Any = 1.0, epsilon: float = 0.0
) -> list[Certificate]:
    """Return the certificates of any fitted model with an RBF kernel.

    ``cs`` is C, or the C of each binary classifier; ``y`` is None for novelty detection.
    """
    name = type(model).__name__
    if type(model) is KINDS[name]:
        found: Any = model.certificate_
        return found if isinstance(found, list) else [found]
    has_classes = name in ("SVC", "NuSVC")
    dual_coef = model.dual_coef_
    dual_coef = dual_coef.toarray() if sp.issparse(dual_coef) else np.asarray(dual_coef)
    intercept = np.asarray(model.intercept_, dtype=np.float64)
    n_vectors = [len(model.support_)]
    state = {
        "version": 1,
        "kernel": "rbf",
        "gamma": float(gamma),
        "degree": 3,
        "coef0": 0.0,
        "dtype": str(X.dtype),
        "n_kernel_evals": 0,
        "rows": native_rows(X[model.support_]),
        "n_cols": X.shape[1],
        "multi_class": "ovo" if has_classes else "single",
        "support": model.support_.astype(np.uint32),
        "n_support": np.array(model.n_support_ if has_classes else n_vectors, dtype=np.uint64),
        "dual_coef": dual_coef.astype(np.float64).ravel(),
        "intercept": intercept,
        "n_iter": np.zeros(len(intercept), dtype=np.uint64),
        "n_loops": np.zeros(len(intercept), dtype=np.uint64),
        "status": ["converged"] * len(intercept),
    }
    n = X.shape[0]
    codes = np.searchsorted(model.classes_, y) if has_classes else np.zeros(n)
    targets = np.asarray(y, dtype=np.float64) if name == "SVR" else None
    found = from_dict(state).certificates(
        KINDS[name]()._solver(),
        native_rows(X.astype(np.float64)),
        codes.astype(np.uint32),
        np.ones(n),
        np.broadcast_to(np.asarray(cs, dtype=np.float64), len(intercept)).tolist(),
        targets,
        epsilon,
        2,
    )
    return [Certificate(*values) for values in found]
