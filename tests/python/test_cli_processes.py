"""The program in a process of its own: signals, pipes, missing packages (cases 87, 95)."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from sklearn.datasets import load_digits

import hinge
from commands import run, start


def test_help_comes_without_scikit_learn():
    script = "import sys, hinge.cli; sys.argv = ['hinge', '--help']\ntry: hinge.cli.main()\n"
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
    assert run("--version")[:2] == (0, f"hinge {hinge.__version__}\n")


def test_without_typer_one_sentence_tells_what_to_install():
    script = "import sys; sys.modules['typer'] = None\nimport hinge.cli; hinge.cli.main()"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (1, "")
    (line,) = found.stderr.splitlines()
    assert "pip install hinge[cli]" in line


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["table", "json"])
def test_ctrl_c_shows_what_is_done(tmp_path, options):
    X, y = load_digits(return_X_y=True)
    hinge.dump_libsvm(X, y, tmp_path / "digits.svm")
    words = ["nested-cv", "digits.svm", "--checkpoint", "run", "--outer", "10", "--inner", "20"]
    process = start(*words, *options, cwd=tmp_path)
    while not (tmp_path / "run").exists():  # the first cells are done
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "interrupted" in err
    assert "Traceback" not in err
    if options:
        facts = json.loads(out)
        assert facts["complete"] is False
        assert facts["methods"]["svc"]["counts"]["trainings"] > 0
    else:
        assert "svc" in out


def test_ctrl_c_before_anything_is_done_is_one_line(tmp_path):
    process = start("cv", "-", stdin=subprocess.PIPE, cwd=tmp_path)
    process.stdin.write("1 1:2\n" * 100)
    process.stdin.flush()
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "hinge: interrupted\n")


def test_a_reader_that_has_enough_is_no_error(tmp_path):
    for words in (["datasets"], ["datasets", "--json"], ["--help"]):
        read, write = os.pipe()
        os.close(read)
        process = start(*words, stdout=write)
        os.close(write)
        assert process.communicate(timeout=30)[1].replace("\n", "") in (
            "",
            "11 of 29 data sets are at hand.",
        )
        assert process.returncode != 0
