"""The steps of a pipeline before its classifier: fitted once per split and setting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _safe_split

from softmargin._checks.rows import check_rows
from softmargin._selection.texts import SharedTexts


class UnsharedError(Exception):
    """The engine does not support a search; the message is the reason."""


class Setting(NamedTuple):
    """Parameters of the steps before the classifier, and a kernel function if it has one."""

    params: dict[str, Any]
    kernel: Any = None

    @property
    def is_kernel(self) -> bool:
        """Whether the classifier is trained on kernel values."""
        return self.kernel is not None


class Prepared(NamedTuple):
    """The transformed samples of a split: training samples, then samples to score."""

    rows: Any
    n_train: int
    # The numbers of test samples and, if they are scored, of training samples.
    n_scored: tuple[int, int]
    # Why each of them could not be transformed; then ``rows`` does not contain them.
    errors: tuple[Exception | None, Exception | None] = (None, None)


class Steps:
    """A pipeline whose last step is a Softmargin estimator; or that estimator alone.

    A ``TransformedTargetRegressor`` may stand in place of the pipeline, or of its last step.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.names: list[str] = []
        # The pipelines that contain each other, with the prefix of the names of their steps.
        self._pipelines: list[tuple[str, Pipeline]] = []
        # What transforms the targets of the estimator, and of the steps from this number on.
        self.target: Any = None
        self.n_outside = 0
        # What the names of the estimator's parameters, and of its fit parameters, start with.
        prefix, fit_prefix, last = "", "", estimator
        while isinstance(last, Pipeline) or is_target(last):
            if is_target(last):
                if self.target is not None:
                    raise UnsharedError("the targets are transformed twice")
                self.target, self.n_outside = last, len(self.names)
                prefix, last = f"{prefix}regressor__", last.regressor
                continue
            _check_pipeline(last)
            self._pipelines.append((prefix, last))
            *before, (name, step) = last.steps
            self.names += [f"{prefix}{name_before}" for name_before, _ in before]
            prefix, fit_prefix, last = f"{prefix}{name}__", f"{fit_prefix}{name}__", step
        self.model = last
        self.prefix = prefix
        self.fit_prefix = fit_prefix
        # What the splits share of a text vectorizer as the first step.
        self.texts = SharedTexts()

    def parts(self) -> list[Any]:
        """Return the steps of all pipelines."""
        return [step for _, own in self._pipelines for _, step in own.steps]

    def split_params(self, candidate: Mapping[str, Any]) -> tuple[Setting, Any, dict[str, Any]]:
        """Return the setting, the classifier and its parameters of a candidate."""
        setting: dict[str, Any] = {}
        model, cell = self.model, {}
        for name, value in candidate.items():
            if self.prefix and f"{name}__" == self.prefix:
                model = value
            elif name.startswith(self.prefix) and "__" not in name[len(self.prefix) :]:
                cell[name[len(self.prefix) :]] = value
            elif any(name == own or name.startswith(f"{own}__") for own in self.names):
                setting[name] = value
            else:
                raise UnsharedError(f"{name!r} is not a parameter of a step of the pipeline")
        kernel = cell.get("kernel", getattr(model, "kernel", None))
        if not (callable(kernel) or (isinstance(kernel, str) and kernel == "precomputed")):
            kernel = None
        return Setting(setting, kernel), model, cell

    def prepare(
        self,
        setting: Setting,
        X: Any,
        y: Any,
        split: tuple[NDArray[Any], NDArray[Any]],
        fit_params: Mapping[str, Any],
        done: list[tuple[Any, Any]],
        scores_train: bool = False,
        targets: Any = None,
    ) -> Prepared:
        """Fit the steps to the training samples of a split, and transform its samples.

        If training samples are scored, they are also transformed like test samples, which may
        differ from what ``fit_transform`` returns. ``done`` contains the transformed samples
        after each step for the previous setting of the same split, with the parameters of the
        steps so far; those that are still valid are used again. ``targets`` are the transformed
        targets of the steps that get them.
        """
        train, test = split
        estimator = clone(self.estimator).set_params(**clone(dict(setting.params), safe=False))
        if self.prefix and setting.kernel is not None:
            # The kernel decides whether X is sliced like a kernel matrix.
            estimator.set_params(**{f"{self.prefix}kernel": setting.kernel})
        elif setting.kernel is not None:
            estimator.set_params(kernel=setting.kernel)
        steps = self._flat_steps(estimator)
        keys = [_key_of_step(setting, name) for name, _ in steps]
        n_same = 0
        while n_same < min(len(done), len(steps)) and done[n_same][0] == keys[: n_same + 1]:
            n_same += 1
        del done[n_same:]
        if n_same:
            own_train, scored = done[-1][1]
        else:
            own_train, _ = _safe_split(estimator, X, y, train)
            own_test, _ = _safe_split(estimator, X, y, test, train)
            scored = [own_test, own_train] if scores_train else [own_test]
        for number in range(n_same, len(steps)):
            name, step = steps[number]
            is_outside = targets is None or number < self.n_outside
            y_train = _safe_indexing(y, train) if is_outside else targets[train]
            params = fit_params.get(name, {})
            shared = None
            if number == 0 and not any(params.values()):
                parts = [test, train] if scores_train else [test]
                shared = self.texts.transformed(step, self._first(setting)[1], X, train, parts)
            if shared is not None:
                own_train, scored = shared
            elif step is not None and step != "passthrough":
                own_train = _fit_transform(step, own_train, y_train, params)
                scored = [_transformed(step, part) for part in scored]
            done.append((keys[: number + 1], (own_train, scored)))
        return _joined(own_train, scored, setting.kernel)

    def _first(self, setting: Setting) -> tuple[Any, dict[str, Any]]:
        """Return the first step of a setting as given by the user, and its parameters."""
        name, step = self._flat_steps(self.estimator)[0]
        step = setting.params.get(name, step)
        params = step.get_params(deep=False) if hasattr(step, "get_params") else {}
        own = {key: value for key, value in setting.params.items() if key.startswith(f"{name}__")}
        return step, params | {key[len(name) + 2 :]: value for key, value in own.items()}

    def shares_texts(self, setting: Setting, X: Any) -> bool:
        """Return whether the first step uses counts of terms that all splits share."""
        return bool(self.names) and self.texts.shares(*self._first(setting), X)

    def _flat_steps(self, estimator: Any) -> list[tuple[str, Any]]:
        """Return all steps before the classifier, with their full names."""
        steps: list[tuple[str, Any]] = []
        prefix, last = "", estimator
        while isinstance(last, Pipeline) or is_target(last):
            if is_target(last):
                prefix, last = f"{prefix}regressor__", last.regressor
                continue
            *before, (name, step) = last.steps
            steps += [(f"{prefix}{own}", transformer) for own, transformer in before]
            prefix, last = f"{prefix}{name}__", step
        return steps

    def routed(self, fit_params: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the fit parameters of each step, and those of the classifier."""
        if not self._pipelines:
            return {}, dict(fit_params)
        if not fit_params:
            return {}, {}
        by_step: dict[str, Any] = {}
        own = dict(fit_params)
        for prefix, pipeline in self._pipelines:
            routed = pipeline._check_method_params(method="fit", props=own)
            *before, (last, _) = pipeline.steps
            for name, step in before:
                if step is None or step == "passthrough":
                    continue
                found = {method: dict(values) for method, values in routed[name].items()}
                if found.get("transform"):
                    raise UnsharedError(f"metadata is routed to transform of the step {name!r}")
                by_step[f"{prefix}{name}"] = found
            own = dict(routed[last].fit)
        return by_step, own


def is_target(estimator: Any) -> bool:
    """Return whether an estimator transforms the targets of another one."""
    return type(estimator) is TransformedTargetRegressor


def has_steps(estimator: Any) -> bool:
    """Return whether an estimator contains others, as a pipeline does."""
    return isinstance(estimator, Pipeline) or is_target(estimator)


def _check_pipeline(pipeline: Pipeline) -> None:
    """Raise UnsharedError if fitting the steps one by one would make a difference."""
    if type(pipeline) is not Pipeline:
        raise UnsharedError(f"{type(pipeline).__name__} is a subclass of Pipeline")
    if pipeline.verbose:
        raise UnsharedError("verbose of the pipeline prints the time of each step of each fit")
    if getattr(pipeline, "transform_input", None) is not None:
        raise UnsharedError("transform_input of the pipeline transforms metadata for each fit")


def _is_of(name: str, step: str) -> bool:
    return name == step or name.startswith(f"{step}__")


def _key_of_step(setting: Setting, step: str) -> Any:
    return key_of({name: value for name, value in setting.params.items() if _is_of(name, step)})


def _fit_transform(step: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Any:
    if hasattr(step, "fit_transform"):
        return step.fit_transform(X, y, **params.get("fit_transform", params.get("fit", {})))
    return step.fit(X, y, **params.get("fit", {})).transform(X)


def _transformed(step: Any, part: Any) -> Any:
    """Return transformed samples; or the exception that this step or one before it raised."""
    if isinstance(part, Exception):
        return part
    try:
        return step.transform(part)
    except Exception as error:
        return error


def key_of(params: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a key that is equal for parameters with equal values of simple types."""

    def simple(value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | str | np.number):
            return type(value).__name__, repr(value)
        if isinstance(value, tuple | list):
            return type(value).__name__, tuple(simple(each) for each in value)
        return type(value).__name__, id(value)

    return tuple((name, simple(params[name])) for name in sorted(params))


def _joined(train: Any, scored: list[Any], kernel: Any) -> Prepared:
    """Return checked training samples and samples to score as one matrix."""
    checked: Any = check_rows(train)
    parts: list[Any] = []
    errors: list[Exception | None] = [None, None]
    for number, part in enumerate(scored):
        try:
            parts.append(_checked(part, checked.shape[1]))
        except Exception as error:
            errors[number] = error
            parts.append(None)
    if callable(kernel):
        own = kernel_matrix(kernel, checked)
        parts = [None if part is None else kernel_matrix(kernel, part, checked) for part in parts]
    else:
        own = checked
    found = [own, *(part for part in parts if part is not None)]
    if any(sp.issparse(part) for part in found):
        stacked: Any = sp.vstack([sp.csr_matrix(part) for part in found], format="csr")
        stacked.sort_indices()
    else:
        stacked = np.vstack(found)
    counts = [0 if part is None else part.shape[0] for part in parts] + [0]
    return Prepared(stacked, checked.shape[0], (counts[0], counts[1]), (errors[0], errors[1]))


def _checked(part: Any, n_features: int) -> Any:
    """Return checked samples with this number of features."""
    if isinstance(part, Exception):
        raise part
    checked: Any = check_rows(part)
    if checked.shape[1] != n_features:
        raise ValueError(
            f"the samples to score have {checked.shape[1]} features, but the training samples "
            f"have {n_features}"
        )
    return checked


def kernel_matrix(kernel: Any, X: Any, Y: Any = None) -> Any:
    """Return the values of a kernel function for all pairs of samples."""
    Y = X if Y is None else Y
    found = kernel(X, Y)
    shape = (X.shape[0], Y.shape[0])
    if np.shape(found) != shape:
        raise ValueError(
            f"the kernel function returned an array of shape {np.shape(found)}, "
            f"but must return an array of shape {shape}"
        )
    checked: Any = check_rows(found, name="the value of the kernel function")
    return np.asarray(checked.todense() if hasattr(checked, "indptr") else checked)


def is_pairwise(kernel: Any, X: Any, train: NDArray[Any]) -> bool:
    """Return whether the values of a kernel function depend on pairs of samples only.

    Compares a few values with those of a call with other samples.
    """
    more = train[:: max(1, len(train) // 16)][:16]
    whole = kernel_matrix(kernel, X[more], X)
    few = kernel_matrix(kernel, X[more[::2]], X[train])
    return np.allclose(whole[::2][:, train], few, rtol=1e-10, atol=1e-12)
