"""Parameters outside their domain are named with their value, by every estimator."""

import numpy as np
import pytest

from estimators import CLASSIFIERS, KERNEL, each, problem
from softmargin import (
    SVC,
    GridSearchCV,
    PatternSearchCV,
    fit,
    kernel_matrix,
    methods,
    nested_cv,
    predict,
)

REFUSED = (ValueError, TypeError)
NAN, INF = float("nan"), float("inf")

EVERYWHERE = {
    "C": (0, -1.0, NAN, "1", True, 1j),
    "multi_class": ("crammer_singer", None, 1),
    "class_weight": ("heavy", 1.0),
    "n_jobs": (0, 1.5, "all", 4096, 2**31, 2**70),
}
OF_KERNELS = EVERYWHERE | {
    "C": (*EVERYWHERE["C"], None),
    "gamma": (-1.0, NAN, INF, "wide", None, True, 10**400),
    "degree": (-1, 2.5, "3", None, True, NAN, 2**40, 2**70),
    "coef0": (NAN, INF, "0", None),
    "cache_size": (0, -1, NAN, "big", None),
    "kernel": ("cosine", None, 3, "RBF"),
    "decision_function_shape": ("all", None, 1),
}
LIMITED = {"time_limit": (0.0, -1.0, NAN, "soon", True)}
# Costs are divided by; 1 / 1e-310 is infinite.
DIVIDED = OF_KERNELS | LIMITED | {"C": (*OF_KERNELS["C"], 1e-310)}
STEPS = {"max_iter": (0, -2, 1.5, "all", None, True, 2**70)}
OF_LINES = (
    EVERYWHERE
    | LIMITED
    | {
        "C": (*EVERYWHERE["C"], 1e-310),
        "fit_intercept": ("maybe", None, 1, "True"),
        "record_every": (0, -1, 1.5, "often"),
    }
)
LAMBDA = {"lambda_": (0, -1.0, 1e-310, NAN, "small", None, True)}
SEED = {"random_state": ("now", -1, 2**40, 1.5)}

DOMAINS = {
    "OLLAWV": OF_KERNELS
    | {
        "C": (*OF_KERNELS["C"], INF),
        "kernel": (*OF_KERNELS["kernel"], np.dot),
        "margin": (-0.1, NAN, INF, "0.1", None, True),
        "bias": ("x", "penalized", None, 1),
        "max_sv_fraction": (0, -0.5, 1.5, NAN, "half", None, True),
    },
    "NLSGD": DIVIDED
    | {
        "epochs": (0, -1, 1.5, "many", True),
        "average": (-0.1, 1.1, NAN, "half"),
        "step": ("n", None, 1),
        "order": ("sorted", None),
        "random_state": ("now",),
    },
    "SVC": OF_KERNELS
    | LIMITED
    | STEPS
    | {
        "tol": (0.0, -1e-3, NAN, INF, "small", None),
        "working_set_size": (0, 1, -5, 2.5, "all"),
        "shrinking": ("maybe", None, 2),
        "warm_start": ("maybe", None, 2, np.array([1.0, 2.0])),
    },
    "NNISDA": DIVIDED | STEPS | {"tol": (0, -1, NAN, INF, "small", None)},
    "MNSVM": DIVIDED | STEPS | {"eps": (0, 1, -1, NAN, "small"), "selection": ("best", None)},
    "NewtonSVC": DIVIDED
    | STEPS
    | {"lambda_": (0, -1, NAN, INF, "small"), "bias": ("free", 1, None)},
    "SGDSVC": OF_LINES
    | LAMBDA
    | SEED
    | {
        "optimizer": ("adam", None, 1, "Pegasos"),
        "epochs": (0, -1, 1.5, None, "many", True, 2**70),
        "batch_size": (0, -1, 1.5, None, "all"),
        "project": (1, None, "yes"),
        "average": (-0.1, 1.1, 2, NAN, "half", None, True),
        "eta0": (0, -1.0, NAN, INF, "long", True),
        "momentum": (-0.1, 1, 1.0, NAN, "much", None),
        "shuffle": ("drawn", None, 1, "yes"),
        "early_stopping": (1, None, "yes"),
        "n_iter_no_change": (0, -1, 1.5, None),
        "tol": (-1, NAN, "small", True),
    },
    "GDSVC": OF_LINES
    | LAMBDA
    | STEPS
    | {"eta0": (0, -1.0, NAN, INF, "long", None, True), "tol": (0, -1.0, NAN, INF, "small", None)},
    "LinearSVC": OF_LINES
    | STEPS
    | SEED
    | {
        "penalty": ("l0", "elasticnet", None, 2),
        "loss": ("logistic", None, "Hinge", 1),
        "dual": ("maybe", None, 1, "True"),
        "tol": (0, -1.0, NAN, INF, "small", None, True),
        "C": (*OF_LINES["C"], None),
        "intercept_scaling": (0, -1.0, NAN, INF, "large", None, True),
    },
}
BAD = [
    pytest.param(estimator, name, value, id=f"{estimator}-{name}-{str(value)[:24]}")
    for estimator, domains in DOMAINS.items()
    for name, values in domains.items()
    for value in values
]


