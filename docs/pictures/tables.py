"""Committed numbers: the tables of the result pages, and the benchmark results."""

from __future__ import annotations

import json
import re
from typing import Any

from drawing import ROOT

_NUMBER = re.compile(r"[−-]?[\d,]*\.?\d+(?:e-?\d+)?")


def page_table(page: str, title: str, section: str = "") -> list[dict[str, Any]]:
    """Return the rows of a table of a result page as dictionaries; numbers are floats.

    The table is the first with its title, or the first in a section. Rows of means and cells
    without a value are omitted.
    """
    text = (ROOT / "docs" / "results" / f"{page}.md").read_text(encoding="utf-8")
    _, _, rest = text[text.index(section) :].partition(f"**{title}**\n")
    if not rest:
        raise LookupError(f"docs/results/{page}.md has no table {title!r}")
    lines = rest.strip().splitlines()
    end = next((k for k, line in enumerate(lines) if not line.startswith("|")), len(lines))
    heads, _, *rows = [_cells(line) for line in lines[:end]]
    found = [
        {head: _value(cell) for head, cell in zip(heads, row, strict=True) if cell != "–"}
        for row in rows
    ]
    return [row for row in found if not str(row[heads[0]]).startswith("mean of")]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _value(cell: str) -> Any:
    text = cell.replace("*", "").replace("≠", "").replace("\\", "").strip()
    if _NUMBER.fullmatch(text):
        return float(text.replace(",", "").replace("−", "-"))
    return text


def benchmark(name: str) -> list[list[Any]]:
    """Return the rows of a benchmark result."""
    path = ROOT / "benches" / "results" / f"{name}.json"
    rows: list[list[Any]] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return rows
