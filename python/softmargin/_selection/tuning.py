"""The search of estimators that choose their hyperparameters inside ``fit``."""

from __future__ import annotations

import itertools
import os
import time
import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedShuffleSplit, check_cv
from sklearn.utils.validation import check_consistent_length

from softmargin._checks import class_order, parameters
from softmargin._checks.resources import Deadline, budget_bytes, thread_count
from softmargin._checks.rows import check_rows
from softmargin._checks.stack import level_of_caller
from softmargin._checks.weights import sample_weights
from softmargin._estimators.base import Estimator
from softmargin._selection import engine
from softmargin._selection.candidates import Candidates
from softmargin._selection.kinds import NO_CLASSES, check_outcomes, check_weights, kind_of
from softmargin._selection.samples import Samples, Split
from softmargin._selection.scoring import SINGLE, Scoring, UnavailableError, unsupported
from softmargin._selection.splits import as_indices
from softmargin._selection.table import Table

if TYPE_CHECKING:
    _Base = Estimator
else:
    _Base = object

# A larger C is evaluated only where it may be the best: where the score of the last one is at most
# this much below the best score so far. For scores of regression, which have any unit, relative to
# the difference between the best and the median score.
_PROMISING = 0.01
_PROMISING_SHARE = 0.1
# The factors between neighbors in the refinement.
_FACTORS = {"C": 10.0**0.5, "gamma": 2.0, "epsilon": 5.0**0.5}
# With more samples than the first number, the coarse grid is evaluated on half of them, at most on
# the second number.
_MAX_COARSE = 1500
_N_COARSE = 2000

Cell = tuple[float, ...]


def six_digits(values: Any) -> NDArray[np.float64]:
    """Return numbers rounded to six digits, so that equal cells are found equal."""
    return np.array([float(f"{value:.6g}") for value in values])


class Space(NamedTuple):
    """The hyperparameters that are searched, C first."""

    names: tuple[str, ...]
    coarse: tuple[NDArray[np.float64], ...]
    # Whether the default grid is used, and thus refined.
    is_refined: tuple[bool, ...]
    # Values of C that follow those of the coarse grid.
    large: tuple[float, ...]

    def cells(self) -> list[Cell]:
        """Return the coarse grid; C varies slowest."""
        return list(itertools.product(*(own.tolist() for own in self.coarse)))

    def neighbors(self, center: Cell) -> list[Cell]:
        """Return the cells around a cell, in the directions that are refined."""
        values = []
        for name, own, grid, is_refined in zip(
            self.names, center, self.coarse, self.is_refined, strict=True
        ):
            factor = _FACTORS[name]
            near = [own / factor, own, own * factor] if is_refined else [own]
            if name == "C" and is_refined:
                low, high = self.coarse[0][0], self.large[-1]
                near = [value for value in near if low * 0.99 < value < high * 1.01]
            if is_refined:
                # A neighbor that differs from a value of the grid by rounding is that value.
                known = np.append(grid, self.large) if name == "C" else grid
                near = [_snapped(value, known) for value in six_digits(near).tolist()]
            values.append(near)
        return list(itertools.product(*values))


def _snapped(value: float, known: NDArray[np.float64]) -> float:
    """Return the known number that differs from a number by rounding only, or the number."""
    nearest = float(known[np.abs(known - value).argmin()])
    return nearest if abs(nearest - value) <= 1e-4 * nearest else value


def values_of(
    name: str, given: Any, default: Any, largest: float | None = None
) -> tuple[NDArray[np.float64], bool]:
    """Return the values of a hyperparameter, and whether they are refined.

    A number of values means values from the first to the last default, or to ``largest``.
    """
    around = six_digits(default)
    if given is None:
        return around, True
    if isinstance(given, Integral) and not isinstance(given, bool):
        count = parameters.positive(name, given)
        return np.geomspace(around[0], largest or around[-1], count), False
    values = np.unique(np.asarray(given, dtype=np.float64))
    if values.ndim != 1 or not len(values) or not (values > 0).all():
        raise ValueError(f"{name} = {given!r} is not valid: it must contain positive numbers")
    return values, False


