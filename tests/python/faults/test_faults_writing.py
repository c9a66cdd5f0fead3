"""A write that fails leaves the old file and nothing else."""

import stat

import numpy as np
import pytest

from processes import run_script
from softmargin import _core, dump_libsvm
from systems import posix

pytestmark = pytest.mark.case(93)

GOOD = b"1 1:2\n-1 2:3\n"


@pytest.fixture(params=["data.txt", "data.txt.gz", "data.txt.bz2"])
def old_file(request, tmp_path):
    path = tmp_path / request.param
    path.write_bytes(GOOD)
    return path


def assert_untouched(path):
    assert path.read_bytes() == GOOD
    assert [other.name for other in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([1.0] * 4999 + [np.nan], "row 4999"),
        ([1.0] * 4999 + [np.inf], "row 4999"),
        ([1.0] * 4, r"\by\b"),
        (["a"] * 5000, r"\by\b"),
        (None, r"\by\b"),
    ],
)
def test_labels_that_cannot_be_written_leave_the_old_file(old_file, y, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        dump_libsvm(np.ones((5000, 1)), y, old_file)
    assert_untouched(old_file)


def test_an_interrupted_write_leaves_the_old_file(old_file, monkeypatch):
    lines, calls = _core.libsvm_lines, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return lines(*arguments)

    monkeypatch.setattr(_core, "libsvm_lines", interrupted)
    with pytest.raises(KeyboardInterrupt):
        dump_libsvm(np.ones((9000, 1)), np.ones(9000), old_file)
    assert_untouched(old_file)


@posix
def test_a_writer_that_is_killed_leaves_the_old_file(old_file):
    script = """
    lines, calls = softmargin._core.libsvm_lines, []
    def killed(*arguments):
        calls.append(1)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return lines(*arguments)
    softmargin._core.libsvm_lines = killed
    softmargin.dump_libsvm(np.ones((9000, 1)), np.ones(9000), os.environ["TARGET"])
    """
    assert run_script(script, TARGET=str(old_file)).returncode < 0
    assert old_file.read_bytes() == GOOD


def test_a_directory_cannot_be_written_over(tmp_path):
    target = tmp_path / "folder"
    target.mkdir()
    with pytest.raises(OSError, match="folder"):
        dump_libsvm(np.ones((2, 1)), [1, 2], target)
    assert stat.S_ISDIR(target.stat().st_mode)
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        dump_libsvm(np.ones((2, 1)), [1, 2], tmp_path / "nowhere" / "data.txt")
