"""The report page as a text: whole, escaped, in one file, the same for the same findings."""

import dataclasses
import hashlib
import itertools
import re
import sys
from pathlib import Path

import pytest

import findings
from html_page import Page
from processes import facts_of
from softmargin.experiments import _report
from softmargin.experiments._findings import Findings, Section, Table

EMPTY = Findings("", "", "", "", [Section("", tables=[Table("", [], [])])])


@pytest.fixture(scope="module")
def text():
    return _report.render(findings.everything())


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


@pytest.mark.case(94)
def test_hostile_texts_in_every_field_stay_texts(page):
    numbers = itertools.count()
    said = []

    def change(_):
        said.append(f"<script>{next(numbers)}</script></title>&amp;\"'<img src=x onerror=y>--><a>")
        return said[-1]

    hostile = Page(_report.render(findings.with_texts(findings.everything(), change)))
    shown = {value for of in hostile.elements for value in of.values() if isinstance(value, str)}
    everything = "\n".join(shown)
    n_pictures = len(findings.everything().sections[0].pictures)
    assert len(said) > 600
    # Only the name of a picture is not for the page.
    assert sum(each not in everything for each in said) == n_pictures
    assert {of["tag"] for of in hostile.elements} == {of["tag"] for of in page.elements}
    assert len(hostile.all("script")) == len(hostile.all("title")) - n_pictures == 1
    assert not any(name.startswith("on") for of in hostile.elements for name in of)


def test_the_page_asks_for_nothing(text, page):
    assert not re.search(r"https?:|//[a-z]|src=|@import|url\((?!#)", text)
    addresses = [of["href"] for of in page.elements if "href" in of]
    assert all(address.startswith(("#", "data:image/png;")) for address in addresses)
    (policy,) = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy["content"].startswith("default-src 'none'; img-src data:;")


def test_ids_are_unique_and_every_reference_has_its_target(text, page):
    ids = [of["id"] for of in page.elements if "id" in of]
    assert len(ids) == len(set(ids))
    used = re.findall(r"url\(#([^)]+)\)", text)
    for of in page.elements:
        used += [of["href"][1:]] if of.get("href", "").startswith("#") else []
        used += of.get("aria-labelledby", "").split()
    assert len(used) > 50
    assert set(used) <= set(ids)


def test_the_page_is_named_and_built_of_sections(page):
    assert page.all("html", lang="en")
    assert page.all("title")[0]["text"] == page.all("h1")[0]["text"] == findings.everything().title
    assert [len(page.all(tag)) for tag in ("main", "nav", "h1", "figure")] == [1, 1, 1, 3]
    links = [of["text"] for of in page.all("a") if "nav" in of["inside"]]
    heads = [of["text"] for of in page.all("h2") if "main" in of["inside"]]
    assert links == heads
    assert {"Accuracy", "Time", "Not included"} < set(heads)
    assert all(of.get("scope") in ("row", "col", "colgroup") for of in page.all("th"))
    assert all("caption" in of["inside"] for of in page.all("p") if "table" in of["inside"])


def test_claims_are_counted_and_their_verdicts_said_in_words(page):
    (counts,) = page.all("p", **{"class": "tally"})
    assert " ".join(counts["text"].split()) == (
        "Of 3 claims: ✓ 1 holds, ✗ 1 does not hold, ? 1 undecided"
    )
    said = [of["text"] for of in page.all("li") if of.get("id", "").startswith("claim-")]
    symbols = ["✓ holds", "✗ does not hold", "? undecided"]
    assert [symbol in text for symbol, text in zip(symbols, said, strict=True)] == [True] * 3


def test_the_same_findings_give_the_same_bytes_in_another_process(text):
    facts = facts_of(
        f"""
        sys.path.insert(0, {str(Path(findings.__file__).parent)!r})
        import hashlib, findings
        from matplotlib import style
        style.use("dark_background")
        from softmargin.experiments import _report
        text = _report.render(findings.everything())
        report(digest=hashlib.sha256(text.encode()).hexdigest())
        """,
        PYTHONHASHSEED="7",
        MPLBACKEND="pdf",
        SOURCE_DATE_EPOCH="0",
    )
    assert facts["digest"] == hashlib.sha256(text.encode()).hexdigest()


def test_a_page_is_written_as_a_whole_or_not_at_all(tmp_path, text):
    path = tmp_path / "report.html"
    _report.write_report(findings.everything(), path)
    assert path.read_bytes() == text.encode()
    wrong = dataclasses.replace(findings.small_table(), foot=[findings.small_table().rows[0][:2]])
    with pytest.raises(ValueError, match=r"'Optimisation loops' has 2 cells, but there are 4"):
        _report.write_report(Findings("", "", "", "", [Section("", tables=[wrong])]), path)
    assert path.read_bytes() == text.encode()
    with pytest.raises(OSError, match="folder"):
        _report.write_report(EMPTY, tmp_path / "no" / "folder")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        _report.write_report(EMPTY, tmp_path / "folder")
    assert {of.name for of in tmp_path.iterdir()} == {"report.html", "folder"}


def test_findings_with_nothing_in_them_are_a_page():
    page = Page(_report.render(EMPTY))
    assert [len(page.all(tag)) for tag in ("main", "table", "figure", "dl")] == [1, 1, 0, 0]


def test_without_jinja2_the_error_says_what_to_install(monkeypatch):
    _report.environment_of_pages.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match="pip install jinja2"):
        _report.render(EMPTY)
