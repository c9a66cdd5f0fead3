"""Render the recorded benchmark results into docs/benchmarks.md and README.md.

Each file of ``benches/results`` holds one table with the conditions under which it was measured;
``readme.json``, in the form that ``benches/chart.py`` describes, is summarized in the README.
The pages mark the place of a table with ``<!-- table: NAME -->`` and ``<!-- end -->``; whatever
stands between the two lines is replaced.

    python benches/compare/tables.py            rewrite the pages
    python benches/compare/tables.py --check    exit with 1 if a page is stale
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benches" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"

MARKED = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def cell(value: Any, form: str | list[str]) -> str:
    """Return a value as the text of a table cell; several values are separated by slashes."""
    if isinstance(form, list):
        return " / ".join(map(cell, value, form))
    if value is None:
        return ""
    text = str(value) if isinstance(value, str) else format(value, form)
    # A minus sign, unlike a hyphen, never ends a line.
    return text.replace("-", "−") if re.fullmatch(r"-?[\d.,]+(e-\d+)?", text) else text


def conditions(result: dict[str, Any]) -> str:
    """Return a line with everything that is needed to repeat a measurement."""
    threads = f"{result['threads']} thread{'' if result['threads'] == 1 else 's'}"
    if isinstance(result["threads"], str):
        threads = f"threads: {result['threads']}"
    known = result["command"].split()[0] in ("python", "softmargin")
    facts = [
        result["dtype"],
        threads,
        f"peer: {result['peer']}",
        f"`{result['command']}`" if known else f"command {result['command']}",
        result["date"],
    ]
    extra = [result[key] for key in ("data", "parameters", "repeats", "cells") if key in result]
    return "\n".join(
        ["- " + "; ".join(facts), *(f"- {text[0].upper()}{text[1:]}" for text in extra)]
    )


def table(result: dict[str, Any]) -> str:
    """Return the conditions and the rows of a result in Markdown."""
    columns = result["columns"]
    lines = [
        "| " + " | ".join(column["title"] for column in columns) + " |",
        "|" + "|".join("---" if "align" in column else "---:" for column in columns) + "|",
    ]
    for row in result["rows"]:
        texts = [
            cell(value, column.get("format", ""))
            for value, column in zip(row, columns, strict=True)
        ]
        lines.append("| " + " | ".join(texts) + " |")
    return f"{conditions(result)}\n\n" + "\n".join(lines) + "\n"


# What a panel of the README's chart compares.
PANELS = {
    "svc": "exact `SVC` fit, against the faster of scikit-learn and scikit-learn-intelex",
    "search": "grid search or nested cross-validation, against scikit-learn",
    "ollawv": "approximate `OLLAWV` fit, against scikit-learn's exact `SVC`",
}


def summary(results: dict[str, Any]) -> str:
    """Return a table with the speed-ups of each panel of the chart."""
    lines = [
        "| | data sets | speed-up: geometric mean (range) | accuracy |",
        "|---|---:|---:|---|",
    ]
    for panel, title in PANELS.items():
        rows = results["panels"][panel]
        ratios = [row["peer_seconds"] / row["ours_seconds"] for row in rows]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        low, high = min(ratios), max(ratios)
        span = f"{shown(mean)} ({shown(low)} to {shown(high)})"
        lines.append(f"| {title} | {len(rows)} | {span} | {accuracy_changes(rows)} |")
    return "\n".join(lines) + "\n"


def shown(ratio: float) -> str:
    """Return a speed-up in two or more digits."""
    return f"{ratio:.1f}x" if ratio < 10 else f"{ratio:.0f}x"


def accuracy_changes(rows: list[dict[str, Any]]) -> str:
    """Return by how many percentage points the accuracies differ from those of the peer."""
    changes = [100 * (row["accuracy_ours"] - row["accuracy_peer"]) for row in rows]
    low, high = min(changes), max(changes)
    if max(-low, high) < 0.1:
        return "equal within 0.1 points"
    texts = [f"{value:+.1f}".replace("-", "−") for value in (low, high)]
    return f"{texts[0]} to {texts[1]} points"


def rendered(page: str) -> str:
    """Return a page with all of its tables up to date."""

    def replace(match: re.Match[str]) -> str:
        result = json.loads((RESULTS / f"{match[2]}.json").read_text(encoding="utf-8"))
        text = summary(result) if match[2] == "readme" else table(result)
        return f"{match[1]}\n{text}\n{match[3]}"

    return MARKED.sub(replace, page)


def main() -> None:
    for path in (PAGE, README):
        page = path.read_text(encoding="utf-8")
        new = rendered(page)
        if "--check" in sys.argv[1:]:
            if new != page:
                sys.exit(f"{path} is stale: run python {__file__}")
        else:
            path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
