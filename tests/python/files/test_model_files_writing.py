"""Saving that fails leaves the old file and nothing else."""

import os
import stat

import numpy as np
import pytest

import softmargin
from processes import run_script
from softmargin import SVC, LinearSVC
from systems import posix

pytestmark = pytest.mark.case(93)

X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "model.softmargin"
    LinearSVC().fit(X, Y).save(path)
    return path


def assert_untouched(path, content):
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == [path.name]
    assert type(softmargin.load(path)) is LinearSVC


@pytest.mark.parametrize("name", ["write_array", "fsync", "replace"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("no space left"), MemoryError])
def test_saving_that_fails_leaves_the_old_file(old, monkeypatch, name, error):
    content = old.read_bytes()

    def failing(*_, **__):
        raise error

    monkeypatch.setattr(np.lib.format if name == "write_array" else os, name, failing)
    with pytest.raises(error if isinstance(error, type) else OSError):
        SVC().fit(X, Y).save(old)
    monkeypatch.undo()
    assert_untouched(old, content)


@posix
def test_saving_that_is_killed_leaves_the_old_file(old):
    content = old.read_bytes()
    script = """
    write, calls = np.lib.format.write_array, []
    def killed(*arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return write(*arguments, **options)
    np.lib.format.write_array = killed
    softmargin.SVC().fit(np.eye(4), [0, 0, 1, 1]).save(os.environ["TARGET"])
    """
    assert run_script(script, TARGET=str(old)).returncode < 0
    assert old.read_bytes() == content


def test_a_saved_file_takes_the_place_of_the_old_one(old):
    SVC().fit(X, Y).save(old)
    assert type(softmargin.load(old)) is SVC
    assert os.listdir(old.parent) == [old.name]


@posix
def test_a_file_is_made_as_others_are(old):
    beside = old.with_name("beside")
    beside.touch()
    assert stat.S_IMODE(old.stat().st_mode) == stat.S_IMODE(beside.stat().st_mode)
    link = old.with_name("link")
    link.symlink_to(old)
    SVC().fit(X, Y).save(link)
    assert link.is_symlink()
    assert type(softmargin.load(old)) is SVC


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    model = SVC().fit(X, Y)
    with pytest.raises((IsADirectoryError, PermissionError), match=tmp_path.name):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere") as refusal:
        model.save(tmp_path / "nowhere" / "model")
    assert refusal.value.filename == str(tmp_path / "nowhere" / "model")
    assert os.listdir(tmp_path) == []


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("m" * 255)
    SVC().fit(X, Y).save(path)
    assert type(softmargin.load(path)) is SVC


@posix
def test_permissions_stay_what_they_are(old):
    for mode in (0o600, 0o640, 0o666):
        old.chmod(mode)
        SVC().fit(X, Y).save(old)
        assert stat.S_IMODE(old.stat().st_mode) == mode


@posix
def test_a_file_that_may_not_be_written_is_not_replaced(old, monkeypatch):
    content = old.read_bytes()
    old.chmod(0o444)
    if os.geteuid() == 0:  # who may write everything
        monkeypatch.setattr(os, "access", lambda path, mode: path != old)
    with pytest.raises(PermissionError, match=old.name):
        SVC().fit(X, Y).save(old)
    assert_untouched(old, content)
