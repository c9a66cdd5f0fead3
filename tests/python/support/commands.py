"""Run the command line program in this process or in a new one."""

import json
import os
import subprocess
import sys

from typer.testing import CliRunner

from softmargin.cli._app import app


def call(*words, stdin=None):
    """Call the program in this process; an uncaught exception fails the test."""
    words = [str(word) for word in words]
    result = CliRunner().invoke(app, words, input=stdin, prog_name="softmargin")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def stdout_of(*words):
    """Call the program, which must succeed, and return its output."""
    result = call(*words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def facts_of_command(*words):
    """Call the program with ``--json``, which must succeed, and return the document."""
    return json.loads(stdout_of(*words, "--json"), parse_constant=_refuse)


def start(*words, **options):
    """Start the program in a new process."""
    environment = {**os.environ, "COLUMNS": "100", **options.pop("env", {})}
    return subprocess.Popen(
        [sys.executable, "-m", "softmargin", *(str(word) for word in words)],
        env=environment,
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        **options,
    )


def run(*words, **options):
    """Run the program in a new process, and return its exit code, stdout and stderr."""
    with start(*words, **options) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def _refuse(word):
    raise AssertionError(f"{word} is not JSON")
