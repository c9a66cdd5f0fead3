"""The searches of scikit-learn and a pattern search, computed by the shared engine."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn import model_selection
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 (imports the classes)
from sklearn.model_selection import ParameterGrid

from softmargin._selection.pattern_search import PatternSearch
from softmargin._selection.search import EngineSearch


class GridSearchCV(model_selection.GridSearchCV, EngineSearch):
    """Replacement for scikit-learn's ``GridSearchCV`` that shares work between all fits.

    Parameters, attributes and results are those of ``sklearn.model_selection.GridSearchCV``. If
    the estimator is one of Softmargin, or a scikit-learn ``Pipeline`` that ends with one, all fits
    are one computation: the steps before the classifier are fitted once per split and setting of
    their own parameters, and all candidates of the classifier share the transformed samples,
    kernel matrices and paths over C or margins. Scikit-learn's own scorers compute all scores that
    predictions and decision values determine. Fit times in ``cv_results_`` are means over all
    fits, because the fits are not separate.

    In all other cases the search falls back to scikit-learn, and ``engine_reason_`` says why:
    other estimators, subclasses, estimators with replaced methods or with ``time_limit``, scores
    that need probabilities or other attributes of the fitted estimator, and callbacks of the
    estimator.

    Ctrl-C raises ``KeyboardInterrupt`` and keeps the finished candidates in ``cv_results_``.

    Parameters
    ----------
    estimator : estimator
        A classifier of Softmargin, a pipeline, or any other estimator.
    param_grid : dict or list of dict
        Values of the parameters; those of all steps of a pipeline may be mixed.
    scoring : str, callable, list, tuple, dict or None, default=None
        Scores, as in scikit-learn; None means the accuracy.
    n_jobs : int or None, default=None
        Number of threads, also for fitting the best candidate; None means 1, -1 all cores.
    refit : bool, str or callable, default=True
        Whether to fit the best candidate to all samples; with several scores, the name of the one
        that decides, or a function that returns the index of the best candidate.
    cv : int, splitter, iterable or None, default=None
        Splits, as in scikit-learn; None means five stratified folds.
    verbose : int, default=0
        What is printed, as in scikit-learn; also why a search falls back to it.
    pre_dispatch : int or str, default="2*n_jobs"
        Used by scikit-learn only.
    error_score : "raise" or float, default=nan
        Score of a candidate whose fit or score fails.
    return_train_score : bool, default=False
        Whether ``cv_results_`` contains the scores of the training samples.
    progress : bool, callable or None, default=None
        True shows a progress bar on stderr; a function is called with a dictionary of the
        progress, as in :func:`softmargin.nested_cv`.
    time_limit : float or None, default=None
        Time limit in seconds for the evaluation of candidates, without refitting. Candidates that
        were not evaluated on all splits by then are not part of ``cv_results_``, and a
        ``ConvergenceWarning`` says how many.
    checkpoint : path or None, default=None
        File to which scores are written every few seconds. Rerun the same call to resume.
    memory_budget : int or None, default=None
        Bytes for transformed samples, kernel matrices and outputs; None uses half of the free
        memory.

    Attributes
    ----------
    used_engine_ : bool
        Whether all fits were one computation.
    engine_reason_ : str or None
        Why the search fell back to scikit-learn; None if it did not.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), softmargin.SVC())
    >>> grid = {"svc__C": [1, 10], "svc__gamma": [0.1, 1]}
    >>> search = softmargin.GridSearchCV(model, grid, scoring="f1_macro").fit(X, y)
    >>> search.used_engine_
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EngineSearch._parameter_constraints,
        **model_selection.GridSearchCV._parameter_constraints,
    }

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        progress: Any = None,
        time_limit: float | None = None,
        checkpoint: Any = None,
        memory_budget: int | None = None,
    ) -> None:
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.progress = progress
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.memory_budget = memory_budget


