"""Searches with scikit-learn's interface over the shared engine."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn import model_selection
from sklearn import preprocessing as sklearn_preprocessing
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.pipeline import Pipeline

from hinge import _engine, _input, _resources, _splits
from hinge._classifier import Classifier
from hinge._pattern import PatternSearch
from hinge._scaling import MinMaxScaler
from hinge._state import kept_on_failure


class _Shared:
    """A search that the engine can do: the classifier inside, and how its rows are scaled."""

    def __init__(self, model: Classifier, prefix: str, scale: bool) -> None:
        self.model = model
        self.prefix = prefix
        self.scale = scale

    @classmethod
    def of(cls, estimator: Any) -> _Shared | None:
        """Return what can be shared of an estimator, alone or after a min-max scaler."""
        if _engine.can_share(estimator):
            return cls(estimator, "", scale=False)
        if not isinstance(estimator, Pipeline) or len(estimator.steps) != 2:
            return None
        (_, scaler), (name, model) = estimator.steps
        is_plain = type(scaler) is MinMaxScaler or (
            type(scaler) is sklearn_preprocessing.MinMaxScaler
            and scaler.feature_range == (0, 1)
            and not scaler.clip
        )
        if estimator.memory is not None or not is_plain or not _engine.can_share(model):
            return None
        return cls(model, f"{name}__", scale=True)

    def cells(self, candidates: Sequence[dict[str, Any]]) -> list[dict[str, Any]] | None:
        """Return the candidates as parameters of the classifier, if they are all of it."""
        cells = []
        names = self.model.get_params(deep=False)
        for candidate in candidates:
            cell = {}
            for name, value in candidate.items():
                own = name.removeprefix(self.prefix)
                if not name.startswith(self.prefix) or own not in names:
                    return None
                cell[own] = value
            if not _engine.can_share(clone(self.model).set_params(**cell)):
                return None
            cells.append(cell)
        return cells


class GridSearchCV(model_selection.GridSearchCV):
    """Scikit-learn's ``GridSearchCV``, in seconds for the estimators of hinge.

    Parameters, attributes and result are those of ``sklearn.model_selection.GridSearchCV``.
    For the estimators of hinge, alone or in a pipeline after a min-max scaler, all trainings
    are one computation that shares distances, kernel matrices and paths over C or margins;
    ``used_engine_`` tells whether that was so. Anything else (another estimator, a
    ``time_limit`` of the estimator, a precomputed or callable kernel, another score, several
    scores, scores of the training rows, weights of rows) is done scikit-learn's way. Fit times
    in ``cv_results_`` are the mean over all trainings, since these are not separate.

    Examples
    --------
    >>> import hinge
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> search = hinge.GridSearchCV(hinge.SVC(), {"C": [1, 10], "gamma": [0.1, 1]}).fit(X, y)
    >>> search.used_engine_
    True
    """

    cv: Any

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Evaluate the candidates, and fit the best one to all rows.

        Parameters
        ----------
        X, y
            Rows and labels.
        **params
            ``sample_weight`` and whatever else the estimator's ``fit`` takes, and ``groups``
            for the splitter.

        Returns
        -------
        self
        """
        cv = self.cv
        with kept_on_failure(self):
            self.used_engine_ = self._fit_with_engine(X, y, params)
            if not self.used_engine_:
                super().fit(X, y, **params)
            self.cv = cv
        return self

    def _fit_with_engine(self, X: Any, y: Any, params: dict[str, Any]) -> bool:
        """Do the search in the engine; tell whether it could."""
        shared = _Shared.of(self.estimator)
        candidates = list(ParameterGrid(self.param_grid))
        if not candidates:
            raise ValueError(
                f"param_grid = {self.param_grid!r} is empty: it must have a candidate to look at"
            )
        cells = None if shared is None else shared.cells(candidates)
        scoring = "accuracy" if self.scoring is None else self.scoring
        is_plain = (
            isinstance(scoring, str)
            and scoring in _engine.SCORINGS
            and isinstance(self.refit, bool)
            and not self.return_train_score
            and set(params) <= {"sample_weight", "groups"}
        )
        if shared is None or cells is None or not is_plain:
            return False
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but y is None")
        checked = _input.check_rows(X)
        classes, codes = _input.check_labels(y)
        if len(codes) != checked.shape[0]:
            return False
        weights = _input.sample_weights(params.get("sample_weight"), len(codes))
        if weights is not None:
            _input.used_rows(weights, classes, codes)
            return False  # scikit-learn's versions differ in whether they weight the score
        rows = _engine.Rows(checked, classes, codes, None, shared.scale, False)
        splitter = check_cv(self.cv, y, classifier=True)
        given = list(splitter.split(X, y, params.get("groups")))
        # Scikit-learn's way gets these splits, too: some can be asked for only once.
        self.cv = splitter if "groups" in params else given
        threads = _resources.threads(self.n_jobs)
        resources = _engine.Resources(threads, _resources.budget_bytes(None))
        start = time.perf_counter()
        try:
            splits = _splits.by_numbers("cv", given, len(codes))
            scores = self._search(shared.model, cells, rows, splits, resources, scoring)
        except (ValueError, TypeError) as error:
            if type(error) not in (ValueError, TypeError):
                raise  # of a handler of signals
            return False  # scikit-learn's way says which fit failed, or goes on without it
        seconds = time.perf_counter() - start
        self._set_results(candidates, scores, seconds)
        self.n_splits_ = len(splits)
        self.multimetric_ = False
        self.scorer_ = check_scoring(self.estimator, self.scoring)
        if self.refit:
            start = time.perf_counter()
            self.best_estimator_ = clone(self.estimator).set_params(**self.best_params_)
            self.best_estimator_.fit(X, y)
            self.refit_time_ = time.perf_counter() - start
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        return True

    def _search(
        self,
        model: Classifier,
        cells: list[dict[str, Any]],
        rows: _engine.Rows,
        splits: Sequence[_engine.Split],
        resources: _engine.Resources,
        scoring: str,
    ) -> NDArray[np.float64]:
        """Return the score of each cell on each split; NaN for cells that were not asked for."""
        candidates = _engine.Candidates.of(model, cells, rows)
        table, stopped = _engine.evaluate(candidates, rows, splits, resources)
        if stopped is not None:
            raise stopped
        unfinished = int(table.n_unfinished.sum())
        if unfinished:
            warnings.warn(
                f"{unfinished} machines of {int(table.done.sum())} trainings did not converge",
                ConvergenceWarning,
                stacklevel=4,
            )
        return table.scores(scoring).T

    def _set_results(
        self, candidates: list[dict[str, Any]], scores: NDArray[np.float64], seconds: float
    ) -> None:
        looked_at = np.flatnonzero(~np.isnan(scores).any(axis=1))
        candidates = [candidates[number] for number in looked_at]
        scores = scores[looked_at]
        results: dict[str, Any] = {}
        each = np.full(len(candidates), seconds / max(scores.size, 1))
        for name in ("fit_time", "score_time"):
            results[f"mean_{name}"] = each if name == "fit_time" else np.zeros(len(candidates))
            results[f"std_{name}"] = np.zeros(len(candidates))
        for name in sorted({name for candidate in candidates for name in candidate}):
            results[f"param_{name}"] = _masked([c.get(name, _MISSING) for c in candidates])
        results["params"] = candidates
        for split in range(scores.shape[1]):
            results[f"split{split}_test_score"] = scores[:, split]
        mean = scores.mean(axis=1)
        results["mean_test_score"] = mean
        results["std_test_score"] = scores.std(axis=1)
        results["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
        self.cv_results_ = results
        self.best_index_ = int(results["rank_test_score"].argmin())
        self.best_params_ = candidates[self.best_index_]
        self.best_score_ = float(mean[self.best_index_])


_MISSING = object()


def _masked(values: list[Any]) -> Any:
    """Return values as a masked array, as scikit-learn shows parameters."""
    there = [value for value in values if value is not _MISSING]
    array = np.ma.MaskedArray(np.empty(len(values), dtype=_dtype(there)), mask=True)
    for place, value in enumerate(values):
        if value is not _MISSING:
            array[place] = value
    return array


def _dtype(values: list[Any]) -> Any:
    """Return the type of numbers or bools; of all else it is object."""
    try:
        found = np.array(values)
    except ValueError:  # sequences of different lengths
        return object
    return found.dtype if found.ndim == 1 and found.dtype.kind != "U" else object


class PatternSearchCV(GridSearchCV):
    """As :class:`GridSearchCV`, but looks at a part of the grid only.

    A five-point cross starts in the middle of the grid, moves to its best point, and halves
    its steps when its centre is best; ``cv_results_`` has the candidates that were looked at.
    """

    def _search(
        self,
        model: Classifier,
        cells: list[dict[str, Any]],
        rows: _engine.Rows,
        splits: Sequence[_engine.Split],
        resources: _engine.Resources,
        scoring: str,
    ) -> NDArray[np.float64]:
        scores = np.full((len(cells), len(splits)), np.nan)
        pattern = PatternSearch(cells)
        while wanted := pattern.wanted(scores.mean(axis=1)):
            chosen = [cells[cell] for cell in wanted]
            scores[wanted] = super()._search(model, chosen, rows, splits, resources, scoring)
        return scores

    def _run_search(self, evaluate_candidates: Any) -> None:
        """Search scikit-learn's way, a few candidates at a time."""
        candidates = list(ParameterGrid(self.param_grid))
        means = np.full(len(candidates), np.nan)
        pattern = PatternSearch(candidates)
        asked: list[int] = []
        while wanted := pattern.wanted(means):
            asked += wanted
            found = evaluate_candidates([candidates[cell] for cell in wanted])
            scores = found["mean_test_score"][len(asked) - len(wanted) : len(asked)]
            means[wanted] = np.nan_to_num(scores, nan=-np.inf)
