"""Nested cross-validation: inner folds select hyperparameters, outer folds evaluate them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from softmargin._checks import class_order, parameters
from softmargin._selection.comparison import NestedComparison
from softmargin._selection.nested_problem import Problem, Scale
from softmargin._selection.nested_run import Run
from softmargin._selection.nested_tasks import is_single, tasks_of
from softmargin._selection.result import NestedResult


def nested_cv(
    X: Any,
    y: Any,
    method: Any = "svc",
    grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    outer: Any = 5,
    inner: Any = 5,
    search: Literal["grid", "pattern", "random"] = "grid",
    scale: Literal["auto"] | Scale = "auto",
    scoring: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = -1,
    memory_budget: int | None = None,
    prune: bool = False,
    random_state: Any = None,
    progress: bool | Callable[[dict[str, Any]], None] | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    groups: Any = None,
    refit: str | None = None,
    n_iter: int = 10,
) -> Any:
    """Select hyperparameters by inner cross-validation and evaluate the choice on outer folds.

    Every candidate of the grid is trained on every inner split of every outer fold. The candidate
    with the highest mean score is trained on the outer training samples and evaluated on the
    held-out samples. Ties go to the first candidate, that is, to the smaller C or margin, then to
    the smaller gamma. All trainings are one computation that shares scaled samples, distances,
    kernel matrices and regularization paths; the result agrees with separate trainings up to
    ``tol``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels, or targets of regression; for OneClassSVM, 1 and -1, which only the score uses.
    method : str, estimator, Pipeline, or a list of them, default="svc"
        One of :func:`softmargin.methods`, an estimator with the parameters that the grid does not
        vary, or a scikit-learn Pipeline that ends with such an estimator: its other steps are
        fitted to the training samples of each split, once for each setting of their parameters. A
        list compares methods on the same folds. A subclass of a Softmargin estimator is fitted
        once per candidate and split by its own methods, which takes longer.
    grid : dict of lists, list of such dicts, or None, default=None
        Candidates. None uses an 8 x 8 grid: C = 4^-2 ... 4^5 (OLLAWV: eight margins; NuSVC and
        OneClassSVM: eight values of nu) and gamma = 4^-5 ... 4^2. Linear methods have no gamma.
        For a pipeline, names start with those of its steps, as in
        ``{"svc__C": [1, 10], "pca__n_components": [5, 10]}``. For ``search="random"``, values may
        be distributions with a method ``rvs``.
    outer, inner : int, splitter or iterable of pairs, default=5
        Number of shuffled folds, which are stratified for classification; or a splitter of
        scikit-learn (for repeated hold-out, ``StratifiedShuffleSplit(10, test_size=0.1)``); or
        pairs of training and test samples, as indices or boolean masks.
    search : {"grid", "pattern", "random"}, default="grid"
        "grid" evaluates all candidates. "pattern" evaluates a five-point cross on the grid, which
        moves to its best point and halves its step if the center is the best. "random" evaluates
        ``n_iter`` random candidates, the same in all folds.
    scale : {"auto", "fold", "standard", "global", None}, default="auto"
        How to scale features: "fold" to [0, 1] by the training samples of each split, "standard"
        to mean 0 and variance 1 of these samples (sparse features are not shifted), "global" to
        [0, 1] by all samples (as Melki and Kecman (2016) and Melki (2018) did; it leaks
        information from the held-out samples), None not at all. "auto" means "fold", but None for
        a pipeline.
    scoring : str, callable, list, tuple, dict or None, default=None
        Score by which candidates are compared and evaluated: anything that scikit-learn's searches
        accept and that predictions or decision values determine. None means "accuracy" for
        classifiers and "r2" for regressors. With several scores, ``refit`` names the one that
        guides the search.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Positive weights that multiply C for each training sample. OLLAWV does not support them.
    n_jobs : int or None, default=-1
        Number of threads; -1 uses all processors.
    memory_budget : int or None, default=None
        Bytes for distances, kernel matrices and votes; None uses half of the free memory. A kernel
        matrix that exceeds the budget is replaced by a cache of its rows.
    prune : bool, default=False
        Stop evaluating a candidate that can no longer win: even with perfect scores on its
        remaining folds it stays below a finished candidate. The choice is the same, up to the
        tolerance of methods whose trainings start from each other; scores that were not computed
        are NaN. Only for ``search="grid"``.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of random candidates. An int is also the seed of methods that are
        given by name.
    progress : bool, callable or None, default=None
        True shows a progress bar on stderr with the finished trainings, the best score so far and
        the remaining time. A function is called with a dictionary of these numbers: "method",
        "done", "total", "best", "seconds", "seconds_left". "best" is the highest mean score of a
        candidate over all inner folds of an outer fold; it never decreases, and is NaN before the
        first candidate is finished.
    time_limit : float or None, default=None
        Time limit in seconds; the results finished by then are returned.
    checkpoint : path or None, default=None
        File to which inner scores are written every few seconds. Rerun the same call to resume;
        the result is that of an uninterrupted run. Folds and methods that draw random numbers
        need a seed: a call that could not be resumed raises ValueError before the first training.
    groups : array-like of shape (n_samples,) or None, default=None
        Group of each sample. Outer and inner splitters get the groups of their samples; a number
        of folds then means stratified folds that keep groups together.
    refit : str or None, default=None
        Name of the score that guides the search, if there are several.
    n_iter : int, default=10
        Number of candidates of ``search="random"``.

    Returns
    -------
    NestedResult or NestedComparison
        A NestedComparison for a list of methods, with the results by name ("svc", "svc-2", ...).
        After Ctrl-C, the results so far with ``complete=False``, if any training has finished;
        the printed result shows the progress and the best inner score so far.

    Notes
    -----
    With scaling, kernel values are computed in float32 (sums and solutions in float64). Without
    scaling, and for pipelines, that depends on the method: exact solvers use float32 and refine
    their solutions in float64 where rounding would exceed the tolerance; the others use the dtype
    of X.

    Examples
    --------
    >>> import softmargin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = softmargin.nested_cv(X, y, method="ollawv", random_state=0)
    >>> result.mean_score > 0.9
    True
    """
    parameters.choice("search", search, ("grid", "pattern", "random"))
    if isinstance(method, Iterator):
        method = list(method)  # it is read twice
    problem = Problem.check(X, y, method, scale, scoring, refit, sample_weight, groups)
    run = Run.plan(problem, outer, inner, search, random_state, checkpoint)
    run.limit(n_jobs, memory_budget, time_limit)
    run.prune = parameters.flag("prune", prune)
    run.progress = progress
    # Check all methods before the first training.
    tasks = tasks_of(method, grid, problem, random_state, checkpoint is not None, search, n_iter)
    if problem.rows.order is None and any(task.candidates.is_ordinal for task in tasks):
        class_order.warn_if_text(problem.rows.classes)
    if is_single(method):
        return run.select(tasks[0])
    results: dict[str, NestedResult] = {}
    for task in tasks:
        try:
            results[task.label] = run.select(task)
        except KeyboardInterrupt:  # before its first training finished
            if not results:
                raise
            break
        if not results[task.label].complete:
            break
    return NestedComparison(results, [task.label for task in tasks if task.label not in results])
