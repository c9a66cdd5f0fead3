"""Classifiers that choose their hyperparameters by cross-validation inside ``fit``."""

from __future__ import annotations

import itertools
import os
import time
import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils.validation import check_consistent_length

from softmargin._checks import class_order, parameters
from softmargin._checks.labels import check_labels
from softmargin._checks.resources import Deadline, budget_bytes, thread_count
from softmargin._checks.rollback import restore_on_failure
from softmargin._checks.rows import check_rows
from softmargin._checks.stack import level_of_caller
from softmargin._checks.weights import sample_weights, used_rows
from softmargin._estimators.base import Classifier
from softmargin._estimators.linear_svc import LinearSVC
from softmargin._estimators.svc import SVC
from softmargin._selection import engine
from softmargin._selection.candidates import Candidates
from softmargin._selection.samples import Samples, Split
from softmargin._selection.scoring import SINGLE, Scoring, UnavailableError, unsupported
from softmargin._selection.splits import as_indices
from softmargin._selection.table import Table

# The coarse grid: powers of 10 for C, and of 4 for gamma relative to "scale".
_CS = tuple(10.0**power for power in range(-2, 3))
_GAMMAS = tuple(4.0**power for power in range(-3, 3))
# The grid for few samples, on which it takes a fraction of a second.
_FINE_CS = tuple(float(f"{10.0 ** (power / 2):.6g}") for power in range(-4, 5))
_FINE_GAMMAS = tuple(2.0**power for power in range(-8, 5))
_MAX_FINE = 1000
_LINEAR_CS = tuple(10.0**power for power in range(-4, 2))
# Larger values of C are evaluated one after the other, and only where they may be the best: where
# the score of the last one is at most this much below the best score so far.
_LARGE_CS = (1e3, 1e4)
_LARGE_LINEAR_CS = (1e2, 1e3, 1e4)
_PROMISING = 0.01
# The factors between neighbors in the refinement.
_FACTORS = {"C": 10.0**0.5, "gamma": 2.0}
# With more samples than this, the coarse grid is evaluated on some of them.
_MAX_COARSE = 4000
_N_COARSE = 2000

_Cell = tuple[float, ...]


class _Space(NamedTuple):
    """The hyperparameters that are searched, C first."""

    names: tuple[str, ...]
    coarse: tuple[NDArray[np.float64], ...]
    # Whether the default grid is used, and thus refined.
    is_refined: tuple[bool, ...]
    # Values of C that follow those of the coarse grid.
    large: tuple[float, ...]

    def cells(self) -> list[_Cell]:
        """Return the coarse grid; C varies slowest."""
        return list(itertools.product(*(own.tolist() for own in self.coarse)))

    def neighbors(self, center: _Cell) -> list[_Cell]:
        """Return the cells around a cell, in the directions that are refined."""
        values = []
        for name, own, is_refined in zip(self.names, center, self.is_refined, strict=True):
            factor = _FACTORS[name]
            near = [own / factor, own, own * factor] if is_refined else [own]
            values.append([float(f"{value:.6g}") for value in near])
        return list(itertools.product(*values))


class _Tuning:
    """The evaluation of cells in several rounds."""

    def __init__(self, model: Classifier, tuned: Any, samples: Samples, space: _Space) -> None:
        self.model = model
        self.space = space
        self.samples = samples
        self.n_jobs = tuned.n_jobs
        self.deadline = Deadline(tuned.time_limit)
        self.scorer = check_scoring(model, tuned.scoring)
        self.scores: dict[_Cell, NDArray[np.float64]] = {}
        self.seconds: dict[_Cell, float] = {}

    def run(self, splits: list[Split], coarse: tuple[NDArray[Any], list[Split]] | None) -> bool:
        """Evaluate the coarse grid and its refinement; return whether all were evaluated.

        ``coarse`` are samples and splits of them for the coarse grid, if there are very many.
        """
        first = (self.samples, splits)
        if coarse is not None:
            first = (_subset(self.samples, coarse[0]), coarse[1])
        scores = self._evaluate(self.space.cells(), *first)
        for last, large in itertools.pairwise((self.space.coarse[0][-1], *self.space.large)):
            means = {cell: own.mean() for cell, own in scores.items()}
            least = max(means.values(), default=0.0) - _PROMISING
            near = [cell for cell, mean in means.items() if cell[0] == last and mean >= least]
            scores |= self._evaluate([(large, *cell[1:]) for cell in near], *first)
        if scores and any(self.space.is_refined):
            near = self.space.neighbors(_best(scores))
            if coarse is not None:
                scores = {}
            new = [cell for cell in near if cell not in scores]
            scores |= self._evaluate(new, self.samples, splits)
        self.scores = scores
        return not self.deadline.has_passed()

    def best(self) -> _Cell:
        """Return the cell with the highest mean score, with the smallest C in a tie."""
        return _best(self.scores)

    def _evaluate(
        self, cells: list[_Cell], samples: Samples, splits: list[Split]
    ) -> dict[_Cell, NDArray[np.float64]]:
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


