"""Findings in a terminal (with rich), and as plain values.

Readers of a terminal see the end first, so missing data sets and the claims come last.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from softmargin._files.json_text import plain
from softmargin.experiments import _page_layout
from softmargin.experiments._findings import Claim, Findings, Section
from softmargin.experiments._text_table import item, show_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_COLORS = {"holds": "green", "fails": "red", "open": "yellow"}


def to_json(findings: Findings) -> dict[str, Any]:
    """Return findings as dictionaries, lists and plain values; pictures without their drawing."""
    return dict(plain(_fields(findings)))


def _fields(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.name != "draw"]
        return {name: _fields(getattr(value, name)) for name in names}
    return [_fields(each) for each in value] if isinstance(value, list | tuple) else value


def show(findings: Findings, console: Console) -> None:
    """Print findings to a rich console."""
    from rich.text import Text

    console.print(Text(findings.title, "bold"))
    for text in (findings.paper, findings.protocol):
        if text:
            console.print(Text(text, "dim"))
    for section in findings.sections:
        _show_section(section, console)
    if findings.missing:
        _head("Not included", console)
        for each in findings.missing:
            item("-", Text(each), console)
    claims = _page_layout.all_claims(findings)
    if claims:
        _head("Claims of the paper", console)
        for claim in claims:
            item(_symbol(claim), Text(claim.text), console)
        counts = [each.counted(count) for each, count in _page_layout.tally(claims)]
        console.print(
            Text(f"Of {_page_layout.counted_claims(claims)}: {', '.join(counts)}", "bold")
        )
    facts = [f"{name} {fact}" for name, fact in findings.facts.items()]
    console.print()
    console.print(Text("  ".join([findings.command, *facts]), "dim"))


def _show_section(section: Section, console: Console) -> None:
    from rich.text import Text

    _head(section.title, console)
    if section.text:
        console.print(Text(section.text))
    for claim in section.claims:
        of = _page_layout.verdict(claim)
        said = Text.assemble(
            (f"{of.sentence} ", f"bold {_COLORS[of.name]}"),
            f"{claim.text} ",
            (claim.evidence, "dim"),
        )
        item(_symbol(claim), said, console)
    for table in section.tables:
        console.print()
        show_table(table, console)
    if section.pictures:
        titles = "; ".join(picture.title for picture in section.pictures)
        console.print()
        console.print(Text(f"Pictures in the report: {titles}", "dim"))


def _symbol(claim: Claim) -> Text:
    from rich.text import Text

    of = _page_layout.verdict(claim)
    return Text(of.symbol, f"bold {_COLORS[of.name]}")


def _head(title: str, console: Console) -> None:
    from rich.rule import Rule
    from rich.text import Text

    console.print()
    console.print(Rule(Text(title, "bold"), align="left", style="dim"))
