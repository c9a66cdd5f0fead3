"""The samples of a run, and their form for each split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params, _num_samples

from softmargin import _core
from softmargin._checks.labels import check_labels
from softmargin._checks.rows import native_rows
from softmargin._checks.weights import positive_rows, used_rows
from softmargin._selection.kinds import Kind
from softmargin._selection.scoring import ScoredSamples
from softmargin._selection.steps import Prepared, Setting, Steps, kernel_matrix
from softmargin._selection.target_transform import Transformed, transform_targets

Split = tuple[NDArray[Any], NDArray[Any]]
Scaling = Literal["none", "minmax", "standard"]


class Samples(NamedTuple):
    """Samples with their labels or targets, weights and preprocessing.

    ``classes`` are sorted. ``order`` contains their indices in the order that the labels
    define, which matters for ordinal classifiers only. Without ``steps``, X is validated and
    the same for all splits; the core scales it.
    """

    X: Any
    classes: NDArray[Any]
    codes: NDArray[np.uint32]
    sample_weight: NDArray[np.float64] | None = None
    # Of regressors, whose samples have a single class.
    targets: NDArray[np.float64] | None = None
    kind: Kind = "classifier"
    scaling: Scaling = "none"
    # Whether kernel values are float32; None where that changes results within the tolerance.
    single_precision: bool | None = None
    order: NDArray[np.intp] | None = None
    # The samples and labels as given, for steps and scoring functions.
    given: tuple[Any, Any] | None = None
    steps: Steps | None = None
    # A TransformedTargetRegressor, which transforms the targets for each split.
    target: Any = None
    # Parameters for the fit of each step, and for scorers.
    fit_params: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    score_params: dict[str, Any] = {}  # noqa: RUF012 (never changed)

    def start_sharing(self, splits: Sequence[Split], n_workers: int, budget_bytes: int) -> None:
        """Share the terms of texts among these splits, within a memory budget."""
        if self.steps is not None:
            X = self.X if self.given is None else self.given[0]
            self.steps.texts.start(X, splits, n_workers, budget_bytes)

    def stop_sharing(self) -> None:
        """Release the terms of texts."""
        if self.steps is not None:
            self.steps.texts.clear()

    def shares_texts(self, setting: Setting) -> bool:
        """Return whether the splits share the terms of texts."""
        X = self.X if self.given is None else self.given[0]
        return self.steps is not None and self.steps.shares_texts(setting, X)

    def labels(self, numbers: NDArray[Any]) -> Any:
        """Return the labels of some samples as given."""
        if self.given is None:
            return self.outcomes()[numbers]
        return _safe_indexing(self.given[1], numbers)

    def outcomes(self) -> NDArray[Any]:
        """Return the label or the target of each sample."""
        return self.classes[self.codes] if self.targets is None else self.targets

    def scored(self, numbers: NDArray[Any], with_X: bool) -> ScoredSamples:
        """Return samples for scorers; X only if they use more than predictions."""
        X: Any = _Unseen()
        if with_X:
            X = _safe_indexing(self.X if self.given is None else self.given[0], numbers)
        params = {}
        if self.score_params and self.given is not None:
            params = _check_method_params(self.given[0], self.score_params, indices=numbers)
        targets = None if self.targets is None else self.targets[numbers]
        return ScoredSamples(X, self.labels(numbers), self.codes[numbers], params, numbers, targets)


class _Unseen:
    """Stands for the samples where only predictions are used."""


class Place(NamedTuple):
    """Where the core finds the samples of a split.

    ``test`` contains the test samples and then, if ``scores_train``, the training samples.
    """

    source: int
    train: NDArray[np.uint32]
    test: NDArray[np.uint32]
    # Why the test samples, or the training samples, cannot be scored.
    errors: tuple[Exception | None, Exception | None] = (None, None)
    # Maps predictions back to the units of y, if the targets were transformed.
    inverse: Callable[[Any], Any] | None = None


class Sources:
    """The samples of some splits in the form of the core.

    With ``scores_train``, the training samples are also among those to score.
    """

    def __init__(
        self, samples: Samples, splits: Sequence[Split], scores_train: bool = False
    ) -> None:
        self.samples = samples
        self.splits = splits
        self.scores_train = scores_train
        self.all: list[_core.Source] = []
        self._shared: dict[Any, int] = {}
        self._rows: dict[int, Any] = {}
        self._places: dict[tuple[int, int], Place] = {}
        # The transformed targets of the current split.
        self._targets: tuple[int, Transformed] | None = None
        # The transformed samples of the current split.
        self._split: int | None = None
        self._done: list[Any] = []
        # Samples that were transformed elsewhere, or the exceptions.
        self.ready: dict[tuple[int, int], Prepared | Exception] = {}

    def place(self, split: int, number: int, setting: Setting) -> Place:
        """Return the place of a split with a setting; raise the exception of a failed step."""
        if (split, number) not in self._places:
            ready = self.ready.pop((split, number), None)
            if isinstance(ready, Exception):
                raise ready
            self._places[split, number] = self._prepare(split, setting, ready)
        return self._places[split, number]

    def n_bytes(self) -> int:
        """Return the memory of all transformed samples."""
        if self.samples.steps is None:
            return 0
        return sum(_n_bytes(source.rows) for source in self.all)

    def transform(self, split: int, setting: Setting) -> Prepared:
        """Fit the steps to the training samples of a split, and transform its samples."""
        samples = self.samples
        if samples.steps is None:
            raise ValueError("there are no steps")
        if self._split != split:
            self._split, self._done = split, []
        X, y = samples.given or (samples.X, samples.outcomes())
        own = self.splits[split]
        params = _params_of(X, samples.fit_params, own[0])
        found = self._transformed_targets(split)
        targets = None if found is None else found.targets
        return samples.steps.prepare(
            setting, X, y, own, params, self._done, self.scores_train, targets
        )

    def _transformed_targets(self, split: int) -> Transformed | None:
        """Return the targets for training on a split, if they are transformed."""
        samples = self.samples
        if samples.target is None or samples.targets is None:
            return None
        if self._targets is None or self._targets[0] != split:
            train, _ = self.splits[split]
            found = transform_targets(samples.target, samples.targets, train)
            self._targets = split, found
        return self._targets[1]

    def _prepare(self, split: int, setting: Setting, ready: Prepared | None) -> Place:
        samples = self.samples
        train, test = self.splits[split]
        used: Any = slice(None)
        if samples.sample_weight is not None:
            own = samples.sample_weight[train]
            _check_weights(samples, train, own)
            used = own > 0
        elif samples.kind == "classifier":
            _check_classes(samples, train)
        transformed = self._transformed_targets(split)
        targets = samples.targets if transformed is None else transformed.targets
        inverse = None if transformed is None else transformed.inverse
        if samples.steps is None:
            scored = np.concatenate([test, train]) if self.scores_train else test
            kept = train[used].astype(np.uint32)
            own_split = None if transformed is None else split
            source = self._direct(setting, targets, own_split)
            return Place(source, kept, scored.astype(np.uint32), inverse=inverse)
        found = self.transform(split, setting) if ready is None else ready
        if found.n_train != len(train):
            raise _wrong_count(found.n_train, len(train), "training")
        errors = list(found.errors)
        numbers = [train]
        first = len(train)
        places = []
        for number, part in enumerate((test, train) if self.scores_train else (test,)):
            n_found = found.n_scored[number]
            if errors[number] is None and n_found != len(part):
                errors[number] = _wrong_count(n_found, len(part), "scored")
            if n_found:
                # Samples that cannot be scored have no labels; they are not used.
                is_valid = errors[number] is None
                numbers.append(part if is_valid else np.zeros(n_found, dtype=np.intp))
                places.append(np.arange(first, first + n_found if is_valid else first))
                first += n_found
        rows = np.concatenate(numbers)
        weights = None if samples.sample_weight is None else samples.sample_weight[rows]
        targets = None if targets is None else targets[rows]
        native = native_rows(found.rows)
        self.all.append(_core.Source(native, samples.codes[rows], weights, targets))
        return Place(
            len(self.all) - 1,
            np.arange(len(train), dtype=np.uint32)[used],
            np.concatenate([np.empty(0, dtype=np.intp), *places]).astype(np.uint32),
            (errors[0], errors[1]),
            inverse,
        )

    def _direct(
        self, setting: Setting, targets: NDArray[np.float64] | None, split: int | None
    ) -> int:
        """Return the source of samples that are the same for all splits.

        The targets belong to a split if they are transformed; None if they do not.
        """
        kernel = setting.kernel if callable(setting.kernel) else None
        if (id(kernel), split) not in self._shared:
            rows = self._direct_rows(kernel)
            own = self.samples
            self.all.append(_core.Source(rows, own.codes, own.sample_weight, targets))
            self._shared[id(kernel), split] = len(self.all) - 1
        return self._shared[id(kernel), split]

    def _direct_rows(self, kernel: Any) -> Any:
        """Return the samples, or their kernel values, in the form of the core."""
        if id(kernel) not in self._rows:
            X = self.samples.X if kernel is None else kernel_matrix(kernel, self.samples.X)
            self._rows[id(kernel)] = native_rows(X)
        return self._rows[id(kernel)]


def _wrong_count(n_found: int, n_expected: int, kind: str) -> ValueError:
    return ValueError(
        f"the steps before the classifier returned {n_found} samples for {n_expected} {kind} "
        "samples; they must return one for each"
    )


def _check_weights(samples: Samples, train: NDArray[Any], weights: NDArray[np.float64]) -> None:
    """Raise ValueError if weights of 0 leave no training samples, or none of a class."""
    if samples.kind == "classifier":
        used_rows(weights, *check_labels(samples.classes[samples.codes[train]]))
    else:
        positive_rows(weights)


def _check_classes(samples: Samples, train: NDArray[Any]) -> None:
    """Raise the error of ``fit`` if the training samples have a single class."""
    codes = samples.codes[train]
    if len(codes) == 0 or (codes == codes[0]).all():
        check_labels(samples.labels(train))


def _params_of(X: Any, by_step: Mapping[str, Any], train: NDArray[Any]) -> dict[str, Any]:
    """Return the parameters of each step for the training samples."""
    return {
        step: {
            method: _check_method_params(X, own, indices=train) for method, own in methods.items()
        }
        for step, methods in by_step.items()
    }


def _n_bytes(rows: Any) -> int:
    parts = rows[:3] if isinstance(rows, tuple) else (rows,)
    return sum(part.nbytes for part in parts)


def n_samples(X: Any) -> int:
    """Return the number of samples of any input."""
    return int(_num_samples(X))
