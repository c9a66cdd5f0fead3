"""Options shared by several commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

SCORINGS = ("accuracy", "balanced_accuracy", "f1_macro")
REGRESSION_SCORINGS = ("r2", "neg_mean_squared_error", "neg_mean_absolute_error")


def choice(*names: str, words: Sequence[str], **facts: Any) -> Any:
    """Return an option that accepts one of several words, or a list of them if repeatable."""

    def check(value: Any) -> Any:
        for each in value if isinstance(value, list) else [value]:
            if each is not None and each not in words:
                raise typer.BadParameter(f"{each!r} is not one of {', '.join(words)}")
        return value

    facts = {"metavar": "|".join(words), **facts}
    return typer.Option(*names, callback=check, autocompletion=lambda: list(words), **facts)


def optional(*names: str, **facts: Any) -> Any:
    """Return an option that may be omitted; ``default`` describes its default in the help."""
    default = facts.pop("default", None)
    if default is not None:
        facts["help"] += f"  [default: {default}]"
    return typer.Option(*names, show_default=False, **facts)


Jobs = Annotated[
    int, typer.Option("-j", "--jobs", metavar="N", help="Number of threads; -1 uses all cores.")
]
Scoring = Annotated[
    str | None,
    choice(
        "--scoring",
        words=(*SCORINGS, *REGRESSION_SCORINGS),
        metavar="NAME",
        show_default=False,
        help=f"Score on held-out samples: {', '.join(SCORINGS)}, or, for regression, "
        f"{', '.join(REGRESSION_SCORINGS)}.  [default: accuracy or r2]",
    ),
]


def scoring_of(scoring: str | None, is_regression: bool) -> str:
    """Return the score that was asked for, or the default."""
    words = REGRESSION_SCORINGS if is_regression else SCORINGS
    if scoring is not None and scoring not in words:
        raise typer.BadParameter(
            f"{scoring!r} is not one of {', '.join(words)}", param_hint="--scoring"
        )
    return scoring or words[0]
