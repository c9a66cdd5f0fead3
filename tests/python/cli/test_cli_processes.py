"""The program in a process of its own: signals, pipes, missing packages."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from subprocess import PIPE

import pytest

import softmargin
from commands import run, start
from systems import full, posix

pytestmark = pytest.mark.case(95)


def test_help_comes_without_scikit_learn():
    script = "import sys, softmargin.cli; sys.argv = ['softmargin', '--help']\n"
    script += "try: softmargin.cli.main()\n"
    script += "except SystemExit as end: print(end.code, 'sklearn' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert found.stdout.splitlines()[-1] == "0 False"
    assert "nested-cv" in found.stdout


def test_exit_codes_and_streams(tmp_path):
    code, out, err = run("train", "iris", cwd=tmp_path)
    assert (code, err) == (0, "")
    assert "iris.model" in out
    assert run("train", "none.svm", cwd=tmp_path)[:2] == (1, "")
    assert run("train", "iris", "--nothing", cwd=tmp_path)[:2] == (2, "")


def test_only_the_command_line_needs_typer_and_rich():
    """scikit-learn imports rich where it is installed, so that its absence is simulated."""
    script = "import sys; sys.modules.update(typer=None, rich=None)\n"
    script += "from sklearn.datasets import load_iris; import softmargin\n"
    script += "print(softmargin.nested_cv(*load_iris(return_X_y=True), outer=2, inner=2).complete)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("True\n", "")


def interrupt(process):
    """Send Ctrl-C to a process, and return what it printed until its end."""
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=30)


# With a checkpoint as soon as a cell is done.
EAGER = """
import sys
from softmargin import cli
from softmargin._selection import checkpoint
checkpoint._SECONDS_BETWEEN = 0
command = ["softmargin", "nested-cv", "digits", "--outer", "20", "--checkpoint", "run"]
sys.argv = [*command, *sys.argv[1:]]
cli.main()
"""


@posix
@pytest.mark.parametrize("options", [["--json"], []], ids=["json", "table"])
def test_ctrl_c_shows_what_is_done(tmp_path, options):
    command = [sys.executable, "-c", EAGER, *options]
    with subprocess.Popen(command, cwd=tmp_path, text=True, stdout=PIPE, stderr=PIPE) as process:
        while not (tmp_path / "run").exists():
            assert process.poll() is None
            time.sleep(0.01)
        out, err = interrupt(process)
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "softmargin: interrupted; only finished results are reported"
    if options:
        facts = json.loads(out)
        assert facts["complete"] is False
        assert facts["methods"]["svc"]["counts"]["trainings"] > 0
    else:
        headline, note = out.splitlines()
        assert headline.startswith("digits: 1,797 samples")
        assert re.match(r"svc: not complete, interrupted after [\d,]+ of 6,420 trainings", note)


@posix
def test_ctrl_c_before_anything_is_done_is_one_line(tmp_path):
    with start("cv", "-", stdin=PIPE, cwd=tmp_path) as process:
        # More than a pipe holds: the program reads.
        process.stdin.write("1 1:2\n" * 100_000)
        process.stdin.flush()
        out, err = interrupt(process)
    assert (process.returncode, out, err) == (130, "", "softmargin: interrupted\n")


@posix
@pytest.mark.case(87)
@pytest.mark.parametrize(
    "words", [["datasets", "-q"], ["datasets", "--json"], ["--help"]], ids=" ".join
)
def test_a_reader_that_has_enough_is_no_error(words):
    read, write = os.pipe()
    os.close(read)
    code, _, err = run(*words, stdout=write)
    os.close(write)
    assert err == ""
    assert code == (1 if words == ["--help"] else 141)


@posix
@pytest.mark.case(87)
def test_closed_and_full_streams_are_no_traceback(tmp_path):
    for stream, code, said in (
        (">&-", 0, ""),
        ("2>&-", 0, ""),
        (">/dev/full", 1, "softmargin: No space left on device\n"),
    ):
        if "full" in stream and not os.path.exists("/dev/full"):
            continue  # which not all of POSIX has
        command = f'exec "{sys.executable}" -m softmargin info {stream}'
        found = subprocess.run(
            ["sh", "-c", command], stderr=PIPE, text=True, stdout=subprocess.DEVNULL
        )
        assert (found.returncode, found.stderr) == (code, said), stream


def test_without_a_terminal_there_are_no_control_characters(tmp_path):
    for words in (["nested-cv", "iris", "-s", "ollawv"], ["train", "iris"]):
        _, out, err = run(*words, cwd=tmp_path)
        assert not [sign for sign in out + err if ord(sign) < 32 and sign != "\n"]


def test_names_that_the_encoding_lacks_are_printed_even_so(tmp_path):
    softmargin.dump_libsvm([[0.0], [1.0]], [0, 1], tmp_path / "ünï.svm")
    env = {"PYTHONIOENCODING": "ascii"}
    code, out, err = run("train", "ünï.svm", cwd=tmp_path, env=env)
    assert (code, err) == (0, "")
    assert r"\xfcn\xef.model" in out
    assert (tmp_path / "ünï.model").exists()


def run_in_shell(words, streams, cwd):
    """Run the program with other streams, and return code and stderr."""
    command = f'exec "{sys.executable}" -m softmargin {words} {streams}'
    found = subprocess.run(
        ["sh", "-c", command], cwd=cwd, stdout=subprocess.DEVNULL, stderr=PIPE, text=True
    )
    return found.returncode, found.stderr


@full
def test_help_and_wrong_usage_on_a_full_stream_are_no_traceback(tmp_path):
    for words in ("--help", "train --help", "--version"):
        said = "softmargin: No space left on device\n"
        assert run_in_shell(words, ">/dev/full", tmp_path) == (1, said), words
    for words in ("nope", "train iris --nothing", "train iris --format nope"):
        assert run_in_shell(words, "2>/dev/full", tmp_path) == (2, ""), words


@posix
def test_a_closed_standard_input_is_told_in_a_sentence(tmp_path):
    said = "softmargin: DATA is -, but standard input is closed\n"
    assert run_in_shell("train - m", "<&-", tmp_path) == (1, said)
