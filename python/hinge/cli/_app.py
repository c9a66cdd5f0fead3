"""The program ``hinge``: its commands, put together.

A command is a function in a module of its own, which imports what takes long inside of it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from hinge import __version__
from hinge.cli._command import add_command, help_of
from hinge.cli._cross_validation import cross_validate
from hinge.cli._datasets import list_datasets
from hinge.cli._info import show_info
from hinge.cli._nested import nested_cv
from hinge.cli._predict import predict
from hinge.cli._reproduce import reproduce
from hinge.cli._train import train

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


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"hinge {__version__}")
        raise typer.Exit


def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Support vector machines and honest model selection, fast.

    Results go to stdout, progress and messages to stderr; every command has --json. Exit codes:
    0 done, 1 failed, 2 wrong usage, 130 interrupted.

    Examples:
      hinge train heart_scale
      hinge predict heart_scale.t heart_scale.model labels.txt
      hinge nested-cv iris -s svc -s ollawv
    """


app.callback(help=help_of(_program))(_program)
