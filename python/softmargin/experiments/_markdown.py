"""Findings as Markdown, for notes and documentation: tables and claims, without pictures.

The pages in ``docs/results`` are such texts, with pictures added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from softmargin.experiments import _page_layout
from softmargin.experiments._findings import Cell, Findings, Section, Table

# Characters with a meaning in Markdown or HTML.
_SPECIAL = re.compile(r"([\\`*_{}\[\]>#|~])")


def to_markdown(findings: Findings) -> str:
    """Return findings as Markdown text."""
    return "\n".join(_lines(findings)) + "\n"


def _lines(findings: Findings) -> Iterator[str]:
    yield f"# {_plain(findings.title)}"
    yield f"\n{_plain(findings.paper)}"
    yield f"\n```bash\n{_line(findings.command)}\n```"
    for paragraph in _page_layout.paragraphs(findings.protocol):
        yield f"\n{_plain(paragraph)}"
    for each in findings.missing:
        yield f"\nNot included: {_plain(each)}"
    for section in findings.sections:
        yield from _section(section)
    if findings.facts:
        yield f"\n*{_plain(_measured(findings.facts))}*"


def _measured(facts: Mapping[str, str]) -> str:
    """Return the date, the version and the machine of a run as a sentence."""
    try:
        return (
            f"Measured on {facts['date']} with Softmargin {facts['softmargin']}, "
            f"{facts['threads']} threads, {facts['instructions']}, {facts['system']} on "
            f"{facts['processor']}."
        )
    except KeyError:  # not the facts of a run
        return ", ".join(f"{name} {value}" for name, value in facts.items())


def _section(section: Section) -> Iterator[str]:
    yield f"\n## {_plain(section.title)}"
    if section.text:
        yield f"\n{_plain(section.text)}"
    if section.claims:
        yield ""
    for claim in section.claims:
        of = _page_layout.verdict(claim)
        yield f"- {of.symbol} **{of.sentence}** {_plain(claim.text)} {_plain(claim.evidence)}"
    for table in section.tables:
        yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    _page_layout.check_rows(table)
    notes = _page_layout.numbered_notes(table)
    yield f"\n**{_plain(table.title)}**\n"
    heads = [f"{column.group} {column.name}".strip() for column in table.columns]
    yield _row([_plain(head) for head in heads])
    yield _row(["---:" if column.is_number else "---" for column in table.columns])
    for row in (*table.rows, *table.foot):
        yield _row([_cell(cell, notes) for cell in row])
    remarks = [f"{number}: {_plain(note)}" for note, number in notes.items()]
    if any(cell.is_off for cell in _page_layout.cells(table)):
        remarks.insert(0, f"{_page_layout.OFF}: {_plain(_page_layout.meaning_of_off(table))}")
    if table.caption:
        remarks.insert(0, _plain(table.caption))
    for remark in remarks:
        yield f"\n{remark}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell, notes: dict[str, int]) -> str:
    text = _plain(cell.text)
    if cell.is_best:
        text = f"**{text}**"
    if cell.is_off:
        text += f" {_page_layout.OFF}"
    return f"{text} ({notes[cell.note]})" if cell.note in notes else text


def _plain(text: str) -> str:
    """Return a text that Markdown shows literally, on one line."""
    # Not every renderer supports an escaped "<".
    return _SPECIAL.sub(r"\\\1", _line(text)).replace("<", "&lt;")


def _line(text: str) -> str:
    return " ".join(text.split())