@pytest.mark.case(54)
@pytest.mark.parametrize(("estimator", "name", "value"), BAD, indirect=["estimator"])
def test_a_value_outside_its_domain_is_named(noisy, refuses, estimator, name, value):
    message = refuses(*noisy, rf"\b{name}\b", REFUSED, **{name: value})
    assert len(message) < 300
    if isinstance(value, int | str) and len(str(value)) < 30:
        assert str(value) in message


def test_every_estimator_and_number_has_a_domain():
    for name, model in CLASSIFIERS.items():
        free = {
            "verbose",
            "warm_start",
            "break_ties",
            "bias",
            "random_state",
            "validation_fraction",
        }
        missing = model.get_params().keys() - DOMAINS[name].keys() - free
        assert not missing - {"shrinking", "probability"}, name


@pytest.mark.case(54)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gamma", -1.0),
        ("gamma", "wide"),
        ("degree", -1),
        ("coef0", NAN),
        ("kernel", "cosine"),
        ("n_jobs", 0),
    ],
)
@pytest.mark.parametrize("estimator", ["kernel_matrix"])
def test_a_kernel_matrix_names_the_same_parameters(estimator, name, value):
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        kernel_matrix([[1.0], [2.0]], **{name: value})


@pytest.mark.case(54)
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"outer": 1}, "outer = 1"),
        ({"inner": 0}, "inner = 0"),
        ({"outer": 2.5}, r"outer = 2\.5"),
        ({"outer": "five"}, "outer = 'five'"),
        ({"inner": None}, "inner = None"),
        ({"grid": {}}, "grid = .* is empty"),
        ({"grid": []}, "grid = .* is empty"),
        ({"grid": {"C": []}}, "grid.*C"),
        ({"grid": {"c": [1.0]}}, "'c'"),
        ({"grid": {"C": [-1.0]}}, "C = -1"),
        ({"memory_budget": 0}, "memory_budget = 0"),
        ({"memory_budget": -5}, "memory_budget = -5"),
        ({"n_jobs": 0}, "n_jobs = 0"),
        ({"time_limit": 0}, "time_limit = 0"),
        ({"search": "halves"}, "search = 'halves'"),
        ({"scale": "all"}, "scale = 'all'"),
        ({"scoring": "auc"}, "scoring = 'auc'"),
        ({"random_state": "now"}, "random_state"),
    ],
    ids=str,
)
@pytest.mark.parametrize("estimator", ["nested_cv"])
def test_nested_cross_validation_names_its_arguments(estimator, noisy, arguments, sentence):
    with pytest.raises(REFUSED, match=sentence):
        nested_cv(*noisy, "svc", **{"grid": {"C": [1.0]}} | arguments)


