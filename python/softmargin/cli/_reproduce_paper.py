"""``softmargin reproduce``: repeat the experiments of a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from softmargin.cli._options import Jobs, optional
from softmargin.cli._output import Output
from softmargin.cli._progress_bar import status_line
from softmargin.cli._source import Folder
from softmargin.cli._streams import print_message

# A copy of the names in softmargin.experiments.STUDIES, which is slow to import.
STUDIES = ("nlsgd", "sgd-variants", "seeding", "ollawv", "primal")


def _check(study: str) -> str:
    if study not in STUDIES:
        raise typer.BadParameter(f"{study!r} is not one of {', '.join(STUDIES)}")
    return study


def reproduce(
    *,
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY",
            callback=_check,
            help="nlsgd (Melki and Kecman 2016), sgd-variants (Lu and Jin 2017), seeding (Nguyen "
            "and Ho 2005), ollawv (Melki 2018) or primal (Duros and Katzman 2014).",
            autocompletion=lambda: list(STUDIES),
        ),
    ],
    small: Annotated[
        bool, typer.Option("--small", help="Small data sets (default): about a minute.")
    ] = False,
    medium: Annotated[
        bool, typer.Option("--medium", help="Also medium data sets: up to an hour.")
    ] = False,
    large: Annotated[bool, typer.Option("--large", help="Also large data sets: hours.")] = False,
    to: Annotated[
        Path | None,
        optional(
            "-o",
            "--output",
            metavar="DIR",
            default="reproduce-STUDY",
            help="Folder for the report and the results; existing results are reused.",
        ),
    ] = None,
    folder: Folder = None,
    jobs: Jobs = -1,
    time_limit: Annotated[
        float | None,
        optional("--time-limit", metavar="SECONDS", help="Time limit of each entry of a table."),
    ] = None,
    output: Output,
) -> None:
    """Repeat the experiments of a paper and compare the results.

    Writes report.html (for a browser), report.md, results.json and results.csv. Rerun the same
    command to resume an interrupted run; larger sizes reuse the results of smaller ones.

    Examples:
      softmargin reproduce ollawv
      softmargin reproduce nlsgd --medium --output nlsgd --folder ~/data
    """
    from softmargin import experiments

    chosen = [n for n, is_set in (("small", small), ("medium", medium), ("large", large)) if is_set]
    if len(chosen) > 1:
        raise typer.BadParameter(f"use only one of {' and '.join('--' + name for name in chosen)}")
    target = Path(f"reproduce-{study}") if to is None else to
    try:
        with status_line(output, study) as show:
            found = experiments.reproduce(
                study,
                size=chosen[0] if chosen else "small",  # type: ignore[arg-type]
                output=target,
                folder=folder,
                n_jobs=jobs,
                time_limit=time_limit,
                progress=lambda k, n, key: show(
                    f"{k + 1} of {n}: {key}" if key else "writing the report"
                ),
            )
    except KeyboardInterrupt:
        print_message(f"finished results are saved in {target}; rerun the same command to resume")
        raise
    if output.as_json:
        output.document(experiments.to_json(found.findings) | {"report": str(found.report)})
        return
    output.draw(lambda console: experiments.show(found.findings, console))
    output.remark(f"The report is {found.report}.")
