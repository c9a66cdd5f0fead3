"""The faults and bad inputs that are provoked, what must happen, and which estimators must.

A test says by the marker ``case`` which of them it provokes; docs/faults.md is made of both.
"""

import itertools
from typing import NamedTuple

import softmargin
from estimators import CLASSIFIERS, EXACT, KERNEL, PREDICTORS, READERS, SEARCHES, TRAINERS, WEIGHTED


class Case(NamedTuple):
    """A fault, what the user sees of it, and the estimators that are tried."""

    fault: str
    outcome: str
    estimators: tuple[str, ...]


NAMED = "ValueError with the place"
SHAPE = "ValueError with the shape"
SAME = "the model of a plain copy; the input is unchanged"
SENTENCE = "ValueError in one sentence"
ENDS = "ends; a warning if it did not converge"
WARNS = "ConvergenceWarning, a usable model, the right number of steps"
OPTIMUM = "the same optimum within the tolerance"
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
            "refused before solving: they overflow; `nested_cv` scales them",
            PREDICTORS,
        ),
        ("only subnormal values", "a finite model", PREDICTORS),
        ("no rows", SHAPE, READERS),
        ("no columns", SHAPE, READERS),
        ("one dimension", SHAPE, READERS),
        ("three dimensions", SHAPE, READERS),
        ("complex numbers", SENTENCE, READERS),
        ("strings and other objects", "ValueError or TypeError", READERS),
        ("dates and durations", "ValueError or TypeError", READERS),
        ("float16, int8, uint64, bool", "converted to float64", PREDICTORS),
        ("big-endian", SAME, PREDICTORS),
        ("Fortran order", SAME, PREDICTORS),
        ("negative strides", SAME, PREDICTORS),
        ("misaligned", SAME, PREDICTORS),
        ("a read-only memory map", SAME, PREDICTORS),
        ("an array that another thread changes during a fit", "no crash", PREDICTORS),
        ("X and y of different length", "ValueError with both", TRAINERS),
        ("weights of another length", SHAPE, WEIGHTED),
        ("all rows equal", "a model; gamma 'scale' is 1", PREDICTORS),
        ("equal rows with opposite labels", "converges, alphas at the bound", PREDICTORS),
        ("a constant feature", "a model; scaling does not divide by 0", PREDICTORS),
        ("one row", "refused: one class", TRAINERS),
        ("two rows", "told apart, or too few for folds", TRAINERS),
        ("another number or other names of features", SENTENCE, PREDICTORS),
        ("no rows to predict", "ValueError, as scikit-learn", PREDICTORS),
        ("masked cells", SENTENCE, READERS),
    ],
    "Sparse rows": [
        ("unsorted or repeated indices", "a canonical copy", PREDICTORS),
        ("a column too large", "ValueError, never out of bounds", READERS),
        ("a negative column", "ValueError, never out of bounds", READERS),
        ("a decreasing indptr", "ValueError, never out of bounds", READERS),
        ("an indptr that does not end at the values", "ValueError, never out of bounds", READERS),
        ("values and indices of different length", "ValueError, never out of bounds", READERS),
        ("64-bit indices", "accepted, same numbers", CLASSIFIERS),
        ("stored zeros; stored NaN", "same numbers; " + NAMED, READERS),
        ("empty rows", "rows of zeros", PREDICTORS),
        ("fitted dense, predicted sparse, and back", "same numbers", CLASSIFIERS),
        ("more than 2^31 stored values", "works, or MemoryError", ["OLLAWV", "SVC", "LinearSVC"]),
    ],
    "Labels and weights": [
        ("one class", "ValueError with the class", TRAINERS),
        ("a class lost to zero weights", "ValueError with the class", TRAINERS),
        ("continuous labels", SENTENCE, TRAINERS),
        ("labels in two dimensions", SHAPE, TRAINERS),
        ("a missing label", NAMED, TRAINERS),
        ("strings, bools, huge and negative numbers", "identity, type and order kept", PREDICTORS),
        ("47,000 classes", "ValueError with the number of pairs", CLASSIFIERS),
        ("a negative weight", NAMED, WEIGHTED),
        ("a weight that is NaN", NAMED, WEIGHTED),
        ("an infinite weight", NAMED, WEIGHTED),
        ("only zero weights", SENTENCE, WEIGHTED),
        ("weight 0 and weight 2", "the row removed, the row twice", EXACT),
        ("class_weight: unknown class, negative, NaN", "ValueError with the class", CLASSIFIERS),
        (
            "a class with fewer rows than folds",
            "warning or error, as StratifiedKFold",
            [*SEARCHES, "nested_cv"],
        ),
    ],
    "Parameters": [
        (
            "each parameter outside its domain",
            "ValueError or TypeError with name and value",
            [*TRAINERS, "kernel_matrix"],
        ),
        ("C infinite or 1e300", ENDS + "; OLLAWV names its largest C", CLASSIFIERS),
        ("gamma that makes K the identity, or all ones", "converges", KERNEL),
        ("indefinite kernels", "ends, with a status", KERNEL),
        ("a kernel matrix: not square, asymmetric, other columns", SENTENCE, KERNEL),
        ("a kernel function that raises or returns rubbish", "its exception; ValueError", CALLED),
    ],
    "Solver": [
        ("max_iter = 1", WARNS, LIMITED),
        ("a time limit", WARNS, TIMED),
        ("shrinking on and off", OPTIMUM, ["SVC"]),
        ("a cache of one row, of all rows", OPTIMUM, KERNEL),
        ("1, 2, 8 threads", "the same bits", CLASSIFIERS),
        ("levels of vector instructions", "the same numbers up to rounding", CLASSIFIERS),
        ("float32 and float64", OPTIMUM, CLASSIFIERS),
        ("dense and CSR", OPTIMUM, CLASSIFIERS),
        ("seeded or not", OPTIMUM, STARTED),
        ("no free alpha", "the bias from its interval", ["SVC"]),
        ("two points", "solved exactly", EXACT),
        (
            "rows permuted",
            "same decision values within the tolerance; OLLAWV begins with the first row, "
            "NLSGD and SGDSVC go through the rows in their order",
            EXACT,
        ),
        ("classes swapped", "the mirrored machine", CLASSIFIERS),
        ("a start that is not feasible", "projected, or refused", STARTED),
        ("a tolerance below rounding", "ends, stalled or converged", TOLERANT),
    ],
    "Resources": [
        ("a cache beyond memory", "capped", KERNEL),
        ("n d, n n, k (k - 1) / 2 that overflow", "refused, never wrapped", CLASSIFIERS),
        ("an allocation that fails", "MemoryError, the process lives", CLASSIFIERS),
        ("100 fits and predictions", "memory does not grow", CLASSIFIERS),
        (
            "Ctrl-C",
            "KeyboardInterrupt within a second, old state kept",
            [*CLASSIFIERS, "GridSearchCV", "nested_cv"],
        ),
        ("Ctrl-C while another thread works", "KeyboardInterrupt", []),
        ("fork after a fit, and during one", "the child fits the same model", CLASSIFIERS),
        ("joblib's loky and threads, dask", "equal scores", CLASSIFIERS),
        ("threads in use", "no more than asked for", []),
        ("two threads, two estimators", "equal to serial", CLASSIFIERS),
        ("a panic in the core", "RuntimeError, later calls work", []),
        ("a callback that raises", "its exception", []),
        ("a closed output stream", "no crash", []),
    ],
    "Files": [
        ("LIBSVM text", "an error with the line, or documented acceptance", []),
        ("model files with impossible fields", "refused with the field's name", CLASSIFIERS),
        ("every prefix and single-byte flip of a model", "an error or an equal model", []),
        ("a newer format version", "refused", []),
        ("tampered pickle state", SENTENCE, CLASSIFIERS),
        ("saving without permission, or killed halfway", "the old file is intact", []),
        ("`<script>` in the name of a data set", "escaped in the report", []),
        ("command line: missing file, bad option, broken pipe", "exit codes 0, 1, 2", []),
        ("a data set that is not there", "a clear message, no partial file", []),
        ("a locale with decimal comma", "same numbers", []),
        ("a CPU without AVX2 (forced level)", "same results, no illegal instruction", CLASSIFIERS),
    ],
    "Found since": [
        (
            "a table with other categories, columns in another order, missing or extra columns",
            "matched by name; an unknown category or a missing column is refused",
            [],
        ),
        ("an unlabelled table to predict", "works", []),
        (
            "an estimator class derived from ours with its own fit, predict or score in a search",
            "its own methods count",
            ["GridSearchCV", "PatternSearchCV", "nested_cv"],
        ),
        (
            "X changed by another thread during a search",
            "ValueError or a model, never one that cannot be pickled",
            PREDICTORS,
        ),
        ("an interrupted nested_cv", "what is done, no table of nan", ["nested_cv"]),
        ("text in a data frame", "the column, its first bad value and row are named", READERS),
        (
            "more features than samples",
            "no method that is slower by orders of magnitude than its peer",
            CLASSIFIERS,
        ),
        (
            "X changed after a fit",
            "the certificate is that of the training data, or AttributeError",
            EXACT,
        ),
        ("one model read by several threads", "equal attributes, no exception", EXACT),
        (
            "training samples of a split in any order",
            "the model of the splitter's order",
            ["GridSearchCV", "PatternSearchCV", "nested_cv"],
        ),
        (
            "float32 too coarse for tol",
            "trained in float64: the violation of a converged model is within 2 tol",
            EXACT,
        ),
        (
            "an alpha within rounding of a bound",
            "the bias lies in the middle of the optimal interval",
            ["SVC"],
        ),
        ("an ordered pandas Categorical as y", "its order is used", CLASSIFIERS),
        (
            "a checkpoint that cannot be resumed",
            "ValueError before the work, with what to set",
            ["nested_cv"],
        ),
        (
            "hundreds of classes under a limit of memory",
            "MemoryError or a result within the budget, the process lives",
            ["SVC", "nested_cv"],
        ),
        (
            "a checkpoint that unpacks to gigabytes, or has unknown arrays",
            "refused before it is unpacked",
            ["nested_cv"],
        ),
        ("a label with a line break", "one label a line, written so that it can be read back", []),
    ],
}

# Numbers of faults of what is not there yet: transformers and scorers of the engine, nu, clusters.
RESERVED = range(104, 109)

CASES = {
    number: Case(fault, outcome, tuple(estimators))
    for number, (fault, outcome, estimators) in zip(
        (number for number in itertools.count(1) if number not in RESERVED),
        (case for group in GROUPS.values() for case in group),
        strict=False,
    )
}

# Names by which parameters of tests mean an estimator.
NAMES = {name: name for name in READERS}
NAMES |= {type(model).__name__: name for name, model in CLASSIFIERS.items()}
NAMES |= {
    method: type(softmargin._estimators.methods.METHODS[method]()).__name__
    for method in softmargin.methods()
}
