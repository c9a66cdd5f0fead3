"""Invalid inputs and failures, the expected behavior, and the estimators that must be tested.

The marker ``case`` of a test names the cases it covers; docs/faults.md is generated from both.
"""

import itertools
from typing import NamedTuple

import softmargin
from estimators import CLASSIFIERS, EXACT, KERNEL, PREDICTORS, READERS, SEARCHES, TRAINERS, WEIGHTED


class Case(NamedTuple):
    """An invalid input or failure, the expected behavior, and the estimators to test."""

    fault: str
    outcome: str
    estimators: tuple[str, ...]


NAMED = "`ValueError` with the position"
SHAPE = "`ValueError` with the shape"
SAME = "same model as for a plain copy; the input is not modified"
SENTENCE = "`ValueError` with a one-sentence message"
INDICES = "`ValueError`, no out-of-bounds access"
CLASS = "`ValueError` with the class"
ENDS = "training ends, with a warning if it did not converge"
WARNS = "`ConvergenceWarning`, a usable model, the correct number of steps"
OPTIMUM = "same optimum within the tolerance"
LIMITED = [name for name, model in CLASSIFIERS.items() if "max_iter" in model.get_params()]
TIMED = [name for name, model in CLASSIFIERS.items() if "time_limit" in model.get_params()]
STARTED = [name for name in EXACT if name != "LinearSVC"]
TOLERANT = [name for name in EXACT if name != "NewtonSVC"]
CALLED = [name for name in KERNEL if name != "OLLAWV"]

