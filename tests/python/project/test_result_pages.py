"""The pages in docs/results are what ``softmargin reproduce`` writes, with pictures added."""

import re
from itertools import pairwise

import pytest

import checkout
from softmargin.experiments import STUDIES
from softmargin.experiments._findings import Findings
from softmargin.experiments._markdown import to_markdown
from softmargin.experiments._study import Settings

ROOT = checkout.root()
COMMAND = re.compile(r"softmargin reproduce \S+ --(\w+)")


def page_of(name):
    return (ROOT / "docs" / "results" / f"{name}.md").read_text(encoding="utf-8")


def findings(name):
    """The findings without any result: what does not depend on records."""
    study, command = STUDIES[name], COMMAND.search(page_of(name))
    sections = study.sections({}, Settings(command[1]))
    return Findings(study.title, study.paper, command[0], study.protocol, sections)


@pytest.mark.parametrize("name", STUDIES)
def test_titles_texts_and_headers_of_a_page_are_those_of_the_study(name):
    lines = to_markdown(findings(name)).splitlines()
    headers = [line for line, rule in pairwise(lines) if "---" in rule]
    texts = [line for line in lines if not line.startswith(("|", "- ", "Ours over 0"))]
    page = page_of(name)
    # Some captions continue with what depends on records.
    assert [line for line in (*texts, *headers) if f"\n{line}" not in f"\n{page}"] == []


@pytest.mark.parametrize("name", STUDIES)
def test_claims_of_a_page_are_those_of_the_study(name):
    shown = [line for line in page_of(name).splitlines() if re.match(r"- [✓✗?] \*\*", line)]
    claims = [claim for section in findings(name).sections for claim in section.claims]
    assert len(shown) == len(claims)
    for line, claim in zip(shown, claims, strict=True):
        symbol, verdict, rest = re.fullmatch(r"- (.) \*\*(.+?)\.\*\* (.*)", line).groups()
        assert {"✓": "Holds", "✗": "Does not hold", "?": "Undecided"}[symbol] == verdict
        assert rest.startswith(claim.text)


def test_the_overview_counts_the_claims_of_the_pages():
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    for name in STUDIES:
        row = next(line for line in text.splitlines() if f"(results/{name}.md) |" in line)
        counted = [int(cell) for cell in row.split("|")[3:6]]
        page = page_of(name)
        assert counted == [page.count(f"\n- {symbol} **") for symbol in "✓✗?"]
