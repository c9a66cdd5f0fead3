"""Model files of either kind: of hinge, and of LIBSVM."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hinge.cli._target import check_target

if TYPE_CHECKING:
    from hinge.cli._source import Source

FORMATS = ("hinge", "libsvm")
# How a model of svm-train begins.
_LIBSVM_START = b"svm_type"


def target_of(model: Path | None, source: Source, file_format: str, scaled: bool) -> Path:
    """Return the file to write; refuses what cannot be written before anything is trained."""
    if file_format == "libsvm" and scaled:
        raise typer.BadParameter(
            "a LIBSVM model cannot keep the scaling of --scale", param_hint="--format"
        )
    if model is None:
        if source.data == "-":
            raise typer.BadParameter("standard input has no name: give a MODEL", param_hint="MODEL")
        model = Path(f"{source.stem}.model")
    data = Path(source.data)
    if source.data != "-" and data.exists() and model.exists() and model.samefile(data):
        raise typer.BadParameter("MODEL would replace DATA", param_hint="MODEL")
    check_target(model)
    return model


def write_model(fitted: Any, path: Path, file_format: str) -> None:
    """Write a fitted estimator, or a pipeline with its scaler."""
    import hinge

    if file_format == "libsvm":
        hinge.dump_libsvm_model(fitted, path)
    else:
        hinge.save(fitted, path)


def read_model(path: Path, n_features: int) -> Any:
    """Read a model, for rows with so many features, by what is in the file."""
    import hinge

    with path.open("rb") as stream:
        is_libsvm = stream.read(len(_LIBSVM_START)) == _LIBSVM_START
    if not is_libsvm:
        return hinge.load(path)
    model = hinge.load_libsvm_model(path)
    if model.n_features_in_ < n_features:  # the last ones are 0 in all support vectors
        model = hinge.load_libsvm_model(path, n_features=n_features)
    return model
