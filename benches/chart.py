"""Draw the chart of the README from measured times.

Reads ``benches/results/readme.json``, which ``benches/compare/readme.py`` writes, and writes
``docs/assets/benchmarks-light.svg`` and ``docs/assets/benchmarks-dark.svg``. Needs only the
standard library:

    python benches/chart.py

The JSON document has this form; all times are in seconds, accuracies between 0 and 1 or null:

    {
      "version": 1,
      "machine": {"processor": "...", "cores": 2, "simd": "avx2"},
      "settings": {"threads": 2, "repeats": 3, "softmargin": "0.1.0", "scikit-learn": "1.9.0", ...},
      "panels": {
        "svc":     [ROW, ...],      exact SVC fits on float64 data
        "search":  [ROW, ...],      grid searches and nested cross-validation
        "ollawv":  [ROW, ...]       OLLAWV fits, compared with an exact SVC
      }
    }

where further settings (dtype, versions of other packages or "not installed", source of the data,
date) are kept for readers of the file, and ROW is

    {
      "name": "letter",             shown at the left
      "ours_seconds": 1.0,
      "peer_seconds": 2.0,          of the faster peer
      "peer": "scikit-learn",       which peer that was
      "note": "15,000 samples",     sizes, parameters, number of runs; not drawn
      "accuracy_ours": 0.97,        on held-out samples; drawn for OLLAWV
      "accuracy_peer": 0.98
    }

Bars show ``peer_seconds / ours_seconds`` on a logarithmic axis and start at 1; a bar to the left
of 1 is a case in which the peer is faster.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]

# Units of the view box. At a width of 400 px the body text is 9.6 px high.
WIDTH = 680.0
LEFT, RIGHT = 212.0, 158.0  # room for the names, and for the numbers behind the longest bar
MARGIN = 16.0
TITLE, BODY, SMALL = 21.0, 16.5, 14.5
ROW, BAR = 31.0, 20.0
HEADER, GAP = 62.0, 16.0
LETTER = 0.56 * BODY  # mean width of a character, rounded up

FONT = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

# Colors of Okabe and Ito (2008), lighter on dark pages.
SCHEMES: dict[str, dict[str, str]] = {
    "light": {
        "text": "#1f2328",
        "quiet": "#59636e",
        "grid": "#d1d9e0",
        "svc": "#0072b2",
        "search": "#009e73",
        "ollawv": "#d55e00",
        "slower": "#8c959f",
    },
    "dark": {
        "text": "#f0f6fc",
        "quiet": "#9198a1",
        "grid": "#3d444d",
        "svc": "#56b4e9",
        "search": "#2cc295",
        "ollawv": "#e69f00",
        "slower": "#6e7681",
    },
}

PANELS = {
    "svc": "Exact SVC, float64",
    "search": "Grid search and nested cross-validation",
    "ollawv": "OLLAWV, an approximate solver",
}

# Candidates for ticks; those in range are shown, thinned to what fits.
TICKS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]


def ratio(row: Mapping[str, Any]) -> float:
    """Return how many times faster ours is."""
    return float(row["peer_seconds"]) / float(row["ours_seconds"])


def shown_ratio(value: float) -> str:
    """Return a speed-up in two or three digits."""
    digits = 2 if value < 0.995 else 1 if value < 9.95 else 0
    return f"{value:,.{digits}f}×"


def accuracy_change(row: Mapping[str, Any]) -> str:
    """Return by how many percentage points the accuracy differs from the peer's."""
    ours, peer = row.get("accuracy_ours"), row.get("accuracy_peer")
    if ours is None or peer is None:
        return ""
    points = 100 * (float(ours) - float(peer))
    if abs(points) < 0.005:
        return "same accuracy"
    return f"{'+' if points > 0 else '−'}{abs(points):.2f} points"


