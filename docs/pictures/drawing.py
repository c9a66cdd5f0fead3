"""What all pictures share: a registry, the light and the dark style, and the SVG files."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "docs" / "assets"

# A picture of this width is shown at 100 %; at 400 px, letters are still 9 px high.
WIDTH = 6.4

PICTURES: dict[str, Callable[[], Any]] = {}

_INK = {
    "light": {"text": "#1f2328", "quiet": "#59636e", "grid": "#c8ccd1"},
    "dark": {"text": "#e2e4e9", "quiet": "#a4a9b3", "grid": "#565b66"},
}
_SHARED = {
    "axes.facecolor": "none",
    "axes.linewidth": 0.8,
    "axes.titlesize": 11,
    "figure.facecolor": "none",
    "figure.dpi": 72,
    "font.size": 11,
    "legend.fontsize": 10,
    "path.simplify": True,
    "savefig.facecolor": "none",
    "svg.fonttype": "path",  # the same letters on every computer
    "svg.hashsalt": "softmargin",
}
_DROPPED = re.compile(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*|<!DOCTYPE.*?>\s*", re.DOTALL)
_DECIMALS = re.compile(r"-?\d+\.\d{3,}")


def picture(name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Register a function that draws into a new figure and returns it, or axes of it."""

    def register(draw: Callable[[], Any]) -> Callable[[], Any]:
        assert name not in PICTURES
        PICTURES[name] = draw
        return draw

    return register


def ink() -> str:
    """Return the color of text and of lines that belong to no class."""
    return str(plt.rcParams["text.color"])


def page() -> str:
    """Return the color of the page."""
    return "#ffffff" if ink() == _INK["light"]["text"] else "#1e2129"


def quiet() -> str:
    """Return the color of what should not stand out."""
    return str(plt.rcParams["xtick.color"])


def panels(rows: int, columns: int, height: float, width: float = WIDTH, **more: Any) -> Any:
    """Return a figure and its axes, with tight margins."""
    return plt.subplots(rows, columns, figsize=(width, height), layout="constrained", **more)


def bare(ax: Any) -> None:
    """Remove ticks and labels of axes whose units do not matter."""
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
    if ax.get_legend() is not None:
        ax.get_legend().remove()


def save(name: str) -> list[Path]:
    """Draw both variants of a picture, and return their files."""
    ASSETS.mkdir(exist_ok=True)
    paths = []
    for variant, of in _INK.items():
        settings = _SHARED | {
            "axes.edgecolor": of["quiet"],
            "axes.labelcolor": of["text"],
            "grid.color": of["grid"],
            "hatch.color": of["text"],
            "patch.edgecolor": of["text"],
            "text.color": of["text"],
            "xtick.color": of["quiet"],
            "xtick.labelcolor": of["text"],
            "ytick.color": of["quiet"],
            "ytick.labelcolor": of["text"],
        }
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(settings)
            figure = PICTURES[name]().figure.figure
            text = io.StringIO()
            figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
            plt.close(figure)
        paths.append(ASSETS / f"{name}-{variant}.svg")
        paths[-1].write_text(_compact(text.getvalue()), encoding="utf-8")
    return paths


def _compact(svg: str) -> str:
    """Return an SVG without comments and metadata, with few decimals."""
    return _DECIMALS.sub(lambda found: _rounded(float(found[0])), _DROPPED.sub("", svg))


def _rounded(number: float) -> str:
    """Return a number with two decimals; small ones, which may be scales, with three digits."""
    return f"{number:.2f}".rstrip("0").rstrip(".") if abs(number) >= 1 else f"{number:.3g}"
