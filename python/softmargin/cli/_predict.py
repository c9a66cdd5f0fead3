"""``softmargin predict``: write predicted labels or targets to a file, as svm-predict does."""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from softmargin.cli._model_formats import TrainedModel
from softmargin.cli._options import Jobs
from softmargin.cli._output import Output
from softmargin.cli._output_file import check_target, write_lines
from softmargin.cli._regression_errors import RegressionErrors
from softmargin.cli._source import Source
from softmargin.cli._summary import facts_of_data
from softmargin.cli._training_report import binary_classes
from softmargin.cli._values import line_of, text_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from softmargin.datasets import Dataset

# The labels of outliers and inliers.
_SIGNS = {"-1": -1, "1": 1, "+1": 1}


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
        typer.Argument(metavar="OUTPUT", help="File for the predictions; - for standard output."),
    ] = "-",
    no_labels: Annotated[
        bool,
        typer.Option(
            "--no-labels", help="Ignore the labels in DATA, and report no accuracy or error."
        ),
    ] = False,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Write a header, and the decision values after each label."),
    ] = False,
    jobs: Jobs = -1,
    output: Output,
) -> None:
    """Predict the label or target of each sample.

    Writes one label or target per line. If DATA has labels, the accuracy is printed as svm-predict
    does, and if it has targets, the errors: on stdout, or on stderr if the predictions are written
    to stdout. Features are scaled as in training.

    If the model was trained on a table, the columns of DATA are matched by name, in any order, and
    additional columns are ignored; if neither file has a header, columns are matched by position.
    Text columns are encoded as in training. Missing columns and unknown categories are errors.

    A label that contains a line break or another control character is written as a JSON string.
    The labels of a one-class model are 1 for inliers and -1 for outliers.

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
    if scores and trained.is_regressor:
        raise typer.BadParameter(
            "the model is a regressor, whose predictions are its decision values",
            param_hint="--scores",
        )
    data = source.load_for(trained, is_labelled=not no_labels)
    trained.check(data)
    trained.widen(data.n_features)
    estimator: Any = trained.estimator
    estimator.set_params(n_jobs=jobs)
    X = _rows_for(trained, data)
    labels = trained.fitted.predict(X)
    values = trained.fitted.decision_function(X) if scores else None
    lines = _lines(trained, labels, values)
    judged = _judged(trained, data, labels)
    if output.as_json:
        facts: dict[str, Any] = {
            "data": facts_of_data(data),
            "ignored_columns": data.ignored,
            "model": str(model),
            "rows": data.n_rows,
            **judged.facts,
        }
        if target == "-":
            name = "targets" if trained.is_regressor else "labels"
            facts |= {name: labels} | ({} if values is None else {"scores": values})
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
    if judged.note is not None:
        output.remark(judged.note)
    for line in judged.lines:
        if target == "-":
            output.remark(line)
        elif not output.quiet:
            output.print(line)


class _Judged(NamedTuple):
    """How good predictions are: for JSON, as lines, or why it is not known."""

    facts: dict[str, Any]
    lines: Sequence[str] = ()
    note: str | None = None


def _judged(trained: TrainedModel, data: Dataset, predicted: NDArray[Any]) -> _Judged:
    """Compare predictions with the labels or targets of the data."""
    if trained.is_regressor:
        if data.y is None:
            facts: dict[str, Any] = dict.fromkeys(RegressionErrors._fields)
            return _Judged(facts, note="no errors: the data has no targets")
        errors = RegressionErrors.of(predicted, data.y)
        return _Judged(errors._asdict(), errors.lines())
    facts = {"right": None, "accuracy": None}
    if data.y is None:
        return _Judged(facts, note="no accuracy: the data has no labels")
    if trained.is_classifier:
        _warn_about_labels(trained, data)
        n_right = _count_right(predicted, data)
    else:
        signs = [_SIGNS.get(text_of(label)) for label in data.classes]
        if None in signs:
            note = "no accuracy: the labels of inliers must be 1, and those of outliers -1"
            return _Judged(facts, note=note)
        n_right = sum(map(operator.eq, predicted.tolist(), [signs[code] for code in data.y]))
    line = f"Accuracy = {100 * n_right / data.n_rows:g}% ({n_right}/{data.n_rows})"
    facts = {"right": n_right, "accuracy": n_right / data.n_rows}
    return _Judged(facts, [f"{line} (classification)"])


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
    classifier: Any = trained.estimator
    known = {text_of(label) for label in classifier.classes_.tolist()}
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
    estimator: Any = trained.estimator
    names = trained.texts_of(estimator.classes_) if trained.is_classifier else ["1"]
    if columns.shape[1] != len(names):
        pairs = binary_classes(estimator, names)
        names = names[1:] if len(pairs) == 1 else [f"{a}/{b}" for a, b in pairs]
    yield "\t".join(["label", *map(line_of, names)]) + "\n"
    for text, row in zip(texts, columns.tolist(), strict=True):
        yield "\t".join([text, *map(repr, row)]) + "\n"
