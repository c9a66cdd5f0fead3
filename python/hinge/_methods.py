"""Methods by name."""

from __future__ import annotations

from typing import Any

from hinge._classifier import Classifier
from hinge._gd import GDSVC
from hinge._linear_svc import LinearSVC
from hinge._mnsvm import MNSVM
from hinge._newton import NewtonSVC
from hinge._nlsgd import NLSGD
from hinge._nnisda import NNISDA
from hinge._ollawv import OLLAWV
from hinge._sgd import SGDSVC
from hinge._svc import SVC

METHODS: dict[str, type[Classifier]] = {
    kind._method: kind
    for kind in (GDSVC, MNSVM, NLSGD, NNISDA, OLLAWV, SGDSVC, SVC, LinearSVC, NewtonSVC)
}


def methods() -> list[str]:
    """Return the names that :func:`hinge.fit` and :func:`hinge.nested_cv` take."""
    return sorted(METHODS)


def class_of(method: Any) -> type[Classifier]:
    """Return the estimator of a method."""
    try:
        return METHODS[method]
    except (KeyError, TypeError):
        names = ", ".join(repr(name) for name in methods())
        raise ValueError(f"method = {method!r} is not valid: it must be one of {names}") from None


def estimator_of(method: Any) -> tuple[str, Classifier]:
    """Return the name and an estimator of a method, given by its name or as an estimator."""
    if isinstance(method, Classifier):
        for name, known in METHODS.items():
            if type(method) is known:
                return name, method
    return method, class_of(method)()
