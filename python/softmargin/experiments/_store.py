"""Results that survive a stop: one line of JSON for each task that is done.

The first line says which study and protocol made the file; a run with another protocol refuses
to mix its numbers with these. A line that was cut off by a crash, or damaged otherwise, is dropped:
its task is run again, and the lines after it stay.
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
    """A folder holds the results of another study or protocol."""


class Store:
    """The records of a study in a folder, by key; without a folder, in memory."""

    def __init__(self, folder: str | os.PathLike[str] | None, study: str, protocol: Record) -> None:
        self._records: dict[str, Record] = {}
        self._path: Path | None = None
        # The file from which there are records, if there is one.
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
                f"{self._path} holds the results of another study or protocol: "
                "choose another folder, or remove it to begin anew"
            )
        self._records = {line["key"]: line["result"] for line in _records(lines)}
        self.origin = self._path if self._records else None
        self._write([head, *_keyed(self._records)])  # without what was cut off

    def __contains__(self, key: str) -> bool:
        return key in self._records

    def __getitem__(self, key: str) -> Record:
        return self._records[key]

    def get(self, key: str) -> Record | None:
        """Return the record of a key, or None."""
        return self._records.get(key)

    def add(self, key: str, result: Mapping[str, Any]) -> None:
        """Keep a result, on disk before this returns."""
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
    """Yield what each line holds; nothing for those that are damaged and for what has no end."""
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
    """Return the plain values of records as CSV; lists stay in the JSON file."""
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
