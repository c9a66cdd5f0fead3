"""The program ``softmargin`` with its commands.

Each command is a function in its own module; slow imports are inside the function.
"""

from __future__ import annotations

from typing import Annotated

import typer

from softmargin import __version__
from softmargin.cli._command import add_command, help_of
from softmargin.cli._cv import cross_validate
from softmargin.cli._info import show_info
from softmargin.cli._list_datasets import list_datasets
from softmargin.cli._nested_cv import nested_cv
from softmargin.cli._predict import predict
from softmargin.cli._reproduce_paper import reproduce
from softmargin.cli._train import train

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
add_command(app, "train", train)
add_command(app, "predict", predict)
add_command(app, "cv", cross_validate)
add_command(app, "nested-cv", nested_cv)
add_command(app, "reproduce", reproduce)
add_command(app, "datasets", list_datasets)
add_command(app, "info", show_info)


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"softmargin {__version__}")
        raise typer.Exit


def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Train support vector machines and select their hyperparameters.

    Results are written to stdout, progress and messages to stderr. Every command accepts --json.

    Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted.

    Examples:
      softmargin train heart_scale
      softmargin predict heart_scale.t heart_scale.model labels.txt
      softmargin nested-cv iris -s svc -s ollawv
    """


app.callback(help=help_of(_program))(_program)
