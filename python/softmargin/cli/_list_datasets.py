"""``softmargin datasets``: list the names that other commands accept as DATA."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from softmargin.cli._output import Output, short, table
from softmargin.cli._source import Folder


def list_datasets(
    *,
    folder: Folder = None,
    available: Annotated[
        bool, typer.Option("--available", help="List only data sets that can be loaded now.")
    ] = False,
    output: Output,
) -> None:
    """List the named data sets.

    A data set is available if the folder has a file for it, or an installed package contains it.

    Examples:
      softmargin datasets --available
      softmargin datasets --folder ~/data
    """
    from softmargin import datasets

    found = [
        entry for entry in datasets.table(folder=folder) if entry.is_available or not available
    ]
    if output.as_json:
        output.document({"datasets": [dataclasses.asdict(entry) for entry in found]})
        return
    heads = ("name", "samples", "features", "classes", "available", "source")
    rows = [
        (
            entry.name,
            _count(entry.n_rows),
            _count(entry.n_features),
            _count(entry.n_classes),
            Path(entry.where).name if entry.is_available and entry.where else "no",
            entry.source,
        )
        for entry in found
    ]
    output.print(
        table(heads, rows, right=("samples", "features", "classes"), flexible="source", is_cut=True)
    )
    if not available:
        n_available = sum(entry.is_available for entry in found)
        output.remark(f"{n_available} of {len(found)} data sets are available.")


def _count(number: int | None) -> str:
    return short(number) if number is None else f"{number:,}"