class RandomizedSearchCV(model_selection.RandomizedSearchCV, EngineSearch):
    """Replacement for scikit-learn's ``RandomizedSearchCV`` that shares work between all fits.

    The candidates for a seed are those of ``sklearn.model_selection.RandomizedSearchCV``, and so
    are parameters, attributes and results. What is shared, and when the search falls back to
    scikit-learn, is described at :class:`GridSearchCV`.

    Parameters
    ----------
    estimator : estimator
        A classifier of Softmargin, a pipeline, or any other estimator.
    param_distributions : dict or list of dict
        Lists of values, or distributions with a method ``rvs``.
    n_iter : int, default=10
        Number of candidates.
    random_state : int, RandomState or None, default=None
        Seed of the candidates.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As in :class:`GridSearchCV`.
    progress, time_limit, checkpoint, memory_budget
        As in :class:`GridSearchCV`.

    Attributes
    ----------
    used_engine_ : bool
        Whether all fits were one computation.
    engine_reason_ : str or None
        Why the search fell back to scikit-learn; None if it did not.

    Examples
    --------
    >>> import softmargin
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> space = {"C": loguniform(1e-2, 1e3), "gamma": loguniform(1e-3, 1e1)}
    >>> search = softmargin.RandomizedSearchCV(softmargin.SVC(), space, n_iter=20, random_state=0)
    >>> search.fit(X, y).used_engine_
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EngineSearch._parameter_constraints,
        **model_selection.RandomizedSearchCV._parameter_constraints,
    }

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 10,
        random_state: Any = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        progress: Any = None,
        time_limit: float | None = None,
        checkpoint: Any = None,
        memory_budget: int | None = None,
    ) -> None:
        super().__init__(
            estimator,
            param_distributions,
            n_iter=n_iter,
            random_state=random_state,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.progress = progress
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.memory_budget = memory_budget


class HalvingGridSearchCV(model_selection.HalvingGridSearchCV, EngineSearch):
    """Replacement for scikit-learn's ``HalvingGridSearchCV`` that shares work between fits.

    As in scikit-learn's class of this name, all candidates are evaluated with few resources, and
    the best ones again with more. The resource is the number of samples, or a parameter of the
    estimator such as ``max_iter``. What is shared, and when the search falls back to scikit-learn,
    is described at :class:`GridSearchCV`.

    Parameters
    ----------
    estimator : estimator
        A classifier of Softmargin, a pipeline, or any other estimator.
    param_grid : dict or list of dict
        Values of the parameters.
    factor : float, default=3
        Share of the candidates, ``1 / factor``, that is evaluated again.
    resource : str, default="n_samples"
        What increases from iteration to iteration.
    min_resources, max_resources : int or str, default="exhaust" and "auto"
        Resources of the first and of the last iteration.
    aggressive_elimination : bool, default=False
        Whether to repeat the first iteration until few enough candidates are left.
    cv : int, splitter or iterable, default=5
        Splits, which must be the same in each call.
    random_state : int, RandomState or None, default=None
        Seed of the samples.
    scoring, n_jobs, refit, verbose, error_score, return_train_score
        As in :class:`GridSearchCV`.
    progress, time_limit, checkpoint, memory_budget
        As in :class:`GridSearchCV`.

    Attributes
    ----------
    used_engine_ : bool
        Whether all fits were one computation.
    engine_reason_ : str or None
        Why the search fell back to scikit-learn; None if it did not.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"C": [0.1, 1, 10, 100], "gamma": [0.01, 0.1, 1]}
    >>> search = softmargin.HalvingGridSearchCV(softmargin.SVC(), grid, random_state=0)
    >>> search.fit(X, y).used_engine_
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EngineSearch._parameter_constraints,
        **model_selection.HalvingGridSearchCV._parameter_constraints,
    }

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: Any = "auto",
        min_resources: Any = "exhaust",
        aggressive_elimination: bool = False,
        random_state: Any = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = 5,
        verbose: int = 0,
        error_score: Any = np.nan,
        return_train_score: bool = True,
        progress: Any = None,
        time_limit: float | None = None,
        checkpoint: Any = None,
        memory_budget: int | None = None,
    ) -> None:
        super().__init__(
            estimator,
            param_grid,
            factor=factor,
            resource=resource,
            max_resources=max_resources,
            min_resources=min_resources,
            aggressive_elimination=aggressive_elimination,
            random_state=random_state,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.progress = progress
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.memory_budget = memory_budget


class HalvingRandomSearchCV(model_selection.HalvingRandomSearchCV, EngineSearch):
    """Replacement for scikit-learn's ``HalvingRandomSearchCV`` that shares work between fits.

    As in scikit-learn's class of this name, all candidates are evaluated with few resources, and
    the best ones again with more. The resource is the number of samples, or a parameter of the
    estimator such as ``max_iter``. What is shared, and when the search falls back to scikit-learn,
    is described at :class:`GridSearchCV`.

    Parameters
    ----------
    estimator : estimator
        A classifier of Softmargin, a pipeline, or any other estimator.
    param_distributions : dict or list of dict
        Lists of values, or distributions with a method ``rvs``.
    n_candidates : int or "exhaust", default="exhaust"
        Number of candidates of the first iteration.
    factor : float, default=3
        Share of the candidates, ``1 / factor``, that is evaluated again.
    resource : str, default="n_samples"
        What increases from iteration to iteration.
    min_resources, max_resources : int or str, default="smallest" and "auto"
        Resources of the first and of the last iteration.
    aggressive_elimination : bool, default=False
        Whether to repeat the first iteration until few enough candidates are left.
    cv : int, splitter or iterable, default=5
        Splits, which must be the same in each call.
    random_state : int, RandomState or None, default=None
        Seed of the samples and of the candidates.
    scoring, n_jobs, refit, verbose, error_score, return_train_score
        As in :class:`GridSearchCV`.
    progress, time_limit, checkpoint, memory_budget
        As in :class:`GridSearchCV`.

    Attributes
    ----------
    used_engine_ : bool
        Whether all fits were one computation.
    engine_reason_ : str or None
        Why the search fell back to scikit-learn; None if it did not.

    Examples
    --------
    >>> import softmargin
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> space = {"C": loguniform(1e-2, 1e3), "gamma": loguniform(1e-3, 1e1)}
    >>> search = softmargin.HalvingRandomSearchCV(softmargin.SVC(), space, random_state=0)
    >>> search.fit(X, y).used_engine_
    True
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EngineSearch._parameter_constraints,
        **model_selection.HalvingRandomSearchCV._parameter_constraints,
    }

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_candidates: Any = "exhaust",
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: Any = "auto",
        min_resources: Any = "smallest",
        aggressive_elimination: bool = False,
        random_state: Any = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = 5,
        verbose: int = 0,
        error_score: Any = np.nan,
        return_train_score: bool = True,
        progress: Any = None,
        time_limit: float | None = None,
        checkpoint: Any = None,
        memory_budget: int | None = None,
    ) -> None:
        super().__init__(
            estimator,
            param_distributions,
            n_candidates=n_candidates,
            factor=factor,
            resource=resource,
            max_resources=max_resources,
            min_resources=min_resources,
            aggressive_elimination=aggressive_elimination,
            random_state=random_state,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.progress = progress
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.memory_budget = memory_budget


class PatternSearchCV(GridSearchCV):
    """Search that evaluates only a part of the grid, otherwise as :class:`GridSearchCV`.

    A five-point cross starts in the middle of the grid, moves to its best point, and halves its
    step if its center is the best. ``cv_results_`` contains the candidates that were evaluated.
    """

    __module__ = "softmargin"  # pickles do not depend on file names

    def _run_search(self, evaluate_candidates: Any, *, callback_ctx: Any = None) -> None:
        """Search through scikit-learn, a few candidates at a time."""
        candidates = list(ParameterGrid(self.param_grid))
        if not candidates:
            raise ValueError(
                f"param_grid = {self.param_grid!r} is empty: it must contain at least one candidate"
            )
        means = np.full(len(candidates), np.nan)
        pattern = PatternSearch(candidates)
        cv = _DrawnOnce(self._checked_cv_orig)
        search = None
        if callback_ctx is not None:
            search = callback_ctx.subcontext(task_name="search", max_subtasks=None)
            search.call_on_fit_task_begin(estimator=self)
        self._places = {id(candidate): place for place, candidate in enumerate(candidates)}
        try:
            while wanted := pattern.wanted(means):
                chosen = [candidates[cell] for cell in wanted]
                found = _evaluated(evaluate_candidates, chosen, cv, search, self)
                places = [self._places[id(candidate)] for candidate in found["params"]]
                means[places] = np.nan_to_num(self._guiding_scores(found), nan=-np.inf)
                if np.isnan(means[wanted]).any():
                    break  # the time limit has ended the search
        finally:
            del self._places
        if search is not None:
            search.call_on_fit_task_end(estimator=self)

    def _guiding_scores(self, found: dict[str, Any]) -> Any:
        """Return the mean scores that guide the search."""
        name = "mean_test_score"
        if name not in found:
            name = f"mean_test_{self.refit}"
        if name not in found:
            raise ValueError(
                f"refit = {self.refit!r} is not valid: with several scores, it must name the score "
                "that guides the search"
            )
        return found[name]

    def _format_results(
        self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None
    ) -> Any:
        """Return the results in the order of the grid, not in the order of evaluation."""
        if hasattr(self, "_places"):
            places = [self._places[id(candidate)] for candidate in candidate_params]
            order = sorted(range(len(places)), key=places.__getitem__)
            candidate_params = [candidate_params[number] for number in order]
            out = [
                fit for number in order for fit in out[number * n_splits : (number + 1) * n_splits]
            ]
        return super()._format_results(candidate_params, n_splits, out, more_results)


class _DrawnOnce:
    """A splitter that returns the splits of its first call again."""

    def __init__(self, splitter: Any) -> None:
        self._splitter = splitter
        self._splits: list[Any] | None = None

    def split(self, X: Any, y: Any = None, **params: Any) -> list[Any]:
        """Return the splits."""
        if self._splits is None:
            self._splits = list(self._splitter.split(X, y, **params))
        return self._splits


def _evaluated(
    evaluate_candidates: Any, chosen: list[dict[str, Any]], cv: Any, context: Any, search: Any
) -> Any:
    """Evaluate candidates through scikit-learn; callbacks see them as a task of the search."""
    if context is None:
        return evaluate_candidates(chosen, cv=cv)
    count = len(chosen) * search.n_splits_
    own = context.subcontext(task_name="cross", max_subtasks=count, sequential_subtasks=False)
    own.call_on_fit_task_begin(estimator=search)
    found = evaluate_candidates(chosen, cv=cv, callback_ctx=own)
    own.call_on_fit_task_end(estimator=search)
    return found
