"""Options for the method and its hyperparameters, and the estimator that they define."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softmargin.cli._options import Jobs, choice, optional
from softmargin.cli._values import settings_of, value_of, weights_of

if TYPE_CHECKING:
    from softmargin.datasets import Dataset

# A copy of ``softmargin.methods()``, which is slow to import; a test compares the two.
METHODS = (
    *("gd", "linear", "linear-svr", "mnsvm", "newton", "nlsgd", "nnisda", "nu-svc", "nu-svr"),
    *("ollawv", "one-class", "sgd", "svc", "svr"),
)
# Methods other than classifiers; a test compares them with the package.
REGRESSORS = ("linear-svr", "nu-svr", "svr")
DETECTORS = ("one-class",)
CLASSIFIERS = tuple(name for name in METHODS if name not in (*REGRESSORS, *DETECTORS))
# The numbers of svm-train in their order, and its names.
_SVM_TYPES = ("svc", "nu-svc", "one-class", "svr", "nu-svr")
_ALIASES = {str(number): name for number, name in enumerate(_SVM_TYPES)} | {
    "c-svc": "svc",
    "epsilon-svr": "svr",
}
# In the order of their numbers in svm-train.
_KERNELS = ("linear", "poly", "rbf", "sigmoid")
_KERNEL_NUMBERS = {str(number): name for number, name in enumerate(_KERNELS)}


def _check_gamma(value: str | None) -> str | None:
    if value not in (None, "auto", "scale") and isinstance(value_of(str(value)), str):
        raise typer.BadParameter(f"{value!r} is not a number, 'auto' or 'scale'")
    return value


@dataclass
class EstimatorOptions:
    """The method and its hyperparameters."""

    method: Annotated[
        str,
        choice(
            "-s",
            "--method",
            words=(*METHODS, *_ALIASES),
            metavar="NAME",
            help=f"Method: {', '.join(METHODS)}; or as in svm-train: 0 or c-svc for svc, 1 for "
            "nu-svc, 2 for one-class, 3 or epsilon-svr for svr, 4 for nu-svr.",
        ),
    ] = "svc"
    kernel: Annotated[
        str | None,
        choice(
            "-t",
            "--kernel",
            words=(*_KERNELS, *_KERNEL_NUMBERS),
            metavar="NAME",
            help="Kernel: linear, poly, rbf, sigmoid, or 0 to 3 as in svm-train.  [default: rbf]",
        ),
    ] = None
    degree: Annotated[
        int | None,
        optional("-d", "--degree", metavar="N", default="3", help="Degree of the poly kernel."),
    ] = None
    gamma: Annotated[
        str | None,
        optional(
            "-g",
            "--gamma",
            metavar="X|auto|scale",
            callback=_check_gamma,
            default="auto",
            help="Kernel coefficient of rbf, poly and sigmoid: a number, auto = 1 / features, or "
            "scale = 1 / (features * variance).",
        ),
    ] = None
    coef0: Annotated[
        float | None,
        optional(
            "-r",
            "--coef0",
            metavar="X",
            default="0",
            help="Constant term of the poly and sigmoid kernels.",
        ),
    ] = None
    cost: Annotated[
        float | None,
        optional(
            "-c",
            "--cost",
            metavar="X",
            default="1",
            help="Regularization parameter C; larger values penalize errors more.",
        ),
    ] = None
    nu: Annotated[
        float | None,
        optional(
            "-n",
            "--nu",
            metavar="X",
            default="0.5",
            help="Bound on the share of errors and of support vectors, of nu-svc, nu-svr and "
            "one-class.",
        ),
    ] = None
    epsilon: Annotated[
        float | None,
        optional(
            "-p",
            "--epsilon",
            metavar="X",
            default="0.1; 0 for linear-svr",
            help="Half-width of the tube of svr and linear-svr: smaller errors cost nothing.",
        ),
    ] = None
    weights: Annotated[
        list[str],
        optional(
            "-w", "--weight", metavar="LABEL=X", help="Multiply C by X for one class. Repeatable."
        ),
    ] = field(default_factory=list)
    margin: Annotated[
        float | None,
        optional(
            "--margin",
            metavar="X",
            default="0.1",
            help="Stopping margin of ollawv; larger values give more support vectors.",
        ),
    ] = None
    multi_class: Annotated[
        str | None,
        choice(
            "--multi-class",
            words=("ovo", "ovr", "ordinal"),
            help="Multiclass scheme: one-vs-one, one-vs-rest, or adjacent classes of ordered "
            "labels.  [default: that of the method]",
            show_default=False,
        ),
    ] = None
    scale: Annotated[
        bool,
        typer.Option(
            "--scale/--no-scale",
            help="Scale features to [0, 1] by the training samples; the model stores the scaling.",
        ),
    ] = False
    tolerance: Annotated[
        float | None,
        optional(
            "-e",
            "--tol",
            metavar="X",
            default="that of the method",
            help="Tolerance of the stopping criterion.",
        ),
    ] = None
    cache: Annotated[
        float | None,
        optional(
            "-m",
            "--cache",
            metavar="MB",
            default="1000",
            help="Size of the kernel cache in megabytes.",
        ),
    ] = None
    settings: Annotated[
        list[str],
        optional(
            "--set",
            metavar="NAME=X",
            help="Any other parameter of the estimator, such as max_iter=1000. Repeatable.",
        ),
    ] = field(default_factory=list)
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of folds and randomized methods.")
    ] = 0
    jobs: Jobs = -1

    def __post_init__(self) -> None:
        """Replace the numbers of svm-train by names."""
        self.method = _ALIASES.get(self.method, self.method)
        self.kernel = self.kernel and _KERNEL_NUMBERS.get(self.kernel, self.kernel)

    @property
    def is_regressor(self) -> bool:
        """Return whether the method predicts targets."""
        return self.method in REGRESSORS

    @property
    def is_detector(self) -> bool:
        """Return whether the method is trained without labels."""
        return self.method in DETECTORS

    def estimator(self, data: Dataset) -> Any:
        """Return an unfitted estimator for a data set."""
        from softmargin._estimators.methods import class_of

        kind = class_of(self.method)
        known = kind().get_params()
        params: dict[str, Any] = {"n_jobs": self.jobs}
        if "random_state" in known:
            params["random_state"] = self.seed
        if "gamma" in known:
            params["gamma"] = "auto"
        for name, (option, value) in self._given(known).items():
            if name not in known:
                raise typer.BadParameter(
                    f"the method {self.method!r} has no parameter {name!r}", param_hint=option
                )
            params[name] = value
        if self.weights:
            if "class_weight" not in known:
                raise typer.BadParameter(
                    f"the method {self.method!r} has no classes", param_hint="-w"
                )
            texts = () if data.schema is None else data.schema.labels
            params["class_weight"] = weights_of("-w", self.weights, list(data.classes), texts)
        return kind(**params | self._others(known))

    def _given(self, known: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
        """Return the options that were passed, by the names of their parameters."""
        options = {
            "kernel": ("-t", self.kernel),
            "degree": ("-d", self.degree),
            "gamma": ("-g", None if self.gamma is None else value_of(self.gamma)),
            "coef0": ("-r", self.coef0),
            "C": ("-c", self.cost),
            "nu": ("-n", self.nu),
            "epsilon": ("-p", self.epsilon),
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
                    f"the method {self.method!r} has no parameter {name!r}; its parameters are "
                    f"{', '.join(sorted(known))}",
                    param_hint="--set",
                )
        return others
