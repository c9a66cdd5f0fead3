"""Tables of the report page: values to sort by, marks, notes, groups of columns."""

import numpy as np
import pytest

import findings
from html_page import Page
from softmargin.experiments import _report
from softmargin.experiments._findings import Cell, Column, Findings, Section, Table, number, word


def page_of(*tables):
    return Page(_report.render(Findings("", "", "", "", [Section("", tables=tables)])))


def cells_of(page):
    return [of for of in page.elements if of["tag"] == "td" or of.get("scope") == "row"]


@pytest.fixture(scope="module")
def table():
    return findings.accuracy_table()


@pytest.fixture(scope="module")
def page(table):
    return page_of(table)


@pytest.mark.parametrize("make", [findings.accuracy_table, findings.small_table])
def test_cells_carry_the_values_that_they_show(make):
    cells = [cell for row in (*make().rows, *make().foot) for cell in row]
    for shown, cell in zip(cells_of(page_of(make())), cells, strict=True):
        assert shown["text"].startswith(cell.text)
        if cell.value is None:
            assert "data-value" not in shown
        else:
            read = str if isinstance(cell.value, str) else float
            assert read(shown["data-value"]) == cell.value


@pytest.mark.parametrize(
    ("value", "carried"),
    [
        (np.float64(0.1), "0.1"),
        (np.int64(10**15), "1000000000000000.0"),
        (np.float32("nan"), None),
        (float("nan"), None),
        (-np.inf, "-Infinity"),
        ("", ""),
    ],
)
def test_a_value_of_any_kind_is_one_that_the_script_reads(value, carried):
    page = page_of(Table("", [Column("a"), Column("b")], [[word("x"), Cell(value, "y")]]))
    assert page.all("td")[0].get("data-value") == carried


def test_rows_of_the_foot_are_apart(page):
    feet = [of["text"] for of in page.all("th", scope="row") if "tfoot" in of["inside"]]
    assert feet == ["mean", "mean rank"]


def test_best_cells_are_bold_and_no_others(page, table):
    bold = [of["text"] for of in page.all("strong") if "td" in of["inside"]]
    assert bold == [cell.text for row in (*table.rows, *table.foot) for cell in row if cell.is_best]


def test_groups_span_their_columns(page):
    groups = [(of["text"], of["colspan"]) for of in page.all("th", scope="colgroup")]
    assert groups == [(name, "2") for name in findings.METHODS]
    heads = page.all("th", scope="col")
    assert [of["data-column"] for of in heads] == [str(k) for k in range(11)]
    assert [of["text"] for of in heads if "rowspan" in of] == ["Set"]
    assert [of["text"] for of in heads if "paper" in of["class"].split()] == ["paper"] * 5


def test_what_is_off_is_marked_with_a_sign_that_is_explained(page, table):
    n_off = sum(cell.is_off for row in table.rows for cell in row)
    signs = [of for of in page.all("span", role="img") if of["text"] == "≠"]
    assert len(signs) == n_off > 3
    assert all(of["aria-label"] == "does not agree with the paper" for of in signs)
    (legend,) = page.all("p", **{"class": "legend"})
    assert "≠ does not agree with the paper" in legend["text"]


def test_a_note_that_all_cells_that_are_off_share_explains_the_sign():
    off = number(1.0, is_off=True, note="far away")
    page = page_of(Table("", [Column("a"), Column("b")], [[word("x"), off], [word("y"), off]]))
    (legend,) = page.all("p", **{"class": "legend"})
    assert legend["text"].strip() == "≠ far away."
    assert not page.all("ol", **{"class": "notes"})
    assert [of["aria-label"] for of in page.all("span", role="img")] == ["far away"] * 2


def test_notes_are_numbered_once_and_linked_both_ways(page):
    notes = [of["text"] for of in page.all("li") if "-note-" in of.get("id", "")]
    assert notes == [
        "Not complete after 60 s; the next run tries again. ↑",
        "Printed as 9.85; taken for 98.5. ↑",
        "The authors ran another version of this set. ↑",
    ]
    marks = [(of["text"], of["href"]) for of in page.all("a", **{"class": "note"})]
    assert marks == [(k, f"#table-1-note-{k}") for k in ("1", "2", "3", "2")]


def test_a_table_without_marks_has_no_legend():
    page = page_of(Table("", [Column("a"), Column("b")], [[word("x"), number(1.0)]]))
    assert not page.all("p", **{"class": "legend"})
    assert not page.all("strong")
