"""Run the programs that are named, or all: ``python -m soak [name ...]``."""

import importlib
import os
import subprocess
import sys
import time

PROGRAMS = ("interrupts", "memory", "limits", "budgets", "processes")


def main(names):
    """Run each program in a process of its own, and return how many found a fault."""
    failed = 0
    for name in names or PROGRAMS:
        start = time.monotonic()
        command = [sys.executable, "-m", "soak", "--run", name]
        # Without backtraces: symbols would be read into the memory that is measured.
        environment = {**os.environ, "RUST_BACKTRACE": "0"}
        code = subprocess.run(command, check=False, env=environment).returncode
        print(f"{name}: exit code {code} after {time.monotonic() - start:.0f} s", flush=True)
        failed += code != 0
    return failed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        sys.exit(importlib.import_module(f"soak.{sys.argv[2]}").main())
    sys.exit(main(sys.argv[1:]))
