"""``hinge predict``: the labels that a model gives to rows, as svm-predict writes them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hinge.cli._model_formats import read_model
from hinge.cli._options import Jobs
from hinge.cli._output import Output
from hinge.cli._source import Source
from hinge.cli._summary import facts_of_data
from hinge.cli._target import check_target, write_lines
from hinge.cli._trained import names_of_machines
from hinge.cli._values import text_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hinge._classifier import Classifier
    from hinge.datasets import Dataset


def predict(
    *,
    source: Source,
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            show_default=False,
            help="A file of 'hinge train', or of svm-train.",
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(metavar="OUTPUT", help="The file for the labels; - for standard output."),
    ] = "-",
    scores: Annotated[
        bool,
        typer.Option(
            "--scores", help="Decision values after each label: tab-separated, with a header."
        ),
    ] = False,
    jobs: Jobs = -1,
    output: Output,
) -> None:
    """Write the label that a model gives to each row, one a line.

    Prints the accuracy by the labels in DATA: on stdout, as svm-predict does, or on stderr where
    stdout has the labels. Rows are scaled as in training. Words in columns of a table are
    numbered by each file on its own: the files must have the same ones.

    Examples:
      hinge predict heart_scale.t heart_scale.model labels.txt
      hinge predict digits digits.model > labels.txt
      hinge predict table.csv fast.model --scores
    """
    if target != "-":
        check_target(Path(target), is_open_to_devices=True)
    data = source.load()
    fitted = read_model(model, data.n_features)
    estimator = fitted[-1] if hasattr(fitted, "steps") else fitted
    estimator.set_params(n_jobs=jobs)
    X = _as_wide(data.X, estimator.n_features_in_)
    labels = fitted.predict(X)
    values = fitted.decision_function(X) if scores else None
    texts = [text_of(label) for label in labels.tolist()]
    n_right = _count_right(texts, data)
    if output.as_json:
        facts: dict[str, Any] = {
            "data": facts_of_data(data),
            "model": str(model),
            "right": n_right,
            "rows": data.n_rows,
            "accuracy": n_right / data.n_rows,
        }
        if target == "-":
            facts |= {"labels": labels} | ({} if values is None else {"scores": values})
        else:
            facts["output"] = target
            write_lines(Path(target), _lines(texts, values, estimator))
        output.document(facts)
        return
    accuracy = f"Accuracy = {100 * n_right / data.n_rows:g}% ({n_right}/{data.n_rows})"
    accuracy += " (classification)"
    if target == "-":
        for line in _lines(texts, values, estimator):
            sys.stdout.write(line)
        sys.stdout.flush()
        output.remark(accuracy)
        return
    write_lines(Path(target), _lines(texts, values, estimator))
    if not output.quiet:
        output.print(accuracy)


def _as_wide(X: Any, n_features: int) -> Any:
    """Return sparse rows with the columns of the model, of which the last may be missing."""
    if not hasattr(X, "tocsr") or X.shape[1] >= n_features:
        return X
    wide = X.copy()
    wide.resize((X.shape[0], n_features))
    return wide


def _count_right(texts: list[str], data: Dataset) -> int:
    """Return how many labels are those of the data, as both are printed."""
    names = [text_of(label) for label in data.classes.tolist()]
    return sum(text == names[code] for text, code in zip(texts, data.y.tolist(), strict=True))


def _lines(
    texts: list[str], values: NDArray[np.float64] | None, estimator: Classifier
) -> Iterator[str]:
    """Yield a line for each row, and before them a header if there are decision values."""
    if values is None:
        yield from (f"{text}\n" for text in texts)
        return
    columns = values.reshape(len(texts), -1)
    names = [text_of(label) for label in estimator.classes_.tolist()]
    if columns.shape[1] != len(names):
        pairs = names_of_machines(estimator)
        names = names[1:] if len(pairs) == 1 else [f"{a}/{b}" for a, b in pairs]
    yield "\t".join(["label", *names]) + "\n"
    for text, row in zip(texts, columns.tolist(), strict=True):
        yield "\t".join([text, *map(repr, row)]) + "\n"