class _Tuning:
    """The evaluation of cells in several rounds."""

    def __init__(self, model: Estimator, tuned: Tuned, samples: Samples, space: Space) -> None:
        self.model = model
        self.space = space
        self.samples = samples
        self.n_jobs = tuned.n_jobs
        self.deadline = Deadline(tuned.time_limit)
        self.scorer = check_scoring(model, tuned.scoring)
        self.scores: dict[Cell, NDArray[np.float64]] = {}
        self.seconds: dict[Cell, float] = {}

    def run(self, splits: list[Split], coarse: tuple[Samples, list[Split]] | None) -> bool:
        """Evaluate the coarse grid and its refinement; return whether all were evaluated.

        ``coarse`` are samples and splits of them for the coarse grid, if there are very many.
        """
        first = coarse or (self.samples, splits)
        self.scores = self._evaluate(self.space.cells(), *first)
        for last, large in itertools.pairwise((self.space.coarse[0][-1], *self.space.large)):
            means = {cell: own.mean() for cell, own in self.scores.items()}
            least = self._least_promising(list(means.values()))
            near = [cell for cell, mean in means.items() if cell[0] == last and mean >= least]
            self.scores |= self._evaluate([(large, *cell[1:]) for cell in near], *first)
        if self.scores and any(self.space.is_refined):
            near = self.space.neighbors(self.best())
            known = self.scores if coarse is None else {}
            new = [cell for cell in near if cell not in known]
            # After the time limit, the scores of some of the samples must do.
            self.scores = known | self._evaluate(new, self.samples, splits) or self.scores
        return not self.deadline.has_passed()

    def _least_promising(self, means: list[float]) -> float:
        """Return the score from which a larger C is evaluated."""
        best = max(means, default=0.0)
        if self.samples.kind == "classifier" or not means:
            return best - _PROMISING
        return best - _PROMISING_SHARE * (best - float(np.median(means)))

    def best(self) -> Cell:
        """Return the cell with the highest mean score, with the smallest C in a tie."""
        return max(sorted(self.scores), key=lambda cell: self.scores[cell].mean())

    def _evaluate(
        self, cells: list[Cell], samples: Samples, splits: list[Split]
    ) -> dict[Cell, NDArray[np.float64]]:
        """Return the scores of the cells that were evaluated on all splits."""
        if not cells or self.deadline.has_passed():
            return {}
        given = [dict(zip(self.space.names, cell, strict=True)) for cell in cells]
        candidates = Candidates.of(self.model, given, samples.classes, samples.codes)
        if reason := unsupported(self.scorer, candidates.models):
            raise ValueError(f"scoring is not valid: {reason}")
        scoring = Scoring(self.scorer, samples.classes, candidates.models)
        table = Table(len(splits), len(cells), [SINGLE])
        resources = engine.Resources(
            thread_count(self.n_jobs), budget_bytes(None), self.deadline.seconds_left()
        )
        start = time.perf_counter()
        try:
            _, stopped = engine.evaluate(candidates, samples, splits, scoring, resources, table)
        except UnavailableError as error:
            raise ValueError(f"scoring is not valid: the score needs {error}") from None
        if stopped is not None:
            raise stopped
        done = np.flatnonzero(table.done.all(axis=0)).tolist()
        seconds = (time.perf_counter() - start) / max(1, len(done) * len(splits))
        self.seconds |= {cells[number]: seconds for number in done}
        return {cells[number]: table.scores(SINGLE)[:, number] for number in done}

    def results(self) -> dict[str, Any]:
        """Return all scores in the form of scikit-learn's ``cv_results_``."""
        cells = sorted(self.scores)
        table = np.array([self.scores[cell] for cell in cells])
        times = np.array([self.seconds[cell] for cell in cells])
        found: dict[str, Any] = {"mean_fit_time": times}
        for number, name in enumerate(self.space.names):
            found[f"param_{name}"] = np.array([cell[number] for cell in cells])
        found["params"] = [dict(zip(self.space.names, cell, strict=True)) for cell in cells]
        for split in range(table.shape[1]):
            found[f"split{split}_test_score"] = table[:, split]
        means = table.mean(axis=1)
        found |= {"mean_test_score": means, "std_test_score": table.std(axis=1)}
        found["rank_test_score"] = rankdata(-means, method="min").astype(np.int32)
        return found


