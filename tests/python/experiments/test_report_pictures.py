"""Pictures inside the report page: the page's ink, its own ids, nothing left behind."""

import re

import matplotlib
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import findings
from softmargin.experiments import _report, _svg
from softmargin.experiments._findings import Findings, Picture, Section


def drawn(draw, title="A title", prefix="p"):
    return _svg.draw(Picture("name", title, "", draw), prefix).text


def page_of(draw):
    pictures = [Picture("curves", "Loss", "By steps.", draw)]
    return _report.render(Findings("", "", "", "", [Section("", pictures=pictures)]))


def colors(text):
    return {of.lower() for of in re.findall(r"(?:fill|stroke): ([^;\"]+)", text)}


def test_ink_that_is_no_data_is_that_of_the_page_and_data_keeps_its_own():
    inks = {"none", "currentColor", "var(--quiet)", "var(--grid)", "var(--page)"}
    inks = {ink.lower() for ink in inks}
    assert colors(drawn(findings.curves)) == inks | {"#0072b2", "#d55e00"}


def test_black_data_is_ink_but_black_text_on_data_stays_black():
    def draw():
        figure, ax = plt.subplots()
        ax.plot([0, 1], color="black")
        ax.bar([0.5], [0.5], color="black")
        ax.text(0, 0, "on data", color="black")
        ax.set_axis_off()
        return figure

    text = drawn(draw)
    assert colors(text) == {"none", "currentcolor", "#000000"}
    assert re.findall(r'<text style="fill: #000000;[^>]*>([^<]*)', text) == ["on data"]


def test_texts_are_texts_in_the_font_of_the_page():
    text = drawn(findings.curves)
    assert {"OLLAWV", "steps", "mean loss"} < set(re.findall(r"<text[^>]*>([^<]+)", text))
    assert "DejaVu" not in text


def test_hostile_labels_stay_texts():
    def draw():
        figure = Figure()
        figure.subplots().set_title("</svg><script>&amp;")
        return figure

    text = drawn(draw, title="<b>&")
    assert "&lt;/svg&gt;&lt;script&gt;&amp;amp;</text>" in text
    assert text.startswith('<svg role="img" aria-labelledby="p-title" viewBox="0 0 ')
    assert '<title id="p-title">&lt;b&gt;&amp;</title>' in text


def test_ids_of_two_pictures_differ_and_nothing_else_does():
    one, two = drawn(findings.bars, prefix="p1"), drawn(findings.bars, prefix="p2")
    ids = re.findall(r' id="([^"]+)"', one)
    assert len(ids) > 2
    assert all(name.startswith("p1-") for name in ids)
    assert one.replace("p1-", "p2-") == two


def test_the_matplotlib_of_the_user_is_left_as_it_was():
    with matplotlib.rc_context({"axes.facecolor": "red", "font.size": 30, "axes.grid": True}):
        own, _ = plt.subplots()
        before = dict(matplotlib.rcParams), plt.get_fignums(), plt.isinteractive()
        styled = drawn(findings.heat)
        assert (dict(matplotlib.rcParams), plt.get_fignums(), plt.isinteractive()) == before
        plt.close(own)
    assert styled == drawn(findings.heat)


def test_another_backend_is_back_after_drawing():
    before = matplotlib.get_backend()
    plt.switch_backend("svg")
    try:
        seen = []
        drawn(lambda: (seen.append(matplotlib.get_backend()), Figure())[1])
        assert seen == ["agg"]
        assert matplotlib.get_backend() == "svg"
    finally:
        plt.switch_backend(before)


def test_a_picture_that_fails_is_named_and_closed():
    def draw():
        plt.subplots()
        raise ValueError("no curves")

    before = plt.get_fignums()
    with pytest.raises(ValueError, match="no curves") as failure:
        drawn(draw)
    assert failure.value.__notes__ == ["while the picture 'name' was drawn"]
    assert plt.get_fignums() == before


def test_without_matplotlib_a_sentence_takes_the_place_of_the_picture():
    def draw():
        raise ImportError("No module named 'matplotlib'")

    page = page_of(draw)
    assert "<svg" not in page
    assert "<code>pip install matplotlib</code>" in page
    assert "By steps." in page
