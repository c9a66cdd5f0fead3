"""Run two contestants side by side in one process, alternating, and keep the best times.

Machines are noisy and differ; only the ratio of two times measured in the same
minute means something. ``Comparison.run`` alternates ours and the peer, keeps the
best time of each, and prints one line; ``finish`` writes JSON on request.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import softmargin


@dataclass
class Side:
    """One contestant: its best time, and facts such as its accuracy."""

    seconds: float
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass
class Line:
    """One comparison."""

    name: str
    ours: Side
    peer: Side

    @property
    def ratio(self) -> float:
        return self.peer.seconds / self.ours.seconds


def best_of(run: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the best time of several runs and the last result."""
    best, result = float("inf"), None
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        result = run()
        best = min(best, time.perf_counter() - start)
    return best, result


def processor() -> str:
    """Return the name of the processor, or its architecture where the name is unknown."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """Return the processor, its cores and the SIMD level that softmargin uses."""
    return {"processor": processor(), "cores": os.cpu_count(), "simd": softmargin.simd_level()}


def version(package: str) -> str:
    """Return the version of an installed package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def settings(arguments: argparse.Namespace, peers: Sequence[str]) -> dict[str, Any]:
    """Return the dtype, the threads, and the versions of all packages that take part."""
    known = {} if "dtype" not in arguments else {"dtype": arguments.dtype}
    return (
        known
        | {"threads": arguments.n_jobs, "repeats": arguments.repeats}
        | {package: version(package) for package in ("softmargin", *peers, "numpy")}
    )


def announce(question: str, arguments: argparse.Namespace, peers: Sequence[str]) -> None:
    """Print the question and the conditions of the measurement."""
    facts = ", ".join(f"{name} {value}" for name, value in settings(arguments, peers).items())
    print(f"{question}\n{facts}; {os.cpu_count()} cores, {softmargin.simd_level()}\n", flush=True)


def write_json(
    question: str,
    arguments: argparse.Namespace,
    peers: Sequence[str],
    lines: Sequence[Mapping[str, Any]],
) -> None:
    """Write the measured lines with their conditions, if ``--json`` was given."""
    if arguments.json is None:
        return
    report = {
        "question": question,
        "machine": machine(),
        "settings": settings(arguments, peers),
        "lines": list(lines),
    }
    Path(arguments.json).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def record(
    name: str,
    question: str,
    arguments: argparse.Namespace,
    peer: str,
    columns: Mapping[str, str | None],
    rows: Sequence[Sequence[Any]],
    **facts: str,
) -> None:
    """Write a table of measurements to ``benches/results``, for ``tables.py``.

    ``columns`` are the titles with the format of their numbers; None means text. The values are
    rounded as they are shown.
    """
    # Where a copy of the result goes does not matter.
    parts = [part for part in sys.argv if part not in ("--json", arguments.json)]
    command = " ".join(["python", *(Path(part).as_posix() for part in parts)])
    shown = [
        [
            value if None in (form, value) else type(value)(format(value, form).replace(",", ""))
            for value, form in zip(row, columns.values(), strict=True)
        ]
        for row in rows
    ]
    form = {
        title: {"align": "left"} if form is None else {"format": form}
        for title, form in columns.items()
    }
    result = {
        "question": question,
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores, {platform.machine()} with {softmargin.simd_level()}",
        "dtype": arguments.dtype if "dtype" in arguments else "float64",
        "threads": arguments.n_jobs,
        "peer": peer,
        "command": command,
        "repeats": f"best of {arguments.repeats} softmargin runs; one run of the peer",
        **facts,
        "columns": [{"title": title} | own for title, own in form.items()],
        "rows": shown,
    }
    path = Path(__file__).resolve().parents[1] / "results" / f"{name}.json"
    path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


class Comparison:
    """A table of ratios, printed as it grows.

    ``peers`` are the PyPI names of the packages to compare with; their versions are recorded.
    """

    def __init__(
        self, question: str, arguments: argparse.Namespace, peers: Sequence[str] = ("scikit-learn",)
    ) -> None:
        self.question = question
        self.arguments = arguments
        self.peers = tuple(peers)
        self.lines: list[Line] = []
        announce(question, arguments, peers)

    def run(
        self,
        name: str,
        ours: Callable[[], Any],
        peer: Callable[[], Any],
        *,
        describe_ours: Callable[[Any], dict[str, Any]] = lambda _: {},
        describe_peer: Callable[[Any], dict[str, Any]] = lambda _: {},
        repeats: int | None = None,
    ) -> Line:
        """Alternate both and keep the best times; ``describe_*`` get the last results."""
        our_best = peer_best = float("inf")
        for _ in range(repeats or self.arguments.repeats):
            seconds, our_result = best_of(ours, 1)
            our_best = min(our_best, seconds)
            seconds, peer_result = best_of(peer, 1)
            peer_best = min(peer_best, seconds)
        line = Line(
            name,
            Side(our_best, describe_ours(our_result)),
            Side(peer_best, describe_peer(peer_result)),
        )
        self.lines.append(line)
        print(
            f"{name:<28} ours {our_best:8.3f} s   peer {peer_best:8.3f} s   "
            f"ratio {line.ratio:6.1f}x   ours {_show(line.ours)}   peer {_show(line.peer)}",
            flush=True,
        )
        return line

    def finish(self) -> None:
        """Write the table, if ``--json`` was given."""
        lines = [asdict(line) | {"ratio": line.ratio} for line in self.lines]
        write_json(self.question, self.arguments, self.peers, lines)


def _show(side: Side) -> str:
    shown = (f"{k} {v:.4f}" if isinstance(v, float) else f"{k} {v}" for k, v in side.facts.items())
    return "{" + ", ".join(shown) + "}"


def parser(description: str | None, *, dtype: bool = False) -> argparse.ArgumentParser:
    """Return a parser of the options that every comparison has, ``--dtype`` on request."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--repeats", type=int, default=3, help="alternating runs; the best counts")
    options.add_argument("--n-jobs", type=int, default=2, help="threads of ours")
    options.add_argument("--json", help="write the result to this file")
    if dtype:
        options.add_argument(
            "--dtype", choices=["float64", "float32"], default="float64", help="type of the samples"
        )
    return options
