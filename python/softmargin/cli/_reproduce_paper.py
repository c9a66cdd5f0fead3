"""``softmargin reproduce``: run the experiments of a paper again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from softmargin.cli._options import Jobs, optional
from softmargin.cli._output import Output
from softmargin.cli._progress_bar import text_shown
from softmargin.cli._source import Folder
from softmargin.cli._streams import say

# Of softmargin.experiments.STUDIES, which is imported only when one is run.
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
            help="nlsgd, sgd-variants, seeding, ollawv or primal: papers 000 to 004.",
            autocompletion=lambda: list(STUDIES),
        ),
    ],
    small: Annotated[
        bool, typer.Option("--small", help="Small sets: about a minute. The default.")
    ] = False,
    medium: Annotated[
        bool, typer.Option("--medium", help="Also medium sets: up to an hour.")
    ] = False,
    large: Annotated[bool, typer.Option("--large", help="Also large sets: hours.")] = False,
    to: Annotated[
        Path | None,
        optional(
            "-o",
            "--output",
            metavar="DIR",
            default="reproduce-STUDY",
            help="Where the page and the results go; what is there is not run again.",
        ),
    ] = None,
    folder: Folder = None,
    jobs: Jobs = -1,
    time_limit: Annotated[
        float | None,
        optional("--time-limit", metavar="S", help="Seconds for each entry of a table."),
    ] = None,
    output: Output,
) -> None:
    """Run the experiments of a paper again, and put ours beside its numbers.

    Writes report.html (one page, for a browser), report.md, results.json and results.csv. A run
    that was stopped goes on where it was; a larger size takes over what a smaller one has done.

    Examples:
      softmargin reproduce ollawv
      softmargin reproduce nlsgd --medium --output nlsgd --folder ~/data
    """
    from softmargin import experiments

    chosen = [n for n, is_set in (("small", small), ("medium", medium), ("large", large)) if is_set]
    if len(chosen) > 1:
        raise typer.BadParameter(f"choose one of {' and '.join('--' + name for name in chosen)}")
    target = Path(f"reproduce-{study}") if to is None else to
    try:
        with text_shown(output, study) as show:
            found = experiments.reproduce(
                study,
                size=chosen[0] if chosen else "small",  # type: ignore[arg-type]
                output=target,
                folder=folder,
                n_jobs=jobs,
                time_limit=time_limit,
                progress=lambda k, n, key: show(f"{k + 1} of {n}: {key}" if key else "drawing"),
            )
    except KeyboardInterrupt:
        say(f"what is done is kept in {target}: the same command goes on")
        raise
    if output.as_json:
        output.document(experiments.to_json(found.findings) | {"report": str(found.report)})
        return
    output.draw(lambda console: experiments.show(found.findings, console))
    output.remark(f"The page is {found.report}.")
