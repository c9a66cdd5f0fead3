"""Methods by name."""

from __future__ import annotations

from typing import Any

from hinge._base import KernelClassifier
from hinge._mnsvm import MNSVM
from hinge._newton import NewtonSVC
from hinge._nlsgd import NLSGD
from hinge._nnisda import NNISDA
from hinge._ollawv import OLLAWV
from hinge._svc import SVC

METHODS: dict[str, type[KernelClassifier]] = {
    kind._method: kind for kind in (MNSVM, NLSGD, NNISDA, OLLAWV, SVC, NewtonSVC)
}


def methods() -> list[str]:
    """Return the names that :func:`hinge.fit` and :func:`hinge.nested_cv` take."""
    return sorted(METHODS)


def class_of(method: Any) -> type[KernelClassifier]:
    """Return the estimator of a method."""
    try:
        return METHODS[method]
    except (KeyError, TypeError):
        names = ", ".join(repr(name) for name in methods())
        raise ValueError(f"method = {method!r} is not valid: it must be one of {names}") from None


def estimator_of(method: Any) -> tuple[str, KernelClassifier]:
    """Return the name and an estimator of a method, given by its name or as an estimator."""
    if isinstance(method, KernelClassifier):
        for name, known in METHODS.items():
            if type(method) is known:
                return name, method
    return method, class_of(method)()