GROUPS = {
    "Arrays": [
        ("NaN in X", NAMED, READERS),
        ("infinity in X", NAMED, READERS),
        (
            "values around 1e200",
            "rejected before training, because they overflow; `nested_cv` scales them",
            PREDICTORS,
        ),
        ("only subnormal values", "a finite model", PREDICTORS),
        ("no samples", SHAPE, READERS),
        ("no features", SHAPE, READERS),
        ("a one-dimensional array", SHAPE, READERS),
        ("a three-dimensional array", SHAPE, READERS),
        ("complex numbers", SENTENCE, READERS),
        ("strings and other objects", "`ValueError` or `TypeError`", READERS),
        ("dates and durations", "`ValueError` or `TypeError`", READERS),
        ("float16, int8, uint64, bool", "converted to float64", PREDICTORS),
        ("a big-endian array", SAME, PREDICTORS),
        ("an array in Fortran order", SAME, PREDICTORS),
        ("negative strides", SAME, PREDICTORS),
        ("a misaligned array", SAME, PREDICTORS),
        ("a read-only memory map", SAME, PREDICTORS),
        ("an array that another thread modifies during a fit", "no crash", PREDICTORS),
        ("X and y of different lengths", "`ValueError` with both lengths", TRAINERS),
        ("sample weights of the wrong length", SHAPE, WEIGHTED),
        ("identical samples", "a model; `gamma='scale'` is 1", PREDICTORS),
        (
            "identical samples with opposite labels",
            "converges with alphas at the bound",
            PREDICTORS,
        ),
        ("a constant feature", "a model; scaling does not divide by zero", PREDICTORS),
        ("a single sample", "`ValueError`: there is only one class", TRAINERS),
        ("two samples", "separated; `ValueError` if there are too few for the folds", TRAINERS),
        ("a different number of features, or different feature names", SENTENCE, PREDICTORS),
        ("no samples to predict", "`ValueError`, as in scikit-learn", PREDICTORS),
        ("masked arrays", SENTENCE, READERS),
    ],
    "Sparse matrices": [
        ("unsorted or duplicate indices", "a canonical copy is used", PREDICTORS),
        ("a column index that is too large", INDICES, READERS),
        ("a negative column index", INDICES, READERS),
        ("a decreasing indptr", INDICES, READERS),
        ("an indptr that does not match the number of values", INDICES, READERS),
        ("values and indices of different lengths", INDICES, READERS),
        ("64-bit indices", "accepted, same results", CLASSIFIERS),
        ("stored zeros; stored NaN", "same results; " + NAMED, READERS),
        ("samples without stored values", "treated as zeros", PREDICTORS),
        ("dense training data and sparse test data, and vice versa", "same results", CLASSIFIERS),
        ("more than 2^31 stored values", "works, or `MemoryError`", ["OLLAWV", "SVC", "LinearSVC"]),
    ],
    "Labels and weights": [
        ("only one class", CLASS, TRAINERS),
        ("a class whose samples all have weight zero", CLASS, TRAINERS),
        ("continuous labels", SENTENCE, TRAINERS),
        ("two-dimensional labels", SHAPE, TRAINERS),
        ("a missing label", NAMED, TRAINERS),
        (
            "string, boolean, huge and negative labels",
            "identity, type and order are preserved",
            PREDICTORS,
        ),
        ("47,000 classes", "`ValueError` with the number of pairs", CLASSIFIERS),
        ("a negative sample weight", NAMED, WEIGHTED),
        ("a NaN sample weight", NAMED, WEIGHTED),
        ("an infinite sample weight", NAMED, WEIGHTED),
        ("only zero sample weights", SENTENCE, WEIGHTED),
        ("sample weights 0 and 2", "same as removing and as duplicating the sample", EXACT),
        ("`class_weight` with an unknown class, a negative value or NaN", CLASS, CLASSIFIERS),
        (
            "a class with fewer samples than folds",
            "warning or error, as from `StratifiedKFold`",
            [*SEARCHES, "nested_cv"],
        ),
    ],
    "Parameters": [
        (
            "a parameter outside its domain, for each parameter",
            "`ValueError` or `TypeError` with name and value",
            [*TRAINERS, "kernel_matrix"],
        ),
        ("`C` infinite or 1e300", ENDS + "; OLLAWV reports the largest `C`", CLASSIFIERS),
        ("a `gamma` for which the kernel matrix is the identity, or all ones", "converges", KERNEL),
        ("indefinite kernels", "training ends with a status", KERNEL),
        (
            "a kernel matrix that is not square, not symmetric, or has the wrong columns",
            SENTENCE,
            KERNEL,
        ),
        (
            "a kernel function that raises or returns invalid values",
            "its exception; `ValueError`",
            CALLED,
        ),
    ],
    "Solver": [
        ("`max_iter=1`", WARNS, LIMITED),
        ("`time_limit` is reached", WARNS, TIMED),
        ("shrinking on and off", OPTIMUM, ["SVC"]),
        ("a cache for one kernel row, or for all of them", OPTIMUM, KERNEL),
        ("1, 2 or 8 threads", "same bits", CLASSIFIERS),
        ("other levels of vector instructions", "same results up to rounding", CLASSIFIERS),
        ("float32 and float64 input", OPTIMUM, CLASSIFIERS),
        ("dense and CSR input", OPTIMUM, CLASSIFIERS),
        ("with and without a warm start", OPTIMUM, STARTED),
        ("no free alpha", "the bias lies in its optimal interval", ["SVC"]),
        ("two samples", "solved exactly", EXACT),
        (
            "permuted samples",
            "same decision values within the tolerance; OLLAWV, NLSGD and SGDSVC depend on the "
            "order of the samples",
            EXACT,
        ),
        ("swapped classes", "decision function of the opposite sign", CLASSIFIERS),
        ("an infeasible starting point", "projected, or rejected", STARTED),
        ("a tolerance below rounding", "training ends, stalled or converged", TOLERANT),
    ],
    "Resources": [
        ("a `cache_size` larger than memory", "capped", KERNEL),
        ("sizes that overflow: n d, n², k (k − 1) / 2", "rejected, never wrapped", CLASSIFIERS),
        ("a failing allocation", "`MemoryError`; the process survives", CLASSIFIERS),
        ("100 fits and predictions", "memory does not grow", CLASSIFIERS),
        (
            "Ctrl-C",
            "`KeyboardInterrupt` within a second; the estimator is unchanged",
            [*CLASSIFIERS, "GridSearchCV", "nested_cv"],
        ),
        ("Ctrl-C while another thread is working", "`KeyboardInterrupt`", []),
        ("fork after and during a fit", "the child process fits the same model", CLASSIFIERS),
        ("joblib's loky and threading backends, dask", "same scores", CLASSIFIERS),
        ("number of threads", "never more than requested", []),
        ("two estimators in two threads", "same results as in sequence", CLASSIFIERS),
        ("a panic in the core", "`RuntimeError`; later calls work", []),
        ("a callback that raises an exception", "the exception is propagated", []),
        ("a closed output stream", "no crash", []),
    ],
    "Files": [
        ("malformed LIBSVM text", "an error with the line number, or documented acceptance", []),
        ("model files with invalid fields", "`ValueError` with the name of the field", CLASSIFIERS),
        (
            "truncated model files, and model files with a flipped byte",
            "an error or the same model",
            [],
        ),
        ("a newer format version", "rejected", []),
        ("a modified pickle state", SENTENCE, CLASSIFIERS),
        ("saving without permission, or killed while saving", "the old file is intact", []),
        ("`<script>` in the name of a data set", "escaped in the report", []),
        ("command line: missing file, invalid option, broken pipe", "exit codes 0, 1, 2", []),
        ("a data set that was not found", "a message that says what to do; no partial file", []),
        ("a locale with a decimal comma", "same results", []),
        ("a CPU without AVX2 (simulated)", "same results, no illegal instruction", CLASSIFIERS),
    ],
    "Further cases": [
        (
            "a table with unknown categories, or with reordered, missing or additional columns",
            "columns are matched by name; unknown categories and missing columns are rejected",
            [],
        ),
        ("a table without labels to predict", "works", []),
        (
            "a search over a subclass with its own `fit`, `predict` or `score`",
            "its own methods are called",
            ["GridSearchCV", "PatternSearchCV", "nested_cv"],
        ),
        (
            "X modified by another thread during a search",
            "`ValueError`, or a model that can be pickled",
            PREDICTORS,
        ),
        ("an interrupted `nested_cv`", "the finished part, not a table of NaN", ["nested_cv"]),
        (
            "a step of a pipeline that fails in one split",
            "`error_score` for that split, with the exception; the other splits count",
            ["GridSearchCV"],
        ),
        (
            "a scorer that raises, or returns text",
            "`error_score` or the error, as in scikit-learn",
            ["GridSearchCV"],
        ),
        (
            "a `nu` that is not feasible",
            "`ValueError` with the classes and the largest value",
            ["NuSVC"],
        ),
        (
            "a process or a worker of a cluster that is killed",
            "its tasks run again; the same bits",
            ["nested_cv"],
        ),
        (
            "text in a data frame",
            "`ValueError` with the column, the first such value and its row",
            READERS,
        ),
        (
            "more features than samples",
            "no method is slower than its peer by orders of magnitude",
            CLASSIFIERS,
        ),
        (
            "X modified after a fit",
            "the certificate of the training data, or `AttributeError`",
            EXACT,
        ),
        ("one model read by several threads", "same attributes, no exception", EXACT),
        (
            "training samples of a split in any order",
            "same model as for a fit in the order of the splitter",
            ["GridSearchCV", "PatternSearchCV", "nested_cv"],
        ),
        (
            "float32 too coarse for `tol`",
            "trained in float64; the violation of a converged model is at most 2 `tol`",
            EXACT,
        ),
        (
            "an alpha within rounding of a bound",
            "the bias lies in the middle of the optimal interval",
            ["SVC"],
        ),
        ("an ordered pandas `Categorical` as y", "its order is used", CLASSIFIERS),
        (
            "a checkpoint that cannot be resumed",
            "`ValueError` before training, with the parameter to set",
            ["nested_cv"],
        ),
        (
            "hundreds of classes under a memory limit",
            "`MemoryError`, or a result within the budget; the process survives",
            ["SVC", "nested_cv"],
        ),
        (
            "a checkpoint that expands to gigabytes, or contains unknown arrays",
            "rejected before it is decompressed",
            ["nested_cv"],
        ),
        (
            "a label with a line break",
            "one label per line, written so that it can be read back",
            [],
        ),
    ],
}

# A number reserved for groups that leave an inner fold with one class.
RESERVED = (106,)

CASES = {
    number: Case(fault, outcome, tuple(estimators))
    for number, (fault, outcome, estimators) in zip(
        (number for number in itertools.count(1) if number not in RESERVED),
        (case for group in GROUPS.values() for case in group),
        strict=False,
    )
}

# Names that test parameters use for an estimator.
REGRESSORS = ["SVR", "NuSVR", "LinearSVR"]
NAMES = {name: name for name in [*READERS, "NuSVC", *REGRESSORS, "OneClassSVM"]}
NAMES |= {type(model).__name__: name for name, model in CLASSIFIERS.items()}
NAMES |= {
    method: type(softmargin._estimators.methods.METHODS[method]()).__name__
    for method in softmargin.methods()
}
