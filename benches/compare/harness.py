"""Runs two things side by side: alternating, best of several, one process.

Machines are noisy and differ; only the ratio of two times measured in the same
minute means something. ``Comparison.run`` alternates ours and the peer, keeps the
best time of each, and prints one line; ``finish`` writes JSON on request.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import softmargin


@dataclass
class Side:
    """One contestant: its best time, and what it reached."""

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


class Comparison:
    """A table of ratios, printed as it grows."""

    def __init__(self, question: str, arguments: argparse.Namespace) -> None:
        self.question = question
        self.arguments = arguments
        self.lines: list[Line] = []
        print(question)
        print(
            f"softmargin {softmargin.__version__}, {softmargin.simd_level()}, "
            f"{os.cpu_count()} cores\n"
        )

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
        """Alternate both, keep the best of each; ``describe_*`` see the last results."""
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
        """Write what was measured, if asked to."""
        if self.arguments.json is None:
            return
        machine = {
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "simd": softmargin.simd_level(),
        }
        lines = [asdict(line) | {"ratio": line.ratio} for line in self.lines]
        report = {"question": self.question, "machine": machine, "lines": lines}
        Path(self.arguments.json).write_text(json.dumps(report, indent=2) + "\n")


def _show(side: Side) -> str:
    shown = (f"{k} {v:.4f}" if isinstance(v, float) else f"{k} {v}" for k, v in side.facts.items())
    return "{" + ", ".join(shown) + "}"


def parser(description: str | None) -> argparse.ArgumentParser:
    """Options that every comparison has."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--repeats", type=int, default=3, help="alternating runs; the best counts")
    options.add_argument("--n-jobs", type=int, default=2, help="threads of ours")
    options.add_argument("--json", help="write the result to this file")
    return options
