"""Validated candidates of a search, grouped by what the core can train together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from softmargin import _core
from softmargin._checks import parameters
from softmargin._checks.weights import class_weights
from softmargin._estimators.base import Classifier, Estimator
from softmargin._estimators.methods import overridden
from softmargin._selection.kinds import kind_of
from softmargin._selection.steps import Setting, Steps, UnsharedError, key_of

if TYPE_CHECKING:
    from softmargin._core import _KernelSolver, _LinearSolver, _PathValue

    _Solver: TypeAlias = _KernelSolver | _LinearSolver


class Scheme(NamedTuple):
    """Multiclass decomposition, class weights, tie breaking and form of decision values."""

    # None for weights that are balanced in each split.
    class_weights: NDArray[np.float64] | None
    multi_class: str
    break_ties: bool
    decisions: str


class Group(NamedTuple):
    """Candidates that differ only in the kernel and along the regularization path."""

    solver: _Solver
    scheme: Scheme
    # Number, kernel and value on the path of each candidate.
    cells: list[tuple[int, _core.Kernel, _PathValue]]
    # The maximum number of steps, for methods with warm starts along the path.
    limit: int | None = None
    # Whether each value of the path is trained from scratch.
    cold_start: bool = False
    # Whether float32 kernel values change the result by no more than the tolerance.
    tolerates_rounding: bool = False


class Candidates(NamedTuple):
    """Validated candidates of a grid."""

    # The estimator of each candidate, and its parameters.
    models: Sequence[Estimator]
    cells: Sequence[dict[str, Any]]
    groups: list[Group]
    # The settings of the steps before the classifier, and the number of that of each candidate.
    settings: list[Setting]
    setting_of: NDArray[np.intp]
    # Why separate fits are necessary; None if the core runs all fits at once.
    reason: str | None = None
    # Why candidates are not valid.
    errors: dict[int, Exception] = {}  # noqa: RUF012 (never changed)

    @property
    def estimator(self) -> Estimator:
        """The estimator of the first candidate."""
        return self.models[0]

    @property
    def is_ordinal(self) -> bool:
        """Whether the order of the classes matters for any candidate."""
        pairs = zip(self.models, self.cells, strict=True)
        return any(
            cell.get("multi_class", getattr(own, "multi_class", None)) == "ordinal"
            for own, cell in pairs
        )

    def setting(self, cell: int) -> Setting:
        """Return the setting of the steps before the classifier of a candidate."""
        return self.settings[int(self.setting_of[cell])]

    @classmethod
    def of(
        cls,
        estimator: Any,
        candidates: Sequence[Mapping[str, Any]],
        classes: NDArray[Any],
        codes: NDArray[np.uint32],
        *,
        is_strict: bool = True,
    ) -> Candidates:
        """Validate the parameters of all candidates.

        ``estimator`` is a Softmargin estimator or a pipeline that ends with one. Unknown names
        raise ValueError, as in scikit-learn, and candidates whose fits must be separate raise
        UnsharedError. If ``is_strict``, an invalid value raises its exception; otherwise that is
        stored in ``errors``.
        """
        steps = estimator if isinstance(estimator, Steps) else Steps(estimator)
        parts = [steps.split_params(candidate) for candidate in candidates]
        settings: dict[Any, int] = {}
        found: list[Setting] = []
        setting_of = np.zeros(len(parts), dtype=np.intp)
        for number, (setting, _, _) in enumerate(parts):
            key = key_of(setting.params), key_of({"kernel": setting.kernel})
            if key not in settings:
                settings[key] = len(found)
                found.append(setting)
            setting_of[number] = settings[key]
        models = [model for _, model, _ in parts]
        cells = [cell for _, _, cell in parts]
        reason = next((why for why in map(overridden, models) if why is not None), None)
        if reason is not None:
            # Their own methods evaluate kernel functions.
            found = [Setting(setting.params) for setting in found]
            return cls(models, cells, [], found, setting_of, reason)
        if any(kind_of(model) != kind_of(steps.model) for model in models):
            raise UnsharedError("the candidates are not all classifiers, or not all regressors")
        for model, cell in zip(models, cells, strict=True):
            if not cell.keys() <= model.get_params(deep=False).keys():
                clone(model).set_params(**cell)  # raises ValueError with the valid names
            limit = cell.get("time_limit", getattr(model, "time_limit", None))
            if limit is not None:
                raise UnsharedError(f"the time_limit of {type(model).__name__} applies to each fit")
        plain = cls(_with_seeds(models), cells, [], found, setting_of)
        return plain.with_groups(classes, codes, is_strict=is_strict)

    def with_groups(
        self, classes: NDArray[Any], codes: NDArray[np.uint32], *, is_strict: bool = True
    ) -> Candidates:
        """Return the candidates in groups; invalid ones are not part of any group."""
        if self.reason is not None:
            return self
        builder = _Builder(classes, codes)
        errors: dict[int, Exception] = {}
        for number, (model, cell) in enumerate(zip(self.models, self.cells, strict=True)):
            try:
                builder.add(number, model, cell)
            except (ValueError, TypeError) as error:
                if is_strict or type(error) not in (ValueError, TypeError):
                    raise
                errors[number] = error
        return self._replace(groups=list(builder.groups.values()), errors=errors)

    def some(self, numbers: Sequence[int]) -> Candidates:
        """Return some of the candidates, without groups."""
        return self._replace(
            models=[self.models[number] for number in numbers],
            cells=[self.cells[number] for number in numbers],
            setting_of=self.setting_of[list(numbers)],
            groups=[],
            errors={},
        )


def _with_seeds(models: Sequence[Estimator]) -> list[Estimator]:
    """Return copies of the classifiers with one seed for all of their candidates.

    Separate fits would draw one each.
    """
    copies: dict[int, Estimator] = {}
    for model in models:
        if id(model) not in copies:
            params = model.get_params(deep=False)
            if params.get("random_state", 0) is None:
                params["random_state"] = parameters.seed(None) % 2**32
            copies[id(model)] = type(model)(**params)
    return [copies[id(model)] for model in models]


class _Builder:
    """Collects candidates into groups."""

    def __init__(self, classes: NDArray[Any], codes: NDArray[np.uint32]) -> None:
        self.classes = classes
        self.codes = codes
        self.groups: dict[str, Group] = {}
        # Candidates that differ only along the path are validated once.
        self._known: dict[Any, tuple[Group, _core.Kernel]] = {}

    def add(self, number: int, model: Estimator, cell: dict[str, Any]) -> None:
        """Validate a candidate and add it to its group."""
        kind, params = type(model), model.get_params(deep=False)
        rest = sorted((name, repr(cell[name])) for name in cell if name not in kind._path)
        # The path may have several names, such as C and lambda_; one of them is used.
        used = [name for name in kind._path if (params | cell).get(name) is not None]
        key = id(model), repr((rest, used))
        if key not in self._known:
            # Clones values, too, as separate fits do.
            checked = kind(**clone(params | cell, safe=False))
            group, kernel = _check(checked, self.classes, self.codes)
            class_weight = getattr(checked, "class_weight", None)
            shared = repr((kind.__name__, class_weight, group.solver, group[3:]))
            shared += repr(group.scheme[1:])
            self._known[key] = self.groups.setdefault(shared, group), kernel
        group, kernel = self._known[key]
        value = kind._path_value(params | cell)
        group.solver.check([value])
        group.cells.append((number, kernel, value))


def _check(
    model: Estimator, classes: NDArray[Any], codes: NDArray[np.uint32]
) -> tuple[Group, _core.Kernel]:
    """Return a new group for the settings of a model, and its kernel."""
    model._check_execution()
    scheme = _scheme(model, classes, codes)
    kernel, solver = model._engine_kernel(), model._solver()
    limit = solver.max_iter if model._starts_along_path else None
    # With a limit set by the user, training must start where a separate fit starts.
    cold_start = limit is not None and limit != type(model)().get_params()["max_iter"]
    return Group(solver, scheme, [], limit, cold_start, model._tolerates_rounding), kernel


def _scheme(model: Estimator, classes: NDArray[Any], codes: NDArray[np.uint32]) -> Scheme:
    """Return how several classes are decomposed; one machine without classes."""
    if not isinstance(model, Classifier):
        return Scheme(np.ones(1), "single", False, "classes")
    multi_class = parameters.scheme(model.multi_class)
    shape = getattr(model, "decision_function_shape", "ovr")
    weights = class_weights(model.class_weight, classes, codes)
    return Scheme(
        None if isinstance(model.class_weight, str) else weights,
        multi_class,
        model._breaks_ties(),
        "pairs" if shape == "ovo" and multi_class != "ovr" else "classes",
    )
