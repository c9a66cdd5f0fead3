"""How fast is predict compared with SVC.predict with the same support vectors?

The fitted model of sklearn's SVC is copied to softmargin, so that both evaluate the same
expansion; the predictions must agree up to rounding. Ours computes in the type of the samples,
``--dtype``; scikit-learn's SVC computes in float64 either way.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC

import softmargin
from data import load
from harness import Comparison, parser
from softmargin import _core
from softmargin._checks.rows import native_rows
from softmargin._estimators.model_state import from_dict

SETS = {"letter": (4, 16), "shuttle": (16, 64), "ijcnn1": (1, 16), "adult": (1 / 16, 1)}


def copied(svc: SVC, X) -> _core.Model:
    """Return a fitted SVC as a model of ours, in the type of X."""
    rows = svc.support_vectors_.astype(X.dtype)
    coef = svc.dual_coef_.toarray() if sp.issparse(svc.dual_coef_) else svc.dual_coef_
    return from_dict(
        {
            "version": 1,
            "dtype": str(X.dtype),
            "kernel": "rbf",
            "gamma": float(svc.gamma),
            "degree": 3,
            "coef0": 0.0,
            "multi_class": "ovo",
            "rows": native_rows(rows),
            "n_cols": rows.shape[1],
            "support": svc.support_.astype(np.uint32),
            "n_support": svc.n_support_.astype(np.uint64),
            "dual_coef": np.ascontiguousarray(coef, dtype=np.float64).ravel(),
            "intercept": np.ascontiguousarray(svc.intercept_, dtype=np.float64),
            "n_iter": np.ones(len(svc.intercept_), dtype=np.uint64),
            "n_loops": np.ones(len(svc.intercept_), dtype=np.uint64),
            "status": ["converged"] * len(svc.intercept_),
            "n_kernel_evals": 0,
        }
    )


def main() -> None:
    options = parser(__doc__, dtype=True)
    options.add_argument("--sets", default=",".join(SETS), help="comma-separated names")
    arguments = options.parse_args()
    table = Comparison("predict: softmargin against sklearn.svm.SVC, same model", arguments)
    for name in arguments.sets.split(","):
        gamma, C = SETS[name]
        split = load(name, arguments.dtype)
        svc = SVC(C=C, gamma=gamma, cache_size=2000).fit(split.X, split.y)
        estimator = softmargin.SVC(gamma=gamma, n_jobs=arguments.n_jobs)
        estimator.n_features_in_ = split.X.shape[1]
        estimator._set_model(copied(svc, split.X), svc.classes_)
        ours = estimator.predict(split.X_test)

        def describe(labels, split=split, ours=ours):
            return {
                "accuracy": float(np.mean(labels == split.y_test)),
                "agrees with ours": float(np.mean(labels == ours)),
            }

        table.run(
            f"{name} ({len(svc.support_)} vectors)",
            lambda e=estimator, X=split.X_test: e.predict(X),
            lambda svc=svc, X=split.X_test: svc.predict(X),
            describe_ours=describe,
            describe_peer=describe,
        )
    table.finish()


if __name__ == "__main__":
    main()
