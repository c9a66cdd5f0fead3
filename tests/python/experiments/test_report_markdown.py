"""Findings as Markdown: tables with all their cells, and nothing that a name could inject."""

import re

import pytest

from findings import everything
from softmargin.experiments._findings import Cell, Column, Findings, Section, Table
from softmargin.experiments._markdown import to_markdown

HOSTILE = "<script>|`*_[x](y)\n# no head"


def rows_of(text):
    return [line for line in text.splitlines() if line.startswith("|")]


def test_every_row_has_a_cell_for_each_column():
    findings = everything()
    rows = rows_of(to_markdown(findings))
    tables = [table for section in findings.sections for table in section.tables]
    assert len(rows) == sum(2 + len(table.rows) + len(table.foot) for table in tables)
    widths = [
        len(table.columns) for table in tables for _ in range(2 + len(table.rows) + len(table.foot))
    ]
    unescaped = [re.sub(r"\\.", "", row) for row in rows]
    assert [row.count("|") - 1 for row in unescaped] == widths


def test_best_and_off_are_marked():
    row = [
        Cell("a", "a"),
        Cell(1.0, "1.0", is_best=True),
        Cell(2.0, "2.0", is_off=True, note="far"),
    ]
    table = Table("t", [Column("set", is_number=False), Column("ours"), Column("paper")], [row])
    text = to_markdown(Findings("title", "paper", "command", "", [Section("s", tables=[table])]))
    assert "| a | **1.0** | 2.0 ≠ |" in text
    assert "≠: far" in text


@pytest.mark.case(94)
@pytest.mark.parametrize("field", ["title", "paper", "protocol"])
def test_what_markdown_would_read_is_escaped(field):
    facts = {"title": "t", "paper": "p", "protocol": "q"} | {field: HOSTILE}
    text = to_markdown(Findings(command="c", sections=[], **facts))
    assert "<script>" not in text
    assert r"&lt;script\>\|\`\*\_\[x\](y) \# no head" in text


def test_claims_are_listed_with_their_verdicts():
    findings = everything()
    lines = to_markdown(findings).splitlines()
    claims = [claim for section in findings.sections for claim in section.claims]
    assert sum(bool(re.match(r"- [✓✗?] \*\*", line)) for line in lines) == len(claims)
