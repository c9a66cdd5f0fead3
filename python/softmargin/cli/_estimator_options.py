"""The options of a machine, and the estimator that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softmargin.cli._options import Jobs, choice, optional
from softmargin.cli._values import settings_of, value_of, weights_of

if TYPE_CHECKING:
    from softmargin._estimators.base import Classifier
    from softmargin.datasets import Dataset

# As ``softmargin.methods()``, which takes long to import; a test compares them.
METHODS = ("gd", "linear", "mnsvm", "newton", "nlsgd", "nnisda", "ollawv", "sgd", "svc")
# By the numbers that svm-train gives them.
_KERNELS = ("linear", "poly", "rbf", "sigmoid")
_KERNEL_NUMBERS = {str(number): name for number, name in enumerate(_KERNELS)}


def _check_gamma(value: str | None) -> str | None:
    if value not in (None, "auto", "scale") and isinstance(value_of(str(value)), str):
        raise typer.BadParameter(f"{value!r} is not a number, 'auto' or 'scale'")
    return value


@dataclass
class Machine:
    """What is trained: the method and its parameters."""

    method: Annotated[
        str,
        choice(
            "-s",
            "--method",
            words=(*METHODS, "0"),
            metavar="NAME",
            help=f"One of {', '.join(METHODS)}; 0 is svc, as in svm-train.",
        ),
    ] = "svc"
    kernel: Annotated[
        str | None,
        choice(
            "-t",
            "--kernel",
            words=(*_KERNELS, *_KERNEL_NUMBERS),
            metavar="NAME",
            help="linear, poly, rbf, sigmoid, or 0 to 3 as in svm-train.  [default: rbf]",
        ),
    ] = None
    degree: Annotated[
        int | None, optional("-d", "--degree", metavar="N", default="3", help="Of poly.")
    ] = None
    gamma: Annotated[
        str | None,
        optional(
            "-g",
            "--gamma",
            metavar="X|auto|scale",
            callback=_check_gamma,
            default="auto",
            help="Of rbf, poly, sigmoid. auto: 1 / features, as in svm-train; scale: 1 / (features "
            "* variance), as in softmargin.SVC.",
        ),
    ] = None
    coef0: Annotated[
        float | None,
        optional("-r", "--coef0", metavar="X", default="0", help="Of poly and sigmoid."),
    ] = None
    cost: Annotated[
        float | None,
        optional("-c", "--cost", metavar="X", default="1", help="C, the price of an error."),
    ] = None
    weights: Annotated[
        list[str],
        optional("-w", "--weight", metavar="LABEL=X", help="Factor of C for a class. Repeatable."),
    ] = field(default_factory=list)
    margin: Annotated[
        float | None,
        optional("--margin", metavar="X", default="0.1", help="At which ollawv stops."),
    ] = None
    multi_class: Annotated[
        str | None,
        choice(
            "--multi-class",
            words=("ovo", "ovr", "ordinal"),
            help="Pairs of classes, each against the rest, or neighbours.",
        ),
    ] = None
    scale: Annotated[
        bool,
        typer.Option(
            "--scale/--no-scale",
            help="Features to [0, 1] by the training rows; the model keeps the scaling.",
        ),
    ] = False
    tolerance: Annotated[
        float | None,
        optional("-e", "--tol", metavar="X", help="The error at which the solver stops."),
    ] = None
    cache: Annotated[
        float | None, optional("-m", "--cache", metavar="MB", help="Megabytes for kernel rows.")
    ] = None
    settings: Annotated[
        list[str],
        optional(
            "--set", metavar="NAME=X", help="Any other parameter of the estimator. Repeatable."
        ),
    ] = field(default_factory=list)
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Of folds and of what methods draw.")
    ] = 0
    jobs: Jobs = -1

    def __post_init__(self) -> None:
        """Take the names that numbers of svm-train stand for."""
        self.method = "svc" if self.method == "0" else self.method
        self.kernel = self.kernel and _KERNEL_NUMBERS.get(self.kernel, self.kernel)

    def estimator(self, data: Dataset) -> Classifier:
        """Return the estimator for the classes of a data set, not fitted."""
        from softmargin._estimators.methods import class_of

        kind = class_of(self.method)
        known = kind().get_params()
        params: dict[str, Any] = {"n_jobs": self.jobs, "random_state": self.seed}
        if "gamma" in known:
            params["gamma"] = "auto"
        for name, (option, value) in self._given(known).items():
            if name not in known:
                raise typer.BadParameter(
                    f"the method {self.method!r} has no {name}", param_hint=option
                )
            params[name] = value
        if self.weights:
            texts = () if data.schema is None else data.schema.labels
            params["class_weight"] = weights_of("-w", self.weights, list(data.classes), texts)
        return kind(**params | self._others(known))

    def _given(self, known: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
        """Return the options that were given, by the names of their parameters."""
        options = {
            "kernel": ("-t", self.kernel),
            "degree": ("-d", self.degree),
            "gamma": ("-g", None if self.gamma is None else value_of(self.gamma)),
            "coef0": ("-r", self.coef0),
            "C": ("-c", self.cost),
            "margin": ("--margin", self.margin),
            "multi_class": ("--multi-class", self.multi_class),
            "eps" if "eps" in known else "tol": ("-e", self.tolerance),
            "cache_size": ("-m", self.cache),
        }
        return {name: option for name, option in options.items() if option[1] is not None}

    def _others(self, known: Mapping[str, Any]) -> dict[str, Any]:
        others = settings_of("--set", self.settings)
        for name in others:
            if name not in known:
                raise typer.BadParameter(
                    f"the method {self.method!r} has no {name!r}, but {', '.join(sorted(known))}",
                    param_hint="--set",
                )
        return others
