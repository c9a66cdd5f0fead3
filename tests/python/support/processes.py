"""Run scripts in new processes, for tests of signals, limits and closed streams."""

import json
import os
import subprocess
import sys
import textwrap

PRELUDE = """\
import json, os, signal, sys, threading, time
import numpy as np
import softmargin

def report(**facts):
    print(json.dumps(facts), flush=True)

# Times at which signals were sent.
sent = []

def interrupt_in(seconds):
    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(seconds, send).start()

"""


def run_script(body, **environment):
    """Run ``body`` after PRELUDE and return the finished process.

    The script can import the same modules as the tests. The timeout is long enough for a busy
    machine; only a script that hangs exceeds it.
    """
    places = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(body)],
        env={**os.environ, "RUST_BACKTRACE": "0", "PYTHONPATH": places, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def facts_of(body, **environment):
    """Run ``body``, which must succeed, and return the facts that it passed to ``report``."""
    process = run_script(body, **environment)
    assert process.returncode == 0, f"exit code {process.returncode}\n{process.stderr[-2000:]}"
    facts = {}
    for line in process.stdout.splitlines():
        facts |= json.loads(line)
    return facts
