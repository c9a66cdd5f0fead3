"""``softmargin train``: a model file from data, as svm-train makes it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softmargin.cli._cv import run_folds
from softmargin.cli._estimator_options import Machine
from softmargin.cli._model_formats import FORMATS, check_format, target_of, write_model
from softmargin.cli._options import choice, optional
from softmargin.cli._output import Output, facts_table
from softmargin.cli._progress_bar import steps_shown
from softmargin.cli._source import Source
from softmargin.cli._summary import facts_of_run, headline_of_data, headline_of_machine
from softmargin.cli._training_report import facts_of_model, lines_of_model

if TYPE_CHECKING:
    from softmargin._estimators.base import Classifier
    from softmargin.datasets import Dataset


def train(
    *,
    source: Source,
    model: Annotated[
        Path | None,
        typer.Argument(
            metavar="MODEL",
            show_default=False,
            help="The file to write.  [default: the name of DATA with .model, in this folder]",
        ),
    ] = None,
    n_folds: Annotated[
        int | None,
        optional(
            "-v",
            "--cross-validation",
            metavar="N",
            min=2,
            help="Print the accuracy of N folds, and write no model.",
        ),
    ] = None,
    machine: Machine,
    file_format: Annotated[
        str, choice("--format", words=FORMATS, help="Of the model file; libsvm for svm-predict.")
    ] = "softmargin",
    uncertified: Annotated[
        bool,
        typer.Option(
            "--no-certificate",
            help="Do not recompute from all rows how near the optimum is.",
        ),
    ] = False,
    output: Output,
) -> None:
    """Train a machine and write it to a file.

    Options and defaults are those of svm-train: C 1, RBF kernel, gamma 1 / features, nothing
    scaled. An option that the method does not have is refused. A model that is trained on a table
    keeps the names of its columns, their categories and the labels as they are written.

    Examples:
      softmargin train heart_scale                     writes heart_scale.model
      softmargin train heart_scale -c 10 -g 0.01 -v 5  prints an accuracy instead
      softmargin train table.csv --scale -s ollawv --margin 0.2 fast.model
      softmargin train digits --scale -c 16 -g 0.1
    """
    if n_folds is not None and model is not None:
        raise typer.BadParameter("with -v no model is written", param_hint="MODEL")
    target = None if n_folds is not None else target_of(model, source, file_format, machine.scale)
    data = source.load()
    check_format(data, file_format)
    estimator = machine.estimator(data)
    facts = facts_of_run(data, machine, estimator)
    if target is None:
        found = run_folds(data, estimator, machine, n_folds or 2, output)
        if output.as_json:
            output.document(facts | found.facts())
        else:
            output.print(f"Cross Validation Accuracy = {100 * found.pooled_accuracy:g}%")
        return
    start = time.perf_counter()
    fitted = _fit(data, estimator, machine.scale, output)
    seconds = time.perf_counter() - start
    write_model(fitted, target, file_format, data.schema)
    is_wanted = not uncertified and (output.as_json or not output.quiet)
    trained = facts_of_model(estimator, data.n_rows, is_wanted)
    if output.as_json:
        file = {"model": str(target), "format": file_format}
        output.document(facts | trained | {"seconds": seconds} | file)
    elif not output.quiet:
        output.print(
            facts_table(
                {
                    "data": headline_of_data(data),
                    "method": headline_of_machine(estimator, machine.scale),
                    **lines_of_model(trained),
                    "seconds": f"{seconds:.3g}",
                    "model": str(target),
                }
            )
        )


def _fit(data: Dataset, estimator: Classifier, scale: bool, output: Output) -> Any:
    """Return the estimator fitted to all rows, in a pipeline with its scaler if there is one."""
    from sklearn.pipeline import make_pipeline

    from softmargin import MinMaxScaler

    whole = make_pipeline(MinMaxScaler(), estimator) if scale else estimator
    with steps_shown(estimator, output):
        whole.fit(data.X, data.labels)
    return whole
