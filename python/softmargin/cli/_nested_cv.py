"""``softmargin nested-cv``: select hyperparameters in inner folds, score them in outer folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softmargin._selection.spread import with_spread
from softmargin.cli._estimator_options import CLASSIFIERS, DETECTORS, METHODS, REGRESSORS
from softmargin.cli._failure import INTERRUPTED, record_interrupts
from softmargin.cli._options import Jobs, Scoring, choice, optional, scoring_of
from softmargin.cli._output import Output, short, table
from softmargin.cli._output_file import check_target
from softmargin.cli._progress_bar import cell_progress
from softmargin.cli._source import Source
from softmargin.cli._streams import print_message
from softmargin.cli._summary import facts_of_data, headline_of_data, share
from softmargin.cli._values import grid_of

if TYPE_CHECKING:
    from softmargin import NestedComparison, NestedResult


@dataclass
class Selection:
    """Options of the model selection."""

    methods: Annotated[
        list[str],
        choice(
            "-s",
            "--method",
            words=METHODS,
            metavar="NAME",
            help=f"Method: {', '.join((*CLASSIFIERS, *REGRESSORS))}. Repeat to compare several on "
            "the same folds.",
        ),
    ] = field(default_factory=lambda: ["svc"])
    grid: Annotated[
        list[str],
        optional(
            "--grid",
            metavar="NAME=X,X,...",
            default="8 values of C or margin, 8 of gamma",
            help="Candidate values, such as C=1,10 or gamma=2^-5,2^-3. Repeatable.",
        ),
    ] = field(default_factory=list)
    outer: Annotated[
        int, typer.Option("--outer", metavar="N", min=2, help="Number of folds for evaluation.")
    ] = 5
    inner: Annotated[
        int, typer.Option("--inner", metavar="N", min=2, help="Number of folds for selection.")
    ] = 5
    search: Annotated[
        str,
        choice(
            "--search",
            words=("grid", "pattern"),
            help="Evaluate the whole grid, or only neighbors of the best candidate so far.",
        ),
    ] = "grid"
    scale: Annotated[
        str,
        choice(
            "--scale",
            words=("fold", "global", "none"),
            help="Scale features to [0, 1] by the training samples of each split, by all samples, "
            "or not at all.",
        ),
    ] = "fold"
    scoring: Scoring = None
    prune: Annotated[
        bool, typer.Option("--prune", help="Skip candidates that can no longer be selected.")
    ] = False
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of folds and randomized methods.")
    ] = 0


@dataclass
class Limits:
    """Limits on threads, memory and time, and the checkpoint."""

    jobs: Jobs = -1
    memory: Annotated[
        float | None,
        optional(
            "--memory",
            metavar="MB",
            default="half of the free memory",
            help="Memory for kernel matrices in megabytes.",
        ),
    ] = None
    time_limit: Annotated[
        float | None,
        optional(
            "--time-limit",
            metavar="SECONDS",
            help="Time limit; results finished by then are reported.",
        ),
    ] = None
    checkpoint: Annotated[
        Path | None,
        optional(
            "--checkpoint",
            metavar="FILE",
            help="Save progress to this file; rerun the same command to resume.",
        ),
    ] = None


def nested_cv(source: Source, selection: Selection, limits: Limits, output: Output) -> None:
    """Select and evaluate hyperparameters by nested cross-validation.

    Inner folds select the hyperparameters, and outer folds evaluate the selection on held-out
    samples. After Ctrl-C or --time-limit, the finished results are reported; after Ctrl-C, the
    exit code is 130. With --checkpoint, rerun the same command to resume.

    The methods svr, nu-svr and linear-svr predict numbers, the label column of DATA.

    Examples:
      softmargin nested-cv iris
      softmargin nested-cv heart_scale -s svc -s ollawv --outer 10
      softmargin nested-cv heart_scale --grid C=1,10,100 --grid gamma=2^-5,2^-3
    """
    import softmargin

    if limits.checkpoint is not None:
        check_target(limits.checkpoint)
    grid = grid_of("--grid", selection.grid)
    is_regression = _is_regression(selection.methods)
    scoring = scoring_of(selection.scoring, is_regression)
    data = source.load(targets=is_regression)
    with record_interrupts() as interrupts:
        results = softmargin.nested_cv(
            data.X,
            data.labels,
            method=selection.methods,
            grid=grid or None,
            outer=selection.outer,
            inner=selection.inner,
            search=selection.search,  # type: ignore[arg-type]
            scale=None if selection.scale == "none" else selection.scale,  # type: ignore[arg-type]
            scoring=scoring,
            n_jobs=limits.jobs,
            memory_budget=None if limits.memory is None else int(limits.memory * 2**20),
            prune=selection.prune,
            random_state=selection.seed,
            progress=cell_progress(output),
            time_limit=limits.time_limit,
            checkpoint=limits.checkpoint,
        )
    if output.as_json:
        output.document(_document(data, selection, scoring, results))
    else:
        output.print(headline_of_data(data))
        if judged := results._judged():
            output.print(_table(judged, scoring))
        for note in results._notes():
            output.print(note)
    if interrupts:
        print_message("interrupted; only finished results are reported")
        raise typer.Exit(INTERRUPTED)
    if not results.complete:
        print_message("time limit reached; only finished results are reported")


def _is_regression(methods: list[str]) -> bool:
    """Return whether the methods predict targets; raise an error if only some do."""
    for method in methods:
        if method in DETECTORS:
            raise typer.BadParameter(
                f"nested-cv needs labels to predict, which {method!r} ignores", param_hint="-s"
            )
    if len({method in REGRESSORS for method in methods}) > 1:
        raise typer.BadParameter("classifiers and regressors cannot be compared", param_hint="-s")
    return methods[0] in REGRESSORS


def _table(results: Mapping[str, NestedResult], scoring: str) -> Any:
    heads = ("method", "fold", scoring, "selected", "SVs", "seconds")
    rows = []
    for name, result in results.items():
        for fold, params in result._judged():
            score, support = result.outer_scores[fold], result.support_fraction[fold]
            selected = ", ".join(f"{key}={short(value)}" for key, value in params.items())
            rows.append((name, str(fold), f"{score:.4f}", selected, share(support), ""))
        mean = with_spread(result.mean_score, result.std_score)
        seconds = f"{result.wall_seconds:.2f}"
        rows.append((name, "mean", mean, "", share(_mean_support(result)), seconds))
    return table(heads, rows, right=(scoring, "SVs", "seconds"), flexible="selected")


def _document(
    data: Any, selection: Selection, scoring: str, results: NestedComparison
) -> dict[str, Any]:
    return {
        "data": facts_of_data(data),
        "outer": selection.outer,
        "inner": selection.inner,
        "search": selection.search,
        "scale": selection.scale,
        "scoring": scoring,
        "seed": selection.seed,
        "complete": results.complete,
        "methods": {
            name: {
                "complete": result.complete,
                "stopped": result.stopped,
                "mean_score": result.mean_score,
                "std_score": result.std_score,
                "outer_scores": result.outer_scores,
                "best_params": result.best_params,
                "support_fraction": result.support_fraction,
                "cells": result.cells,
                "inner_scores": result.inner_scores.mean(axis=1),
                "seconds": result.wall_seconds,
                "counts": result.counts,
            }
            for name, result in results.items()
        },
    }


def _mean_support(result: NestedResult) -> float:
    reached = result.support_fraction[result.support_fraction == result.support_fraction]
    return float(reached.mean()) if len(reached) else float("nan")
