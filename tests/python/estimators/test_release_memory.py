"""Memory of kernel caches that one fit leaves for the next can be freed, and changes no result."""

import numpy as np
from sklearn.datasets import make_classification

import softmargin
from softmargin import SVC


def test_kept_memory_is_freed_on_request_and_changes_no_result():
    # A kernel matrix of 324 MB in float32: large enough for slabs that are kept.
    X, y = make_classification(9000, 5, n_redundant=0, flip_y=0.02, random_state=0)
    softmargin.release_memory()
    first = SVC(C=10).fit(X, y)
    second = SVC(C=10).fit(X, y)  # in the memory of the first fit, which contains its values
    np.testing.assert_array_equal(first.dual_coef_, second.dual_coef_)
    assert first.n_kernel_evals_ == second.n_kernel_evals_
    freed = softmargin.release_memory()
    assert 0 < freed <= 256 * 2**20
    assert softmargin.release_memory() == 0
    third = SVC(C=10).fit(X, y)
    np.testing.assert_array_equal(first.dual_coef_, third.dual_coef_)


def test_small_fits_keep_no_slabs():
    softmargin.release_memory()
    X, y = make_classification(500, random_state=0)
    SVC().fit(X, y)
    assert softmargin.release_memory() == 0
