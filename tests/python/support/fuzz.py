"""Fuzz the package for a given time; ``make fuzz`` runs this program.

It spends a sixth of the time on random texts in Rust, half on mutated files for every reader, and
a third on random problems for the solvers. In the table, a problem counts as accepted if the
property was checked, and as refused if the property does not apply, for example because training
did not converge. A part that crashes or tries nothing counts as a fault.
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

_ROOT = Path(__file__).parents[3]
_CASES = 20_000
_EXAMPLES = 100
_TOLD = re.compile(r"(\d+) passing\D*(\d+) failing\D*(\d+) invalid")


def rounds(seconds, command, **environment):
    """Run a command repeatedly, at least once; yield its output and exit code until it fails."""
    until, code = time.monotonic() + seconds, None
    while code is None or (code == 0 and time.monotonic() < until):
        done = subprocess.run(
            command,
            cwd=_ROOT,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        code = done.returncode
        if code != 0:
            told = done.stdout.split("Hypothesis Statistics")[0]
            print(told[-20_000:], done.stderr[-5_000:], sep="\n", flush=True)
        yield done.stdout, code


def ended(part, code):
    """Return the row of a round that failed without reporting a fault, such as a crash."""
    return f"{part}: ended with status {code}", 1, 0, 0, 1


def texts(seconds, command=("cargo", "test", "--test", "rust", "libsvm_text_any")):
    """Yield the results of the properties in Rust on random texts."""
    tried, faults = Counter(), Counter()
    for output, code in rounds(seconds, command, PROPTEST_CASES=str(_CASES)):
        ends = re.findall(r"^test \w+::(\w+) \.\.\. (\w+)", output, re.MULTILINE)
        for name, end in ends:
            # The number of successes before a failure is unknown.
            tried[name] += _CASES if end == "ok" else 1
            faults[name] += end != "ok"
        if code != 0 and all(end == "ok" for _, end in ends):
            yield ended("Rust", code)
    for name in sorted(tried):
        yield f"Rust: {name}", tried[name], tried[name] - faults[name], 0, faults[name]


def files(seconds, first):
    """Yield the results of all readers on mutated files, starting at number ``first``."""
    for name in READERS:
        found = fuzz_readers.run(name, first, sys.maxsize, seconds / len(READERS))
        for fault in found.faults:
            print(fault, flush=True)
        yield f"reader: {name}", found.tried, found.accepted, found.refused, len(found.faults)


def problems(seconds, command=None):
    """Yield the results on random problems, by property."""
    scripts = sorted(str(path) for path in (_ROOT / "tests/python").rglob("test_properties_*.py"))
    usual = [sys.executable, "-m", "pytest", "--hypothesis-show-statistics", *scripts]
    counts = {}
    for output, code in rounds(seconds, command or usual, SOFTMARGIN_FUZZ=str(_EXAMPLES)):
        name, n_faults = None, 0
        for line in output.splitlines():
            if found := re.match(r"\S+::test_(\w+).*:$", line):
                name = found[1]
            elif name and (found := _TOLD.search(line)):
                held, failing, left_out = map(int, found.groups())
                more = {"held": held, "faults": failing, "left out": left_out}
                counts.setdefault(name, Counter()).update(more)
                n_faults += failing
        if code != 0 and n_faults == 0:
            yield ended("solvers", code)
    for name, count in sorted(counts.items()):
        tried = sum(count.values())
        yield name, tried, count["held"], count["left out"], count["faults"]


def exit_code(parts):
    """Print the results of all parts; return 1 if there is a fault or a part tried nothing."""
    rows = [
        row
        for name, found in parts.items()
        for row in (list(found) or [(f"{name}: nothing was tried", 0, 0, 0, 1)])
    ]
    print(fuzz_readers.table(rows))
    return 1 if any(faults for *_, faults in rows) else 0


def main():
    parser = argparse.ArgumentParser(description="Fuzz the package for a given time.")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--first", type=int, default=secrets.randbelow(10**9))
    options = parser.parse_args()
    print(f"Files from number {options.first} on.", flush=True)
    # Compile before the time starts; the first round reports compile errors.
    subprocess.run(["cargo", "test", "--test", "rust", "--no-run"], cwd=_ROOT, check=False)
    parts = {
        "Rust": texts(options.seconds / 6),
        "readers": files(options.seconds / 2, options.first),
        "solvers": problems(options.seconds / 3),
    }
    return exit_code(parts)


if __name__ == "__main__":
    sys.exit(main())
