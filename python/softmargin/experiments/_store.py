"""Results that survive an interruption: one line of JSON for each finished task.

The first line names the study and the protocol; a run with another protocol raises an error instead
of mixing the results. A line that was truncated by a crash or is otherwise damaged is dropped, and
its task runs again; the lines after it are kept.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from softmargin._files.atomic_file import write_text
from softmargin._files.json_text import plain, text_of

Record = dict[str, Any]


class OtherProtocolError(ValueError):
    """A folder contains the results of another study or protocol."""


class Store:
    """The records of a study by key, in a folder or, without a folder, in memory."""

    def __init__(self, folder: str | os.PathLike[str] | None, study: str, protocol: Record) -> None:
        self._records: dict[str, Record] = {}
        self._path: Path | None = None
        # The file from which records were read, if any.
        self.origin: Path | None = None
        head = {"study": study, "protocol": protocol}
        if folder is None:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._path = Path(folder) / "results.jsonl"
        if not self._path.exists():
            self._write([head])
            return
        first, *lines = _lines(self._path)
        if {key: first.get(key) for key in head} != plain(head):
            raise OtherProtocolError(
                f"{self._path} contains the results of another study or protocol. "
                "Choose another folder, or delete the file to start over."
            )
        self._records = {line["key"]: line["result"] for line in _records(lines)}
        self.origin = self._path if self._records else None
        self._write([head, *_keyed(self._records)])  # without damaged lines

    def __contains__(self, key: str) -> bool:
        return key in self._records

    def __getitem__(self, key: str) -> Record:
        return self._records[key]

    def get(self, key: str) -> Record | None:
        """Return the record of a key, or None."""
        return self._records.get(key)

    def add(self, key: str, result: Mapping[str, Any]) -> None:
        """Store a result; it is on disk when this returns."""
        self._records[key] = record = plain(dict(result))
        if self._path is not None:
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(text_of({"key": key, "result": record}) + "\n")
                file.flush()
                os.fsync(file.fileno())

    def export(self, keys: list[str], facts: Mapping[str, str]) -> None:
        """Write the records of these keys as results.json and results.csv."""
        if self._path is None:
            return
        records = {key: self._records[key] for key in keys if key in self._records}
        document = {"facts": dict(facts), "results": records}
        write_text(self._path.with_name("results.json"), text_of(document, indent=1) + "\n")
        write_text(self._path.with_name("results.csv"), _table(records))

    def _write(self, lines: list[Record]) -> None:
        assert self._path is not None
        write_text(self._path, "".join(text_of(line) + "\n" for line in lines))


def _lines(path: Path) -> Iterator[Record]:
    """Yield the value of each line; an empty one if it is damaged or not terminated."""
    first, *others = path.read_bytes().split(b"\n")
    for line in (first, *others[:-1]):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        yield value if isinstance(value, dict) else {}


def _records(lines: list[Record]) -> Iterator[Record]:
    for line in lines:
        if isinstance(line.get("key"), str) and isinstance(line.get("result"), dict):
            yield line


def _keyed(records: Mapping[str, Record]) -> list[Record]:
    return [{"key": key, "result": result} for key, result in records.items()]


def _table(records: Mapping[str, Record]) -> str:
    """Return the plain values of records as CSV; lists are in the JSON file only."""
    columns = list(
        dict.fromkeys(
            name
            for record in records.values()
            for name, value in record.items()
            if not isinstance(value, list | dict)
        )
    )
    text = io.StringIO()
    rows = csv.DictWriter(text, ["key", *columns], extrasaction="ignore", lineterminator="\n")
    rows.writeheader()
    for key, record in records.items():
        rows.writerow({"key": key, **record})
    return text.getvalue()
