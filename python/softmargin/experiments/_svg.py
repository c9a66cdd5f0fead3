"""Matplotlib figures as SVG elements that are embedded in a page.

Text, axes, grid and background are drawn in colors that nothing else uses. In the SVG these become
CSS variables of the page, so pictures follow its light and dark schemes. Text stays text, in the
font of the page. The result depends on the picture only, not on the backend, the style or the clock
of the user.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from softmargin.experiments._findings import Picture

# Close to the colors that they replace, for plots that check whether a color is light or dark.
_INK, _QUIET, _GRID, _PAGE = "#010203", "#5b5c5d", "#c3c5c4", "#fefdfe"
_OF_THE_PAGE = {
    _INK: "currentColor",
    _QUIET: "var(--quiet)",
    _GRID: "var(--grid)",
    _PAGE: "var(--page)",
    "#000000": "currentColor",  # a line of data in black
}

_STYLE: Any = {
    "axes.edgecolor": _QUIET,
    "axes.facecolor": _PAGE,
    "axes.labelcolor": _INK,
    "axes.linewidth": 0.7,
    "boxplot.boxprops.color": _INK,
    "boxplot.capprops.color": _INK,
    "boxplot.flierprops.color": _INK,
    "boxplot.flierprops.markeredgecolor": _INK,
    "boxplot.whiskerprops.color": _INK,
    "figure.edgecolor": _PAGE,
    "figure.facecolor": "none",
    "grid.color": _GRID,
    "grid.linewidth": 0.6,
    "hatch.color": _INK,
    "legend.edgecolor": _GRID,
    "patch.edgecolor": _INK,
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "softmargin",
    "text.color": _INK,
    "xtick.color": _QUIET,
    "xtick.labelcolor": _INK,
    "ytick.color": _QUIET,
    "ytick.labelcolor": _INK,
}

_REFERENCE = re.compile(r"(?<=url\(#)[^)]+|(?<=^#).+")  # in attributes: url(#id), href="#id"
_COLOR = re.compile(r"#[0-9a-fA-F]{6}\b")
_FAMILY = re.compile(r"font-family:[^;]*;?\s*")
_FONT = re.compile(r"(font:[^;']*?\d(?:px)?) +[^;]*")
_DECIMALS = re.compile(r"\d+\.\d{3,}")


@dataclass(frozen=True)
class Drawing:
    """An SVG element as text, and its natural width in points."""

    text: str
    width: float


def draw(picture: Picture, prefix: str) -> Drawing:
    """Draw a picture; its ids start with ``prefix`` and must be unique in a page.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    with _own_matplotlib() as plt:
        before = set(plt.get_fignums())
        try:
            figure = picture.draw().figure.figure  # of a figure or of axes
            file = io.StringIO()
            figure.savefig(file, format="svg", bbox_inches="tight")
        except ImportError:
            raise
        except Exception as error:
            error.add_note(f"while the picture {picture.name!r} was drawn")
            raise
        finally:
            for number in set(plt.get_fignums()) - before:
                plt.close(number)
    return _adapt(file.getvalue(), picture.title, prefix)


@contextlib.contextmanager
def _own_matplotlib() -> Iterator[Any]:
    """Provide pyplot with our style and without windows; restore the state of the user."""
    import matplotlib
    from matplotlib import pyplot as plt

    with matplotlib.rc_context(), plt.ioff():
        backend = matplotlib.get_backend()
        # Before matplotlib 3.10, switching closes open figures.
        is_switched = backend.lower() != "agg" and not plt.get_fignums()
        if is_switched:
            plt.switch_backend("agg")
        try:
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(_STYLE)
            yield plt
        finally:
            if is_switched:
                with contextlib.suppress(
                    ImportError
                ):  # no display: it could not be used before either
                    plt.switch_backend(backend)


def _adapt(text: str, title: str, prefix: str) -> Drawing:
    """Return matplotlib's SVG as an element of a page."""
    root = ElementTree.fromstring(text)
    _strip(root)
    _rename(root, prefix)
    _recolor(root, is_filled=False)
    _, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
    root.attrib = {
        "role": "img",
        "aria-labelledby": f"{prefix}-title",
        "viewBox": f"0 0 {width:.2f} {height:.2f}",
    }
    name = ElementTree.Element("title", {"id": f"{prefix}-title"})
    name.text = title
    root.insert(0, name)
    return Drawing(ElementTree.tostring(root, encoding="unicode"), width)


def _strip(element: Any) -> None:
    """Remove namespaces, metadata, global styles, whitespace and superfluous digits."""
    for child in list(element):
        _strip(child)
        if child.tag in ("metadata", "style"):
            element.remove(child)
    element.tag = element.tag.rpartition("}")[2]
    element.attrib = {name.rpartition("}")[2]: of for name, of in element.attrib.items()}
    if element.tag not in ("text", "tspan") and not (element.text or "").strip():
        element.text = None
    element.tail = None
    if "d" in element.attrib:
        path = " ".join(element.attrib["d"].split())
        element.attrib["d"] = _DECIMALS.sub(lambda found: f"{float(found[0]):.2f}", path)


def _rename(root: Any, prefix: str) -> None:
    """Prefix the ids that are referenced, and remove the others."""
    used: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        return used.setdefault(found[0], f"{prefix}-{len(used) + 1}")

    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "href" or "url(#" in value:
                element.attrib[name] = _REFERENCE.sub(renamed, value)
    for element in root.iter():
        name = used.get(element.attrib.pop("id", ""))
        if name is not None:
            element.attrib["id"] = name


def _recolor(element: Any, is_filled: bool) -> None:
    """Replace our colors by the variables of the page, and matplotlib's font by that of the page.

    Matplotlib does not write the color black, and elements without a color inherit that of the
    page, which is right for shapes. Black text was chosen for its background, so it stays black.
    """
    style = element.attrib.get("style", "")
    is_filled = is_filled or "fill:" in style
    style = _FONT.sub(r"\1 var(--sans)", _FAMILY.sub("", style))
    style = _COLOR.sub(lambda found: _OF_THE_PAGE.get(found[0].lower(), found[0]), style)
    if element.tag == "text" and not is_filled:
        style = f"fill: #000000; {style}"
    if style:
        element.attrib["style"] = style.strip("; ")
    for child in element:
        _recolor(child, is_filled)
