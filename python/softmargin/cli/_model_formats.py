"""Model files of softmargin and LIBSVM."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from softmargin.cli._output_file import check_target
from softmargin.cli._values import text_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softmargin._estimators.base import Estimator
    from softmargin._files.schema import Schema
    from softmargin.cli._source import Source
    from softmargin.datasets import Dataset

FORMATS = ("softmargin", "libsvm")
# The first bytes of a LIBSVM model file.
_LIBSVM_START = b"svm_type"


def model_path(model: Path | None, source: Source, file_format: str, scaled: bool) -> Path:
    """Return the path of the model file, after checking before training that it can be written."""
    if file_format == "libsvm" and scaled:
        raise typer.BadParameter(
            "a LIBSVM model file cannot store the scaling of --scale", param_hint="--format"
        )
    if model is None:
        if source.data == "-":
            raise typer.BadParameter("it is required if DATA is -", param_hint="MODEL")
        model = Path(f"{source.stem}.model")
    data = Path(source.data)
    if source.data != "-" and data.exists() and model.exists() and model.samefile(data):
        raise typer.BadParameter("MODEL and DATA are the same file", param_hint="MODEL")
    check_target(model)
    return model


def check_format(data: Dataset, file_format: str) -> None:
    """Raise an error if the format cannot store the categories of text columns."""
    if file_format == "libsvm" and data.schema is not None and data.schema.text_columns:
        raise typer.BadParameter(
            "a LIBSVM model file cannot store the categories of the text column "
            f"{data.schema.text_columns[0]!r}",
            param_hint="--format",
        )


def write_model(fitted: Any, path: Path, file_format: str, schema: Schema | None) -> None:
    """Write a fitted estimator or pipeline, and the schema of its training table."""
    import softmargin

    if file_format == "libsvm":
        softmargin.dump_libsvm_model(fitted, path)
    else:
        softmargin.save(fitted, path, schema=schema)


@dataclass
class TrainedModel:
    """A model read from a file: an estimator or pipeline, and the schema of its training table."""

    fitted: Any
    schema: Schema | None
    path: Path
    is_libsvm: bool

    @classmethod
    def read(cls, path: Path) -> TrainedModel:
        """Read a model; the format is detected from the content."""
        import softmargin
        from softmargin._api import load_with_schema

        with path.open("rb") as stream:
            is_libsvm = stream.read(len(_LIBSVM_START)) == _LIBSVM_START
        if is_libsvm:
            return cls(softmargin.load_libsvm_model(path), None, path, is_libsvm)
        return cls(*load_with_schema(path), path, is_libsvm)

    @property
    def estimator(self) -> Estimator:
        """Return the estimator without its scaler."""
        found: Estimator = self.fitted[-1] if hasattr(self.fitted, "steps") else self.fitted
        return found

    @property
    def is_classifier(self) -> bool:
        """Return whether the model predicts the classes of its training data."""
        from sklearn.base import is_classifier

        return bool(is_classifier(self.estimator))

    @property
    def is_regressor(self) -> bool:
        """Return whether the model predicts targets."""
        from sklearn.base import is_regressor

        return bool(is_regressor(self.estimator))

    @property
    def n_features(self) -> int:
        """Return the number of columns of X."""
        return int(self.estimator.n_features_in_)

    def widen(self, n_features: int) -> None:
        """Accept samples with more features than a LIBSVM model, which omits trailing zeros."""
        import softmargin

        if self.is_libsvm and self.n_features < n_features:
            self.fitted = softmargin.load_libsvm_model(self.path, n_features=n_features)

    def check(self, data: Dataset) -> None:
        """Raise ValueError if the model has text columns, but the data has no columns."""
        if self.schema is not None and data.schema is None and self.schema.text_columns:
            raise ValueError(
                "the model was trained on a table with the text column "
                f"{self.schema.text_columns[0]!r}, but {data.name!r} has no named columns. Pass a "
                "table or an ARFF file."
            )

    def texts_of(self, labels: NDArray[Any]) -> list[str]:
        """Return labels as written in the training file, and targets with all digits."""
        if self.is_regressor:
            return [repr(target) for target in labels.tolist()]
        if self.schema is None or not self.is_classifier:
            return [text_of(label) for label in labels.tolist()]
        return self.schema.texts_of(labels)
