"""Option values of the forms NAME=VALUE and NAME=V1,V2,..."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import typer

_WORDS = {"true": True, "false": False, "none": None}
# Control characters, Unicode line separators, and lone surrogates.
_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_POWER = re.compile(r"([0-9.]+)\^(-?[0-9]+)")


def value_of(text: str) -> Any:
    """Return the value of a text: true, false, none, a number such as 0.5 or 2^-3, or a word.

    >>> [value_of(text) for text in ("10", "1e-3", "4^-2", "true", "none", "ovr")]
    [10, 0.001, 0.0625, True, None, 'ovr']
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    power = _POWER.fullmatch(text)
    for number in (int, float):
        try:
            return number(text) if power is None else number(power[1]) ** int(power[2])
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
    return text


def settings_of(option: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return the values of a repeatable option of the form NAME=VALUE.

    >>> settings_of("--set", ["max_iter=1000", "shrinking=false"])
    {'max_iter': 1000, 'shrinking': False}
    """
    return {name: value_of(text) for name, text in _pairs(option, texts, "NAME=VALUE").items()}


def grid_of(option: str, texts: Sequence[str]) -> dict[str, list[Any]]:
    """Return the candidates of a repeatable option of the form NAME=V1,V2,...

    >>> grid_of("--grid", ["C=1,10", "gamma=2^-3,scale"])
    {'C': [1, 10], 'gamma': [0.125, 'scale']}
    """
    pairs = _pairs(option, texts, "NAME=V1,V2,...")
    return {name: [value_of(each) for each in text.split(",")] for name, text in pairs.items()}


def weights_of(
    option: str, texts: Sequence[str], labels: Sequence[Any], written: Sequence[str] = ()
) -> dict[Any, float]:
    """Return class weights of a repeatable option of the form LABEL=WEIGHT.

    Labels are matched as they are printed: class 1.0 of a file is 1. ``written`` are the labels as
    written in a table.

    >>> weights_of("-w", ["-1=5"], [-1, 1])
    {-1: 5.0}
    >>> weights_of("-w", ["-1.0=5"], [-1, 1], ["-1.0", "1.0"])
    {-1: 5.0}
    """
    known = {text_of(label): label for label in labels} | dict(zip(written, labels, strict=False))
    weights = {}
    for name, text in _pairs(option, texts, "LABEL=WEIGHT").items():
        label = known.get(name, known.get(name.removeprefix("+")))
        if label is None:
            names = list(written or known)
            some = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
            raise typer.BadParameter(
                f"unknown class {name!r}; the classes are {some}", param_hint=option
            )
        weight = value_of(text)
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise typer.BadParameter(
                f"the weight {text!r} of class {name!r} is not a number", param_hint=option
            )
        weights[label] = float(weight)
    return weights


def text_of(label: Any) -> str:
    """Return a label as it is printed: integers without a decimal point.

    >>> text_of(1.0), text_of(0.5), text_of("setosa")
    ('1', '0.5', 'setosa')
    """
    plain = label.item() if hasattr(label, "item") else label
    return str(int(plain)) if isinstance(plain, float) and plain.is_integer() else str(plain)


def line_of(text: str) -> str:
    r"""Return text as one line: unchanged, or as a JSON string if it would break the line.

    Only JSON strings begin with a quotation mark; ``json.loads`` reads them back.

    >>> print(line_of("setosa"), line_of("two\nlines"), line_of('"quoted"'))
    setosa "two\nlines" "\"quoted\""
    """
    is_broken = text.startswith('"') or _BREAKING.search(text) is not None
    return json.dumps(text) if is_broken else text


def _pairs(option: str, texts: Sequence[str], form: str) -> dict[str, str]:
    """Return texts by name; a duplicate name is an error."""
    pairs: dict[str, str] = {}
    for text in texts:
        # The last "=": a label may contain one, a value does not.
        name, sign, value = text.rpartition("=")
        if not sign or not name or not value:
            raise typer.BadParameter(f"{text!r} does not have the form {form}", param_hint=option)
        if name in pairs:
            raise typer.BadParameter(f"{name!r} is set twice", param_hint=option)
        pairs[name] = value
    return pairs
