"""``softmargin train``: train a model and write it to a file, as svm-train does."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softmargin.cli._cv import check_folds, run_folds
from softmargin.cli._estimator_options import EstimatorOptions
from softmargin.cli._model_formats import FORMATS, check_format, model_path, write_model
from softmargin.cli._options import REGRESSION_SCORINGS, choice, optional
from softmargin.cli._output import Output, facts_table
from softmargin.cli._progress_bar import show_steps
from softmargin.cli._regression_folds import RegressionFolds
from softmargin.cli._source import Source
from softmargin.cli._summary import facts_of_run, headline_of_data, headline_of_estimator
from softmargin.cli._training_report import facts_of_model, lines_of_model

if TYPE_CHECKING:
    from softmargin._estimators.base import Estimator
    from softmargin.datasets import Dataset


def train(
    *,
    source: Source,
    model: Annotated[
        Path | None,
        typer.Argument(
            metavar="MODEL",
            show_default=False,
            help="Model file to write.  [default: name of DATA with extension .model]",
        ),
    ] = None,
    n_folds: Annotated[
        int | None,
        optional(
            "-v",
            "--cross-validation",
            metavar="N",
            min=2,
            help="Print the score of N-fold cross-validation instead of writing a model.",
        ),
    ] = None,
    options: EstimatorOptions,
    file_format: Annotated[
        str,
        choice(
            "--format",
            words=FORMATS,
            help="Format of the model file; svm-predict can read libsvm.",
        ),
    ] = "softmargin",
    uncertified: Annotated[
        bool,
        typer.Option(
            "--no-certificate",
            help="Do not compute the objective, duality gap and violation after training, nor the "
            "training error.",
        ),
    ] = False,
    no_labels: Annotated[
        bool,
        typer.Option(
            "--no-labels", help="DATA has no label column; only for the method one-class."
        ),
    ] = False,
    output: Output,
) -> None:
    """Train a model and write it to a file.

    Options and defaults are those of svm-train: C = 1, RBF kernel, gamma = 1 / features, and no
    scaling. Options that do not apply to the method are errors. A model trained on a table stores
    the names and categories of its columns, and the labels as written in the table.

    The methods svr and nu-svr predict numbers, the label column of DATA. The method one-class
    ignores the labels, and predicts 1 for inliers and -1 for outliers.

    Examples:
      softmargin train heart_scale                     writes heart_scale.model
      softmargin train heart_scale -c 10 -g 0.01 -v 5  prints the accuracy
      softmargin train table.csv --scale -s ollawv --margin 0.2 fast.model
      softmargin train digits --scale -c 16 -g 0.1
      softmargin train housing.svm --scale -s svr -p 0.5 -c 100
    """
    if no_labels:
        if not options.is_detector:
            raise typer.BadParameter(
                f"the method {options.method!r} requires labels", param_hint="--no-labels"
            )
        if source.label_column is not None:
            raise typer.BadParameter(
                "it cannot be combined with --no-labels", param_hint="--label-column"
            )
    if n_folds is not None:
        check_folds(options, "-v")
    if n_folds is not None and model is not None:
        raise typer.BadParameter("-v does not write a model", param_hint="MODEL")
    target = None if n_folds is not None else model_path(model, source, file_format, options.scale)
    if options.is_detector:
        data = _without_labels(source.load("ignored" if no_labels else "optional"))
    else:
        data = source.load(targets=options.is_regressor)
    check_format(data, file_format)
    estimator = options.estimator(data)
    facts = facts_of_run(data, options, estimator)
    if target is None and options.is_regressor:
        folded = RegressionFolds.run(data, estimator, options, n_folds or 2)
        if output.as_json:
            output.document(facts | folded.facts(REGRESSION_SCORINGS[0]))
        else:
            for line in folded.lines():
                output.print(line)
        return
    if target is None:
        found = run_folds(data, estimator, options, n_folds or 2, output)
        if output.as_json:
            output.document(facts | found.facts())
        else:
            output.print(f"Cross Validation Accuracy = {100 * found.pooled_accuracy:g}%")
        return
    start = time.perf_counter()
    fitted = _fit(data, estimator, options.scale, output)
    seconds = time.perf_counter() - start
    write_model(fitted, target, file_format, data.schema)
    is_certified = not uncertified and (output.as_json or not output.quiet)
    trained = facts_of_model(fitted, estimator, data, is_certified)
    if output.as_json:
        file = {"model": str(target), "format": file_format}
        output.document(facts | trained | {"seconds": seconds} | file)
    elif not output.quiet:
        output.print(
            facts_table(
                {
                    "data": headline_of_data(data),
                    "method": headline_of_estimator(estimator, options.scale),
                    **lines_of_model(trained),
                    "seconds": f"{seconds:.3g}",
                    "model": str(target),
                }
            )
        )


def _without_labels(data: Dataset) -> Dataset:
    return replace(data, y=None, classes=data.classes[:0])


def _fit(data: Dataset, estimator: Estimator, scale: bool, output: Output) -> Any:
    """Return the estimator fitted with all samples, in a pipeline with a scaler if ``scale``."""
    from sklearn.pipeline import make_pipeline

    from softmargin import MinMaxScaler

    model = make_pipeline(MinMaxScaler(), estimator) if scale else estimator
    with show_steps(estimator, output):
        model.fit(data.X, data.labels)
    return model
