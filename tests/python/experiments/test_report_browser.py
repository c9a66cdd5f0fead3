"""The report page in a browser: from disk, wide and narrow, light and dark, by mouse and keys."""

import time

import pytest

import browser as chromium
import findings
from softmargin.experiments import _report

WIDTHS = (1280, 400)
SCHEMES = ("light", "dark")

# What sticks out of the window, but for what is in a box that scrolls.
OVERFLOW = """
[...document.body.querySelectorAll("*")]
  .filter((of) => !of.closest(".unseen, .skip") && !of.parentElement.closest(".scroll"))
  .filter((of) => of.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5
    || of.getBoundingClientRect().left < -0.5)
  .map((of) => of.tagName + "." + of.className)
"""
PAGE_WIDTHS = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
BOXES = """
[...document.querySelectorAll("figure svg")].map((of) => {
  const { width, height } = of.getBoundingClientRect();
  const letter = of.querySelector("text").getBoundingClientRect().height;
  return { width, height, letter };
})
"""

# Contrast of WCAG 2 of all texts against what is behind them, where it is below 4.5.
FAINT = """
(() => {
  const light = (color) => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const behind = (of) => {
    const color = getComputedStyle(of).backgroundColor;
    return color === "rgba(0, 0, 0, 0)" ? behind(of.parentElement) : color;
  };
  const found = [];
  for (const of of document.body.querySelectorAll("*")) {
    const text = [...of.childNodes].some((c) => c.nodeType === 3 && c.data.trim());
    if (!text || of.closest("title")) continue;
    const style = getComputedStyle(of);
    const ink = of.closest("svg") ? style.fill : style.color;
    if (of.closest("svg") && ink === "rgb(0, 0, 0)") continue; // on data
    const [a, b] = [light(ink), light(behind(of))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.push([of.tagName, of.className, ink, behind(of)]);
  }
  return found;
})()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium.opened(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    _report.write_report(findings.everything(), path)
    return path


def complaints(browser):
    return browser.told("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_all_is_seen_and_nothing_sticks_out(browser, page, width, scheme):
    browser.open(page, width=width, scheme=scheme)
    assert browser.evaluate(OVERFLOW) == []
    page_width, window = browser.evaluate(PAGE_WIDTHS)
    assert page_width <= window == width
    boxes = browser.evaluate(BOXES)
    assert len(boxes) == 3
    assert all(box["width"] > 300 and box["height"] > 200 for box in boxes)
    assert all(box["letter"] >= 10 for box in boxes)
    assert browser.evaluate(FAINT) == []
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(20, 23, 26)" if scheme == "dark" else "rgb(253, 253, 251)"
    )
    assert complaints(browser) == []
    asked = browser.told("Network.requestWillBeSent")
    addresses = [event["params"]["request"]["url"] for event in asked]
    assert [url for url in addresses if not url.startswith("data:")] == [page.as_uri()]


def test_a_wide_table_scrolls_under_its_names_and_is_reached_by_keys(browser, page):
    browser.open(page, width=400)
    box = "document.querySelector('.scroll')"
    assert browser.evaluate(f"{box}.scrollWidth > 2 * {box}.clientWidth")
    assert browser.wait_for(f"{box}.tabIndex === 0")
    lefts = f"""(({box}.scrollLeft = 300), [...{box}.querySelectorAll('caption p, [scope=row]')]
        .map((of) => of.getBoundingClientRect().left - {box}.getBoundingClientRect().left))"""
    assert browser.evaluate(lefts) == [0] * 27
    browser.open(page, width=1280)
    assert browser.evaluate("document.querySelectorAll('.scroll[tabindex]').length") == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_long_words_in_every_place_do_not_stick_out(browser, tmp_path, width):
    path = tmp_path / "long.html"
    found = findings.with_texts(findings.everything(), lambda text: text + "_long" * 24)
    _report.write_report(found, path)
    browser.open(path, width=width)
    assert browser.evaluate(OVERFLOW) == []
    assert browser.evaluate(PAGE_WIDTHS) == [width, width]
    names = "[...document.querySelectorAll('.first')].map((of) => of.offsetWidth)"
    share = "document.querySelector('.scroll').clientWidth"
    assert browser.evaluate(f"Math.max(...{names}) / {share}") < 0.5


def test_on_paper_it_is_light_and_whole(browser, page):
    browser.open(page, width=700, scheme="dark", media="print")
    assert browser.evaluate(OVERFLOW.replace("of.parentElement.closest", "of.closest")) == []
    assert browser.evaluate("getComputedStyle(document.body).color") == "rgb(27, 29, 31)"


def column(browser, table, number):
    script = f"""[...document.querySelectorAll("#table-{table} tbody tr")]
        .map((row) => row.cells[{number}].textContent)"""
    return browser.evaluate(script)


def order(browser, table):
    script = f"""[...document.querySelectorAll("#table-{table} th[data-column]")]
        .map((head) => head.ariaSort)"""
    return browser.evaluate(script)


def test_a_click_on_a_header_sorts_by_value_with_the_missing_last(browser, page):
    browser.open(page)
    first = ["1,412", "–", "∞", "88"]
    steps = [("ascending", ["88", "1,412", "∞", "–"]), ("descending", ["∞", "1,412", "88", "–"])]
    assert column(browser, 2, 3) == first
    place = """(() => {
        const button = document.querySelector("#table-2 th[data-column='3'] button");
        button.scrollIntoView({ block: "center", behavior: "instant" });
        const { x, y, width, height } = button.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
    })()"""
    for name, expected in [*steps, ("none", first), *steps]:
        browser.click(**browser.evaluate(place))
        assert column(browser, 2, 3) == expected
        assert order(browser, 2) == ["none", "none", "none", name]


def test_keys_sort_and_the_foot_stays(browser, page):
    browser.open(page)
    before = column(browser, 1, 0)
    browser.evaluate("document.querySelector('#table-1 thead button').focus()")
    browser.press("Enter", 13)
    assert column(browser, 1, 0) == sorted(before)
    browser.press("Tab", 9)
    browser.press(" ", 32)
    assert order(browser, 1) == ["none", "ascending", *["none"] * 9]
    numbers = [float(text) for text in column(browser, 1, 1)]
    assert numbers == sorted(numbers)
    assert browser.evaluate("document.querySelector('[role=status]').textContent") == (
        "Sorted: ours, ascending"
    )
    foot = "document.querySelector('#table-1').lastElementChild.textContent.trim().slice(0, 4)"
    assert browser.evaluate(foot) == "mean"


@pytest.mark.parametrize("storage", ["on", "off"])
def test_the_switch_changes_the_scheme_and_is_remembered_if_that_can_be(browser, page, storage):
    color = "getComputedStyle(document.body).backgroundColor"
    browser.open(page, scheme="light")
    if storage == "off":
        broken = "Object.defineProperty(window, 'localStorage', { get() { throw Error('off') } })"
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=broken)
        browser.reload()
    light = browser.evaluate(color)
    browser.evaluate("document.querySelector('button.scheme').click()")
    dark = browser.evaluate(color)
    assert dark != light
    expected = dark if storage == "on" else light
    for _ in range(20):  # a busy browser writes its storage some time later
        browser.reload()
        if browser.evaluate(color) == expected:
            break
        time.sleep(0.5)
    assert browser.evaluate(color) == expected
    assert complaints(browser) == []
    if storage == "on":
        browser.evaluate("localStorage.clear()")


def test_a_script_that_is_not_ours_does_not_run(browser, page, tmp_path):
    changed = tmp_path / "changed.html"
    text = page.read_text(encoding="utf-8")
    changed.write_text(text.replace("<main", "<script>document.title = 'theirs'</script><main"))
    browser.open(changed)
    assert browser.evaluate("document.title") == findings.everything().title
    assert "Content Security Policy" in str(complaints(browser))
