"""Every level of vector instructions gives the same numbers up to rounding."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from processes import facts_of
from softmargin import OLLAWV, kernel_matrix, simd_level

pytestmark = pytest.mark.case(65, 98)

LEVELS = ["baseline", "avx2", "avx512"]
TOLERANCES = {"float32": 1e-5, "float64": 1e-10}

SCRIPT = """
import pickle
folder = os.environ["FOLDER"]
out = {}
for case in pickle.load(open(folder + "/cases.pickle", "rb")):
    key, X, model = case["key"], case["X"], case["model"]
    for kernel in ("rbf", "linear", "poly", "sigmoid"):
        values = softmargin.kernel_matrix(X, kernel, gamma=0.3, degree=2, coef0=0.1, n_jobs=1)
        out[key + kernel] = values
    out[key + "decision"] = model.decision_function(X)
    refit = softmargin.OLLAWV(kernel="linear").fit(case["whole"], case["y"]).dual_coef_
    out[key + "refit"] = refit.toarray() if hasattr(refit, "toarray") else refit
np.savez(folder + "/" + os.environ["SOFTMARGIN_SIMD"] + ".npz", **out)
report(level=softmargin.simd_level())
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What each level that this machine has gives for the same rows and models."""
    folder = tmp_path_factory.mktemp("levels")
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(131, 23)), np.arange(131) % 3
    whole = rng.integers(-3, 4, size=(40, 5))
    cases = []
    for dtype in TOLERANCES:
        for layout in (np.asarray, sp.csr_matrix):
            rows = layout(np.where(X < 0.2, 0, X).astype(dtype))
            model = OLLAWV(gamma=0.05).fit(rows, y)
            cases.append(
                {
                    "key": f"{dtype} {layout.__name__} ",
                    "X": rows,
                    "model": model,
                    "whole": layout(whole.astype(dtype)),
                    "y": (whole[:, 0] > 0).astype(int),
                }
            )
    (folder / "cases.pickle").write_bytes(pickle.dumps(cases))
    found = {}
    for level in LEVELS[: LEVELS.index(simd_level()) + 1]:
        facts = facts_of(SCRIPT, FOLDER=str(folder), SOFTMARGIN_SIMD=level)
        assert facts == {"level": level}
        found[level] = dict(np.load(folder / f"{level}.npz"))
    return found


def test_kernel_values_and_decisions_agree(results):
    baseline = results.pop("baseline")
    for level, values in results.items():
        assert values.keys() == baseline.keys()
        for key, expected in baseline.items():
            tolerance = TOLERANCES[key.split()[0]]
            scale = max(1.0, float(np.abs(expected).max()))
            np.testing.assert_allclose(
                values[key], expected, rtol=0, atol=tolerance * scale, err_msg=f"{level} {key}"
            )


def test_a_level_that_does_not_exist_is_ignored():
    facts = facts_of("report(level=softmargin.simd_level())", SOFTMARGIN_SIMD="quantum")
    assert facts == {"level": simd_level()}


@pytest.mark.parametrize("level", ["baseline", "avx2"])
def test_the_diagonal_of_an_rbf_matrix_is_one_at_every_level(level):
    facts = facts_of(
        """
        X = np.random.default_rng(0).normal(size=(70, 9))
        for dtype in ("float32", "float64"):
            K = softmargin.kernel_matrix(X.astype(dtype), gamma=0.7, n_jobs=1)
            report(**{dtype: bool((np.diag(K) == 1).all())})
        """,
        SOFTMARGIN_SIMD=level,
    )
    assert facts == {"float32": True, "float64": True}


def test_the_level_in_use_has_a_name():
    assert simd_level() in LEVELS
    assert kernel_matrix(np.zeros((2, 1)), n_jobs=1).tolist() == [[1, 1], [1, 1]]
