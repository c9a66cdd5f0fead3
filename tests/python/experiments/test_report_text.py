"""Findings in a terminal and as JSON."""

import io
import json

import pytest
from rich.console import Console

import findings
from softmargin.experiments import _terminal
from softmargin.experiments._findings import Column, Findings, Section, Table, number, word


def shown(found, width, **options):
    file = io.StringIO()
    _terminal.show(found, Console(file=file, width=width, **options))
    return file.getvalue()


def table_lines(text, name):
    return [line.split() for line in text.splitlines() if line.startswith(name + " ")]


@pytest.mark.parametrize("width", [30, 80, 120])
def test_no_line_is_longer_than_the_console(width):
    lines = shown(findings.everything(), width).splitlines()
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [40, 80, 120])
def test_every_number_is_shown_whole_in_parts_that_fit(width):
    table = findings.accuracy_table()
    text = shown(findings.everything(), width)
    for row in table.rows:
        parts = table_lines(text, row[0].text)
        numbers = [value.rstrip("*≠¹²³") for part in parts for value in part[1:]]
        assert numbers == [cell.text for cell in row[1:]]


def test_a_group_is_named_over_its_columns_and_not_split():
    lines = shown(findings.everything(), 80).splitlines()
    heads = [k for k, line in enumerate(lines) if line.startswith("Set ")]
    assert [lines[k - 1].replace("─", "").split() for k in heads] == [
        list(findings.METHODS[:4]),
        list(findings.METHODS[4:]),
    ]
    for k in heads:
        assert lines[k].split()[1:] == ["ours", "paper"] * (len(lines[k].split()) // 2)


def test_best_cells_are_bold_in_a_terminal_and_starred_elsewhere():
    table = Table("", [Column("a"), Column("b")], [[word("x"), number(1.0, is_best=True)]])
    found = Findings("", "", "", "", [Section("", tables=[table])])
    assert "1.00*" in shown(found, 80)
    assert "\x1b[1m1.00\x1b[0m" in shown(found, 80, force_terminal=True, color_system="standard")


def test_texts_are_not_read_as_markup():
    hostile = findings.with_texts(findings.everything(), lambda text: f"[red]{text}[/nonsense]")
    text = shown(hostile, 1000)
    assert "[red]OLLAWV is the most accurate on average.[/nonsense]" in text
    assert text.count("[red]") == text.count("[/nonsense]") > 300


def test_claims_and_what_is_missing_are_told_at_the_end():
    end = shown(findings.everything(), 80).partition("Not included ")[2]
    assert "- mnist: needs 55 MB\n" in end
    assert "✗ It is faster than NNISDA on every set.\n" in end
    assert "Of 3 claims: 1 holds, 1 does not hold, 1 undecided\n" in end


def test_json_has_all_but_the_drawings():
    found = findings.everything()
    document = json.loads(json.dumps(_terminal.to_json(found), allow_nan=False))
    assert document["title"] == found.title
    assert document["facts"] == found.facts
    accuracy, time = document["sections"]
    assert [claim["holds"] for claim in accuracy["claims"]] == [True, False]
    assert set(accuracy["pictures"][0]) == {"name", "title", "caption"}
    rows = accuracy["tables"][0]["rows"]
    for row, cells in zip(rows, found.sections[0].tables[0].rows, strict=True):
        assert [cell["value"] for cell in row] == [cell.value for cell in cells]
    assert time["tables"][0]["rows"][2][3] == {
        **{"value": None, "text": "∞", "is_best": False, "is_off": False, "note": ""}
    }
