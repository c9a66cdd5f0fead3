"""Commands whose options are grouped in dataclasses."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

import typer

from softmargin.cli._failure import report_failures


def add_command(app: typer.Typer, name: str, function: Callable[..., None]) -> None:
    """Add a function as a command.

    A parameter whose type is a dataclass becomes one option per field. Every command has a
    parameter ``output`` of type :class:`softmargin.cli._output.Output`.
    """
    app.command(name, help=help_of(function))(_with_flat_options(function))


def help_of(function: Callable[..., None]) -> str:
    """Return the docstring of a command as help text; lines of examples are not wrapped."""
    return inspect.cleandoc(function.__doc__ or "").replace("Examples:\n", "\b\nExamples:\n")


def _with_flat_options(function: Callable[..., None]) -> Callable[..., None]:
    """Return the function with each dataclass parameter replaced by its fields."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {
        name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)
    }
    found: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in groups:
            found.extend(_fields_of(groups[parameter.name]))
        else:
            kept = parameter.replace(annotation=hints[parameter.name])
            found.append(kept.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    def run(**values: Any) -> None:
        arguments: dict[str, Any] = {}
        for name, kind in groups.items():
            names = [field.name for field in dataclasses.fields(kind)]
            arguments[name] = kind(**{field: values.pop(field) for field in names})
        with report_failures(arguments["output"].debug):
            function(**arguments, **values)

    run.__signature__ = inspect.Signature(found)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in found}
    return run


def _fields_of(kind: Any) -> Iterator[inspect.Parameter]:
    """Yield a parameter for each field of a dataclass."""
    hints = get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is dataclasses.MISSING else default,
            annotation=hints[field.name],
        )
