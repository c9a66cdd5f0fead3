"""What a checkpoint says of itself is checked before memory is taken for what it holds."""

import contextlib
import tracemalloc
import zipfile

import numpy as np
import pytest
from sklearn import datasets

import softmargin
from archives import member
from softmargin import nested_cv
from softmargin._files.npz import Archive

X, Y = datasets.load_iris(return_X_y=True)
ARGUMENTS = {"grid": {"C": [1.0, 16.0]}, "outer": 2, "inner": 2, "random_state": 0}
# Zeros that are a thousandth as long in a file, and what may be taken to find out.
LENGTH, MOST = 2**25, 2**22


@pytest.fixture
def path(tmp_path):
    """Return the checkpoint of a finished run."""
    path = tmp_path / "run.npz"
    nested_cv(X, Y, "svc", **ARGUMENTS, checkpoint=path)
    return path


def rewrite(path, changes, compression=zipfile.ZIP_STORED):
    """Write the arrays of a file anew, some of them changed."""
    with np.load(path) as found:
        arrays = dict(found) | changes
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", member(np.asarray(array)))


@contextlib.contextmanager
def little_memory():
    """Fail if the body takes more bytes at a time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()


def check_refused(path, match=""):
    """Resume from a file that is no checkpoint."""
    content = path.read_bytes()
    with little_memory(), pytest.raises(ValueError, match=f"is not a valid checkpoint: {match}"):
        nested_cv(X, Y, "svc", **ARGUMENTS, checkpoint=path)
    assert path.read_bytes() == content, "it is not rewritten"


BOMBS = {
    "version": np.zeros(LENGTH, np.uint8),
    "svc/done": np.zeros((LENGTH // 4, 4), bool),
    "svc/n_iter": np.zeros((LENGTH // 8, 1), np.int64),
    "svc/run": np.zeros((), f"U{LENGTH // 4}"),
    "ollawv/n_iter": np.zeros((LENGTH // 8, 1), np.int64),
    "svc-2/run": np.zeros((), f"U{LENGTH // 4}"),
    "svc/confusion": np.zeros(LENGTH // 8, np.int64),
    "more": np.zeros(LENGTH // 8, np.int64),
}


@pytest.mark.case(119, of="nested_cv")
@pytest.mark.parametrize("name", BOMBS)
def test_a_checkpoint_that_unpacks_to_much_more_is_refused_before_it_is_unpacked(path, name):
    rewrite(path, {name: BOMBS[name]}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < LENGTH // 100
    check_refused(path)


@pytest.mark.case(119, of="nested_cv")
@pytest.mark.parametrize("name", BOMBS)
def test_arrays_of_other_sizes_are_refused_before_they_are_read(path, name):
    """Also those that are as long in the file as in memory."""
    rewrite(path, {name: BOMBS[name]})
    check_refused(path)


@pytest.mark.case(119, of="nested_cv")
@pytest.mark.parametrize("name", ["svc/confusion", "svc/more", "svm/done", "svc-x/done", "more"])
def test_unknown_arrays_are_refused(path, name):
    rewrite(path, {name: np.zeros((4, 2), np.int64)})
    check_refused(path, f"unknown array '{name}'")


@pytest.mark.case(119, of="nested_cv")
def test_arrays_that_share_bytes_of_the_file_are_refused(path):
    """A member that is listed many times is as long in memory as all of these together."""
    table = member(np.zeros((4, 2), np.int64))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("ollawv/n_iter.npy", table)
        first = archive.getinfo("ollawv/n_iter.npy")
        for _ in range(100):
            archive.filelist.append(first)
    check_refused(path, "its arrays need .* bytes, but the file has")


@pytest.mark.case(119, of="nested_cv")
@pytest.mark.parametrize("lie", [10, 10_000, 2**31])
def test_no_more_is_read_than_a_directory_says(tmp_path, lie):
    """The directory of the archive tells another size than the packed bytes have."""
    path = tmp_path / "lie.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", member(np.zeros(LENGTH, np.uint8)))
        archive.getinfo("X.npy").file_size = lie
    with (
        little_memory(),
        pytest.raises(ValueError, match="'X'"),
        Archive.opened(path, "a file contains X") as archive,
    ):
        archive.array("X")


@pytest.mark.case(119, of="nested_cv")
def test_a_packed_model_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "packed.softmargin"
    softmargin.SVC().fit(X, Y).save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["more.npy"] = member(np.zeros(LENGTH, np.uint8))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with little_memory(), pytest.raises(ValueError, match="must not be compressed"):
        softmargin.load(path)


def test_a_whole_checkpoint_is_resumed(path):
    """Written anew by other tools, as long as nothing is packed."""
    first = nested_cv(X, Y, "svc", **ARGUMENTS)
    rewrite(path, {})
    again = nested_cv(X, Y, "svc", **ARGUMENTS, checkpoint=path)
    np.testing.assert_array_equal(again.inner_scores, first.inner_scores)
    assert path.stat().st_size < 10_000
