"""Estimators pass scikit-learn's own tests of the classes they replace, except those listed."""

from functools import partial

import pytest

import softmargin
from sklearn_suites import suite

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = ["SVC", "LinearSVC", "SVR", "NuSVR", "NuSVC", "OneClassSVM"]
CLASSES = {name: getattr(softmargin, name) for name in NAMES}

# Kernels that are computed in different ways differ by rounding, so solutions are equal up to tol.

PRECISE = CLASSES | {
    name: partial(CLASSES[name], tol=1e-9) for name in ("SVC", "SVR", "NuSVR", "NuSVC")
}
# Compares the coefficients of dense and sparse samples at a flat optimum to the last digit.
FLAT = ["test_sparse_oneclasssvm"]
SAME_KERNEL = ["test_precomputed", "test_svc_clone_with_callable_kernel"]

MASKED = "test_negative_sample_weights_mask_all_samples"
FAILURES = {
    "reads or changes private attributes": [
        "TestSvm::test_gamma_scale",
        "TestSvm::test_svc_raises_error_internal_representation",
        "TestSvm::test_tweak_params",
    ],
    "requires other words in an error": [
        "TestSvm::test_linearsvc_parameters[False-l1-hinge]",
        "TestSvm::test_linearsvc_parameters[False-l2-hinge]",
        "TestSvm::test_linearsvc_parameters[True-l1-hinge]",
        "TestSvm::test_linearsvc_parameters[True-l1-squared_hinge]",
        *(f"TestSvm::{MASKED}[weights-are-zero-{name}]" for name in NAMES if name != "LinearSVC"),
        "TestSvm::test_svc_nonfinite_params",
    ],
    "requires TypeError for a sparse kernel matrix, which is a ValueError here": [
        "TestSvm::test_sparse_precomputed",
    ],
    "requires that break_ties is checked before the samples": [
        "TestSvm::test_svc_invalid_break_ties_param",
    ],
    "requires that one or two steps do not suffice, and other words in a warning": [
        "TestSvm::test_libsvm_convergence_warnings",
        "TestSvm::test_linear_svm_convergence_warnings",
        "TestSparse::test_timeout",
    ],
    "requires an error for sparse samples after a fit to dense ones, which are accepted here": [
        "TestSvm::test_bad_input",
    ],
    "weights must not be negative here": [
        *(
            f"TestSvm::{MASKED}[weights-are-negative-{name}]"
            for name in NAMES
            if name != "LinearSVC"
        ),
        "TestSvm::test_negative_weight_equal_coeffs[partial-mask-label-1-SVC]",
        "TestSvm::test_negative_weight_equal_coeffs[partial-mask-label-1-NuSVC]",
        "TestSvm::test_negative_weight_equal_coeffs[partial-mask-label-1-NuSVR]",
        "TestSvm::test_negative_weights_svc_leave_just_one_label",
        "TestSvm::test_negative_weights_svc_leave_two_labels[partial-mask-label-1-SVC]",
        "TestSvm::test_negative_weights_svc_leave_two_labels[partial-mask-label-1-NuSVC]",
    ],
    "multi_class='crammer_singer' is not available here": [
        "TestSvm::test_crammer_singer_binary",
        "TestSvm::test_linearsvc_crammer_singer",
    ],
    "requires that fit accepts a kernel function that returns a matrix of the wrong shape": [
        "TestSvm::test_svr_errors",
    ],
    "kernel functions of text are not available here": [
        "TestSvm::test_custom_kernel_not_array_input",
    ],
    "requires that a decision value of 0 counts for different classes in predict and "
    "decision_function": [
        "TestSvm::test_svc_ovr_tie_breaking",
    ],
    "requires a warning that probability is deprecated": [
        "TestSvm::test_probability_raises_futurewarning",
        "TestSvm::test_svc_nusvc_probA_probB_deprecated",
    ],
}

PATH = "sklearn.svm.tests"
TestSvm = suite(f"{PATH}.test_svm", CLASSES, FAILURES, left_out=SAME_KERNEL)
TestSameKernel = suite(f"{PATH}.test_svm", PRECISE, FAILURES, only=SAME_KERNEL)
TestSparse = suite(f"{PATH}.test_sparse", PRECISE, FAILURES, left_out=FLAT)
