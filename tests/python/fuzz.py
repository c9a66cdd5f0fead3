"""Fuzzing for as long as there is time: what ``make fuzz`` runs.

Text at random in Rust (a sixth of the time), changed files for every reader (a half), and random
problems for the solvers (a third). In the table a problem is accepted if the property was looked
at, and refused if it does not apply, as where training did not come to its end.
"""

import argparse
import os
import re
import secrets
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import fuzz_readers
from malformed import READERS

_ROOT = Path(__file__).parents[2]
_CASES = 20_000
_EXAMPLES = 100
_TOLD = re.compile(r"(\d+) passing\D*(\d+) failing\D*(\d+) invalid")


def rounds(seconds, command, **environment):
    """Run a command again and again, yield its output and whether it went well; stop if not."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done = subprocess.run(
            command,
            cwd=_ROOT,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        yield done.stdout
        if done.returncode != 0:
            told = done.stdout.split("Hypothesis Statistics")[0]
            print(told[-20_000:], done.stderr[-5_000:], sep="\n", flush=True)
            return


def texts(seconds):
    """Yield what became of texts that the properties in Rust tried."""
    command = ["cargo", "test", "--test", "rust", "libsvm_text_any"]
    subprocess.run([*command, "--no-run"], cwd=_ROOT, check=True)
    tried, faults = Counter(), Counter()
    for output in rounds(seconds, command, PROPTEST_CASES=str(_CASES)):
        for name, end in re.findall(r"^test \w+::(\w+) \.\.\. (\w+)", output, re.MULTILINE):
            tried[name] += _CASES
            faults[name] += end != "ok"
    for name in sorted(tried):
        yield f"Rust: {name}", tried[name], tried[name], 0, faults[name]


def files(seconds, first):
    """Yield what became of changed files, from a number on."""
    for name in READERS:
        found = fuzz_readers.run(name, first, sys.maxsize, seconds / len(READERS))
        for fault in found.faults:
            print(fault, flush=True)
        yield f"reader: {name}", found.tried, found.accepted, found.refused, len(found.faults)


def problems(seconds):
    """Yield what became of random problems, by the property that they tried."""
    scripts = sorted(str(path) for path in Path(__file__).parent.glob("test_properties_*.py"))
    command = [sys.executable, "-m", "pytest", "--hypothesis-show-statistics", *scripts]
    counts = {}
    for output in rounds(seconds, command, HINGE_FUZZ=str(_EXAMPLES)):
        name = None
        for line in output.splitlines():
            if found := re.match(r"\S+::test_(\w+).*:$", line):
                name = found[1]
            elif name and (found := _TOLD.search(line)):
                counts.setdefault(name, Counter()).update(
                    dict(zip(("held", "faults", "left out"), map(int, found.groups()), strict=True))
                )
    for name, count in sorted(counts.items()):
        tried = sum(count.values())
        yield name, tried, count["held"], count["left out"], count["faults"]


def main():
    parser = argparse.ArgumentParser(description="Fuzzing for as long as there is time.")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--first", type=int, default=secrets.randbelow(10**9))
    options = parser.parse_args()
    print(f"Files from number {options.first} on.", flush=True)
    rows = [
        *texts(options.seconds / 6),
        *files(options.seconds / 2, options.first),
        *problems(options.seconds / 3),
    ]
    print(fuzz_readers.table(rows))
    return 1 if any(faults for *_, faults in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
