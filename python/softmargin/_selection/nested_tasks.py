"""The methods of nested cross-validation, with their candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, ParameterSampler

from softmargin._checks import parameters
from softmargin._estimators.base import Estimator
from softmargin._estimators.methods import estimator_of
from softmargin._selection import loop
from softmargin._selection.candidates import Candidates
from softmargin._selection.nested_problem import Problem
from softmargin._selection.samples import Samples
from softmargin._selection.scoring import Scoring
from softmargin._selection.steps import Steps, UnsharedError, has_steps

# The grids of Melki and Kecman (2016) and Melki (2018).
_CS = [4.0**power for power in range(-2, 6)]
_GAMMAS = [4.0**power for power in range(-5, 3)]
# On eleven data sets, margins below 0.003 or above 1 changed accuracies only by chance.
_MARGINS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8]
_NUS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5]
_DEFAULT_PATHS = {"C": _CS, "margin": _MARGINS, "nu": _NUS}


def is_single(method: Any) -> bool:
    """Return whether ``method`` is one method, not a list."""
    return isinstance(method, str | Estimator) or has_steps(method)


class Task(NamedTuple):
    """A method, the label of its result, and its candidates."""

    name: str
    label: str
    # An estimator, or a pipeline.
    estimator: Any
    # The candidates as parameters of the estimator.
    cells: list[dict[str, Any]]
    rows: Samples
    candidates: Candidates
    scoring: Scoring


def tasks_of(
    method: Any,
    grid: Any,
    problem: Problem,
    random_state: Any,
    is_resumed: bool,
    search: str,
    n_iter: Any,
) -> list[Task]:
    """Return the tasks of all methods, after checking them."""
    is_one = is_single(method)
    if not is_one and (not isinstance(method, Iterable) or isinstance(method, Mapping | type)):
        raise ValueError(
            f"method = {method!r} is not valid: it must be a name, an estimator, a pipeline, or a "
            "list of them"
        )
    found: list[Task] = []
    for each in [method] if is_one else method:
        name, estimator, steps = _parts_of(each)
        is_seeded = "random_state" in estimator.get_params(deep=False)
        if isinstance(each, str) and isinstance(random_state, Integral) and is_seeded:
            estimator.set_params(random_state=random_state)
        if problem.rows.sample_weight is not None and not steps.model._takes_weights:
            raise ValueError(
                f"the method {name!r} does not support sample_weight; leave it out or choose "
                "another method"
            )
        n_before = sum(task.name == name for task in found)
        label = f"{name}-{n_before + 1}" if n_before else name
        cells = cells_of(grid, steps, search, n_iter, random_state)
        if is_resumed:
            whose = "" if isinstance(each, str) else "its "
            _check_seeded(name, steps, cells, f"set {whose}random_state to an int")
        rows = problem.rows
        if has_steps(estimator):
            rows = rows._replace(steps=steps, target=steps.target)
        try:
            candidates = Candidates.of(steps, cells, rows.classes, rows.codes)
        except UnsharedError as error:
            raise ValueError(
                f"the candidates of {name!r} cannot be evaluated: {error}. Limit the time of the "
                "whole run, and name parameters of the estimator or of steps"
            ) from None
        if candidates.reason is not None:
            for model, cell in zip(candidates.models, candidates.cells, strict=True):
                loop.check(clone(model).set_params(**cell))
        if not has_steps(estimator):
            _check_kernels(problem, candidates)
        scoring = problem.scoring_of(candidates, type(estimator))
        found.append(Task(name, label, estimator, cells, rows, candidates, scoring))
    if not found:
        raise ValueError(f"method = {method!r} is not valid: it must name at least one method")
    return found


def _check_kernels(problem: Problem, candidates: Candidates) -> None:
    """Raise ValueError if X cannot be scaled, or is not a kernel matrix."""
    is_scaled = problem.rows.scaling != "none"
    kernels = [setting.kernel for setting in candidates.settings]
    if is_scaled and any(callable(kernel) for kernel in kernels):
        raise ValueError(
            f"scale = {problem.scale!r} is not valid with a kernel function: use scale=None, or a "
            "pipeline of a scaler and the estimator"
        )
    if "precomputed" not in [kernel for kernel in kernels if isinstance(kernel, str)]:
        return
    shape = np.shape(problem.rows.X)
    if is_scaled or shape[0] != shape[1]:
        raise ValueError(
            f"kernel = 'precomputed' is not valid for X of shape {shape} with scale = "
            f"{problem.scale!r}: X must be the square kernel matrix of all samples, and scale None"
        )


def _parts_of(method: Any) -> tuple[str, Any, Steps]:
    """Return the name, the estimator and the steps of a method."""
    if not has_steps(method):
        name, estimator = estimator_of(method)
        return name, estimator, Steps(estimator)
    try:
        steps = Steps(method)
    except UnsharedError as error:
        raise ValueError(f"method = {method!r} is not valid: {error}") from None
    if not isinstance(steps.model, Estimator):
        raise ValueError(
            f"the last step of the pipeline is {steps.model!r}, but it must be an estimator of "
            "softmargin"
        )
    return "pipeline", method, steps


def _check_seeded(name: str, steps: Steps, cells: Sequence[dict[str, Any]], advice: str) -> None:
    """Raise ValueError if a method would draw different random numbers when resumed."""
    for cell in cells:
        _, model, own = steps.split_params(cell)
        params = model.get_params(deep=False)
        seed = (params | own).get("random_state", 0)
        if isinstance(seed, Integral) or not own.keys() <= params.keys():
            continue  # unknown parameters raise an error later
        if type(model)(**params | own)._is_random():
            raise ValueError(
                "a run can resume from a checkpoint only if the same call draws the same random "
                f"numbers, but the method {name!r} has random_state = {seed!r}; {advice}"
            )


def cells_of(
    grid: Any, steps: Steps, search: str = "grid", n_iter: Any = 10, random_state: Any = None
) -> list[dict[str, Any]]:
    """Return the candidates of a grid, or of the default grid of a method.

    Ties go to the first candidate; the parameter of the path (C, margin) varies slowest.
    """
    kind, prefix = type(steps.model), steps.prefix
    path = tuple(f"{prefix}{name}" for name in kind._path)
    if grid is None:
        grid = {path[0]: _DEFAULT_PATHS[kind._path[0]]}
        if hasattr(steps.model, "gamma"):
            grid[f"{prefix}gamma"] = _GAMMAS
    if search == "random":
        count = parameters.positive("n_iter", n_iter)
        return list(ParameterSampler(grid, count, random_state=random_state))
    cells = list(ParameterGrid(grid))
    if cells in ([], [{}]):
        raise ValueError(f"grid = {grid!r} is empty: it must contain at least one parameter")
    values = list(dict.fromkeys(_along(cell, path) for cell in cells))
    return sorted(cells, key=lambda cell: values.index(_along(cell, path)))


def _along(cell: dict[str, Any], path: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(cell.get(name) for name in path)