class Tuned(_Base):
    """Mixin for an estimator whose ``fit`` chooses hyperparameters first.

    A subclass also derives from ``_plain_kind``, the estimator with given hyperparameters, and
    defines ``_space`` and the parameters named below.
    """

    _plain_kind: ClassVar[type[Estimator]]

    cv: Any
    scoring: Any
    time_limit: Any

    C_: float
    best_score_: float
    cv_results_: dict[str, Any]

    def _space(self, rows: Any, y: Any) -> Space:
        """Return the hyperparameters to search for these samples and labels or targets."""
        raise NotImplementedError

    @property
    def C(self) -> Any:  # noqa: N802 (named like the parameter)
        """The chosen C."""
        return getattr(self, "C_", 1.0)

    def _train_value(self) -> Any:
        return self._path_value({name: getattr(self, name) for name in self._path})

    def _deadline(self) -> Deadline:
        """Return no limit for the final fit: ``time_limit`` is that of the search."""
        return Deadline(None)

    def _tune(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> None:
        """Set the chosen hyperparameters, ``best_score_`` and ``cv_results_``."""
        rows = check_rows(X)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        check_consistent_length(X, y)
        kind = kind_of(self)
        found = check_outcomes(kind, y, rows.shape[0])
        classes, codes = NO_CLASSES if found.classes is None else found.classes, found.codes
        weights = sample_weights(sample_weight, len(codes))
        if weights is not None:
            check_weights(kind, weights, classes, codes)
        order = class_order.order_of(y, classes) if kind == "classifier" else None
        if order is None and getattr(self, "multi_class", None) == "ordinal":
            class_order.warn_if_text(classes)
        given = rows, y if found.targets is None else found.targets
        samples = Samples(
            rows, classes, codes, weights, found.targets, kind, order=order, given=given
        )
        splitter = self._splitter(y, kind == "classifier")
        splits = as_indices("cv", splitter.split(rows, y, groups), len(codes))
        tuning = _Tuning(self._plain(), self, samples, self._space(rows, samples.outcomes()))
        is_default = groups is None and (self.cv is None or isinstance(self.cv, Integral))
        is_complete = tuning.run(splits, self._coarse(samples) if is_default else None)
        if not tuning.scores:
            raise TimeoutError(
                f"no candidate was evaluated on all splits within time_limit = {self.time_limit} "
                "seconds"
            )
        if not is_complete:
            warnings.warn(
                f"the time limit of {self.time_limit} seconds ended the search after "
                f"{len(tuning.scores)} candidates",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )
        best = tuning.best()
        self.best_score_ = float(tuning.scores[best].mean())
        self.cv_results_ = tuning.results()
        for name, value in zip(tuning.space.names, best, strict=True):
            setattr(self, f"{name}_", value)

    def _splitter(self, y: Any, has_classes: bool) -> Any:
        """Return the splitter; a number of folds means shuffled folds for regression."""
        if has_classes or not (self.cv is None or isinstance(self.cv, Integral)):
            return check_cv(self.cv, y, classifier=has_classes)
        n_folds = 5 if self.cv is None else int(self.cv)
        return KFold(n_folds, shuffle=True, random_state=0)

    def _coarse(self, samples: Samples) -> tuple[Samples, list[Split]] | None:
        """Return some samples for the coarse grid and splits of them; None to use all samples."""
        codes, is_classifier = samples.codes, samples.kind == "classifier"
        kind: Any = StratifiedShuffleSplit if is_classifier else ShuffleSplit
        if len(codes) <= _MAX_COARSE or np.bincount(codes).min() < 2:
            return None
        n_coarse = min(_N_COARSE, len(codes) // 2)
        draw = kind(1, train_size=n_coarse, random_state=0)
        ((subset, _),) = draw.split(np.zeros((len(codes), 1)), codes)
        own = codes[subset]
        if np.bincount(own, minlength=len(samples.classes)).min() < 3:
            return None
        splits = kind(2, test_size=0.3, random_state=0)
        found = as_indices("cv", splits.split(np.zeros((len(own), 1)), own), len(own))
        X = samples.X[subset]
        if getattr(self, "kernel", None) == "precomputed":
            X = np.ascontiguousarray(X[:, subset])
        weights, targets = samples.sample_weight, samples.targets
        some = samples._replace(
            X=X,
            codes=own,
            sample_weight=None if weights is None else weights[subset],
            targets=None if targets is None else targets[subset],
            given=None,
        )
        return some, found

    def _plain(self) -> Any:
        """Return the estimator with the parameters that are not chosen."""
        own = self._plain_kind._get_param_names()
        params = {name: value for name, value in self.get_params(False).items() if name in own}
        return self._plain_kind(**params | {"time_limit": None})

    def _fitted_plain(self) -> Any:
        """Return the fitted model as the estimator with the chosen hyperparameters."""
        self._check_is_fitted()
        plain = self._plain()
        chosen = {
            name: getattr(self, f"{name}_")
            for name in ("C", "gamma", "epsilon")
            if name in _names(plain) and hasattr(self, f"{name}_")
        }
        plain.set_params(**chosen)
        own = {*self._get_param_names(), "C_", "gamma_", "epsilon_", "best_score_", "cv_results_"}
        plain.__dict__ |= {name: value for name, value in vars(self).items() if name not in own}
        return plain

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the fitted model, with the chosen hyperparameters, to a file.

        :func:`softmargin.load` reads it as the estimator that does not tune itself.

        Parameters
        ----------
        path : str or path-like
            File to write; an existing file is replaced.
        """
        self._fitted_plain().save(path)


def _names(model: Estimator) -> set[str]:
    return set(model.get_params(deep=False))
