"""``softmargin cv`` and ``softmargin train -v``: cross-validation with given hyperparameters."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from softmargin._selection.spread import with_spread
from softmargin.cli._estimator_options import EstimatorOptions
from softmargin.cli._options import Scoring, scoring_of
from softmargin.cli._output import Output, table
from softmargin.cli._progress_bar import cell_progress
from softmargin.cli._regression_folds import RegressionFolds
from softmargin.cli._source import Source
from softmargin.cli._summary import (
    facts_of_run,
    headline_of_data,
    headline_of_estimator,
    share,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from softmargin._estimators.base import Classifier
    from softmargin.datasets import Dataset


def cross_validate(
    *,
    source: Source,
    folds: Annotated[
        int,
        typer.Option(
            "-v",
            "--folds",
            metavar="N",
            min=2,
            help="Number of folds, which are stratified for classification.",
        ),
    ] = 5,
    scoring: Scoring = None,
    options: EstimatorOptions,
    output: Output,
) -> None:
    """Evaluate given hyperparameters by cross-validation.

    With --scale, features are scaled by the training samples of each fold. The folds are those of
    softmargin.fold_labels with the same seed, or shuffled folds for regression.

    Examples:
      softmargin cv heart_scale -c 10 -g 0.01
      softmargin cv iris -s ollawv --margin 0.2 --scale --folds 10
    """
    check_folds(options, "-s")
    scoring = scoring_of(scoring, options.is_regressor)
    data = source.load(targets=options.is_regressor)
    estimator = options.estimator(data)
    if options.is_regressor:
        folded = RegressionFolds.run(data, estimator, options, folds)
        if output.as_json:
            output.document(facts_of_run(data, options, estimator) | folded.facts(scoring))
            return
        output.print(headline_of_data(data))
        output.print(headline_of_estimator(estimator, options.scale))
        output.print(folded.table(scoring))
        output.print(f"{folded.seconds:.2f} s")
        return
    found = run_folds(data, estimator, options, folds, output, scoring)
    if output.as_json:
        facts = facts_of_run(data, options, estimator)
        output.document(facts | {"scoring": scoring} | found.facts())
        return
    rows = [
        (str(fold), f"{n:,}", f"{score:.4f}", share(support))
        for fold, (n, score, support) in enumerate(
            zip(found.n_test, found.scores, found.support, strict=True)
        )
    ]
    mean = with_spread(float(found.scores.mean()), float(found.scores.std()))
    rows.append(("mean", "", mean, share(float(found.support.mean()))))
    output.print(headline_of_data(data))
    output.print(headline_of_estimator(estimator, options.scale))
    heads = ("fold", "samples", scoring, "SVs")
    output.print(table(heads, rows, right=heads[1:], flexible="fold"))
    output.print(f"{found.seconds:.2f} s")


@dataclass
class FoldScores:
    """Scores of an estimator on each fold."""

    n_test: list[int]
    n_right: list[int]
    scores: NDArray[np.float64]
    support: NDArray[np.float64]
    seconds: float

    @property
    def pooled_accuracy(self) -> float:
        """Return the accuracy over the samples of all folds, as svm-train prints it."""
        return sum(self.n_right) / sum(self.n_test)

    def facts(self) -> dict[str, Any]:
        """Return the JSON description."""
        return {
            "scores": self.scores,
            "mean_score": float(self.scores.mean()),
            "std_score": float(self.scores.std()),
            "right": sum(self.n_right),
            "rows": sum(self.n_test),
            "pooled_accuracy": self.pooled_accuracy,
            "support_fraction": self.support,
            "seconds": self.seconds,
        }


def check_folds(options: EstimatorOptions, option: str) -> None:
    """Raise an error for methods that predict neither labels nor targets."""
    if options.is_detector:
        raise typer.BadParameter(
            f"cross-validation needs labels to predict, which {options.method!r} ignores",
            param_hint=option,
        )


def run_folds(
    data: Dataset,
    estimator: Classifier,
    options: EstimatorOptions,
    n_folds: int,
    output: Output,
    scoring: str = "accuracy",
) -> FoldScores:
    """Train on all folds except one and test on that one, for each fold, in one computation."""
    import numpy as np
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import get_scorer
    from sklearn.metrics._scorer import _MultimetricScorer

    from softmargin import fold_labels
    from softmargin._checks import class_order
    from softmargin._checks.labels import check_labels
    from softmargin._checks.resources import budget_bytes, thread_count
    from softmargin._checks.rows import check_rows
    from softmargin._selection import engine
    from softmargin._selection.candidates import Candidates
    from softmargin._selection.progress import watcher_of
    from softmargin._selection.samples import Samples
    from softmargin._selection.scoring import Scoring as Scores

    start = time.perf_counter()
    classes, codes = check_labels(data.labels)
    if estimator.multi_class == "ordinal":
        class_order.warn_if_text(classes)
    scaling: Literal["none", "minmax"] = "minmax" if options.scale else "none"
    rows = Samples(check_rows(data.X), classes, codes, scaling=scaling, single_precision=False)
    held_out = fold_labels(codes, n_folds, options.seed)
    splits = [
        (np.flatnonzero(held_out != fold), np.flatnonzero(held_out == fold))
        for fold in range(n_folds)
    ]
    scorers = {name: get_scorer(name) for name in {scoring: None, "accuracy": None}}
    scores = Scores(_MultimetricScorer(scorers=scorers), classes, [estimator])
    watcher = watcher_of(cell_progress(output), options.method, scoring, scoring, n_folds)
    threads, budget = thread_count(options.jobs), budget_bytes(None)
    resources = engine.Resources(threads, budget, watcher=watcher)
    try:
        candidates = Candidates.of(estimator, [{}], classes, codes)
        done, stopped = engine.evaluate(candidates, rows, splits, scores, resources)
    finally:
        if watcher is not None:
            watcher.close()
    if stopped is not None:
        raise stopped
    n_unfinished = done.total("n_unfinished")
    if n_unfinished:
        warnings.warn(
            f"{n_unfinished} binary classifiers did not converge",
            ConvergenceWarning,
            stacklevel=2,
        )
    n_tested = [len(test) for _, test in splits]
    n_right = np.rint(done.scores("accuracy")[:, 0] * n_tested).astype(int)
    return FoldScores(
        n_tested,
        n_right.tolist(),
        done.scores(scoring)[:, 0],
        done.counts["n_support"][:, 0] / [len(train) for train, _ in splits],
        time.perf_counter() - start,
    )
