"""Whoever has only the source distribution can build the package."""

import shutil
import subprocess
import sys
import tarfile

import pytest

import checkout

ROOT = checkout.root()


@pytest.mark.skipif(shutil.which("cargo") is None, reason="the list of files is cargo's")
def test_the_source_distribution_has_every_source_file(tmp_path):
    pytest.importorskip("maturin")
    command = [sys.executable, "-m", "maturin", "sdist", "--out", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = tmp_path.iterdir()
    with tarfile.open(path) as archive:
        packed = {name.split("/", 1)[1] for name in archive.getnames()}
    files = [*ROOT.glob("src/**/*.rs"), *ROOT.glob("python/softmargin/**/*.py*")]
    needed = {file.relative_to(ROOT).as_posix() for file in files if file.suffix != ".pyc"}
    assert len(needed) > 100
    assert needed | {"Cargo.lock", "LICENSE", "README.md", "python/softmargin/py.typed"} <= packed
