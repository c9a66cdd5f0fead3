"""The estimators by the names of their methods."""

from __future__ import annotations

from typing import Any

from softmargin._estimators.base import Estimator
from softmargin._estimators.gd import GDSVC
from softmargin._estimators.linear_svc import LinearSVC
from softmargin._estimators.linear_svr import LinearSVR
from softmargin._estimators.mnsvm import MNSVM
from softmargin._estimators.newton import NewtonSVC
from softmargin._estimators.nlsgd import NLSGD
from softmargin._estimators.nnisda import NNISDA
from softmargin._estimators.nu_svc import NuSVC
from softmargin._estimators.nu_svr import NuSVR
from softmargin._estimators.ollawv import OLLAWV
from softmargin._estimators.one_class_svm import OneClassSVM
from softmargin._estimators.sgd import SGDSVC
from softmargin._estimators.svc import SVC
from softmargin._estimators.svr import SVR

METHODS: dict[str, type[Estimator]] = {
    kind._method: kind
    for kind in (
        GDSVC,
        MNSVM,
        NLSGD,
        NNISDA,
        OLLAWV,
        SGDSVC,
        SVC,
        SVR,
        LinearSVC,
        LinearSVR,
        NewtonSVC,
        NuSVC,
        NuSVR,
        OneClassSVM,
    )
}


# Methods of an estimator that affect its scores.
_SCORING_METHODS = (
    "fit",
    "predict",
    "decision_function",
    "score",
    "score_samples",
    "get_params",
    "set_params",
    "__sklearn_clone__",
)
_ORIGINAL = {
    kind: {name: getattr(kind, name) for name in _SCORING_METHODS if hasattr(kind, name)}
    for kind in METHODS.values()
}


def methods() -> list[str]:
    """Return the method names that softmargin accepts, for example in :func:`softmargin.fit`.

    Returns
    -------
    list of str
        Sorted names, for the parameter ``method`` of :func:`softmargin.fit` and
        :func:`softmargin.nested_cv`.
    """
    return sorted(METHODS)


def class_of(method: Any) -> type[Estimator]:
    """Return the estimator class of a method."""
    try:
        return METHODS[method]
    except (KeyError, TypeError):
        names = ", ".join(repr(name) for name in methods())
        raise ValueError(f"method = {method!r} is not valid: it must be one of {names}") from None


def estimator_of(method: Any) -> tuple[str, Estimator]:
    """Return the name and the estimator of a method, which is a name or an estimator.

    A subclass has the name of the method that it inherits.
    """
    if isinstance(method, Estimator) and isinstance(method, tuple(METHODS.values())):
        return method._method, method
    return method, class_of(method)()


def overridden(estimator: Any) -> str | None:
    """Return why the core cannot replace the methods of an estimator; None if it can.

    It can for the classes of softmargin (not for subclasses), unless a method of the class or
    the object was replaced.
    """
    kind = type(estimator)
    name = kind.__name__
    if kind not in _ORIGINAL:
        base = next((base.__name__ for base in kind.__mro__ if base in _ORIGINAL), None)
        if base is None:
            return f"{name} is not an estimator of softmargin"
        return f"{name} is a subclass of {base}, whose own methods must be called"
    for method, original in _ORIGINAL[kind].items():
        if getattr(kind, method) is not original:
            return f"{name}.{method} was replaced"
    for attribute in vars(estimator):
        if callable(getattr(kind, attribute, None)):
            return f"{attribute} of this {name} object was replaced"
    return None