def _best(scores: dict[_Cell, NDArray[np.float64]]) -> _Cell:
    return max(sorted(scores), key=lambda cell: scores[cell].mean())


def _subset(samples: Samples, numbers: NDArray[Any]) -> Samples:
    """Return some of the samples."""
    weights = samples.sample_weight
    return samples._replace(
        X=samples.X[numbers],
        codes=samples.codes[numbers],
        sample_weight=None if weights is None else weights[numbers],
        given=None,
    )


class _Tuned:
    """Mixin for a classifier whose ``fit`` chooses hyperparameters first."""

    cv: Any
    scoring: Any
    n_jobs: Any
    time_limit: Any

    best_score_: float
    cv_results_: dict[str, Any]

    def _tune(self, model: Classifier, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
        """Return the chosen hyperparameters by name, and what is left of the time limit."""
        rows = check_rows(X)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        check_consistent_length(X, y)
        classes, codes = check_labels(y)
        weights = sample_weights(sample_weight, len(codes))
        if weights is not None:
            used_rows(weights, classes, codes)
        order = class_order.order_of(y, classes)
        samples = Samples(rows, classes, codes, weights, order=order, given=(rows, y))
        splitter = check_cv(self.cv, y, classifier=True)
        splits = as_indices("cv", splitter.split(rows, y, groups), len(codes))
        tuning = _Tuning(model, self, samples, self._space(rows))
        is_complete = tuning.run(splits, self._coarse(samples, codes))
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
        return dict(zip(tuning.space.names, best, strict=True))

    def _coarse(
        self, samples: Samples, codes: NDArray[np.uint32]
    ) -> tuple[NDArray[Any], list[Split]] | None:
        """Return a subset for the coarse grid and a split of it; None to use all samples."""
        if len(codes) <= _MAX_COARSE or np.bincount(codes).min() < 2:
            return None
        draw = StratifiedShuffleSplit(1, train_size=_N_COARSE, random_state=0)
        ((subset, _),) = draw.split(np.zeros((len(codes), 1)), codes)
        own = codes[subset]
        if len(np.unique(own)) < len(samples.classes) or np.bincount(own).min() < 3:
            return None
        splits = StratifiedShuffleSplit(2, test_size=0.3, random_state=0)
        found = as_indices("cv", splits.split(np.zeros((len(own), 1)), own), len(own))
        return subset, found

    def _space(self, rows: Any) -> _Space:
        raise NotImplementedError


def _values(
    name: str, given: Any, default: NDArray[np.float64], largest: float | None = None
) -> tuple[NDArray[Any], bool]:
    """Return the values of a hyperparameter, and whether they are refined."""
    if given is None:
        return default, True
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        count = parameters.positive(name, given)
        return np.geomspace(default[0], largest or default[-1], count), False
    values = np.unique(np.asarray(given, dtype=np.float64))
    if values.ndim != 1 or not len(values) or not (values > 0).all():
        raise ValueError(f"{name} = {given!r} is not valid: it must contain positive numbers")
    return values, False


class SVCCV(_Tuned, SVC):
    """SVC that chooses C and gamma by cross-validation.

    ``fit`` evaluates a logarithmic grid around ``gamma="scale"``, C from 1e-2 to 1e4 (C above 100
    only for values of gamma that may still win), refines it around its best point, and fits the
    best candidate to all samples. All candidates share kernel matrices and paths over C. Up to
    1,000 samples have a finer grid; with more than 4,000, the coarse grid is evaluated on 2,000 of
    them. Inside ``cross_val_score``, this is nested cross-validation.

    After ``fit``, it has all methods and attributes of :class:`SVC`.

    Parameters
    ----------
    Cs : int, array-like of float or None, default=None
        Values of C; a number of values from 1e-2 to 1e4; or None for the coarse grid with
        refinement.
    gammas : int, array-like of float or None, default=None
        Values of gamma; a number of values from 1/64 to 16 times ``gamma="scale"``; or None for
        the coarse grid with refinement. Ignored by kernels without gamma.
    cv : int, splitter, iterable or None, default=None
        Splits, as in scikit-learn; None means five stratified folds.
    scoring : str, callable or None, default=None
        Score that predictions or decision values determine; None means the accuracy.
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel function.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Independent term of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether to temporarily remove variables at their bounds.
    probability : bool, default=False
        Whether ``predict_proba`` is available.
    tol : float, default=1e-3
        Tolerance of the stopping criterion.
    cache_size : float, default=1000
        Size of the kernel cache of the final fit in megabytes.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply C.
    max_iter : int, default=-1
        Maximum number of steps per binary classifier; -1 for no limit.
    time_limit : float or None, default=None
        Time limit in seconds of the search. The best candidate so far is fitted then, with a
        ``ConvergenceWarning``.
    multi_class : {"ovo", "ovr", "ordinal"}, default="ovo"
        Strategy for more than two classes.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of the decision function.
    break_ties : bool, default=False
        Whether to resolve ties of votes by the sum of decision values.
    random_state : int, RandomState or None, default=None
        Seed of the folds of ``probability=True``.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 means all cores.
    verbose : int, default=0
        If nonzero, print the progress of the final fit to standard error.

    Attributes
    ----------
    C_, gamma_ : float
        The chosen hyperparameters. ``gamma_`` is "scale" for kernels without gamma.
    best_score_ : float
        Mean score of the chosen candidate.
    cv_results_ : dict
        Scores of all candidates, as in scikit-learn's searches.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from softmargin import SVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SVCCV()).fit(X, y)
    >>> model[-1].best_score_ > 0.95
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    # Parameters of SVC that are chosen or not needed.
    warm_start = False
    working_set_size = None

    C_: float
    gamma_: float | str

    def __init__(
        self,
        Cs: Any = None,
        gammas: Any = None,
        *,
        cv: Any = None,
        scoring: Any = None,
        kernel: Literal["rbf", "linear", "poly", "sigmoid", "precomputed"]
        | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 1000,
        class_weight: Any = None,
        max_iter: int = -1,
        time_limit: float | None = None,
        multi_class: Literal["ovo", "ovr", "ordinal"] = "ovo",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.gammas = gammas
        self.cv = cv
        self.scoring = scoring
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def C(self) -> Any:  # type: ignore[override]  # noqa: N802 (named like the parameter)
        """The chosen C."""
        return getattr(self, "C_", 1.0)

    @property
    def gamma(self) -> Any:
        """The chosen gamma."""
        return getattr(self, "gamma_", "scale")

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose C and gamma by cross-validation, and fit the model with them.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples. With ``kernel="precomputed"``, the kernel matrix.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply C.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups for the splitter ``cv``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with restore_on_failure(self):
            chosen = self._tune(self._plain(), X, y, sample_weight, groups)
            self.C_ = chosen["C"]
            self.gamma_ = chosen.get("gamma", "scale")
            self._fit_chosen(X, y, sample_weight)
        return self

    def _fit_chosen(self, X: Any, y: Any, sample_weight: Any) -> None:
        limit, self.time_limit = self.time_limit, None  # it is that of the search
        try:
            with class_order.suppress_warning():
                self._fit(X, y, sample_weight)
        finally:
            self.time_limit = limit

    def _plain(self) -> SVC:
        """Return an SVC with the parameters that are not chosen."""
        own = SVC._get_param_names()
        params = {name: value for name, value in self.get_params(False).items() if name in own}
        return SVC(**params | {"time_limit": None})

    def to_svc(self) -> SVC:
        """Return the fitted model as an :class:`SVC` with the chosen hyperparameters.

        Returns
        -------
        SVC
            A fitted estimator that shares the model.
        """
        self._check_is_fitted()
        plain = self._plain()
        plain.set_params(C=self.C_, gamma=self.gamma_)
        names = plain.get_params(False).keys() | {"C_", "gamma_", "best_score_", "cv_results_"}
        own = {"Cs", "gammas", "cv", "scoring"}
        plain.__dict__ |= {
            name: value for name, value in vars(self).items() if name not in names | own
        }
        return plain

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the fitted model as an :class:`SVC` to a file that :func:`softmargin.load` reads.

        Parameters
        ----------
        path : str or path-like
            File to write; an existing file is replaced.
        """
        self.to_svc().save(path)

    def _train_value(self) -> float:
        return parameters.real("C", self.C)

    def _space(self, rows: Any) -> _Space:
        is_fine = rows.shape[0] <= _MAX_FINE
        cs, refines_c = _values("Cs", self.Cs, np.array(_FINE_CS if is_fine else _CS), 1e4)
        large = _LARGE_CS if refines_c else ()
        if callable(self.kernel) or self.kernel in ("linear", "precomputed"):
            return _Space(("C",), (cs,), (refines_c,), large)
        around = parameters.gamma_scale(rows) * np.array(_FINE_GAMMAS if is_fine else _GAMMAS)
        gammas, refines_gamma = _values("gammas", self.gammas, around)
        return _Space(("C", "gamma"), (cs, gammas), (refines_c, refines_gamma), large)


class LinearSVCCV(_Tuned, LinearSVC):
    """LinearSVC that chooses C by cross-validation.

    ``fit`` evaluates C from 1e-4 to 1e4 (above 10 only while that may still win), refines the
    grid around its best point, and fits the best candidate to all samples. After ``fit``, it has
    all methods and attributes of :class:`LinearSVC`, whose other parameters it shares.

    Parameters
    ----------
    Cs : int, array-like of float or None, default=None
        Values of C; a number of values from 1e-4 to 1e4; or None for the coarse grid with
        refinement.
    cv : int, splitter, iterable or None, default=None
        Splits, as in scikit-learn; None means five stratified folds.
    scoring : str, callable or None, default=None
        Score that predictions or decision values determine; None means the accuracy.
    penalty, loss, dual, tol, multi_class, fit_intercept, intercept_scaling, class_weight, verbose
        As in :class:`LinearSVC`.
    random_state, max_iter, time_limit, n_jobs
        As in :class:`LinearSVC`; the time limit is that of the search.

    Attributes
    ----------
    C_ : float
        The chosen C.
    best_score_ : float
        Mean score of the chosen candidate.
    cv_results_ : dict
        Scores of all candidates, as in scikit-learn's searches.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softmargin import LinearSVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVCCV().fit(X, y).best_score_ > 0.9
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    record_every = None

    C_: float

    def __init__(
        self,
        Cs: Any = None,
        *,
        cv: Any = None,
        scoring: Any = None,
        penalty: Any = "l2",
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        dual: bool | Literal["auto"] = "auto",
        tol: float = 1e-4,
        multi_class: Literal["ovr", "ovo", "ordinal"] = "ovr",
        fit_intercept: bool | Literal["violators"] = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    @property
    def C(self) -> Any:  # type: ignore[override]  # noqa: N802 (named like the parameter)
        """The chosen C."""
        return getattr(self, "C_", 1.0)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose C by cross-validation, and fit the model with it.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Sample weights, which multiply the loss.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups for the splitter ``cv``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with restore_on_failure(self):
            self.C_ = self._tune(self._plain(), X, y, sample_weight, groups)["C"]
            with class_order.suppress_warning():
                LinearSVC._fit(self, X, y, sample_weight, None, Deadline(None))
        self._warn_if_not_converged(stacklevel=2)
        return self

    def _plain(self) -> LinearSVC:
        """Return a LinearSVC with the parameters that are not chosen."""
        own = LinearSVC._get_param_names()
        params = {name: value for name, value in self.get_params(False).items() if name in own}
        return LinearSVC(**params | {"time_limit": None})

    def to_linear_svc(self) -> LinearSVC:
        """Return the fitted model as a :class:`LinearSVC` with the chosen C.

        Returns
        -------
        LinearSVC
            A fitted estimator that shares the weights.
        """
        self._check_is_fitted()
        plain = self._plain()
        plain.set_params(C=self.C_)
        names = plain.get_params(False).keys() | {"C_", "best_score_", "cv_results_"}
        plain.__dict__ |= {
            name: value
            for name, value in vars(self).items()
            if name not in names | {"Cs", "cv", "scoring"}
        }
        return plain

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the fitted model as a :class:`LinearSVC` to a file.

        Parameters
        ----------
        path : str or path-like
            File to write; an existing file is replaced.
        """
        self.to_linear_svc().save(path)

    def _train_value(self) -> float:
        return parameters.real("C", self.C)

    def _is_lambda(self) -> bool:
        return False

    def _space(self, rows: Any) -> _Space:
        cs, is_refined = _values("Cs", self.Cs, np.array(_LINEAR_CS), 1e4)
        return _Space(("C",), (cs,), (is_refined,), _LARGE_LINEAR_CS if is_refined else ())