@pytest.mark.case(54)
@pytest.mark.parametrize(
    ("grid", "options", "sentence"),
    [
        ({"c": [1.0]}, {}, "Invalid parameter 'c'"),
        ({"C": []}, {}, "'C' need.* non-empty|empty"),
        ({"C": [1.0]}, {"cv": 1}, "The 'cv' parameter of"),
        ({"C": [1.0]}, {"n_jobs": 0}, "n_jobs"),
        ({"C": [-1.0]}, {"error_score": "raise"}, r"C = -1"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [GridSearchCV, PatternSearchCV])
def test_a_search_refuses_what_scikit_learn_refuses(kind, noisy, grid, options, sentence):
    with pytest.raises(REFUSED, match=sentence):
        kind(SVC(), grid, **options).fit(*noisy)


def test_an_unknown_method_is_named(noisy):
    for method in ("svm", None, []):
        with pytest.raises(ValueError, match=r"method = .*'ollawv'"):
            fit(*noisy, method=method)
    kernel = ["mnsvm", "newton", "nlsgd", "nnisda", "nu-svc", "ollawv", "svc"]
    others = ["nu-svr", "one-class", "svr"]
    assert methods() == sorted([*kernel, *others, "gd", "linear", "sgd"])
    with pytest.raises(TypeError, match="marjin"):
        fit(*noisy, marjin=1.0)


@pytest.mark.parametrize("model", [None, SVC, 5], ids=str)
def test_what_is_no_model_does_not_predict(model):
    with pytest.raises(TypeError, match=r"model = .* fitted estimator"):
        predict(model, np.ones((2, 3)))


@each(CLASSIFIERS)
def test_an_unfitted_model_says_so(estimator):
    X, _ = problem()
    for call in (estimator.predict, estimator.decision_function):
        with pytest.raises(ValueError, match="not fitted"):
            call(X)
    assert not hasattr(estimator, "support_vectors_")


@pytest.mark.case(58)
@each(KERNEL)
def test_a_matrix_that_is_no_kernel_is_refused(refuses):
    K, y = np.eye(120), np.arange(120) % 2
    refuses(K[:, :100], y, "120 x 100.*square", kernel="precomputed")
    K[7, 3] = 0.5
    refuses(K, y, r"not symmetric: X\[7, 3\] = 0.5", kernel="precomputed")


@pytest.mark.case(58)
@each(KERNEL)
def test_other_kernel_values_at_predict_are_refused(estimator):
    model = estimator.set_params(kernel="precomputed").fit(np.eye(6), [0, 1] * 3)
    for columns in (5, 7):
        with pytest.raises(ValueError, match=f"{columns} features.*6 features"):
            model.predict(np.ones((2, columns)))


class BrokenError(Exception):
    """What only this kernel raises."""


def broken(A, B):
    raise BrokenError("on the way")


RUBBISH = {
    "another shape": (lambda A, B: A, r"shape \(40, 4\).*shape \(40, 40\)"),
    "NaN": (lambda A, B: np.full((len(A), len(B)), NAN), r"kernel function.*NaN"),
    "a word": (lambda A, B: "word", r"kernel function.*shape \(\)"),
    "nothing": (lambda A, B: None, r"kernel function.*shape \(\)"),
    "words": (lambda A, B: np.full((len(A), len(B)), "word"), r"kernel function.*strings"),
    "asymmetric": (lambda A, B: np.arange(len(A) * len(B)).reshape(len(A), len(B)), "symmetric"),
}


@pytest.mark.case(59)
@each([name for name in KERNEL if name != "OLLAWV"])
def test_a_kernel_function_that_raises_or_returns_rubbish(estimator):
    X, y = problem()
    with pytest.raises(BrokenError, match="on the way"):
        estimator.set_params(kernel=broken).fit(X, y)
    for function, sentence in RUBBISH.values():
        with pytest.raises(REFUSED, match=sentence):
            estimator.set_params(kernel=function).fit(X, y)
    assert not hasattr(estimator, "classes_")
    gaussian = estimator.set_params(kernel="rbf", gamma=0.5).fit(X, y).predict(X)
    model = estimator.set_params(kernel=lambda A, B: kernel_values(A, B)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), gaussian)
    model.kernel = broken
    with pytest.raises(BrokenError, match="on the way"):
        model.predict(X)


def kernel_values(A, B):
    return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))
