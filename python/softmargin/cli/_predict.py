"""``softmargin predict``: predict labels and write them to a file, as svm-predict does."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softmargin.cli._model_formats import TrainedModel
from softmargin.cli._options import Jobs
from softmargin.cli._output import Output
from softmargin.cli._output_file import check_target, write_lines
from softmargin.cli._source import Source
from softmargin.cli._summary import facts_of_data
from softmargin.cli._training_report import binary_classes
from softmargin.cli._values import line_of, text_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from softmargin.datasets import Dataset


def predict(
    *,
    source: Source,
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            show_default=False,
            help="Model file of 'softmargin train' or svm-train.",
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(metavar="OUTPUT", help="File for the labels; - for standard output."),
    ] = "-",
    no_labels: Annotated[
        bool,
        typer.Option("--no-labels", help="Ignore the labels in DATA, and report no accuracy."),
    ] = False,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Write a header, and the decision values after each label."),
    ] = False,
    jobs: Jobs = -1,
    output: Output,
) -> None:
    """Predict the label of each sample.

    Writes one label per line. If DATA has labels, the accuracy is printed as svm-predict does: on
    stdout, or on stderr if the labels are written to stdout. Features are scaled as in training.

    If the model was trained on a table, the columns of DATA are matched by name, in any order, and
    additional columns are ignored; if neither file has a header, columns are matched by position.
    Text columns are encoded as in training. Missing columns and unknown categories are errors.

    A label that contains a line break or another control character is written as a JSON string.

    Examples:
      softmargin predict heart_scale.t heart_scale.model labels.txt
      softmargin predict digits digits.model > labels.txt
      softmargin predict table.csv fast.model --scores
      softmargin predict new.csv fast.model --no-labels
    """
    if no_labels and source.label_column is not None:
        raise typer.BadParameter(
            "it cannot be combined with --no-labels", param_hint="--label-column"
        )
    if target != "-":
        check_target(Path(target), allow_devices=True)
    trained = TrainedModel.read(model)
    data = source.load(trained, is_labelled=not no_labels)
    trained.check(data)
    trained.widen(data.n_features)
    estimator = trained.estimator
    estimator.set_params(n_jobs=jobs)
    X = _rows_for(trained, data)
    labels = trained.fitted.predict(X)
    values = trained.fitted.decision_function(X) if scores else None
    lines = _lines(trained, labels, values)
    n_right = None if data.y is None else _count_right(labels, data)
    _warn_about_labels(trained, data)
    if output.as_json:
        facts: dict[str, Any] = {
            "data": facts_of_data(data),
            "ignored_columns": data.ignored,
            "model": str(model),
            "right": n_right,
            "rows": data.n_rows,
            "accuracy": None if n_right is None else n_right / data.n_rows,
        }
        if target == "-":
            facts |= {"labels": labels} | ({} if values is None else {"scores": values})
        else:
            facts["output"] = target
            write_lines(Path(target), lines)
        output.document(facts)
        return
    if target == "-":
        for line in lines:
            sys.stdout.write(line)
        sys.stdout.flush()
    else:
        write_lines(Path(target), lines)
    if data.ignored:
        output.remark(_ignored(data.ignored))
    if n_right is None:
        output.remark("no accuracy: the data has no labels")
        return
    accuracy = f"Accuracy = {100 * n_right / data.n_rows:g}% ({n_right}/{data.n_rows})"
    accuracy += " (classification)"
    if target == "-":
        output.remark(accuracy)
    elif not output.quiet:
        output.print(accuracy)


def _rows_for(trained: TrainedModel, data: Dataset) -> Any:
    """Return the samples as the model expects them; LIBSVM text may omit the last features."""
    X = data.X
    if not hasattr(X, "tocsr"):
        return X
    if X.shape[1] < trained.n_features:
        X = X.copy()
        X.resize((X.shape[0], trained.n_features))
    # A scaler fitted with dense samples, as of a table with few categories, rejects sparse ones.
    is_dense = trained.schema is not None and not trained.schema.is_sparse
    return X.toarray() if is_dense and X.shape[1] == trained.n_features else X


def _ignored(names: Sequence[str]) -> str:
    from softmargin.datasets._table_layout import some

    return f"ignored columns that the model does not use: {some(names)}"


def _warn_about_labels(trained: TrainedModel, data: Dataset) -> None:
    """Warn about labels that are not classes of the model; for tables the reader has done so."""
    from softmargin.datasets._label_column import unknown_labels

    if trained.schema is not None and data.schema is not None:
        return
    known = {text_of(label) for label in trained.estimator.classes_.tolist()}
    names = [text_of(label) for label in data.classes.tolist()]
    if unknown := [name for name in names if name not in known]:
        warnings.warn(unknown_labels(unknown), UserWarning, stacklevel=2)


def _count_right(labels: NDArray[Any], data: Dataset) -> int:
    """Return the number of correct labels."""
    if labels.dtype.kind in "iuf" and data.classes.dtype.kind in "iuf":
        return int((labels == data.labels).sum())
    names = [text_of(label) for label in data.classes.tolist()]
    pairs = zip(labels.tolist(), data.y.tolist(), strict=True)
    return sum(text_of(label) == names[code] for label, code in pairs)


def _lines(
    trained: TrainedModel, labels: NDArray[Any], values: NDArray[np.float64] | None
) -> Iterator[str]:
    """Yield one line per sample, after a header if there are decision values."""
    texts = [line_of(text) for text in trained.texts_of(labels)]
    if values is None:
        yield from (f"{text}\n" for text in texts)
        return
    columns = values.reshape(len(texts), -1)
    names = trained.texts_of(trained.estimator.classes_)
    if columns.shape[1] != len(names):
        pairs = binary_classes(trained.estimator, names)
        names = names[1:] if len(pairs) == 1 else [f"{a}/{b}" for a, b in pairs]
    yield "\t".join(["label", *map(line_of, names)]) + "\n"
    for text, row in zip(texts, columns.tolist(), strict=True):
        yield "\t".join([text, *map(repr, row)]) + "\n"
