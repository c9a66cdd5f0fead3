"""Render the recorded benchmark results into docs/benchmarks.md.

Each file of ``benches/results`` holds one table with the conditions under which it was measured.
The page marks the place of a table with ``<!-- table: NAME -->`` and ``<!-- end -->``; whatever
stands between the two lines is replaced.

    python benches/compare/tables.py            rewrite the page
    python benches/compare/tables.py --check    exit with 1 if the page is stale
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benches" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"

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


def rendered(page: str) -> str:
    """Return the page with all of its tables up to date."""

    def replace(match: re.Match[str]) -> str:
        path = RESULTS / f"{match[2]}.json"
        return f"{match[1]}\n{table(json.loads(path.read_text(encoding='utf-8')))}\n{match[3]}"

    return MARKED.sub(replace, page)


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    new = rendered(page)
    if "--check" in sys.argv[1:]:
        sys.exit(f"{PAGE} is stale: run python {__file__}" if new != page else 0)
    PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