def subtitle(key: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what a panel compares with."""
    peers = sorted({str(row["peer"]) for row in rows})
    if key == "svc" and len(peers) > 1:
        return f"training time, against the faster of {' and '.join(peers)}"
    if key == "ollawv":
        return f"training time and change in accuracy, against SVC of {peers[0]}"
    what = "training time" if key == "svc" else "time of the whole search"
    return f"{what}, against {' and '.join(peers)}"


class Axis:
    """A logarithmic axis from the least to the largest speed-up."""

    def __init__(self, ratios: Sequence[float]) -> None:
        low, high = min(1.0, *ratios), max(2.0, *ratios)
        self.low = 1.0 if low >= 1.0 else low / 1.15
        self.high = high * 1.02

    def place(self, value: float) -> float:
        """Return the horizontal place of a speed-up."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def ticks(self) -> list[float]:
        """Return ticks that are far enough apart."""
        inside = [tick for tick in TICKS if self.low <= tick <= self.high]
        kept: list[float] = []
        # 1 first, then powers of ten, then 5 and 2: the rounder a number, the better it reads.
        for tick in sorted(inside, key=lambda tick: (tick != 1, math.log10(tick) % 1 > 0, tick)):
            if all(abs(self.place(tick) - self.place(other)) > 52 for other in kept):
                kept.append(tick)
        return sorted(kept)


def draw(results: Mapping[str, Any], scheme: str) -> str:
    """Return the chart as an SVG document."""
    colors = SCHEMES[scheme]
    panels = {key: results["panels"][key] for key in PANELS if results["panels"].get(key)}
    rows = [row for of_panel in panels.values() for row in of_panel]
    if not rows:
        raise ValueError("the results have no rows to draw")
    for row in rows:
        if not (float(row["ours_seconds"]) > 0 and float(row["peer_seconds"]) > 0):
            raise ValueError(f"{row['name']}: times must be positive")
    axis = Axis([ratio(row) for row in rows])
    top = 50.0
    bottom = top + sum(HEADER + ROW * len(of) + GAP for of in panels.values()) - GAP
    height = bottom + 70.0
    title = "How many times faster is Softmargin?"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" '
        f'width="{WIDTH:g}" height="{height:g}" role="img" font-family="{FONT}" '
        f'font-size="{BODY:g}">',
        f"<title>{title}</title>",
        f"<desc>{escape(described(panels))}</desc>",
        text(MARGIN, 34, title, colors["text"], size=TITLE, weight=600),
    ]
    y = top
    for key, of_panel in panels.items():
        parts.append(text(MARGIN, y + 27, PANELS[key], colors[key], weight=600))
        about = subtitle(key, of_panel)
        parts.append(text(MARGIN, y + 49, about, colors["quiet"], size=SMALL))
        y += HEADER
        parts += grid(axis, of_panel, y, key, colors)
        for row in of_panel:
            parts += bar(axis, row, y, key, colors)
            y += ROW
        y += GAP
    for tick in axis.ticks():
        label = f"{tick:,g}×"
        parts.append(text(axis.place(tick), bottom + 22, label, colors["quiet"], SMALL, "middle"))
    parts.append(text(WIDTH / 2, height - 14, footer(results), colors["quiet"], SMALL, "middle"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def grid(
    axis: Axis, rows: Sequence[Mapping[str, Any]], y: float, key: str, colors: Mapping[str, str]
) -> Iterator[str]:
    """Draw the vertical lines of a panel, interrupted where numbers stand."""
    for tick in axis.ticks():
        x = axis.place(tick)
        color = colors["quiet"] if tick == 1 else colors["grid"]
        top, bottom = y - 3, y + ROW * len(rows) + 3
        path = [f"M{x:.1f} {top:g}"]
        for number, row in enumerate(rows):
            start = label_place(axis, row)
            length = sum(map(len, label(row, key))) * LETTER + 12
            if start - 4 < x < start + length:
                middle = y + ROW * (number + 0.5)
                path.append(f"V{middle - 11:g}M{x:.1f} {middle + 11:g}")
        path.append(f"V{bottom:g}")
        yield f'<path d="{"".join(path)}" stroke="{color}" stroke-width="1" fill="none"/>'


def label_place(axis: Axis, row: Mapping[str, Any]) -> float:
    """Return where the numbers of a row begin: behind its bar."""
    return max(axis.place(ratio(row)), axis.place(1.0)) + 8


def label(row: Mapping[str, Any], key: str) -> tuple[str, str]:
    """Return the speed-up of a row, and the change in accuracy where the panel shows it."""
    return shown_ratio(ratio(row)), accuracy_change(row) if key == "ollawv" else ""


def bar(
    axis: Axis, row: Mapping[str, Any], y: float, key: str, colors: Mapping[str, str]
) -> Iterator[str]:
    """Draw a name, its bar, and the numbers behind it."""
    value = ratio(row)
    start, end = sorted((axis.place(1.0), axis.place(value)))
    middle = y + ROW / 2
    color = colors[key] if value >= 1 else colors["slower"]
    yield text(LEFT - 12, middle + 5.5, str(row["name"]), colors["text"], anchor="end")
    yield (
        f'<rect class="bar" x="{start:.1f}" y="{middle - BAR / 2:.1f}" '
        f'width="{max(end - start, 2.0):.1f}" height="{BAR:g}" rx="2" fill="{color}"/>'
    )
    speed_up, change = label(row, key)
    after = f'<tspan font-weight="600">{speed_up}</tspan>'
    if change:
        after += f'<tspan dx="7" fill="{colors["quiet"]}">{change}</tspan>'
    yield (
        f'<text x="{label_place(axis, row):.1f}" y="{middle + 5.5:.1f}" '
        f'fill="{colors["text"]}">{after}</text>'
    )


def text(
    x: float,
    y: float,
    words: str,
    color: str,
    size: float = BODY,
    anchor: str = "",
    weight: int = 0,
) -> str:
    """Return a text element."""
    more = f' text-anchor="{anchor}"' if anchor else ""
    more += f' font-weight="{weight}"' if weight else ""
    more += f' font-size="{size:g}"' if size != BODY else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}"{more}>{escape(words)}</text>'


def footer(results: Mapping[str, Any]) -> str:
    """Return how the numbers were measured, short enough for one line."""
    settings = results.get("settings", {})
    parts = ["logarithmic axis"]
    if "threads" in settings:
        parts.append(f"{settings['threads']} threads")
    if "repeats" in settings:
        n_runs = int(settings["repeats"])
        parts.append(f"best of up to {n_runs} alternating runs" if n_runs > 1 else "one run each")
    if "scikit-learn" in settings:
        parts.append(f"scikit-learn {settings['scikit-learn']}")
    return " · ".join(parts)


def described(panels: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the chart in words, for screen readers."""
    found = []
    for key, rows in panels.items():
        values = []
        for row in rows:
            speed_up, change = label(row, key)
            values.append(f"{row['name']} {speed_up}" + (f" ({change})" * bool(change)))
        found.append(f"{PANELS[key]}: {', '.join(values)}.")
    return " ".join(found)


def main() -> None:
    """Read the results and write both charts."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--results", type=Path, default=ROOT / "benches/results/readme.json")
    options.add_argument("--output", type=Path, default=ROOT / "docs/assets", help="a folder")
    arguments = options.parse_args()
    if not arguments.results.exists():
        raise SystemExit(f"{arguments.results} was not found; run benches/compare/readme.py first")
    results = json.loads(arguments.results.read_text(encoding="utf-8"))
    arguments.output.mkdir(parents=True, exist_ok=True)
    for scheme in SCHEMES:
        target = arguments.output / f"benchmarks-{scheme}.svg"
        target.write_text(draw(results, scheme), encoding="utf-8")
        print(f"wrote {target}")


if __name__ == "__main__":
    main()
